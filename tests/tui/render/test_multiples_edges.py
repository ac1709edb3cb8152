"""How many small plots stand beside each other, which marks they have, and what is cut where there is little room."""

import pytest

from tests.tui import fakes
from tests.tui.render.test_chart import LOOK, MINUTE, at, trace
from tui.glyphs import WATCH
from tui.render.line import flat
from tui.render.mark import Mark
from tui.render.multiples import Arranged, arranged, foot, lines, plot, plot_marks, small, title
from tui.render.plot import PlotMark

SINCE_MS = fakes.NOW - 10 * MINUTE


@pytest.mark.parametrize(
    ("width", "columns"),
    [(1, 1), (47, 1), (48, 2), (71, 2), (72, 3), (151, 3), (152, 4), (189, 4), (190, 5), (228, 6)],
)
def test_a_plot_has_24_cells_at_least_and_38_where_more_than_three_are_beside(width: int, columns: int) -> None:
    """Never more than there are plots; they share the room that the blanks between leave."""
    expected = max(1, (width - 2 * (columns - 1)) // columns)

    assert [(one.columns, one.width) for one in (arranged(20, width, 30),)] == [(columns, expected)]
    assert arranged(2, width, 30).columns == min(2, columns)
    assert arranged(0, width, 30).columns == 1


@pytest.mark.parametrize(
    ("height", "visible", "rows"),
    [(0, 1, 1), (1, 1, 1), (9, 1, 9), (10, 2, 5), (14, 2, 7), (28, 2, 14), (29, 3, 9), (42, 3, 14), (43, 4, 10)],
)
def test_the_first_six_are_seen_and_no_plot_is_too_high(height: int, visible: int, rows: int) -> None:
    """Two rows of three where each has five lines; more rows before one has more than fourteen."""
    assert arranged(20, 80, height) == Arranged(3, 25, rows, visible)


def test_a_single_row_of_plots_is_no_higher_than_it_may_be() -> None:
    """The rest of the room stays blank."""
    assert arranged(3, 80, 60) == Arranged(3, 25, 14, 1)
    assert len(lines([trace(1)] * 3, 0, 0, (80, 60), LOOK, has_cursor=True)) == 14


@pytest.mark.parametrize(
    ("time_ms", "cells"),
    [(SINCE_MS - 1, []), (SINCE_MS, [0]), (SINCE_MS + MINUTE, [0]), (SINCE_MS + MINUTE + 1, [1]),
     (fakes.NOW, [9]), (fakes.NOW + 1, [])],
)  # fmt: skip
def test_a_mark_stands_in_its_cell_of_the_window(time_ms: int, cells: list[int]) -> None:
    """Both ends belong to it."""
    found = plot_marks(trace(1), [Mark(time_ms, WATCH, "alarm", ("frozen",))], 10)

    assert found == [PlotMark(cell, "alarm", ()) for cell in cells]


def test_of_several_marks_in_a_cell_the_last_is_seen() -> None:
    """Acts only where names are."""
    marks = [at(5, WATCH, "a"), at(5, "K", "b"), at(2, WATCH, "c")]

    assert plot_marks(trace(1), marks, 10) == [PlotMark(4, "alarm", ()), PlotMark(7, "alarm", ())]
    assert plot_marks(trace(1), marks, 10, with_names=True) == [
        PlotMark(4, "accent", ("b",)),
        PlotMark(7, "alarm", ("c",)),
    ]


@pytest.mark.parametrize(
    ("width", "words"), [(17, "things running  7"), (16, "things running 7"), (15, "things runni… 7"), (3, "… 7"),
                         (2, " 7"), (1, "7")]
)  # fmt: skip
def test_a_name_is_cut_before_the_value(width: int, words: str) -> None:
    """One blank is between them as long as there is room."""
    assert flat(title(trace(7), width)) == words


@pytest.mark.parametrize(
    ("width", "words"),
    [(12, "08:51 ── 0–1"), (11, "08:51 ─ 0–1"), (10, "08:51  0–1"), (9, "      0–1"), (3, "0–1"), (2, "0–")],
)
def test_the_begin_is_left_out_before_the_scale(width: int, words: str) -> None:
    """A rule fills what is between them."""
    assert flat(foot(trace(1), width, LOOK)) == words


@pytest.mark.parametrize("height", [0, 1, 2, 3, 6])
def test_a_small_plot_is_as_high_as_asked(height: int) -> None:
    """Its title stays to the last; a plot without rows has none."""
    found = [flat(line) for line in small(trace(1), (30, height), LOOK, is_selected=False)]

    assert len(found) == height
    assert [line.split()[0] for line in found[:1]] == ["things"] * min(1, height)
    assert (plot(trace(1), (30, 0), LOOK, (), None), len(plot(trace(1), (30, 1), LOOK, (), None))) == ([], 1)


def test_the_rows_of_plots_begin_with_the_one_that_is_seen_first() -> None:
    """Four plots in two columns: the second row has the last two, and below it is nothing."""
    traces = [trace(each, name=f"t{each}") for each in range(4)]
    shown = [
        [flat(line).split() for line in lines(traces, 3, top, (50, 5), LOOK, has_cursor=True)] for top in (0, 1, 2)
    ]

    assert [each[0] for each in shown[:2]] == [["t0", "0", "t1", "1"], ["t2", "2", "t3", "3"]]
    assert shown[2] == []
