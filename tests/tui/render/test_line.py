"""Columns, bars and cropping."""

import pytest

from tui.render.line import Look, Span, Spans, crop, difference, flat, length
from tui.render.table import Column, head_line, place, row_line

LOOK = Look(0, ("memory_mb",), (0,))


def _name(row: str, look: Look, width: int) -> Span:
    return row, "text"


def _size(row: str, look: Look, width: int) -> Span:
    return str(len(row)), "faint"


def _box(row: str, look: Look, width: int) -> Spans:
    return [("#" * min(width, 2), "good")]


COLUMNS = (Column("NAME", 6, 0, _name, grow=1), Column("BOX", 4, 2, _box), Column("SIZE", 4, 1, _size, right=True))


def test_spare_width_goes_to_the_growing_column() -> None:
    assert [one.width for one in place(COLUMNS, 30)] == [18, 4, 4]


def test_the_most_dispensable_column_goes_first() -> None:
    assert [one.column.title for one in place(COLUMNS, 17)] == ["NAME", "SIZE"]


@pytest.mark.parametrize("width", [1, 3, 5, 6])
def test_one_column_always_stays(width: int) -> None:
    placed = place(COLUMNS, width)

    assert ([one.column.title for one in placed], [one.width for one in placed]) == (["NAME"], [width])


@pytest.mark.parametrize("width", range(1, 60))
def test_a_table_line_is_exactly_as_wide_as_its_pane(width: int) -> None:
    """Head and row fill the width, no more and no less, also with wide characters."""
    placed = place(COLUMNS, width)

    assert (length(head_line(placed)), length(row_line(placed, "日报daily-report", LOOK))) == (width, width)


def test_numbers_stand_right_and_words_left() -> None:
    assert flat(row_line(place(COLUMNS, 20), "queue", LOOK)) == "queue     ##       5"


def test_a_cut_cell_says_so() -> None:
    assert flat(row_line(place(COLUMNS[:1], 6), "a-long-name", LOOK)) == "a-lon…"


def test_scrolling_sideways_shows_the_rest_of_a_growing_cell() -> None:
    assert flat(row_line(place(COLUMNS[:1], 6), "a-long-name", LOOK._replace(shift=7))) == "name  "


def test_cropped_spans_keep_their_styles_and_end_with_the_mark() -> None:
    assert crop([("free ", "faint"), ("40960 MB", "text")], 9) == [("free ", "faint"), ("409~", "text")]


def test_spans_that_fit_are_not_touched() -> None:
    assert crop([("free ", "faint"), ("4G", "text")], 7) == [("free ", "faint"), ("4G", "text")]


# What differs between two drawings of a line

LINE: Spans = [("n1  ", "text"), ("12", "good"), (" ok", "text")]


@pytest.mark.parametrize(
    ("new", "cells"),
    [
        (LINE, None),
        ([("n1  ", "text"), ("13", "good"), (" ok", "text")], (4, 6)),
        ([("n1  ", "text"), ("12", "watch"), (" ok", "text")], (4, 6)),
        ([("n2  ", "text"), ("12", "good"), (" no", "text")], (0, 9)),
        ([("n1  ", "text"), ("12", "good")], (6, 9)),
        ([("n1  ", "text"), ("日报", "good"), ("k", "text")], (4, 9)),
        ([("n1  12 ok", "text on raise")], (0, 9)),
        ([], (0, 9)),
    ],
)
def test_the_cells_that_differ_are_named(new: Spans, cells: tuple[int, int] | None) -> None:
    """By text and by style, from the first to behind the last; a shorter line differs to the end of the longer."""
    assert difference(LINE, new) == cells
