"""The least value that helps, and when a value is enough."""

import pytest

from engine.explain.least_value import is_enough
from engine.explain.remedy import Remedy
from engine.explain.remedy_trial import Start, Trial
from engine.scenario.acts import SetPreemption

REMEDY = Remedy(SetPreemption(on=True))


def trial(*starts_ms: int, expected_ms: int | None = 100) -> Trial:
    """One by which these start."""
    starts = tuple(Start(place, start_ms, expected_ms) for place, start_ms in enumerate(starts_ms))
    return Trial(REMEDY, starts=starts)


@pytest.mark.parametrize(
    ("one", "most", "is_one_enough"),
    [
        (trial(20), trial(20), True),
        (trial(60), trial(20), True),
        (trial(61), trial(20), False),
        (trial(20), trial(20, 30), False),
        (trial(20, 90), trial(20, 30), True),
        (trial(20, 30, 40), trial(20, 30), True),
        (trial(10**9), trial(20, expected_ms=None), True),
        (trial(), trial(20, expected_ms=None), False),
    ],
)
def test_a_value_is_enough_with_half_of_the_gain(one: Trial, most: Trial, is_one_enough: bool) -> None:
    """Of as many; where nobody starts without it, any start is."""
    assert is_enough(one, most) is is_one_enough
