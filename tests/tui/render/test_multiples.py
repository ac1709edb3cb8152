"""Small plots beside and below each other."""

import pytest

from tests.tui import fakes
from tests.tui.render.test_chart import LOOK, MINUTE, at, trace
from tui.glyphs import GRIDLINE, MARK
from tui.render.line import flat, length
from tui.render.multiples import arranged, foot, lines, small, title
from tui.render.time_axis import Window
from tui.render.trace import COUNT, Gauge, Points, Trace


@pytest.mark.parametrize(
    ("count", "size", "columns", "visible", "height"),
    [
        (13, (80, 12), 3, 2, 6),
        (6, (114, 8), 3, 1, 8),
        (13, (78, 14), 3, 2, 7),
        (13, (116, 34), 3, 3, 11),
        (13, (196, 55), 5, 3, 14),
        (2, (80, 30), 2, 1, 14),
        (13, (47, 30), 1, 6, 5),
        (13, (48, 30), 2, 3, 10),
        (13, (10, 3), 1, 1, 3),
    ],
)
def test_plots_fill_their_room(count: int, size: tuple[int, int], columns: int, visible: int, height: int) -> None:
    """Three beside each other, more where all are wide; the first six are seen while they are three rows high."""
    shape = arranged(count, *size)

    assert (shape.columns, shape.visible, shape.height) == (columns, visible, height)
    assert shape.columns * (shape.width + 2) - 2 <= size[0]
    assert shape.visible * shape.height <= size[1]


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (48, 12), (80, 12), (196, 55)])
def test_lines_stay_within_the_room(size: tuple[int, int]) -> None:
    found = lines([trace(each) for each in range(13)], 0, 0, size, LOOK, has_cursor=True)

    assert 0 < len(found) <= size[1]
    assert all(length(line) <= size[0] for line in found)


def test_a_plot_says_what_it_is_how_much_and_of_what() -> None:
    """Name and value above, the window's begin and the scale below; one gridline, at the top."""
    found = [flat(line) for line in small(trace(0, 63), (30, 6), LOOK, is_selected=False)]

    assert found[0] == "things running              63"
    assert found[-1] == "08:51 ─────────────────── 0–70"
    assert [GRIDLINE in line for line in found[1:-1]] == [True, False, False, False]


def test_the_plot_under_the_cursor_has_a_raised_title() -> None:
    assert {style.partition(" on ")[2] for _, style in title(trace(1), 20, is_selected=True)} == {"raise"}
    assert {style.partition(" on ")[2] for _, style in title(trace(1), 20)} == {""}


def test_alerts_run_through_small_plots_and_acts_do_not() -> None:
    window = Window(fakes.NOW - 10 * MINUTE, fakes.NOW)
    marks = [at(5, "▲", "frozen"), at(2, "K", "K")]
    series = Trace(
        "x", "x", COUNT, lambda since, until: Points([], []), window, 0, gauge=Gauge("x", "x", COUNT, ()), marks=marks
    )
    found = [flat(line) for line in small(series, (40, 6), LOOK, is_selected=False)]

    assert [line.count(MARK) for line in found] == [0, 1, 1, 1, 1, 0]


def test_a_narrow_foot_has_the_scale_alone() -> None:
    assert [flat(foot(trace(1), width, LOOK)) for width in (10, 9, 4)] == [
        "08:51 ─ 0–1"[:0] or "08:51  0–1",
        "      0–1",
        " 0–1",
    ]
