"""Views of a pane: nodes as a list, by rack or as a map; queues as a tree that folds, or its leaves alone."""

from typing import Any

from tui.render.noun import Noun, look_at
from tui.screens.board import Board


class Views:
    """The part of the board that shows panes in other ways."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def next_view(self) -> None:
        """See the pane in its next view; the cursor stays on what it is on."""
        board = self._board
        name = board.pane_name
        views = board.dialect.views(name)
        if not views:
            board.say(f"{board.dialect.titles[name]} has one view only.", "information")
            return
        before, row, row_id = board.noun(name), board.active.selected, board.active.cursor_id
        board.take_view(name, views[(views.index(before.view) + 1) % len(views)])
        board.redraw()
        if row is not None and not board.active.go_to_id(row_id or ""):
            self._go_near(before, row)

    def _go_near(self, noun: Noun[Any], row: Any) -> None:
        """Put the cursor on what a row of another view names, or on the first row that belongs to it."""
        pane, picture = self._board.active, self._board.state.picture
        if picture is None:
            return
        for kind, key in noun.about(row, look_at(picture)):
            if pane.go_to_id(str(key)):
                return
            belongs = pane.noun.criteria.scopes.get(kind)
            places = (place for place, one in enumerate(pane.rows) if belongs is not None and belongs(one, str(key)))
            place = next(places, None)
            if place is not None:
                pane.go_to(place)
                return

    def shift(self, by: int) -> None:
        """Fold or unfold a queue; elsewhere scroll sideways."""
        board, pane = self._board, self._board.active
        if pane.noun.is_tree and pane.selected is not None:
            self._fold(pane.selected.path, is_leaf=pane.selected.is_leaf, by=by)
        else:
            board.active.shift(by)

    def _fold(self, path: str, *, is_leaf: bool, by: int) -> None:
        board = self._board
        if by > 0:
            board.state.folds.unfold(path)
        elif is_leaf or path in board.state.folds.folded:
            _ = board.active.go_to_id(path.rpartition(".")[0] or path)
            return
        else:
            board.state.folds.fold(path)
        board.active.version = None
        board.redraw()
