"""How the rows of a pane are drawn: as a table, or as a map with one cell for one node or for a few."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, Protocol

from textual.geometry import Size

from engine.observe.section import Section, column, picked
from tui.glyphs import CURSOR_BAR
from tui.render import heat
from tui.render.line import Column, Look, PlacedColumn, Spans, head_line, place, raised, table_line
from tui.render.noun import Noun


class Shown(NamedTuple):
    """What a pane shows while a line is drawn."""

    noun: Noun[Any]
    rows: Sequence[Any]
    look: Look
    at: int
    """The place of the cursor."""
    is_focused: bool
    """Whether the pane has the keys: the cursor is drawn only there."""
    width: int
    """Of a line [cells]."""
    top: int
    """The place of the first visible row."""
    marks: Collection[str]
    """Ids of the rows that are marked."""
    nothing: str
    """What is said when there is no row."""


class Drawing(Protocol):
    """Draws the rows of a pane below its title."""

    scrolls: bool
    """Whether rows may be out of sight."""

    def ordered(self, rows: Sequence[Any], noun: Noun[Any]) -> Sequence[Any]:
        """New rows in the order they are drawn in."""

    def gutter(self, noun: Noun[Any]) -> int:
        """Cells before the columns, for marks."""

    def line(self, y: int, shown: Shown) -> Spans:
        """One visible line; the first is the head line."""

    def place_at(self, line: int, cell: int, shown: Shown) -> int | None:
        """The place of the row drawn there, lines counted from the one under the head; None where there is none."""

    def below(self, by: int, shown: Shown) -> int:
        """The place that is some lines below that of the cursor, or above it."""

    def beside(self, by: int, shown: Shown) -> int | None:
        """The place beside that of the cursor; None where sideways is no way to go."""


class TableDrawing:
    """One line for one row, in columns. Implements `Drawing`."""

    scrolls = True

    def __init__(self) -> None:
        self._placed: list[PlacedColumn[Any]] = []
        self._placed_for: tuple[int, Sequence[Column[Any]]] | None = None

    def ordered(self, rows: Sequence[Any], noun: Noun[Any]) -> Sequence[Any]:
        """As they come."""
        return rows

    def gutter(self, noun: Noun[Any]) -> int:
        """One cell, for the bar of the cursor and for marks."""
        return 1

    def columns(self, noun: Noun[Any], width: int) -> list[PlacedColumn[Any]]:
        """The columns that fit a line of a width, from the first cell after the gutter; remembered for the last one."""
        room, before = max(1, width - self.gutter(noun) - 1), self._placed_for
        if before is None or before[0] != room or before[1] is not noun.columns:
            self._placed, self._placed_for = place(noun.columns, room), (room, noun.columns)
        return self._placed

    def line(self, y: int, shown: Shown) -> Spans:
        """Titles, a row, or what is said when there is none."""
        noun, look = shown.noun, shown.look
        columns = self.columns(noun, shown.width)
        if y == 0:
            return [(" ", "faint"), *head_line(columns, look.glyphs)]
        index = y - 1 + shown.top
        if index >= len(shown.rows):
            words = shown.nothing if y == 1 and not shown.rows else ""
            return [(f" {words}"[: shown.width], "faint")]
        row = shown.rows[index]
        spans = table_line(columns, row, look)
        is_here = index == shown.at and shown.is_focused
        is_marked = bool(shown.marks) and noun.identity(row) in shown.marks
        sign = look.glyphs.marked if is_marked else CURSOR_BAR if is_here else " "
        spans.insert(0, (sign, "accent"))
        if is_here:
            spans = raised(spans, shown.width)
        return spans

    def place_at(self, line: int, cell: int, shown: Shown) -> int | None:
        """The row of the line."""
        index = line + shown.top
        return index if index < len(shown.rows) else None

    def below(self, by: int, shown: Shown) -> int:
        """As many rows as lines."""
        return shown.at + by

    def beside(self, by: int, shown: Shown) -> int | None:
        """A table has nothing beside a row."""
        return None


class MapDrawing:
    """One cell for one node or for a few, rack by rack. Implements `Drawing`."""

    scrolls = False

    def __init__(self, size: Callable[[], Size], metric: str = "") -> None:
        """A map of what a pane's content has room for; `metric` is `vcores`, `containers`, else memory."""
        self._size = size
        self.metric = metric
        self._things: Sequence[Any] | None = None
        self._order: list[int] = []
        self._codes: Sequence[int] = ()
        self._racks: Sequence[str] = ()
        self._map: heat.NodeMap | None = None
        self._map_for: Size | None = None

    def ordered(self, rows: Sequence[Any], noun: Noun[Any]) -> Sequence[Any]:
        """In order of rack."""
        things = rows.things if isinstance(rows, Section) else [noun.identity(row) for row in rows]
        if things != self._things:
            racks = column(rows, "rack")
            self._order = sorted(range(len(racks)), key=racks.__getitem__)
            self._racks = [racks[place] for place in self._order]
            self._things, self._map = things, None
        rows = picked(rows, self._order)
        self._codes = heat.codes(rows, self.metric)
        return rows

    def gutter(self, noun: Noun[Any]) -> int:
        """None."""
        return 0

    @property
    def node_map(self) -> heat.NodeMap:
        """Where the nodes stand."""
        size = self._size()
        if self._map is None or self._map_for != size:
            self._map = heat.node_map(self._racks, size.width, size.height - 1)
            self._map_for = size
        return self._map

    def words(self, look: Look) -> str:
        """What the map shows and how, for the title."""
        if not self._codes:
            return ""
        grain = self.node_map.grain
        share = "" if grain == 1 else f", {grain} nodes a cell: mean and worst"
        return f"map of {heat.words_of(look, self.metric)}{share}"

    def line(self, y: int, shown: Shown) -> Spans:
        """The legend, then the cells."""
        if not self._codes:
            return [(shown.nothing[: shown.width] if y == 1 else "", "dim")]
        if y == 0:
            return [(heat.legend(shown.look, self.metric)[: shown.width], "head")]
        return heat.line(
            self.node_map,
            y - 1,
            self._codes,
            shown.look.glyphs,
            shown.at,
            "accent on raise" if shown.is_focused else "text on raise",
        )

    def place_at(self, line: int, cell: int, shown: Shown) -> int | None:
        """The first node of the cell."""
        nodes = self.node_map.nodes_at(line, cell)
        return nodes[0] if nodes else None

    def below(self, by: int, shown: Shown) -> int:
        """The first node of the nearest cell there; at an end that of the cursor."""
        y, x = self.node_map.place_of(shown.at)
        there = max(0, min(len(self.node_map.lines) - 1, y + by))
        nodes = self.node_map.nodes_at(there, x, near=True)
        return nodes[0] if nodes and there != y else shown.at

    def beside(self, by: int, shown: Shown) -> int | None:
        """The node of the next cell, or of the one before."""
        nodes = self.node_map.nodes_at(*self.node_map.place_of(shown.at))
        if not nodes:
            return None
        return nodes[-1] + 1 if by > 0 else nodes[0] - 1
