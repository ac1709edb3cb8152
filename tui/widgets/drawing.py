"""Draws the rows of a pane: as a table, or as a map with one cell for one node or for a few."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple

from textual.geometry import Size

from engine.observe.snapshot import Section, column, rows_at
from tui.panes import graphs as multiples
from tui.panes import heat
from tui.panes.arrangement import SortedBy
from tui.panes.fragments import Fragment, Fragments, RenderContext, cell_width, crop, highlight_line
from tui.panes.group import GroupedRows, Headline, members
from tui.panes.pane_view import PaneView, names_application
from tui.panes.table import Cell, Column, PlacedColumn, cells_of, head_line, place, row_line, widths_of
from tui.terminal import format as text


class PaneContent(NamedTuple):
    view: PaneView[Any]
    rows: Sequence[Any]
    look: RenderContext
    at: int  # The place of the cursor
    is_focused: bool  # True if the pane has the keys: the cursor is drawn only there
    width: int  # The width of a line [cells]
    height: int  # Lines there are, the head line too
    top: int  # The place of the first visible row
    marks: Collection[str]  # Ids of the rows that are marked
    nothing: str  # The sentence in place of rows when there is none
    sorted_by: SortedBy = SortedBy()  # The order of the rows
    columns: Sequence[Column[Any]] | None = None  # The columns the user chose; None stands for those of the view


def columns_of(shown: PaneContent) -> Sequence[Column[Any]]:
    """The columns to choose from: the chosen ones, those of its groups, or those of an order with the one sorted by."""
    if shown.columns is not None:
        return shown.columns
    if isinstance(shown.rows, GroupedRows) and shown.rows.grouping.columns is not None:
        return shown.rows.grouping.columns
    view, (field, arrow) = shown.view, shown.sorted_by
    is_sorted = not isinstance(shown.rows, GroupedRows) and bool(arrow)
    columns = view.sorted_columns if is_sorted and view.sorted_columns is not None else view.columns
    if not is_sorted or not field or any(column.sorts == field for column in columns):
        return columns
    missing = [column._replace(rank=0) for column in view.every_column or () if column.sorts == field][:1]
    return [*columns[:-1], *missing, columns[-1]]


def _headline(row: Headline, gutter: int, shown: PaneContent, *, is_here: bool) -> Fragments:
    group = row.group
    bar: Fragment = (text.CURSOR_BAR, "accent") if is_here and shown.is_focused else (" ", "text")
    spans: Fragments = [bar]
    if gutter > 1:
        arrow = (text.FOLDED if row.is_folded else text.OPEN) if row.can_fold else " "
        spans.append((f"{arrow}{' ' * (gutter - 2)}", "soft"))
    note: Fragments = [(f"   {group.note}", "faint")] if row.is_folded and group.note else []
    room = shown.width - gutter - 1
    words = next(
        (some for some in (group.words + note, group.words, group.short) if some and cell_width(some) <= room),
        group.short or group.words,
    )
    return crop([*spans, *words], shown.width, text.CUT)


def lines_of(view: PaneView[Any], rows: Sequence[Any]) -> int:
    """Return how many lines rows take, with that of all together."""
    return len(rows) + (bool(rows) and view.total is not None)


def _row_at(shown: PaneContent, place_: int) -> Any:
    total = shown.view.total
    return total(members(shown.rows)) if total is not None and place_ == len(shown.rows) else shown.rows[place_]


class Drawing:
    scrolls = False  # True if rows may be out of sight

    def ordered(self, rows: Sequence[Any], view: PaneView[Any]) -> Sequence[Any]:
        return rows

    def gutter(self, view: PaneView[Any]) -> int:
        return 0

    @abstractmethod
    def line(self, y: int, shown: PaneContent) -> Fragments:
        """One visible line; the first is the head line."""

    @abstractmethod
    def place_at(self, line: int, cell: int, shown: PaneContent) -> int | None:
        """The place of the row drawn there, lines counted from the one under the head; None where there is none."""

    @abstractmethod
    def below(self, by: int, shown: PaneContent) -> int:
        """The place that is some lines below that of the cursor, or above it."""

    @abstractmethod
    def beside(self, by: int, shown: PaneContent) -> int | None:
        """The place beside that of the cursor; None where sideways is no way to go."""


class TableDrawing(Drawing):
    """One line for one row, in columns."""

    scrolls = True

    def __init__(self) -> None:
        self.placed: list[PlacedColumn[Any]] = []  # The columns as they were drawn last
        self._placed_for: object = None
        self._columns: Sequence[Column[Any]] = ()
        self._needs: list[int] = []  # What the values of each column took so far: a widened one stays so
        self._cells: dict[int, list[Cell]] = {}  # Place of a row → its cells, for widths and repeated values
        self._cells_for: tuple[object, RenderContext | None] = (None, None)

    def gutter(self, view: PaneView[Any]) -> int:
        return 3 if view.has_folds else 1

    def _prepare(self, shown: PaneContent) -> None:
        columns = columns_of(shown)
        if columns is not self._columns:
            self._columns, self._needs = columns, [0] * len(columns)
            self._cells_for = (None, None)
        rows, look = self._cells_for
        if rows is not shown.rows or look != shown.look:
            self._cells, self._cells_for = {}, (shown.rows, shown.look)
        for place_ in range(shown.top, min(lines_of(shown.view, shown.rows), shown.top + shown.height)):
            if place_ not in self._cells:
                self._measure(place_, shown)
        room = max(1, shown.width - self.gutter(shown.view) - 1)
        wanted = room, tuple(self._needs), columns
        if wanted != self._placed_for:
            self.placed, self._placed_for = (place(columns, room, self._needs, is_tight=shown.view.is_tight), wanted)

    def _measure(self, place_: int, shown: PaneContent) -> None:
        row = _row_at(shown, place_)
        if isinstance(row, Headline):
            self._cells[place_] = []
            return
        cells = self._cells[place_] = cells_of(self._columns, row, shown.look)
        self._needs = [max(one, width) for one, width in zip(self._needs, widths_of(cells), strict=True)]

    def line(self, y: int, shown: PaneContent) -> Fragments:
        self._prepare(shown)
        gutter = self.gutter(shown.view)
        if y == 0 and shown.look.pinned:
            forms, room = shown.look.pinned, shown.width - gutter - 1
            fitting = next((form for form in forms if cell_width(form) <= room), forms[-1])
            return crop([(" " * gutter, "text"), *fitting], shown.width, text.CUT)
        if y == 0:
            field, arrow = shown.sorted_by
            return [(" " * gutter, "faint"), *head_line(self.placed, field, arrow, has_letters=shown.look.has_letters)]
        index = y - 1 + shown.top
        if index >= lines_of(shown.view, shown.rows):
            words = shown.nothing if y == 1 and not shown.rows else ""
            return [(f" {words}"[: shown.width], "soft")]
        row = _row_at(shown, index)
        if isinstance(row, Headline):
            spans = _headline(row, gutter, shown, is_here=index == shown.at)
        else:
            spans = self._row(index, row, gutter, shown)
        return highlight_line(spans, shown.width) if shown.is_focused and index == shown.at else spans

    def _row(self, index: int, row: Any, gutter: int, shown: PaneContent) -> Fragments:
        view, is_here = shown.view, shown.is_focused and index == shown.at
        if index not in self._cells:
            self._measure(index, shown)
        above = self._cells.get(index - 1) if index > shown.top else None
        spans = row_line(self.placed, row, shown.look, self._cells[index], above or None)
        if is_here and spans:
            words, style = spans[0]
            spans[0] = words, "strong" if style in {"text", "faint"} else style
        elif shown.look.selected and view.is_linked and names_application(view, row, shown.look, shown.look.selected):
            name = text.short_id(shown.look.selected)  # stands out; else what the row begins with
            at = next((at for at, (words, _) in enumerate(spans) if words.strip() == name), 0)
            spans[at] = spans[at][0], "accent"
        is_marked = bool(shown.marks) and view.identity(row) in shown.marks
        sign = view.sign(row, shown.look)
        bar: Fragment = (text.CURSOR_BAR, "accent") if is_here else (" ", "text")
        mark: Fragment | None = (text.EVENT, "bold accent") if is_marked else None
        if gutter == 1:
            return [mark or sign or bar, *spans]
        return [bar, mark or sign or (" ", "text"), (" " * (gutter - 2), "text"), *spans]

    def place_at(self, line: int, cell: int, shown: PaneContent) -> int | None:
        index = line + shown.top
        return index if index < len(shown.rows) else None

    def below(self, by: int, shown: PaneContent) -> int:
        return shown.at + by

    def beside(self, by: int, shown: PaneContent) -> int | None:
        return None


class MapDrawing(Drawing):
    """One cell for one node or for a few, rack by rack."""

    def __init__(self, size: Callable[[], Size]) -> None:
        self._size = size
        self.metric = ""  # `vcores`, `containers`, else memory
        self._things: Sequence[Any] | None = None
        self._order: list[int] = []
        self._codes: Sequence[int] = ()
        self._racks: Sequence[str] = ()
        self._map: heat.NodeMap | None = None
        self._map_for: Size | None = None

    def ordered(self, rows: Sequence[Any], view: PaneView[Any]) -> Sequence[Any]:
        things = rows.things if isinstance(rows, Section) else [view.identity(row) for row in rows]
        if things != self._things:
            racks = column(rows, "rack")
            self._order = sorted(range(len(racks)), key=racks.__getitem__)
            self._racks = [racks[place] for place in self._order]
            self._things, self._map = things, None
        rows = rows_at(rows, self._order)
        self._codes = heat.codes(rows, self.metric)
        return rows

    @property
    def node_map(self) -> heat.NodeMap:
        size = self._size()
        if self._map is None or self._map_for != size:
            self._map = heat.node_map(self._racks, size.width, size.height - 1)
            self._map_for = size
        return self._map

    def words(self, look: RenderContext) -> str:
        if not self._codes:
            return ""
        grain = self.node_map.grain
        share = "" if grain == 1 else f", {grain} nodes a cell: mean and worst"
        return f"map of {heat.words_of(look, self.metric)}{share}"

    def line(self, y: int, shown: PaneContent) -> Fragments:
        if not self._codes:
            return [(shown.nothing[: shown.width] if y == 1 else "", "soft")]
        if y == 0:
            return [(heat.legend(shown.look, self.metric)[: shown.width], "faint")]
        return heat.line(
            self.node_map,
            y - 1,
            self._codes,
            shown.at,
            "accent on raise" if shown.is_focused else "text on raise",
            is_ascii=shown.look.is_ascii,
        )

    def place_at(self, line: int, cell: int, shown: PaneContent) -> int | None:
        nodes = self.node_map.nodes_at(line, cell)
        return nodes[0] if nodes else None

    def below(self, by: int, shown: PaneContent) -> int:
        y, x = self.node_map.place_of(shown.at)
        there = max(0, min(len(self.node_map.lines) - 1, y + by))
        nodes = self.node_map.nodes_at(there, x, near=True)
        return nodes[0] if nodes and there != y else shown.at

    def beside(self, by: int, shown: PaneContent) -> int | None:
        nodes = self.node_map.nodes_at(*self.node_map.place_of(shown.at))
        if not nodes:
            return None
        return nodes[-1] + 1 if by > 0 else nodes[0] - 1


MARGIN: Final = 1  # Blank columns at either side


class PlotDrawing(Drawing):
    """A small plot for each row, with a blank column at either side; the rows of plots scroll with the cursor."""

    def __init__(self, size: Callable[[], Size]) -> None:
        self._room = size
        self._top = 0  # The first visible row of plots
        self._plots: dict[int, Sequence[Fragments]] = {}  # Row → its plot, without the cursor, of those seen so far
        self._plots_for: object = None
        self._lines: Sequence[Fragments] = ()
        self._lines_for: object = None

    def _size(self) -> tuple[int, int]:
        width, height = self._room()
        return max(1, width - 2 * MARGIN), height

    def _shape(self, shown: PaneContent) -> multiples.Arranged:
        shape = multiples.arranged(len(shown.rows), *self._size())
        row = shown.at // shape.columns
        self._top = min(max(self._top, row - shape.visible + 1), row)
        return shape

    def line(self, y: int, shown: PaneContent) -> Fragments:
        if not shown.rows:
            return [(f" {shown.nothing}"[: shown.width] if y == 0 else "", "faint")]
        shape = self._shape(shown)
        look = shown.look._replace(now_ms=0)  # the rows are new when the plots are to be
        drawn_for = (shown.rows, self._size(), look)
        if drawn_for != self._plots_for:
            self._plots.clear()
            self._plots_for, self._lines_for = drawn_for, None
        if self._lines_for != (cursor := (shown.at, self._top, shown.is_focused)):
            self._lines_for = cursor
            first = self._top * shape.columns
            seen = range(first, min(first + shape.visible * shape.columns, len(shown.rows)))
            for place in [each for each in seen if each not in self._plots]:
                self._plots[place] = multiples.small(shown.rows[place], (shape.width, shape.height), shown.look)
            at = shown.at - first if shown.is_focused else None
            self._lines = multiples.lines([self._plots[place] for place in seen], shape, at)
        return [(" " * MARGIN, "text"), *self._lines[y]] if y < len(self._lines) else []

    def place_at(self, line: int, cell: int, shown: PaneContent) -> int | None:
        shape = self._shape(shown)
        row = self._top + (line + 1) // shape.height
        column = min(max(0, cell - MARGIN) // (shape.width + multiples.GAP), shape.columns - 1)
        place = row * shape.columns + column
        return place if place < len(shown.rows) else None

    def below(self, by: int, shown: PaneContent) -> int:
        place = shown.at + by * self._shape(shown).columns
        return place if 0 <= place < len(shown.rows) else shown.at

    def beside(self, by: int, shown: PaneContent) -> int | None:
        return shown.at + by
