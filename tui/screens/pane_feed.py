"""Feeds the panes: chooses and orders the rows of a picture, and writes the titles."""

import time
from collections.abc import Sequence
from math import inf
from typing import Any, Final

from textual.content import Content
from textual.style import Style

from tui import format as text
from tui.render import heat, tabs
from tui.render.arrangement import Arrangement
from tui.render.line import Look
from tui.screens import layout
from tui.screens.board import Board, as_action
from tui.screens.held_order import HeldOrder
from tui.screens.marks import Marks
from tui.screens.trail import Trail
from tui.view_state import Picture
from tui.widgets.pane import RowPane

NO_MATCH: Final = "No row passes the filter. esc shows all again."
_OTHERS: Final = Style(bold=False, reverse=False)
"""How the panes are written that could stand in a pane's place."""


class PaneFeed:
    """Feeds the panes of a board."""

    wall = staticmethod(time.monotonic)
    """Wall time [s]."""

    def __init__(self, board: Board, marks: Marks, trail: Trail) -> None:
        self._board, self._marks, self._trail = board, marks, trail
        self._orders: dict[str, HeldOrder] = {}
        self._titles: dict[str, tuple[str, str]] = {}
        self._made: dict[str, tuple[float, Sequence[Any]]] = {}
        """Pane → when its rows were made, and which, where they are made only so often."""

    def show(self, picture: Picture, look: Look, width_of: dict[str, int]) -> None:
        """Draw a picture; sections that did not change and panes that are hidden cost nothing.

        Args:
            picture: The cluster.
            look: What rows are drawn with.
            width_of: Name of a pane on screen → its width [cells].
        """
        board = self._board
        for name in board.dialect.panes:
            if name in width_of:
                self._feed(board.pane(name), picture, look, width_of[name])
            else:
                self._orders.pop(name, None)
                board.pane(name).forget()

    def touch(self, name: str) -> None:
        """A key was pressed in a pane: its rows stay where they are for a while."""
        if name in self._orders:
            self._orders[name].touch(self.wall())

    def begin_again(self, name: str) -> None:
        """Have a pane's rows chosen and ordered anew."""
        self._orders.pop(name, None)
        self._made.pop(name, None)
        self._board.pane(name).version = None

    def _feed(self, pane: RowPane[Any], picture: Picture, look: Look, width: int) -> None:
        board, noun = self._board, pane.noun
        self._marks.check(pane, picture)
        arrangement = board.arrangement(noun.name)
        pane.nothing = noun.nothing if arrangement.is_plain else NO_MATCH
        order = self._orders.setdefault(noun.name, HeldOrder(noun.identity))
        wanted = arrangement.key(look)
        now_s, version = self.wall(), (noun.source.version(picture), wanted, order.turns)
        if version != pane.version or (order.is_old and order.is_due(now_s)):
            rows, rest = self._rows(pane, picture, arrangement, now_s)
            may_hold = not (picture.run.paused or picture.run.ended)
            shown = order.arranged(rows, rest, noun.criteria, look, now_s, wanted=wanted, may_hold=may_hold)
            pane.show(shown, (*version[:2], order.turns), look)
        else:
            pane.show(pane.rows, version, look)
        count = self._count(pane, picture, look) + ("  order held" if order.is_held else "")
        room = width - len(count) - len("    ")
        way = self._trail.words(noun.name, room)
        self.entitle(pane, f"{count}  {way}" if way else count, room - len(way))

    def _rows(
        self, pane: RowPane[Any], picture: Picture, arrangement: Arrangement, now_s: float
    ) -> tuple[Sequence[Any], Arrangement]:
        """The rows to choose from, and what of an arrangement is still to be done with them."""
        noun = pane.noun
        at_s, rows = self._made.get(noun.name, (-inf, ()))
        if noun.least_s and rows and not picture.run.paused and now_s - at_s < noun.least_s:
            return rows, arrangement
        rows, rest = noun.source.rows(picture, arrangement)
        if noun.least_s:
            self._made[noun.name] = now_s, rows
        if pane.map is not None:
            pane.map.metric = heat.METRICS.get(arrangement.sort, "")
            return rows, rest._replace(sort="", reverse=False)
        return (self._board.state.folds.visible(rows) if noun.is_tree else rows), rest

    # The title

    def _count(self, pane: RowPane[Any], picture: Picture, look: Look) -> str:
        noun, title = pane.noun, self._board.dialect.titles[pane.noun.name]
        parts = [f"{title} {noun.size(pane.rows, picture, self._board.arrangement(noun.name))}"]
        parts += [pane.map.words(look)] if pane.map is not None else []
        parts += [f"partition {text.plain(look.partition)}"] if look.partition and noun.name == "queues" else []
        return "  ".join(part for part in (*parts, self._marks.words(pane)) if part)

    def entitle(self, pane: RowPane[Any], title: str, room: int = 0) -> None:
        """Put a title over a pane, and, where there is room, the panes that could stand there instead, to click on."""
        name, titles = pane.noun.name, self._board.dialect.titles
        others = {one: tabs.shortened(titles[one]) for one in layout.sharing(self._board.plan, name)}
        if sum(len(words) + 3 for words in others.values()) > room:
            others = {}
        if (title, str(others)) == self._titles.get(name):
            return
        self._titles[name] = (title, str(others))
        content = Content(title)
        for one, words in others.items():
            click = Style.from_meta({"@click": f"screen.{as_action(f'navigation.show({one!r})')}"})
            content = content.append(Content.assemble((" | ", _OTHERS), (words, _OTHERS + click)))
        pane.entitle(content)

    def title_of(self, name: str) -> str:
        """What stands over a pane."""
        return self._titles[name][0]
