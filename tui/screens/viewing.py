"""Other views of a pane: nodes as a list, by rack or as a map; queues as a tree that folds, or its leaves alone."""

import time
from collections.abc import Sequence
from math import inf
from typing import Any, Final

from textual import on

from engine.observe.snapshot import NodeRow, QueueRow
from tui import export, messages
from tui.render import heat, queue, rack
from tui.render.arrangement import Arrangement
from tui.render.fields import RACKS as RACK_FIELDS
from tui.render.fields import Field
from tui.render.noun import Noun
from tui.render.rack import RackRow
from tui.render.scope import RACK, Scope
from tui.screens.drilling import Crumb, DrillingBoard
from tui.screens.ordering import LEAST_S
from tui.view_state import Picture
from tui.widgets.nodes import NodePane
from tui.widgets.pane import RowPane

LIST, RACKS, MAP = "list", "racks", "map"
TREE, FLAT = "tree", "leaves"
VIEWS: Final = {"nodes": (LIST, RACKS, MAP), "queues": (TREE, FLAT)}
"""Pane → its views, in the order they follow each other; other panes have one."""

RACK_NOUN: Final[Noun[Any]] = Noun("nodes", rack.COLUMNS, rack.identity, rack.details, "No node has registered yet.")


class ViewingBoard(DrillingBoard):
    """A board whose panes can be seen in other ways."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._views: dict[str, str] = {}
        self._queues = queue.View()
        self._kept: dict[tuple[str, bool], Arrangement] = {}
        """(pane, whether its rows are racks) → how its rows were chosen when another view was taken."""
        self._ways_back: list[tuple[int, str]] = []
        """(number of crumbs, view) of the steps that led from one view of a pane into another."""
        self._racks: tuple[float, object, Sequence[RackRow]] = (-inf, None, ())
        """When they were put together, from which version, and what came of it."""

    def noun(self, name: str) -> Noun[Any]:
        """What a pane shows; the queues' names tell of folds."""
        noun = super().noun(name)
        if name == "queues" and not self.dialect.is_standalone:
            return noun._replace(columns=queue.columns(self._queues))
        return noun

    # Which view

    def views(self, name: str) -> tuple[str, ...]:
        """The views a pane has."""
        return () if name == "queues" and self.dialect.is_standalone else VIEWS.get(name, ())

    def view(self, name: str) -> str:
        """The view a pane is in; empty where there is only one."""
        return self._views.get(name) or next(iter(self.views(name)), "")

    def action_view(self) -> None:
        """See the pane in its next view; the cursor stays on what it is on."""
        name = self.pane_name
        views = self.views(name)
        if not views:
            self._say(f"{self.dialect.titles[name]} has one view only.", "information")
            return
        row = self.active.selected
        view = views[(views.index(self.view(name)) + 1) % len(views)]
        self._take_view(name, view)
        self.redraw()
        self._stand_on(row)

    def _stand_on(self, row: Any) -> None:
        """Put the cursor on a row, on its rack, or on the first node of it."""
        pane = self.active
        if isinstance(row, NodeRow):
            _ = pane.go_to_id(row.rack if self.view("nodes") == RACKS else row.id)
        elif isinstance(row, QueueRow):
            _ = pane.go_to_id(row.path)
        elif isinstance(row, RackRow):
            place = next((place for place, one in enumerate(pane.rows) if one.rack == row.rack), 0)
            pane.go_to(place)

    def _take_view(self, name: str, view: str) -> None:
        before = self.view(name)
        self._views[name] = view
        pane = self.pane(name)
        if isinstance(pane, NodePane):
            if (RACKS in {before, view}) and before != view:
                self._kept[name, before == RACKS] = self.arrangement(name)
                self._arrangements[name] = self._kept.get((name, view == RACKS), Arrangement())
            pane.become(RACK_NOUN if view == RACKS else self.noun(name))
            pane.draw_map(on=view == MAP)
        self._queues.is_flat = self.view("queues") == FLAT
        self._begin_again(pane)

    def _begin_again(self, pane: RowPane[Any]) -> None:
        """Have a pane's rows chosen and ordered anew."""
        _ = self._orderings.pop(pane.noun.name, None)
        pane.version = None

    # What it shows

    def fields(self, name: str) -> tuple[Field, ...]:
        """What a pane's rows can be sorted and filtered by."""
        return RACK_FIELDS if name == "nodes" and self.view(name) == RACKS else super().fields(name)

    def action_save_table(self) -> None:
        """Save the pane's rows."""
        pane = self.active
        if self.picture is not None:
            is_racks = pane.noun.name == "nodes" and self.view("nodes") == RACKS
            name = "racks" if is_racks else self.dialect.table(pane.noun.name)
            files = export.table_files(name, pane.rows, self.picture, self.look)
            self.post_message(messages.SaveRequested(export.stem(self.picture, name), files))

    def narrowed(self, name: str, picture: Picture, arrangement: Arrangement) -> tuple[Sequence[Any], Arrangement]:
        """The rows a pane shows in its view, and what of the arrangement is still to be done with them."""
        rows, rest = super().narrowed(name, picture, arrangement)
        view, pane = self.view(name), self.pane(name)
        if view == RACKS:
            return self._racks_of(rows, picture), rest
        if view == MAP and isinstance(pane, NodePane):
            pane.show_metric(heat.METRICS.get(arrangement.sort, ""))
            return rows, rest._replace(sort="", reverse=False)
        if view in {TREE, FLAT}:
            return self._queues.seen(rows), rest
        return rows, rest

    def _racks_of(self, rows: Sequence[NodeRow], picture: Picture) -> Sequence[RackRow]:
        """Racks are put together at most twice a second while the clock runs: that looks at every node."""
        at_s, version, racks = self._racks
        now_s, wanted = time.monotonic(), picture.snapshot.version("nodes")
        is_old = version != wanted and (picture.run.paused or now_s - at_s >= LEAST_S)
        if is_old or not racks:
            racks = rack.racks(rows)
            self._racks = now_s, wanted, racks
        return racks

    def _count_title(self, name: str, picture: Picture) -> str:
        words, pane = super()._count_title(name, picture), self.pane(name)
        if self.view(name) == RACKS:
            return f"{words} in {len(pane.rows)} racks"
        if self.view(name) == MAP and isinstance(pane, NodePane):
            return f"{words}  {pane.map_words}"
        return f"{words} {FLAT}" if self.view(name) == FLAT else words

    @on(NodePane.Replanned)
    def _replanned(self) -> None:
        self.redraw()

    # Folding

    def action_shift(self, by: int) -> None:
        """Fold or unfold a queue; elsewhere scroll sideways."""
        row = self.active.selected
        if not isinstance(row, QueueRow) or self.view("queues") != TREE:
            super().action_shift(by)
            return
        if by > 0:
            self._queues.unfold(row.path)
        elif row.is_leaf or row.path in self._queues.folded:
            _ = self.active.go_to_id(row.path.rpartition(".")[0] or row.path)
            return
        else:
            self._queues.fold(row.path)
        self._begin_again(self.active)
        self.redraw()

    # Into a rack, or from the map to the list, and back

    def action_follow(self) -> None:
        """From a rack to its nodes, from the map to the node in the list; else into what the row is about."""
        view, row = self.view(self.pane_name), self.active.selected
        if view not in {RACKS, MAP} or row is None:
            super().action_follow()
            return
        label = Scope(RACK, row.rack).text if isinstance(row, RackRow) else MAP
        row_id = self.active.noun.identity(row)
        self._take_view("nodes", LIST)
        self._crumbs.append(Crumb("nodes", row_id, "nodes", self.arrangement("nodes"), label))
        self._ways_back.append((len(self._crumbs), view))
        if isinstance(row, RackRow):
            self._arrangements["nodes"] = Arrangement(scope=Scope(RACK, row.rack))
        self.redraw()
        if isinstance(row, RackRow):
            self.active.go_to(0)
        else:
            _ = self.active.go_to_id(row_id)

    def _go_back(self) -> None:
        crumb = self._crumbs[-1]
        view = self._ways_back.pop()[1] if self._ways_back and self._ways_back[-1][0] == len(self._crumbs) else ""
        super()._go_back()
        if view:
            self._take_view("nodes", view)
            self.redraw()
            _ = self.active.go_to_id(crumb.row_id or "")

    def action_whole(self) -> None:
        """Drop every filter and scope: the whole cluster."""
        self._ways_back.clear()
        super().action_whole()
