"""Decisions are values that survive the journal."""

import msgspec
import pytest

from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    Decision,
    Killed,
    Reserved,
    Unreserved,
    Warned,
    owner_of,
)

CONTAINER = (7, 1, 3)
ONE_OF_EACH: list[Decision] = [
    Allocated(CONTAINER, "a:1", 1, 1024, 1, "NODE_LOCAL"),
    Reserved(CONTAINER, "a:1", 1, 1024, 1),
    Unreserved(CONTAINER, "a:1", 1, 1024, 1),
    Warned(CONTAINER, "a:1", "root.a", 1024),
    Killed(CONTAINER, "a:1", "PREEMPTED"),
    Completed(CONTAINER, "a:1", 0),
    ApplicationTransitioned(7, "ACCEPTED", "root.a"),
]


@pytest.mark.parametrize("decision", ONE_OF_EACH, ids=lambda decision: type(decision).__name__)
def test_a_decision_comes_back_from_json_as_it_went(decision: Decision) -> None:
    """Its kind is in the text, so that a journal can be read without knowing what comes next."""
    text = msgspec.json.encode(decision)

    assert msgspec.json.decode(text, type=Decision) == decision
    assert f'"kind":"{type(decision).__name__}"'.encode() in text


def test_a_decision_cannot_be_changed() -> None:
    decision = Killed(CONTAINER, "a:1", "PREEMPTED")

    with pytest.raises(AttributeError):
        decision.cause = "LOST"  # type: ignore[misc]  # writing to a frozen value is what is refused here


@pytest.mark.parametrize(("container", "owner"), [((3, 1, 2), 3), ((3, 2, 0), 3), ((0, 0, 0), -1), ((3, 0, 0), -4)])
def test_a_container_belongs_to_its_application_or_is_a_driver(container: tuple[int, int, int], owner: int) -> None:
    assert owner_of(container) == owner


@pytest.mark.parametrize("state", ["NEW", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"])
def test_a_transition_is_an_end_in_three_states(state: str) -> None:
    assert ApplicationTransitioned(1, state).is_end is (state in ("FINISHED", "FAILED", "KILLED"))
