"""A series over the whole screen: its axes, and what is marked on them."""

import pytest

from engine.observe.step_series import Steps
from tests.tui import fakes
from tui.render.chart import lines
from tui.render.line import ASCII, Look, flat
from tui.render.trace import COUNT, Points, Trace

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (0, 0), 8 * 3_600_000, ASCII)
MINUTE = 60_000


def _drawn(tall: int, top: int = 8, minutes: int = 10, width: int = 69) -> list[str]:
    """A series that climbed to `top` and stays there, over some minutes up to 09:01."""
    since_ms = fakes.NOW - minutes * MINUTE
    steps: Steps[float] = Steps()
    steps.note(since_ms, float(top))
    trace = Trace("x", "x", COUNT, lambda since, until: Points(steps.times, steps.values), (since_ms, fakes.NOW), top)
    return [flat(line) for line in lines(trace, (), LOOK, fakes.NOW, (width, tall))]


@pytest.mark.parametrize(("tall", "has_middle"), [(7, False), (8, True), (9, True)])
def test_the_middle_of_the_axis_has_a_label_where_there_is_room(tall: int, *, has_middle: bool) -> None:
    """From five lines of columns on, between the labels of the top and of nothing."""
    labels = [line.partition("|")[0].strip() for line in _drawn(tall)[: tall - 3]]

    assert (labels[0], labels[-1]) == ("8", "0")
    assert [label for label in labels[1:-1] if label] == (["4"] if has_middle else [])


def test_half_of_two_is_a_label_and_half_of_one_is_not() -> None:
    """Counts are whole."""
    middles = [_drawn(8, top)[2].partition("|")[0].strip() for top in (1, 2)]

    assert middles == ["", "1"]


def test_times_below_the_axis_are_round_and_as_many_as_fit() -> None:
    """With seconds where they lie less than a minute apart."""
    assert _drawn(8, minutes=10)[-2].split() == ["08:52", "08:54", "08:56", "08:58", "09:00"]
    assert _drawn(8, minutes=5)[-2].split() == ["08:56", "08:57", "08:58", "08:59", "09:00"]
    assert _drawn(8, minutes=2)[-2].split() == ["08:59:00", "08:59:30", "09:00:00", "09:00:30"]
