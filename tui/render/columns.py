"""Tables whose columns are as wide as what is in them, for answers that are read and not scrolled sideways."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui.glyphs import CUT
from tui.render.line import Span, Spans, crop, length

GAP: Final = 2  # Cells between two columns


class TextColumn(NamedTuple):
    """A column: its title, and one cell for each row."""

    title: str
    cells: Sequence[Span]
    rank: int = 0
    """0 stays; a higher rank goes earlier where there is no room."""
    right: bool = False

    @property
    def width(self) -> int:
        """Returns the width of its widest cell."""
        return max(length([(self.title, "")]), *(length([cell]) for cell in self.cells), 0)


def table(columns: Sequence[TextColumn], width: int) -> tuple[Spans, list[Spans]]:
    """The head and the rows of the columns there is room for; the last one is cut where it must be.

    Columns without a word in any cell are left out, and repeated values are faint.
    """
    chosen = [column for column in columns if any(words for words, _ in column.cells)]
    while len(chosen) > 1 and _needed(chosen) > width and max(column.rank for column in chosen):
        chosen.remove(max(reversed(chosen), key=lambda column: column.rank))
    head = [_cell((column.title, "faint"), column) for column in chosen]
    rows = [
        [_cell(_repeated(column.cells, place), column) for column in chosen]
        for place in range(len(chosen[0].cells) if chosen else 0)
    ]
    return _line(head, width), [_line(row, width) for row in rows]


def fits(columns: Sequence[TextColumn], width: int) -> bool:
    """True where all of these columns fit into a width."""
    return _needed(columns) <= width


def _needed(columns: Sequence[TextColumn]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def _repeated(cells: Sequence[Span], place: int) -> Span:
    """A cell, faint where it says the same as the one above it."""
    words, style = cells[place]
    return (words, "faint") if place and cells[place - 1][0] == words and style == "text" else (words, style)


def _cell(cell: Span, column: TextColumn) -> Spans:
    blank = (" " * (column.width - length([cell])), "text")
    return [blank, cell] if column.right else [cell, blank]


def _line(cells: Sequence[Spans], width: int) -> Spans:
    spans: Spans = []
    for cell in cells:
        spans += [*([(" " * GAP, "text")] if spans else []), *cell]
    while spans and not spans[-1][0].strip():
        spans.pop()
    return crop(spans, width, CUT)
