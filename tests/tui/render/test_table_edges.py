"""Tables at their edges: which column a cell belongs to, what shrinks and grows again, where a bar gets a size."""

from typing import Any

import pytest

from tui.render.line import Look, Span, Spans, flat
from tui.render.table import Column, cells_of, column_at, figure, head_line, place, row_line, widths_of

LOOK = Look(0, ("memory_mb",), (0,))


def word(row: str, look: Look, width: int) -> Span:
    """The row itself."""
    return row, "text"


def bar(row: str, look: Look, width: int) -> Spans:
    """As long as it may be."""
    return [("━" * width, "data")]


def column(title: str, width: int, rank: int = 0, **more: Any) -> Column[str]:
    """A column of words."""
    return Column(title, width, rank, word, **more)


@pytest.mark.parametrize(
    ("cell", "title"),
    [(-1, None), (0, "A"), (2, "A"), (3, "B"), (4, "B"), (8, "B"), (9, "C"), (10, "C"), (11, None)],
)
def test_the_blanks_before_a_column_are_its_own(cell: int, title: str | None) -> None:
    """The first has none; behind the last is nobody."""
    placed = place([column("A", 3), column("B", 4), column("C", 1, gap=1)], 40)
    found = column_at(placed, cell)

    assert (None if found is None else found.title) == title


@pytest.mark.parametrize(("width", "gap", "cells"), [(14, 2, 2), (13, 2, 1), (12, 1, 2), (11, 1, 1)])
def test_a_bar_that_has_no_size_yet_is_worth_a_tight_table(width: int, gap: int, cells: int) -> None:
    """One cell is more than none."""
    columns = [column("A", 4), Column("", 0, 0, bar, grow=1, is_bar=True, steps=(9, 1)), column("B", 4, right=True)]
    tight = place(columns, width, is_tight=True)

    assert (tight[1].gap, tight[1].width) == (gap, cells)


@pytest.mark.parametrize(
    ("width", "widths"),
    [(23, [8, 8, 3]), (22, [7, 8, 3]), (20, [5, 8, 3]), (19, [5, 7, 3]), (17, [5, 5, 3]), (16, [8, 6]), (15, [8, 5])],
)
def test_columns_shrink_from_the_left(width: int, widths: list[int]) -> None:
    """Each to its least; what another leaves when it goes they have again, the left one first."""
    columns = [column("A", 8, least=5), column("B", 8, least=5), column("C", 3, 1)]
    placed = place(columns, width)

    assert [one.width for one in placed] == widths


def test_the_last_column_stays_in_any_width() -> None:
    """It is no wider than that."""
    assert [(one.column.title, one.width) for one in place([column("A", 9), column("B", 9, 1)], 4)] == [("A", 4)]


def test_a_growing_column_of_a_higher_rank_needs_a_value() -> None:
    """One of rank 0 stays without."""
    columns = [column("A", 2, grow=1), column("B", 2, 1, grow=1), column("C", 2, 1, grow=1)]

    assert [one.column.title for one in place(columns, 30, (0, 0, 1))] == ["A", "C"]


def test_each_column_knows_its_place_among_all() -> None:
    """Also where others are left out."""
    columns = [column("A", 2), column("B", 2, 2), column("C", 2)]

    assert [(one.column.title, one.place) for one in place(columns, 6)] == [("A", 0), ("C", 2)]


@pytest.mark.parametrize(
    ("width", "has_letters", "words"),
    [(8, True, "a b  u"), (6, True, "a b  u"), (5, True, "use"), (8, False, "use"), (2, True, "T…"), (2, False, "T…")],
)
def test_letters_stand_over_a_column_where_hues_are_letters(width: int, has_letters: bool, words: str) -> None:
    """As long as they fit."""
    placed = place([column("TITLE", width, letters="a b  u", legend=("use",))], width)

    assert flat(head_line(placed, has_letters=has_letters)).rstrip() == words


def test_only_the_first_of_two_columns_of_a_field_has_the_arrow() -> None:
    """The other one says the same."""
    placed = place([column("A", 4, sorts="x"), column("B", 4, sorts="x")], 10)

    assert flat(head_line(placed, "x", "↑")) == "A ↑   B   "


def test_figures_stand_at_the_right_and_are_never_faint() -> None:
    """Whatever else is said of their column."""
    made = figure("N", 4, 2, word, sorts="n")

    assert made == Column("N", 4, 2, word, right=True, repeats=False, sorts="n")
    assert row_line(place([made], 4), "7", LOOK, None, [("7", "text")]) == [("   7", "text")]


def test_cells_are_measured_by_what_is_in_them() -> None:
    """A bar is nothing before it has a width."""
    columns = [column("A", 9), Column("", 3, 0, bar), Column("", 5, 0, bar, is_bar=True)]
    cells = cells_of(columns, "four", LOOK)

    assert (widths_of(cells), cells[2]) == ([4, 3, 0], ("", "text"))


@pytest.mark.parametrize(("shift", "words"), [(0, "abcdef abcdef"), (1, "abcdef bcdef "), (6, "abcdef       ")])
def test_a_shift_scrolls_the_last_column_that_grows(shift: int, words: str) -> None:
    """The other ones stand."""
    columns = [column("A", 6, grow=1), column("B", 6, grow=1, gap=1)]

    assert flat(row_line(place(columns, 13), "abcdef", LOOK._replace(shift=shift))) == words


def test_a_shift_does_not_scroll_a_last_column_that_is_fixed() -> None:
    """It is seen as it is."""
    assert flat(row_line(place([column("A", 6)], 6), "abcdef", LOOK._replace(shift=2))) == "abcdef"
