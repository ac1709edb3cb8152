"""Feeds the panes: chooses and orders the rows of a picture, and writes the titles."""

import asyncio
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

from engine.observe.section import picked
from tui.picture import Picture
from tui.render import heat
from tui.render.arrangement import Arrangement, sorted_by
from tui.render.group import GroupedRows
from tui.render.health import frozen_of
from tui.render.line import Look
from tui.render.noun import TREE, Noun
from tui.render.unsaid import age_words, inferred_words, nothing_words
from tui.screens.board import Board
from tui.screens.edges import Edges, PaneFacts
from tui.screens.held_order import HeldOrder
from tui.screens.marks import Marks
from tui.widgets.pane import RowPane

NO_MATCH: Final = "No row passes the filter. esc shows all again."

MANY: Final = 2_000
"""Nodes and applications of a live cluster from which on its panes are drawn one by one."""
BETWEEN_S: Final = 0.02
"""Time for keys between two of them [s]."""


def is_large(picture: Picture) -> bool:
    """Tell whether a picture is of a live cluster whose panes are drawn one by one."""
    header = picture.snapshot.header
    size = header.nodes + header.applications_running + header.applications_pending
    return picture.run.reception is not None and size >= MANY


class PaneFeed:
    """Feeds the panes of a board."""

    wall = staticmethod(time.monotonic)
    """Wall time [s]."""

    def __init__(self, board: Board, marks: Marks, edges: Edges) -> None:
        self._board, self._marks, self._edges = board, marks, edges
        self._orders: dict[str, HeldOrder] = {}
        self._linked = ""
        """Id of the application that stands out in the panes it was not selected in; empty for none."""
        self._group_orders: dict[str, list[str]] = {}
        """Pane → the keys of its groups, in the order they stood in."""
        self._made: dict[str, tuple[float, Sequence[Any]]] = {}
        """Pane → when its rows were made, and which, where they are made only so often."""

    def show_all(self, look: Look, ended: Callable[[], None]) -> None:
        """Draw the picture in all panes, then call `ended`."""
        for name in self._board.dialect.panes:
            self._show(name, look)
        ended()

    async def show_in_turn(self, ended: Callable[[], None]) -> None:
        """Draw the picture pane by pane, with time for keys before each that is seen, then call `ended`."""
        for name in self._board.dialect.panes:
            await asyncio.sleep(BETWEEN_S * (name in self._board.visible_panes))
            self._show(name, self._board.look)
        ended()

    def _show(self, name: str, look: Look) -> None:
        """Draw the picture in a pane; a section that did not change and a pane that is hidden cost nothing."""
        board, picture = self._board, self._board.state.picture
        if picture is not None and name in board.visible_panes:
            self._feed(board.pane(name), picture, look)
        else:
            self._orders.pop(name, None)
            board.pane(name).forget()

    def link(self, application: str) -> None:
        """Have what an application has stand out in the other panes; empty for none."""
        board, picture = self._board, self._board.state.picture
        if application == self._linked:
            return
        self._linked = application
        for name in board.visible_panes:
            if picture is not None and name != board.pane_name and board.noun(name).is_linked:
                self._feed(board.pane(name), picture, board.look)

    def touch(self, name: str) -> None:
        """A key was pressed in a pane: its rows stay where they are for a while."""
        if name in self._orders:
            self._orders[name].touch(self.wall())

    def begin_again(self, name: str) -> None:
        """Have a pane's rows chosen and ordered anew."""
        self._orders.pop(name, None)
        self._made.pop(name, None)
        self._board.pane(name).version = None

    def _feed(self, pane: RowPane[Any], picture: Picture, look: Look) -> None:
        board, noun = self._board, pane.noun
        is_linked = noun.is_linked and noun.name != board.pane_name
        look = look._replace(selected=self._linked if is_linked else "", pinned=noun.shape.pinned(picture, look))
        self._marks.check(pane, picture)
        arrangement = board.arrangement(noun.name)
        header = picture.snapshot.header
        pane.nothing = nothing_words(noun, picture.snapshot) if arrangement.is_plain else NO_MATCH
        order = self._orders.setdefault(noun.name, HeldOrder(noun.identity))
        wanted = arrangement.key(look)
        # Waits grow, and a freeze is found, while nothing else changes.
        known = (look.now_ms // 1000, frozen_of(picture)) if noun.shape.grouping is not None else ()
        now_s, version = self.wall(), (noun.source.version(picture), (wanted, known), order.turns)
        if version != pane.version or (order.is_old and order.is_due(now_s)):
            rows, rest = self._rows(pane, picture, arrangement, now_s)
            may_hold = not (picture.run.paused or picture.run.ended)
            shown = order.arranged(rows, rest, noun.criteria, look, now_s, wanted=wanted, may_hold=may_hold)
            if noun.is_newest_first and not arrangement.sort:
                shown = picked(shown, range(len(shown) - 1, -1, -1))
            look = look._replace(scales=noun.shape.scales(shown, look))
            pane.sorted_by = sorted_by(noun.criteria, arrangement)
            pane.show(self._grouped(noun, shown, picture, look, order), (*version[:2], order.turns), look)
        else:
            pane.show(pane.rows, version, look._replace(scales=pane.look.scales if pane.look is not None else {}))
        size = noun.words.size(pane.members, picture, arrangement)
        state, linked = self._state(pane, look, is_held=order.is_held), noun.words.linked(picture, look)
        caption = "  ".join(filter(None, (age_words(noun.name, header), noun.words.caption(look))))
        facts = PaneFacts(size, state, linked, caption, inferred_words(noun.name, header))
        self._edges.entitle(noun.name, facts)

    def _rows(
        self, pane: RowPane[Any], picture: Picture, arrangement: Arrangement, now_s: float
    ) -> tuple[Sequence[Any], Arrangement]:
        """The rows to choose from, and what of an arrangement is still to be done with them."""
        noun = pane.noun
        at_s, rows = self._made.get(noun.name, (-inf, ()))
        if noun.source.least_s and rows and not picture.run.paused and now_s - at_s < noun.source.least_s:
            return rows, arrangement
        rows, rest = noun.source.rows(picture, arrangement)
        if noun.source.least_s:
            self._made[noun.name] = now_s, rows
        if pane.map is not None:
            pane.map.metric = heat.METRICS.get(arrangement.sort, "")
            return rows, rest._replace(sort="", reverse=False)
        return (self._board.state.folds.visible(rows) if noun.drawn == TREE else rows), rest

    def _grouped(
        self, noun: Noun[Any], rows: Sequence[Any], picture: Picture, look: Look, order: HeldOrder
    ) -> Sequence[Any]:
        """Rows under headlines, unless somebody sorts them; while their order is held, that of the groups is too."""
        arrangement = self._board.arrangement(noun.name)
        if noun.shape.grouping is None or arrangement.sort or arrangement.reverse or not rows:
            return rows
        grouping = noun.shape.grouping(rows, picture, look)
        if grouping is not None and order.is_old and (before := self._group_orders.get(noun.name)):
            grouping = grouping.in_order(before)
        self._group_orders[noun.name] = [] if grouping is None else [group.key for group in grouping.groups]
        folds = self._board.state.group_folds.setdefault(noun.table, {})
        return rows if grouping is None else GroupedRows(rows, grouping, folds)

    def _state(self, pane: RowPane[Any], look: Look, *, is_held: bool) -> str:
        """The notes on sort, filter and scope of a pane."""
        parts = [pane.map.words(look)] if pane.map is not None else []
        parts += [pane.noun.words.state(look), self._marks.words(pane), "order held" if is_held else ""]
        return "  ".join(part for part in parts if part)
