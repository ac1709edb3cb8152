"""What a series says of itself: whose it is, what is drawn beside it, whether it is trouble, how far it went."""

import pytest

from tui.render.line import Look
from tui.render.time_axis import Window
from tui.render.trace import COUNT, Extremes, Gauge, Points, Trace

LOOK = Look(0, ("memory_mb",), (0,))
GAUGE = Gauge("x", "things", COUNT, ("x",))


def series(points: Points, now: float, gauge: Gauge | None = GAUGE, window: tuple[int, int] = (100, 200)) -> Trace:
    """A series in a window of a hundred milliseconds."""
    return Trace("x", "things", COUNT, lambda since, until: points, Window(*window), now, gauge=gauge)


def test_a_series_of_the_cluster_says_what_is_drawn_beside_it() -> None:
    """A queue's has nothing beside it, is no trouble, and has a hue of its own."""
    points = Points([100], [1.0])
    whole = series(points, 1, GAUGE._replace(beside="y", is_trouble=True, style="data"))
    queue = series(points, 1, None)

    assert (whole.is_queue, whole.beside, whole.is_problem, whole.style(LOOK)) == (False, "y", True, "data")
    assert (queue.is_queue, queue.beside, queue.is_problem) == (True, "", False)


@pytest.mark.parametrize(
    ("is_trouble", "now", "is_problem"), [(True, 0, False), (True, 1, True), (True, 0.5, True), (False, 1, False)]
)
def test_trouble_is_more_than_none_of_what_is_trouble(is_trouble: bool, now: float, is_problem: bool) -> None:
    """Whatever it was before."""
    found = series(Points([100], [9.0]), now, GAUGE._replace(is_trouble=is_trouble))

    assert found.is_problem is is_problem


def test_a_series_says_its_value_now_its_lowest_and_its_highest() -> None:
    """In words, for who sees no plot."""
    assert str(series(Points([100, 150, 160], [4, 9, 2]), 5)) == "things: now 5, lowest 2, highest 9"


@pytest.mark.parametrize(("now", "times", "values"), [(9.0, [90, 150], [4, 9]), (8.0, [90, 150, 200], [4, 9, 8])])
def test_the_last_point_is_what_holds_at_the_end(now: float, times: list[int], values: list[float]) -> None:
    """Added where it differs from the last one noted."""
    assert series(Points([90, 150], [4.0, 9.0]), now).points == Points(times, values)


def test_a_series_of_which_nothing_was_noted_is_its_value_now() -> None:
    """At the end of the window."""
    found = series(Points([], []), 3)

    assert found.points == Points([200], [3])
    assert found.extremes == Extremes(3, 200, 3, 200)
    assert found.levels(2) == [None, 3]


def test_extremes_are_reached_within_the_window() -> None:
    """The first time they are; what held at its begin was reached then."""
    assert series(Points([50, 150, 160, 170], [2, 9, 2, 9]), 9).extremes == Extremes(2, 100, 9, 150)


@pytest.mark.parametrize(("time_ms", "value"), [(89, None), (90, 4), (149, 4), (150, 9), (199, 9), (200, 8), (300, 8)])
def test_a_value_holds_from_its_point_on(time_ms: int, value: float | None) -> None:
    """Before the first nothing is known."""
    assert series(Points([90, 150], [4, 9]), 8).at(time_ms) == value
