"""A pane: rows of a snapshot as lines, drawn only where they are visible, with a cursor that holds an id.

Built on the line API: a frame asks for the visible lines and nothing else, so ten thousand rows cost as much as forty.
The cursor belongs to what a row is about, not to its place: rows may come, go and move under it. Until somebody moves
it, and on the first row again, it stays on top.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.observe.section import Section, glimpses
from engine.observe.snapshot import Findable
from tui.render.difference import difference
from tui.render.line import Column, Look, Placed, Spans, head_line, place, table_line

Row = TypeVar("Row")

RIGHT = 3
"""The mouse's right button."""


class Noun(NamedTuple, Generic[Row]):
    """What a pane shows: how its rows are identified, drawn, described and found."""

    name: str
    columns: Sequence[Column[Row]]
    identity: Callable[[Row], str]
    details: Callable[[Row, Look], list[Spans]]
    nothing: str
    """What the pane says when there is no row."""
    follows: bool = False
    """Whether the cursor stays on the last row while it is there."""
    marks: bool = False
    """Whether rows can be marked; then a gutter of one cell stands before them."""


def strip(spans: Spans, styles: dict[str, Style], width: int) -> Strip:
    """A line of spans as textual draws it."""
    line = Strip([Segment(words, styles[style]) for words, style in spans if words])
    return line.adjust_cell_length(width, styles["plain"])


class RowPane(ScrollView, Generic[Row], can_focus=True, inherit_bindings=False):
    """One noun's rows as a scrolling table with a fixed head line."""

    DEFAULT_CSS = """
    RowPane { width: 1fr; height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """
    _SHIFT = 12

    class Pointed(Message):
        """The mouse wants more than the cursor: a click on the `title` or the `head` line, or two on a `row`."""

        def __init__(self, pane: "RowPane[Row]", what: str, cell: int, times: int) -> None:
            super().__init__()
            self.pane = pane
            self.what = what
            self.cell = cell
            """Counted from where the title or the columns begin."""
            self.times = times
            """How many clicks in a row."""

    class CursorMoved(Message):
        """The cursor stands on another row, or its row looks different now."""

        def __init__(self, pane: "RowPane[Row]") -> None:
            super().__init__()
            self.pane = pane

    class MarkWanted(Message):
        """The mouse marks the row under the cursor, or takes its mark away."""

        def __init__(self, pane: "RowPane[Row]") -> None:
            super().__init__()
            self.pane = pane

    class MenuWanted(Message):
        """The mouse asks what can be done to the row under the cursor."""

        def __init__(self, pane: "RowPane[Row]") -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, noun: Noun[Row], styles: dict[str, Style], *, id: str) -> None:
        super().__init__(id=id)
        self.noun = noun
        self.rows: Sequence[Row] = ()
        self.version: object = None
        """Of the rows shown; whoever feeds the pane compares it."""
        self.look: Look | None = None
        self.cursor_id: str | None = None
        self.marks: dict[str, None] = {}
        """Ids of the rows that are marked, in the order they were; a filter may hide some."""
        self._at = 0
        self._is_led = False
        self._count = 0
        self._styles_by_name = styles
        self._placed: list[Placed[Row]] = []
        self._placed_width = -1
        self._drawn: dict[int, Spans] = {}
        """Visible line → how it was drawn last."""
        self._ready: dict[int, Spans] = {}
        """Visible line → how it is to be drawn next, where that is known already."""
        self._ready_for: object = None
        self._title_width = 0

    @property
    def selected(self) -> Row | None:
        """The row under the cursor; None when there is no row."""
        return self.rows[self._at] if self.rows else None

    @property
    def cursor_row(self) -> int:
        """The place of the cursor, counted from 0."""
        return self._at

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

    def entitle(self, title: Content) -> None:
        """Stand under another title; nothing but the title is drawn again."""
        width, self._border_title = max(self._title_width, title.cell_length) + 4, title
        self._title_width = title.cell_length
        self.refresh(Region(0, -1, min(width, self.size.width), 1))

    def _repaint(self) -> None:
        """Draw every line again."""
        self._ready.clear()
        self.refresh()

    def _repaint_changed(self) -> None:
        """Draw again what looks different now, and nothing else; all of it once the lines have moved."""
        if self._view() != self._ready_for or not self._drawn:
            self._ready_for = self._view()
            self._repaint()
            return
        for y in range(self.scrollable_content_region.height):
            spans = self._line(y)
            before = self._drawn.get(y)
            cells = (0, self.size.width) if before is None else difference(before, spans)
            if cells is not None:
                self._ready[y] = spans
                self.refresh(Region(cells[0], y, cells[1] - cells[0], 1))

    def _view(self) -> object:
        """What all lines depend on besides their rows."""
        return self.scroll_offset.y, self.scrollable_content_region.size, self.has_focus

    @property
    def marks_width(self) -> int:
        """Cells before the columns, for marks."""
        return 1 if self.noun.marks else 0

    def _now(self) -> int | None:
        return self.look.now_ms if self.look else None

    def _resize_contents(self) -> None:
        size = Size(max(1, self.scrollable_content_region.width), self._content_height())
        if size == self.virtual_size:
            return
        if (size.height > self.container_size.height) == self.show_vertical_scrollbar and self.is_mounted:
            # Nothing on the screen moves: a layout of all of it would draw all of it again.
            self.set_reactive(RowPane.virtual_size, size)
            self._scroll_update(size)
        else:
            self.virtual_size = size

    def _content_height(self) -> int:
        """All lines there are."""
        return len(self.rows) + 1

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

    def render_line(self, y: int) -> Strip:
        """Draw one visible line: the head, a row, or nothing."""
        spans = self._ready.pop(y, None)
        if spans is None or self._view() != self._ready_for:
            spans = self._line(y)
        self._drawn[y] = spans
        return strip(spans, self._styles_by_name, self.scrollable_content_region.width)

    def _line(self, y: int) -> Spans:
        """What one visible line says."""
        width = self.scrollable_content_region.width
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

    def visible_text(self) -> list[str]:
        """The lines as they stand on screen, without style."""
        return [self.render_line(y).text.rstrip() for y in range(self.scrollable_content_region.height)]

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
