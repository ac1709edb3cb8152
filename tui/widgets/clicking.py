"""The mouse on a pane: a click puts the cursor on a row; title, head line and the other button mean something more."""

from typing import Generic

from textual import events
from textual.message import Message

from tui.render.noun import Row
from tui.widgets.cursor import CursorLines

RIGHT = 3
"""The mouse's right button."""


class ClickedLines(CursorLines[Row], Generic[Row]):
    """Rows under a head line that take clicks."""

    class Pointed(Message):
        """The mouse wants more than the cursor: a click on the `title` or the `head` line, or two on a `row`."""

        def __init__(self, pane: "ClickedLines[Row]", what: str, cell: int, times: int) -> None:
            super().__init__()
            self.pane = pane
            self.what = what
            self.cell = cell
            """Counted from where the title or the columns begin."""
            self.times = times
            """How many clicks in a row."""

    class MarkWanted(Message):
        """The mouse marks the row under the cursor, or takes its mark away."""

        def __init__(self, pane: "ClickedLines[Row]") -> None:
            super().__init__()
            self.pane = pane

    class MenuWanted(Message):
        """The mouse asks what can be done to the row under the cursor."""

        def __init__(self, pane: "ClickedLines[Row]") -> None:
            super().__init__()
            self.pane = pane

    @property
    def marks_width(self) -> int:
        """Cells before the columns, for marks."""
        return 1 if self.noun.marks else 0

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse pointed; two clicks go into the row.

        In the gutter, or with ctrl held, the row is marked too; the right button asks what can be done to it. The head
        line and the title have a meaning of their own.
        """
        above = event.y - self.gutter.top
        if above <= 0:
            cell = event.x - (self.gutter.left + self.marks_width if above == 0 else 1)
            self.post_message(self.Pointed(self, "head" if above == 0 else "title", cell, event.chain))
            return
        place = self._place_at(above - 1, event.x - self.gutter.left)
        if place is not None:
            self.go_to(place)
            if event.button == RIGHT:
                self.post_message(self.MenuWanted(self))
            elif self.noun.marks and (event.ctrl or event.x - self.gutter.left < self.marks_width):
                self.post_message(self.MarkWanted(self))
            elif event.chain == 2:
                self.post_message(self.Pointed(self, "row", event.x, event.chain))

    def _place_at(self, line: int, cell: int) -> int | None:
        """The place of the row drawn there, counted from the line under the head; None where there is none."""
        place = line + self.scroll_offset.y
        return place if place < len(self.rows) else None
