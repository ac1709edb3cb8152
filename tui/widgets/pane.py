"""A pane: rows of a snapshot, drawn only where they are visible, with a cursor that holds an id."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from rich.style import Style
from textual import events, on
from textual.geometry import Size
from textual.message import Message

from engine.observe.snapshot import Findable, Section, lazy_rows
from tui.panes.arrangement import SortedBy
from tui.panes.fragments import Fragments, RenderContext
from tui.panes.group import GroupedRows, Headline, headline_at, members
from tui.panes.pane_view import MAP, PLOTS, PaneView, Row
from tui.panes.table import Column, PlacedColumn
from tui.widgets.drawing import Drawing, MapDrawing, PaneContent, PlotDrawing, TableDrawing, columns_of, lines_of
from tui.widgets.lines import PaintedLines


class Cursor:
    """A place among rows, which may come and go: it stays on top until it is moved, then on the id of its row."""

    def __init__(self) -> None:
        self.id: str | None = None  # The id of the row it stands on; None when there is no row
        self.at = 0  # Its place, counted from 0
        self.was_moved = False  # Whether the user put it there, or ordered the rows; then it follows its row

    def stand(self, at: int, rows: Sequence[Any], view: PaneView[Any]) -> None:
        self.at, self.id = at, _identity_of(rows, at, view)

    def move(self, at: int, rows: Sequence[Any], view: PaneView[Any]) -> None:
        """Stand at a place because the user wants it, or as near as there are rows; there is at least one."""
        at = _standable(max(0, min(len(rows) - 1, at)), rows, 1 if at >= self.at else -1)
        self.was_moved = True
        self.stand(at, rows, view)

    def forget(self) -> None:
        self.at, self.was_moved = 0, False

    def settle(self, rows: Sequence[Any], view: PaneView[Any]) -> int | None:
        """Find its place among new rows; by how many it moved, None where the cursor has to be brought into sight."""
        if not rows:
            self.at, self.id = 0, None
            return 0
        if not self.was_moved:
            self.stand(_home_of(rows), rows, view)
            return None
        here = _standable(min(self.at, len(rows) - 1), rows, 1)
        if self.id is not None and _identity_of(rows, here, view) != self.id:
            found = place_of(self.id, rows, view)
            if found is not None:
                moved, self.at = found - self.at, found
                return moved
        self.stand(here, rows, view)
        return 0


def _identity_of(rows: Sequence[Any], at: int, view: PaneView[Any]) -> str:
    headline = headline_at(rows, at)
    return view.identity(rows[at]) if headline is None else headline.id


def _home_of(rows: Sequence[Any]) -> int:
    """Tells where the cursor stands until it is moved: on the first row that is no headline."""
    return rows.first if isinstance(rows, GroupedRows) else 0


def _standable(at: int, rows: Sequence[Any], step: int) -> int:
    """The nearest place the cursor can stand on, first in the direction; a headline only of a folded group."""
    if not isinstance(rows, GroupedRows):
        return at
    ways = (range(at, len(rows) if step > 0 else -1, step), range(at, -1 if step > 0 else len(rows), -step))
    return next((place for way in ways for place in way if rows.can_stand(place)), at)


def place_of(row_id: str, rows: Sequence[Any], view: PaneView[Any]) -> int | None:
    """Tells where the row with an id stands; None when it is not there."""
    if isinstance(rows, GroupedRows):
        return rows.place_of(row_id, view.identity)
    if isinstance(rows, Findable):
        return rows.place_of(row_id)
    identity = view.identity
    return next((place for place, row in enumerate(lazy_rows(rows)) if identity(row) == row_id), None)


RIGHT = 3  # The mouse's right button
_DRAWN_LINES = 30  # Lines wanted by what is no table
_SHIFT = 12  # Characters that a step sideways scrolls the last column by


class RowPane(PaintedLines, Generic[Row], can_focus=True, inherit_bindings=False):
    """One view's rows below a fixed head line, as a table or as a map."""

    DEFAULT_CSS = """
    RowPane { width: 1fr; height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """

    @dataclass
    class CursorMoved(Message):
        """The cursor stands on another row, or its row looks different now."""

        pane: "RowPane[Any]"

    @dataclass
    class PaneClicked(Message):
        """The mouse wants more than the cursor: a click on the `title` or the `head` line, or two on a `row`."""

        pane: "RowPane[Any]"
        what: str
        cell: int  # Counted from where the title or the columns begin
        times: int  # Number of clicks in a row

    @dataclass
    class MarkRequested(Message):
        """The mouse marks the row under the cursor, or takes its mark away."""

        pane: "RowPane[Any]"

    @dataclass
    class MenuRequested(Message):
        """The mouse asks what can be done to the row under the cursor."""

        pane: "RowPane[Any]"

    @dataclass
    class Resized(Message):
        """The pane has another size; a map stands in another way then."""

        pane: "RowPane[Any]"

    def __init__(self, view: PaneView[Row], styles: dict[str, Style], *, id: str) -> None:
        super().__init__(styles, id=id)
        self.view = view
        self.rows: Sequence[Row] = ()
        self.version: object = None  # The version of the rows shown; the feed of the pane compares it
        self.look: RenderContext | None = None
        self.marks: dict[str, None] = {}  # Ids of marked rows, in the order they were marked; a filter may hide some
        self.nothing = view.empty_text  # The sentence in place of rows when there is none
        self.chosen_columns: Sequence[Column[Row]] | None = None  # The ones the user chose; None: those of the view
        self.sorted_by = SortedBy()  # The order of the rows
        self.cursor = Cursor()
        self._drawing = self._drawing_of(view)

    # What it shows

    def show(self, rows: Sequence[Row], version: object, look: RenderContext) -> None:
        look = look._replace(shift=self.look.shift if self.look else 0)
        stayed = version == self.version and look == self.look
        self.look = look
        if stayed:
            return
        if version != self.version:
            self.rows, self.version = self._drawing.ordered(rows, self.view), version
            self._resize_contents()
            moved = self.cursor.settle(self.rows, self.view)
            if moved is None:
                self._scroll_to_cursor()
            elif moved:
                self.scroll_to(y=max(0, self.scroll_offset.y + moved), animate=False)
        self._repaint_changed()
        self.post_message(self.CursorMoved(self))

    def forget(self) -> None:
        """Let go of rows that are made when looked at, for they hold a whole cluster, maybe one of the past."""
        if isinstance(self.rows, Findable | Section | GroupedRows):
            self.rows, self.version = (), None

    def become(self, view: PaneView[Row]) -> None:
        """Show rows of another kind, or the same rows in another view; the next rows are new."""
        self.view = view
        self._drawing = self._drawing_of(view)
        self.rows, self.version, self.chosen_columns = (), None, None
        self.cursor.forget()
        self._drawn.clear()

    def _drawing_of(self, view: PaneView[Row]) -> Drawing:
        def size() -> Size:
            return self.scrollable_content_region.size

        if view.layout_mode == PLOTS:
            return PlotDrawing(size)
        return MapDrawing(size) if view.layout_mode == MAP else TableDrawing()

    def take_columns(self, columns: Sequence[Column[Row]]) -> None:
        self.chosen_columns = columns
        self._repaint()

    @property
    def columns(self) -> Sequence[Column[Row]]:
        return () if self.look is None else columns_of(self._shown(self.look))

    @property
    def map(self) -> MapDrawing | None:
        return self._drawing if isinstance(self._drawing, MapDrawing) else None

    @property
    def placed(self) -> Sequence[PlacedColumn[Row]]:
        """The columns as they stand on screen, from the first cell after the gutter; a map has none."""
        return self._drawing.placed if isinstance(self._drawing, TableDrawing) else ()

    def _content_height(self) -> int:
        return lines_of(self.view, self.rows) + 1 if self._drawing.scrolls else 1

    def _shown(self, look: RenderContext) -> PaneContent:
        top, size, has_focus = self._extent()
        return PaneContent(
            self.view,
            self.rows,
            look,
            self.cursor.at,
            has_focus,
            self._line_width,
            size.height,
            top,
            self.marks,
            self.nothing,
            self.sorted_by,
            self.chosen_columns,
        )

    def _line(self, y: int) -> Fragments:
        return [] if self.look is None else self._drawing.line(y, self._shown(self.look))

    # Marks

    def mark(self, row_ids: Iterable[str]) -> None:
        self.marks.update(dict.fromkeys(row_ids))
        self._repaint()

    def unmark(self, row_ids: Iterable[str]) -> None:
        gone = [row_id for row_id in row_ids if row_id in self.marks]
        for row_id in gone:
            del self.marks[row_id]
        if gone:
            self._repaint()

    # The cursor

    @property
    def selected(self) -> Row | None:
        return None if not self.rows or self.headline is not None else self.rows[self.cursor.at]

    @property
    def subject(self) -> str:
        return "" if self.selected is None else self.view.subject_of(self.selected)

    @property
    def members(self) -> Sequence[Row]:
        """The rows without headlines, also those of folded groups."""
        return members(self.rows)

    @property
    def headline(self) -> Headline | None:
        return headline_at(self.rows, self.cursor.at)

    @property
    def number(self) -> int:
        """Tells which row the cursor stands on, counted from 1; headlines do not count."""
        at = self.cursor.at
        return self.rows.number_of(at) if isinstance(self.rows, GroupedRows) else at + 1

    def _scroll_to_cursor(self) -> None:
        if not self._drawing.scrolls:
            return
        visible = max(1, self.scrollable_content_region.height - 1)
        top, at = self.scroll_offset.y, self.cursor.at
        if at <= _home_of(self.rows):
            self.scroll_to(y=0, animate=False)
        elif at < top:
            self.scroll_to(y=at, animate=False)
        else:
            is_row = at + 1 < len(self.rows) and headline_at(self.rows, at + 1) is None
            # A headline or a total at the end has no row to go to.
            last = at + (at + 2 == lines_of(self.view, self.rows) and not is_row)
            if last >= top + visible:
                self.scroll_to(y=last - visible + 1, animate=False)

    @property
    def position(self) -> str:
        """The place of the cursor in words, counted from 1; empty when there is no row."""
        return f"{self.number} of {len(self.members)}" if self.rows else ""

    @property
    def below(self) -> int:
        """Return how many rows stand below those in sight; none of a map and plots."""
        in_sight = max(1, self.scrollable_content_region.height - 1)
        return max(0, len(self.rows) - self.scroll_offset.y - in_sight) if self._drawing.scrolls else 0

    @property
    def wanted_lines(self) -> int:
        """Tells how many lines have room for all rows; a map and plots take what there is."""
        return self._content_height() if self._drawing.scrolls else _DRAWN_LINES

    def go_to(self, index: int) -> None:
        if not self.rows:
            return
        before = self.cursor.at
        self.cursor.move(index, self.rows, self.view)
        self._scroll_to_cursor()
        self._ready.clear()
        if not self._drawing.scrolls:
            self._repaint_changed()
        elif self.cursor.at != before:
            self.refresh_line(before + 1)
            self.refresh_line(self.cursor.at + 1)
        self.post_message(self.CursorMoved(self))

    def go_to_id(self, row_id: str) -> bool:
        found = place_of(row_id, self.rows, self.view)
        if found is not None:
            self.go_to(found)
        return found is not None

    def move(self, by: int) -> None:
        if self.rows and self.look is not None:
            self.go_to(self._drawing.below(by, self._shown(self.look)))

    def move_pages(self, by: int) -> None:
        self.move(by * max(1, self.scrollable_content_region.height - 2))

    def shift(self, by: int) -> None:
        if self.look is None:
            return
        place = self._drawing.beside(by, self._shown(self.look)) if self.rows else None
        if place is not None:
            self.go_to(place)
        elif self._drawing.scrolls:
            look, before = self.look, self.visible_text()
            self.look = look._replace(shift=max(0, min(240, look.shift + by * _SHIFT)))
            if self.visible_text() == before:
                self.look = look  # no row has more text on that side
            self._repaint()

    # The mouse and the terminal

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse pointed; two clicks go into the row, the right button opens its menu.

        In the gutter, or with ctrl held, it is marked too; the head line and the title have a meaning of their own.
        """
        above, gutter = event.y - self.gutter.top, self._drawing.gutter(self.view)
        if above <= 0:
            cell = event.x - (self.gutter.left + gutter if above == 0 else 1)
            self.post_message(self.PaneClicked(self, "head" if above == 0 else "title", cell, event.chain))
            return
        cell = event.x - self.gutter.left
        place = None if self.look is None else self._drawing.place_at(above - 1, cell, self._shown(self.look))
        if place is None:
            return
        self.go_to(place)
        if event.button == RIGHT:
            self.post_message(self.MenuRequested(self))
        elif self.view.marks and (event.ctrl or cell < gutter):
            self.post_message(self.MarkRequested(self))
        elif event.chain == 2:
            self.post_message(self.PaneClicked(self, "row", event.x, event.chain))

    def on_resize(self, event: events.Resize) -> None:
        if self._drawing.scrolls:
            self._resize_contents()
            self._scroll_to_cursor()
        self.post_message(self.Resized(self))

    @on(events.MouseScrollRight)
    @on(events.MouseScrollLeft)
    def _scrolled_sideways(self, event: events.MouseEvent) -> None:
        event.stop()
        self.shift(1 if isinstance(event, events.MouseScrollRight) else -1)

    def on_focus(self) -> None:
        self.refresh()
        self.post_message(self.CursorMoved(self))

    def on_blur(self) -> None:
        self.refresh()
