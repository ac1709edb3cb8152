"""Draws the rows of a pane as small plots beside and below each other."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from textual.geometry import Size

from tui.render import multiples
from tui.render.line import Spans
from tui.render.noun import Noun
from tui.widgets.drawing import Shown

MARGIN: Final = 1  # Blank columns at either side


class PlotDrawing:
    """A small plot for each row; the rows of plots scroll with the cursor. Implements `Drawing`.

    A blank column is left at either side.
    """

    scrolls = False

    def __init__(self, size: Callable[[], Size]) -> None:
        """Plots in what a pane's content has room for."""
        self._room = size
        self._top = 0
        """The first visible row of plots."""
        self._lines: Sequence[Spans] = ()
        self._lines_for: object = None

    def ordered(self, rows: Sequence[Any], noun: Noun[Any]) -> Sequence[Any]:
        """Return them as they come."""
        return rows

    def _size(self) -> tuple[int, int]:
        width, height = self._room()
        return max(1, width - 2 * MARGIN), height

    def gutter(self, noun: Noun[Any]) -> int:
        """None."""
        return 0

    def _shape(self, shown: Shown) -> multiples.Arranged:
        shape = multiples.arranged(len(shown.rows), *self._size())
        row = shown.at // shape.columns
        self._top = min(max(self._top, row - shape.visible + 1), row)
        return shape

    def line(self, y: int, shown: Shown) -> Spans:
        """One line of all visible plots, which are drawn together."""
        if not shown.rows:
            return [(f" {shown.nothing}"[: shown.width] if y == 0 else "", "faint")]
        _ = self._shape(shown)
        size = self._size()
        look = shown.look._replace(now_ms=0)  # the rows are new when the plots are to be
        drawn_for = (shown.rows, shown.at, self._top, size, look, shown.is_focused)
        if drawn_for != self._lines_for:
            self._lines = multiples.lines(
                shown.rows, shown.at, self._top, size, shown.look, has_cursor=shown.is_focused
            )
            self._lines_for = drawn_for
        return [(" " * MARGIN, "text"), *self._lines[y]] if y < len(self._lines) else []

    def place_at(self, line: int, cell: int, shown: Shown) -> int | None:
        """The plot there; lines are counted from the second of the first plots."""
        shape = self._shape(shown)
        row = self._top + (line + 1) // shape.height
        column = min(max(0, cell - MARGIN) // (shape.width + multiples.GAP), shape.columns - 1)
        place = row * shape.columns + column
        return place if place < len(shown.rows) else None

    def below(self, by: int, shown: Shown) -> int:
        """The plot below or above; at an end that of the cursor."""
        place = shown.at + by * self._shape(shown).columns
        return place if 0 <= place < len(shown.rows) else shown.at

    def beside(self, by: int, shown: Shown) -> int | None:
        """The next plot, or the one before."""
        return shown.at + by
