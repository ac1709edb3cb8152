"""Columns, bars and cropping."""

import pytest

from tui.panes.line import Fragments, RenderContext, Span, difference, length
from tui.panes.table import Column, head_line, place, row_line

LOOK = RenderContext(0, ("memory_mb",), (0,))


def _name(row: str, look: RenderContext, width: int) -> Span:
    return row, "text"


def _size(row: str, look: RenderContext, width: int) -> Span:
    return str(len(row)), "faint"


def _box(row: str, look: RenderContext, width: int) -> Fragments:
    return [("#" * min(width, 2), "good")]


COLUMNS = (Column("NAME", 6, 0, _name, grow=1), Column("BOX", 4, 2, _box), Column("SIZE", 4, 1, _size, right=True))


@pytest.mark.parametrize("width", range(1, 60))
def test_a_table_line_is_exactly_as_wide_as_its_pane(width: int) -> None:
    """Head and row fill the width, no more and no less, also with wide characters."""
    placed = place(COLUMNS, width)

    assert (length(head_line(placed)), length(row_line(placed, "日报daily-report", LOOK))) == (width, width)


# What differs between two drawings of a line

LINE: Fragments = [("n1  ", "text"), ("12", "good"), (" ok", "text")]


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
def test_the_cells_that_differ_are_named(new: Fragments, cells: tuple[int, int] | None) -> None:
    """By text and by style, from the first to behind the last; a shorter line differs to the end of the longer."""
    assert difference(LINE, new) == cells
