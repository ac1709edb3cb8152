"""A log as a past: its ends, its steps and marks, its alerts, and when it stands still."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.recorded.log_series import LogSeries, after, before
from tests.engine.recorded.timelines import app, container, held, node, timeline


def series(*parts: object, **more: object) -> LogSeries:
    return LogSeries("x.log", timeline(*parts, **more))  # type: ignore[arg-type]  # any of its parts


@pytest.mark.parametrize(
    ("time_ms", "found"),
    [(0, (None, 5)), (5, (None, 7)), (6, (5, 7)), (7, (5, 9)), (9, (7, None)), (10, (9, None))],
)
def test_steps_go_to_the_nearest_other_instant(time_ms: int, found: tuple[int | None, int | None]) -> None:
    times = [5, 7, 7, 9]

    assert (before(times, time_ms), after(times, time_ms)) == found
    assert (before([], time_ms), after([], time_ms)) == (None, None)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 20)).map(sorted), st.integers(-1, 21))
def test_steps_are_those_of_a_plain_search(times: list[int], time_ms: int) -> None:
    assert before(times, time_ms) == max((each for each in times if each < time_ms), default=None)
    assert after(times, time_ms) == min((each for each in times if each > time_ms), default=None)


def full(*more: object, until_ms: int | None = None, end_ms: int = 60_000) -> LogSeries:
    """One node, which is reserved from 10 s on; one application runs on it."""
    return series(
        app(1, first_ms=0),
        node("n1:1", (0, "RUNNING")),
        container(1, 0),
        held(10_000, until_ms),
        *more,
        end_ms=end_ms,
    )


def kinds(found: LogSeries) -> list[tuple[str, int, int]]:
    return [(each.kind, each.since_ms, each.found_ms) for each in found.alerts]


@pytest.mark.parametrize(
    ("more", "until_ms", "frozen"),
    [
        ((), 30_000, True),
        ((container(2, 40_000),), None, False),
        ((container(2, 40_000),), 30_000, True),
        ((node("n2:1", (30_000, "NEW")), container(2, 40_000)), None, True),
    ],
)
def test_it_is_frozen_where_nothing_starts_before_some_node_is_free(
    more: tuple[object, ...], until_ms: int | None, *, frozen: bool
) -> None:
    found = full(*more, until_ms=until_ms)

    assert (("frozen", 10_000, 15_000) in kinds(found)) == frozen
    assert kinds(found)[0] == ("alarm", 10_000, 15_000)
