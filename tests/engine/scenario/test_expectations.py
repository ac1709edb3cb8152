"""What an expectation may ask, of what, and when."""

import pytest
from pydantic import ValidationError

from engine.scenario import Expectation

GOOD = {"of": "queue", "queue": "prod", "what": "used_memory_mb", "equals": 1, "at": 1}


def test_a_whole_expectation_is_taken() -> None:
    """One time, one condition, one subject."""
    assert Expectation.model_validate(GOOD).at_ms == 1000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at": None}, "exactly one of at, within and until, has none"),
        ({"until": 3}, "has at and until"),
        ({"at": None, "until": 1, "since": 2}, "until is before since"),
        ({"equals": None}, "needs either equals"),
        ({"at_least": 1}, "needs either equals"),
        ({"what": "containres"}, "is not a measure of queue"),
        ({"node": "a"}, "node does not go with queue"),
        ({"queue": None}, "the queue is missing: queue"),
    ],
)
def test_a_faulty_expectation_is_refused(change: dict[str, object], message: str) -> None:
    """Each rule has its sentence."""
    with pytest.raises(ValidationError, match=message):
        Expectation.model_validate({**GOOD, **change})
