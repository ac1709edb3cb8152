"""Undoing the last act, while its line stands below the header."""

from tui import messages
from tui.screens.board import Board
from tui.screens.filtering import Filtering


class Undoing:
    """The part of the board that takes back the last act; its key filters by user where there is none to take back."""

    def __init__(self, board: Board, filtering: Filtering) -> None:
        self._board, self._filtering = board, filtering

    def undo_or_user(self) -> None:
        """Undo the last act; without one show the applications of the row's user only."""
        if self._board.state.acted is None:
            self._filtering.of_user()
        else:
            self.undo()

    def undo(self) -> None:
        """Go on from just before the last act."""
        acted = self._board.state.acted
        if acted is not None:
            _ = self._board.post_message(messages.UndoRequested(acted.time_ms - 1))

    def drop(self) -> bool:
        """Take the line away, and leave the act as it is; False where there is none."""
        had_line, self._board.state.acted = self._board.state.acted is not None, None
        if had_line:
            self._board.redraw()
        return had_line
