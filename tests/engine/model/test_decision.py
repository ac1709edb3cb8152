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
