"""One or two series over the whole screen."""

from collections.abc import Sequence

import pytest

from engine.observe.step_series import Steps
from tests.tui import fakes
from tui.glyphs import CURSOR_LINE, DOTTED, MARK, WATCH
from tui.render.chart import Chart, frame, heading, legend, lines, read_out, short_names
from tui.render.line import Look, flat, length
from tui.render.mark import Mark
from tui.render.time_axis import Window
from tui.render.trace import COUNT, Gauge, Points, Trace

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (0, 0), 8 * 3_600_000)
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


def drawn(chart: Chart, size: tuple[int, int] = SIZE, look: Look = LOOK) -> list[str]:
    return [flat(line) for line in lines(chart, look, size)[0]]


def at(minutes: float, sign: str = WATCH, *names: str) -> Mark:
    return Mark(fakes.NOW - round(minutes * MINUTE), sign, "alarm" if sign == WATCH else "accent", names)


def test_values_stand_beside_their_gridlines() -> None:
    """From 0 up to the next round value over the highest, right before the plot."""
    shown = drawn(Chart([trace(0, 107)], (), None))
    labels = [line[:6] for line in shown[:18]]

    assert [label.strip() for label in labels if label.strip()] == ["120", "100", "80", "60", "40", "20", "0"]
    assert all(label.endswith(" ") for label in labels)
    assert all("┈" in line for line, label in zip(shown, labels, strict=False) if label.strip())


@pytest.mark.parametrize(("rows", "gridlines"), [(6, 2), (7, 4), (10, 4), (11, 6)])
def test_gridlines_keep_a_row_between_them(rows: int, gridlines: int) -> None:
    shown = drawn(Chart([trace(0, 5)], (), None), (72, rows + 2))

    assert sum(bool(line[:6].strip()) for line in shown[:rows]) == gridlines


def test_two_series_share_the_axis_and_differ_in_colour() -> None:
    """The scale has room for both; the second has another token, and without colour other signs."""
    chart = Chart([trace(0, 10), trace(0, 400, key="y", name="things asked")], (), None)

    assert drawn(chart)[0].startswith("  400 ")
    assert chart.styles(LOOK) == ["data", "held"]
    assert flat(legend(chart, LOOK)) == " ━━ running 10   ━━ asked 400   lowest 0, highest 10"
    assert DOTTED * 2 in flat(legend(chart, LOOK._replace(is_colourless=True)))


def test_series_are_called_by_what_tells_them_apart() -> None:
    both = [trace(1), trace(1, name="things asked")]

    assert (heading(both), short_names(both)) == ("things", ["running", "asked"])
    assert heading(both[:1]) == "things running"
    assert heading([both[0], trace(1, name="nodes up")]) == "things running and nodes up"


def test_the_cursor_stands_in_every_row_with_its_time_below() -> None:
    bare = drawn(Chart([trace(1)], (), None))
    shown = drawn(Chart([trace(1)], (), fakes.NOW - 5 * MINUTE))
    cell = shown[0].index(CURSOR_LINE)

    assert all(line[cell] == CURSOR_LINE for line in shown[:18])
    assert (shown[18][cell], shown[19][cell - 4 : cell + 4]) == (WATCH, "08:56:00")
    assert bare[19].split() == ["08:52", "08:54", "08:56", "08:58", "09:00"]
    assert shown[19].split() == ["08:52", "08:54", "08:56:00", "08:58", "09:00"]


def test_the_read_out_stands_in_the_first_free_place_beside_the_cursor() -> None:
    """Below the line where the line is high; where no place is free, the caller is told."""
    chart = Chart([trace(10)], (), fakes.NOW - 9 * MINUTE, events=["nothing allocated"])
    shown = drawn(chart)

    assert [line.partition(CURSOR_LINE)[2][:20].strip("┈ ") for line in shown[2:5]] == [
        "08:52:00",
        "things running  10",
        "nothing allocated",
    ]
    assert lines(chart, LOOK, SIZE)[1]
    assert not lines(chart, LOOK, (40, 6))[1]


def test_the_read_out_tells_the_values_under_the_cursor() -> None:
    both = [trace(0, 100), trace(7, 5, key="y", name="things asked")]

    assert [flat(line) for line in read_out(Chart(both, (), fakes.NOW - MINUTE), LOOK)] == [
        "09:00:00",
        "running  100",
        "asked      5",
    ]


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


def test_other_series_stand_below_on_a_large_screen() -> None:
    """Four of them, with the same cursor; on a smaller one the plot has the room."""
    others = [trace(each, name=f"other {each}") for each in range(6)]
    chart = Chart([trace(1)], (), fakes.NOW - MINUTE, others=others)
    large, small = drawn(chart, (200, 54)), drawn(chart, (200, 49))

    assert [f"other {each}" in "".join(large) for each in range(6)] == [True] * 4 + [False] * 2
    assert "other" not in "".join(small)
    assert (len(large), large[-1].count(CURSOR_LINE)) == (54, 4)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (9, 4), (29, 5), (30, 2), (72, 20), (200, 57)])
def test_a_chart_of_any_size_is_drawn(size: tuple[int, int]) -> None:
    """However small, no line is wider than the room, and it is as high as the room."""
    marks: Sequence[Mark] = [at(1, WATCH, "00:00:00 frozen", "frozen")]
    chart = Chart([trace(3, 5)], marks, fakes.NOW - MINUTE, others=[trace(1)] * 4)
    found, _ = lines(chart, LOOK, size)

    assert len(found) == size[1]
    if size[0] >= frame(chart, size).first + 20:
        assert max(length(line) for line in found) <= size[0]
