"""A pane: rows of a snapshot as a table, drawn only where they are visible, with a cursor that holds an id.

How lines are painted is in `painting`, where the cursor stands in `cursor`, what clicks mean in `clicking`.
"""

from collections.abc import Iterable, Sequence
from typing import Generic

from rich.style import Style
from textual import events, on

from engine.observe.section import Section
from engine.observe.snapshot import Findable
from tui.render.line import Column, Look, Placed, Spans, head_line, place, table_line
from tui.render.noun import Noun, Row
from tui.widgets.clicking import ClickedLines


class RowPane(ClickedLines[Row], Generic[Row], can_focus=True, inherit_bindings=False):
    """One noun's rows as a scrolling table with a fixed head line."""

    DEFAULT_CSS = """
    RowPane { width: 1fr; height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """
    _SHIFT = 12

    def __init__(self, noun: Noun[Row], styles: dict[str, Style], *, id: str) -> None:
        super().__init__(noun, styles, id=id)
        self.version: object = None
        """Of the rows shown; whoever feeds the pane compares it."""
        self.look: Look | None = None
        self.marks: dict[str, None] = {}
        """Ids of the rows that are marked, in the order they were; a filter may hide some."""
        self._count = 0
        self._placed: list[Placed[Row]] = []
        self._placed_width = -1

    def show(self, rows: Sequence[Row], version: object, look: Look) -> None:
        """Take new rows, or the same rows at another time."""
        stayed = version == self.version and look.now_ms == self._now()
        self.look = look._replace(shift=self.look.shift if self.look else 0)
        if stayed:
            return
        if version != self.version:
            was_last = self._at >= self._count - 1  # the rows may be one list that has grown meanwhile
            self.rows, self.version, self._count = rows, version, len(rows)
            self._resize_contents()
            follow = self.noun.follows and was_last
            self._find_cursor(follow=follow)
            if follow:
                self.call_after_refresh(self._scroll_to_cursor)  # the scroll range is known after the next layout
        self._repaint_changed()
        self.post_message(self.CursorMoved(self))

    def forget(self) -> None:
        """Let go of rows that are made when looked at, for they hold a whole cluster, maybe one of the past."""
        if isinstance(self.rows, Findable | Section):
            self.rows, self.version = (), None

    def become(self, noun: Noun[Row]) -> None:
        """Show rows of another kind, or the same rows in other columns."""
        self.noun = noun
        self.begin_again()

    def begin_again(self) -> None:
        """Forget what was shown; the next rows are new."""
        self.rows, self.version, self._count, self._at = (), None, 0, 0
        self._placed_width = -1
        self._drawn.clear()

    def _now(self) -> int | None:
        return self.look.now_ms if self.look else None

    def _content_height(self) -> int:
        """All lines there are."""
        return len(self.rows) + 1

    def mark(self, row_ids: Iterable[str]) -> None:
        """Mark rows by id."""
        self.marks.update(dict.fromkeys(row_ids))
        self._repaint()

    def unmark(self, row_ids: Iterable[str]) -> None:
        """Take the marks of rows away."""
        gone = [row_id for row_id in row_ids if row_id in self.marks]
        for row_id in gone:
            del self.marks[row_id]
        if gone:
            self._repaint()

    def shift(self, by: int) -> None:
        """Scroll the last column sideways."""
        if self.look is not None:
            self.look = self.look._replace(shift=max(0, min(240, self.look.shift + by * self._SHIFT)))
            self._repaint()

    @property
    def placed(self) -> Sequence[Placed[Row]]:
        """The columns as they stand on screen, from the first cell after the gutter for marks."""
        return self.columns_at(max(1, self.scrollable_content_region.width - self.marks_width))

    def columns_at(self, width: int) -> list[Placed[Row]]:
        """The columns that fit a width; remembered for the width drawn last."""
        if width != self._placed_width:
            self._placed, self._placed_width = place(self.noun.columns, width), width
        return self._placed

    def take_columns(self, columns: Sequence[Column[Row]]) -> None:
        """Show these columns from now on."""
        self.noun, self._placed_width = self.noun._replace(columns=columns), -1
        self._repaint()

    def _line(self, y: int) -> Spans:
        """What one visible line says."""
        width = self._line_width
        if self.look is None:
            return []
        before = self.marks_width
        columns = self.columns_at(max(1, width - before))
        if y == 0:
            return [(" " * before, "head"), *head_line(columns, self.look.glyphs)]
        index = y - 1 + self.scroll_offset.y
        if index >= len(self.rows):
            words = self.noun.nothing if y == 1 and not self.rows else ""
            return [(words[:width], "dim")]
        row = self.rows[index]
        spans = table_line(columns, row, self.look)
        if before:
            is_marked = bool(self.marks) and self.noun.identity(row) in self.marks
            spans.insert(0, (self.look.glyphs.marked if is_marked else " ", "key"))
        if index == self._at:
            spans = [("".join(words for words, _ in spans), "cursor" if self.has_focus else "cursor.idle")]
        return spans

    def on_resize(self, event: events.Resize) -> None:
        """Another width has room for other columns."""
        self._resize_contents()
        self._scroll_to_cursor()

    @on(events.MouseScrollRight)
    @on(events.MouseScrollLeft)
    def _scrolled_sideways(self, event: events.MouseEvent) -> None:
        event.stop()
        self.shift(1 if isinstance(event, events.MouseScrollRight) else -1)

    def on_focus(self) -> None:
        """Show the full cursor."""
        self.refresh()
        self.post_message(self.CursorMoved(self))

    def on_blur(self) -> None:
        """Show that the cursor is not in use."""
        self.refresh()
