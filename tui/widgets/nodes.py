"""The pane of nodes: a table as any other, or a map with one character for one node, or for a few."""

from collections.abc import Sequence
from typing import Any

from textual import events
from textual.message import Message

from engine.observe.section import Section, column, picked
from tui.render import heat
from tui.render.line import Look, Spans
from tui.widgets.pane import RowPane


class NodePane(RowPane[Any]):
    """Nodes; the cursor of the map stands on a node as that of the table does."""

    class Replanned(Message):
        """The map stands in another way, since its size changed."""

    _is_map = False
    _metric = ""
    _things: Sequence[Any] | None = None
    _order: list[int]
    _plan: heat.Plan | None = None
    _plan_for: tuple[int, int] = (0, 0)
    _codes: Sequence[int] = ()

    def draw_map(self, *, on: bool) -> None:
        """Draw a map from now on, or a table again."""
        self._is_map, self._things, self._plan, self._codes = on, None, None, ()
        self.version = None
        self.begin_again()

    def show_metric(self, metric: str) -> None:
        """What the map shows: `vcores`, `containers`, else memory."""
        self._metric = metric

    @property
    def map_words(self) -> str:
        """What the map shows and how, for the title."""
        if self.look is None or not self.rows:
            return ""
        grain = self.plan.grain
        share = "" if grain == 1 else f", {grain} nodes a cell: mean and worst"
        return f"map of {heat.words_of(self.look, self._metric)}{share}"

    def show(self, rows: Sequence[Any], version: object, look: Look) -> None:
        """Take new rows; the map puts them in order of rack."""
        if not self._is_map:
            super().show(rows, version, look)
            return
        if version != self.version:
            things = rows.things if isinstance(rows, Section) else [self.noun.identity(row) for row in rows]
            if things != self._things:
                racks = column(rows, "rack")
                self._order = sorted(range(len(racks)), key=racks.__getitem__)
                self._things, self._plan = things, None
            rows = picked(rows, self._order)
            self._codes = heat.codes(rows, self._metric)
        super().show(rows, version, look)

    @property
    def plan(self) -> heat.Plan:
        """Where the nodes stand."""
        size = self.scrollable_content_region.size
        if self._plan is None or self._plan_for != size:
            self._plan = heat.plan(column(self.rows, "rack"), size.width, size.height - 1)
            self._plan_for = size
        return self._plan

    def _content_height(self) -> int:
        return 1 if self._is_map else super()._content_height()

    def _line(self, y: int) -> Spans:
        if not self._is_map or self.look is None or not self._codes:
            return super()._line(y)
        if y == 0:
            return [(heat.legend(self.look, self._metric)[: self._line_width], "head")]
        style = "cursor" if self.has_focus else "cursor.idle"
        return heat.line(self.plan, y - 1, self._codes, self.look.glyphs, self._at, style)

    def _scroll_to_cursor(self) -> None:
        if not self._is_map:
            super()._scroll_to_cursor()

    def on_resize(self, event: events.Resize) -> None:
        """Another size has room for more or fewer cells."""
        if self._is_map:
            self.post_message(self.Replanned())

    def go_to(self, index: int) -> None:
        """Put the cursor on a node, or as near as there are nodes."""
        before = self._at
        super().go_to(index)
        if self._is_map and self._at != before:
            self._repaint_changed()

    def move(self, by: int) -> None:
        """Move the cursor by lines; of the map to the nearest cell there."""
        if not self._is_map or not self.rows:
            super().move(by)
            return
        y, x = self.plan.place_of(self._at)
        there = max(0, min(len(self.plan.lines) - 1, y + by))
        nodes = self.plan.nodes_at(there, x, near=True)
        if nodes and there != y:
            self.go_to(nodes[0])

    def shift(self, by: int) -> None:
        """Scroll the table sideways; move the cursor of the map by cells."""
        if not self._is_map or not self.rows:
            super().shift(by)
            return
        y, x = self.plan.place_of(self._at)
        nodes = self.plan.nodes_at(y, x)
        if nodes:
            self.go_to(nodes[-1] + 1 if by > 0 else nodes[0] - 1)

    def _place_at(self, line: int, cell: int) -> int | None:
        if not self._is_map:
            return super()._place_at(line, cell)
        nodes = self.plan.nodes_at(line, cell)
        return nodes[0] if nodes else None

    @property
    def marks_width(self) -> int:
        """Cells before the columns, for marks; the map has none."""
        return 0 if self._is_map else super().marks_width
