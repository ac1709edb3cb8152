"""One or two series over the whole screen."""

from collections.abc import Sequence

import pytest

from engine.observe.history import Steps
from tests.tui import fakes
from tui.panes.chart import Chart, frame, lines
from tui.panes.graphs import COUNT, Gauge, Points, Trace
from tui.panes.line import RenderContext, flat, length
from tui.panes.plot import Window
from tui.panes.pulse import Mark
from tui.terminal.format import MARK, WATCH

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (0, 0), 8 * 3_600_000)
MINUTE = 60_000
SIZE = (72, 20)


def trace(*values: float, key: str = "x", name: str = "things running", minutes: int = 10) -> Trace:
    """A series of values at equal distances in the last minutes up to 09:01."""
    since_ms = fakes.NOW - minutes * MINUTE
    steps: Steps[float] = Steps()
    for place, value in enumerate(values):
        steps.note(since_ms + place * minutes * MINUTE // len(values), value)
    gauge = Gauge(key, name, COUNT, (key,))
    window = Window(since_ms, fakes.NOW)
    return Trace(
        key, name, COUNT, lambda since, until: Points(steps.times, steps.values), window, values[-1], gauge=gauge
    )


def drawn(chart: Chart, size: tuple[int, int] = SIZE, look: RenderContext = LOOK) -> list[str]:
    return [flat(line) for line in lines(chart, look, size)[0]]


def at(minutes: float, sign: str = WATCH, *names: str) -> Mark:
    return Mark(fakes.NOW - round(minutes * MINUTE), sign, "alarm" if sign == WATCH else "accent", names)


def test_marks_run_through_the_plot_and_are_named_on_top() -> None:
    """Right of the mark, left of it where the next one is near, shorter or not at all where nothing fits."""
    marks = [at(5, WATCH, "08:56:00 held up", "held up"), at(4.5, "K", "08:56:30 K", "K"), at(30)]
    shown = drawn(Chart([trace(0)], marks, None))
    cells = [cell for cell, sign in enumerate(shown[5]) if sign == MARK]

    assert len(cells) == 2
    assert shown[0][cells[0] - 18 : cells[1] + 13] == " 08:56:00 held up  ┈┈┈  08:56:30 K "
    assert [shown[18][cell] for cell in cells] == [WATCH] * 2


@pytest.mark.parametrize(("minutes", "times"), [(10, 5), (5, 5), (2, 4)])
def test_times_below_the_axis_are_round_and_as_many_as_fit(minutes: int, times: int) -> None:
    found = drawn(Chart([trace(1, minutes=minutes)], (), None))[19].split()

    assert len(found) == times
    assert {len(time) for time in found} == {8 if minutes == 2 else 5}


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (9, 4), (29, 5), (30, 2), (72, 20), (200, 57)])
def test_a_chart_of_any_size_is_drawn(size: tuple[int, int]) -> None:
    """However small, no line is wider than the room, and it is as high as the room."""
    marks: Sequence[Mark] = [at(1, WATCH, "00:00:00 frozen", "frozen")]
    chart = Chart([trace(3, 5)], marks, fakes.NOW - MINUTE, others=[trace(1)] * 4)
    found, _ = lines(chart, LOOK, size)

    assert len(found) == size[1]
    if size[0] >= frame(chart, size).first + 20:
        assert max(length(line) for line in found) <= size[0]
