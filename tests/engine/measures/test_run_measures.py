"""Quantiles and waits, by their definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures import ApplicationTimes, Quantiles, quantiles


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=130))
def test_a_quantile_is_the_least_value_that_enough_values_do_not_exceed(values: list[int]) -> None:
    def least(percent: int) -> int:
        return min(one for one in values if 100 * sum(each <= one for each in values) >= percent * len(values))

    assert quantiles(values) == Quantiles(len(values), least(50), least(95), max(values))


@pytest.mark.parametrize(
    ("times", "wait_ms"),
    [
        (ApplicationTimes(1, submitted_ms=10), 90),
        (ApplicationTimes(1, submitted_ms=10, first_ms=30), 20),
        (ApplicationTimes(1, submitted_ms=10, first_ms=10, ended_ms=50), 0),
        (ApplicationTimes(1, submitted_ms=10, ended_ms=50), 40),
        (ApplicationTimes(1, submitted_ms=10, ran_at_start=True, first_ms=30), None),
        (ApplicationTimes(1, submitted_ms=0, first_ms=0), 0),
    ],
)
def test_a_wait_ends_with_the_first_container_the_end_or_the_run(times: ApplicationTimes, wait_ms: int | None) -> None:
    assert times.wait_ms(100) == wait_ms
