"""Orders the rows of a pane: by a field, reversed."""

from typing import Any

from tui.render.noun import PLOTS, Noun
from tui.screens.board import Board
from tui.screens.menu import Choice, MenuScreen


class Sorting:
    """The part of the board that orders rows."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def _noun(self) -> Noun[Any]:
        return self._board.noun(self._board.pane_name)

    def _change(self, **changes: Any) -> None:
        board = self._board
        board.active.hold_cursor()
        board.rearrange(board.pane_name, board.arrangement(board.pane_name)._replace(**changes))

    def menu(self) -> None:
        """Choose what to sort by; of graphs, how much of the time they show."""
        if self._noun.drawn == PLOTS:
            self._board.perform("time_scale.menu")
            return
        fields = self._noun.criteria.sortable
        if not fields:
            self._board.say("Events stay in the order they happened.")
            return
        some = [Choice(field.letter, field.help, field.name) for field in fields]
        some.append(Choice("-", "the pane's own order", ""))
        menu = MenuScreen("Sort by (again: reverse)", some, ascii_only=self._board.options.ascii_only)
        self._board.open(menu, lambda name: None if name is None else self.by(name))

    def by(self, name: str) -> None:
        """Sort by a field; the same again turns the order round."""
        names = [field.name for field in self._noun.criteria.sortable]
        if name and name not in names:
            self._board.say(f"{name} is nothing to sort by here; there are {', '.join(names) or 'none'}.")
            return
        now = self._board.arrangement(self._board.pane_name)
        self._change(sort=name, reverse=bool(name) and now.sort == name and not now.reverse)

    def column(self, by: int) -> None:
        """Sort by the next field, or the one before."""
        now = self._board.arrangement(self._board.pane_name)
        if self._noun.drawn == PLOTS:
            self._board.say("Graphs stay in their order; < and > choose how much of the time they show.")
            return
        names = ["", *(field.name for field in self._noun.criteria.sortable)]
        self._change(sort=names[(names.index(now.sort) + by) % len(names)], reverse=False)

    def reverse(self) -> None:
        """Turn the order round."""
        if self._noun.is_newest_first:
            self._board.say("Events stay newest first.")
        else:
            self._change(reverse=not self._board.arrangement(self._board.pane_name).reverse)
