"""The cursor of a pane: it belongs to what a row is about, not to its place.

Rows may come, go and move under it. Until somebody moves it, and on the first row again, it stays on top.
"""

from collections.abc import Sequence
from typing import Generic

from rich.style import Style
from textual.message import Message

from engine.observe.section import glimpses
from engine.observe.snapshot import Findable
from tui.render.noun import Noun, Row
from tui.widgets.painting import PaintedLines


class CursorLines(PaintedLines, Generic[Row]):
    """Rows, one of which the cursor stands on."""

    class CursorMoved(Message):
        """The cursor stands on another row, or its row looks different now."""

        def __init__(self, pane: "CursorLines[Row]") -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, noun: Noun[Row], styles: dict[str, Style], *, id: str) -> None:
        super().__init__(styles, id=id)
        self.noun = noun
        self.rows: Sequence[Row] = ()
        self.cursor_id: str | None = None
        self._at = 0
        self._is_led = False

    @property
    def selected(self) -> Row | None:
        """The row under the cursor; None when there is no row."""
        return self.rows[self._at] if self.rows else None

    @property
    def cursor_row(self) -> int:
        """The place of the cursor, counted from 0."""
        return self._at

    def _find_cursor(self, *, follow: bool) -> None:
        """Keep the cursor on its id; where that is gone, on the same place."""
        if not self.rows:
            self._at, self.cursor_id = 0, None
            return
        last = len(self.rows) - 1
        if follow:
            self._stand(last, scroll=True)
            return
        if not self._is_led and not self.noun.follows:
            self._stand(0, scroll=True)
            return
        if self.cursor_id is not None and not self._is_at(min(self._at, last)):
            found = self._place_of(self.cursor_id)
            if found is not None:
                moved, self._at = found - self._at, found
                self.scroll_to(y=max(0, self.scroll_offset.y + moved), animate=False)
                return
        self._stand(min(self._at, last), scroll=False)

    def _is_at(self, index: int) -> bool:
        if self.noun.identity(self.rows[index]) != self.cursor_id:
            return False
        self._at = index
        return True

    def _stand(self, index: int, *, scroll: bool) -> None:
        self._at = index
        self.cursor_id = self.noun.identity(self.rows[index])
        if scroll:
            self._scroll_to_cursor()

    def _scroll_to_cursor(self) -> None:
        visible = max(1, self.scrollable_content_region.height - 1)
        top = self.scroll_offset.y
        if self._at < top:
            self.scroll_to(y=self._at, animate=False)
        elif self._at >= top + visible:
            self.scroll_to(y=self._at - visible + 1, animate=False)

    def go_to(self, index: int) -> None:
        """Put the cursor on a place, or as near as there are rows."""
        if not self.rows:
            return
        index = max(0, min(len(self.rows) - 1, index))
        self._is_led = index > 0
        before = self._at
        self._stand(index, scroll=True)
        self._ready.clear()
        if index != before:
            self.refresh_line(before + 1)
            self.refresh_line(index + 1)
        self.post_message(self.CursorMoved(self))

    def go_to_id(self, row_id: str) -> bool:
        """Put the cursor on what has this id; False when it is not here."""
        found = self._place_of(row_id)
        if found is not None:
            self.go_to(found)
        return found is not None

    def _place_of(self, row_id: str) -> int | None:
        """Where what has this id stands; None when it is not here."""
        if isinstance(self.rows, Findable):
            return self.rows.place_of(row_id)
        identity = self.noun.identity
        return next((place for place, row in enumerate(glimpses(self.rows)) if identity(row) == row_id), None)

    def move(self, by: int) -> None:
        """Move the cursor by rows."""
        self.go_to(self._at + by)

    def move_pages(self, by: int) -> None:
        """Move the cursor by what is visible at once."""
        self.move(by * max(1, self.scrollable_content_region.height - 2))
