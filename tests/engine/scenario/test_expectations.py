"""What an expectation may ask, of what, and when."""

import pytest
from pydantic import ValidationError

from engine.scenario import Expectation

GOOD = {"of": "queue", "queue": "prod", "what": "used_memory_mb", "equals": 1, "at": 1}


def test_a_whole_expectation_is_taken() -> None:
    assert Expectation.model_validate(GOOD).at_ms == 1000


@pytest.mark.parametrize(
    "change",
    [
        {"at": 0},
        {"at": None, "within": 0},
        {"at": None, "until": 0},
        {"at": None, "until": 2, "since": 2},
        {"equals": 0},
        {"equals": False},
        {"equals": None, "at_least": 0},
        {"equals": None, "at_most": 0},
        {"equals": None, "at_least": 0, "at_most": 1},
        {"of": "cluster", "queue": None},
        {"of": "node", "queue": None, "node": "a"},
        {"of": "application", "queue": None, "application": "1"},
        {"of": "applications", "what": "count", "state": "RUNNING", "name": "x"},
        {"of": "applications", "what": "count", "queue": None},
        {"of": "reservations", "what": "count", "queue": None, "application": "1"},
        {"of": "decisions", "what": "killed", "queue": None, "application": "1", "node": "a"},
        {"of": "decisions", "what": "killed", "queue": None},
    ],
)
def test_what_goes_together_is_taken(change: dict[str, object]) -> None:
    assert Expectation.model_validate({**GOOD, **change}).of == change.get("of", "queue")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at": None}, "needs exactly one of at, within and until, has none"),
        ({"until": 3}, "needs exactly one of at, within and until, has at and until"),
        ({"within": 3}, "needs exactly one of at, within and until, has at and within"),
        ({"at": None, "until": 1, "since": 2}, "until is before since"),
        ({"equals": None}, "needs either equals, or at_least and / or at_most"),
        ({"at_least": 0}, "needs either equals, or at_least and / or at_most"),
        ({"at_most": 0}, "needs either equals, or at_least and / or at_most"),
        (
            {"of": "applications", "what": "containres"},
            "'containres' is not a measure of applications; there is count",
        ),
        (
            {"of": "reservations", "queue": None, "what": "counts"},
            "'counts' is not a measure of reservations; there is count, nodes, memory_mb",
        ),
        ({"node": "a"}, "node does not go with queue"),
        ({"node": "a", "application": "1"}, "application does not go with queue"),
        ({"state": "x"}, "state does not go with queue"),
        ({"name": "x"}, "name does not go with queue"),
        ({"of": "cluster"}, "queue does not go with cluster"),
        ({"queue": None}, "the queue is missing: queue = ..."),
        ({"of": "node", "queue": None}, "the node is missing: node = ..."),
        ({"of": "application", "queue": None}, "the application is missing: application = ..."),
    ],
)
def test_a_faulty_expectation_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Expectation.model_validate({**GOOD, **change})
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {message}"]
