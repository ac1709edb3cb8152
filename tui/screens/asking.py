"""Questions before acts: the clock stands while one is open, and only yes sends the act."""

from collections.abc import Callable, Sequence
from typing import Any

from textual.message import Message
from textual.screen import Screen

from tui import messages
from tui.confirmation import asks
from tui.render.act_sheet import ActQuestion
from tui.screens.board import Board
from tui.screens.confirm import ConfirmScreen


class Asker:
    """Asks for a board."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def ask(self, question: ActQuestion, act: Message, *, loses: bool = True, spent: Sequence[str] = ()) -> None:
        """Hold the clock while a question is open; act only on yes.

        Args:
            act: The message that yes sends.
            loses: True where something is lost by it; by default only then is asked at all.
            spent: Ids whose marks are of no use any more once it is done.
        """
        board, pane = self._board, self._board.active

        def act_now() -> None:
            board.send(act)
            pane.unmark(spent)

        def answered(sure: bool | None) -> None:
            if sure:
                act_now()

        if not asks(board.options.confirm, loses=loses):
            act_now()
            return
        picture = board.state.picture
        is_live = picture is not None and picture.run.reception is not None
        options = board.options
        self.open(ConfirmScreen(question, options.styles, ascii_only=options.ascii_only, holds=not is_live), answered)

    def open(self, screen: Screen[Any], answered: Callable[[Any], None] | None = None) -> None:
        """Hold the clock while a dialog is open."""
        board = self._board

        def closed(answer: Any) -> None:
            if answered is not None:
                answered(answer)
            board.send(messages.HoldChanged(held=False))

        board.send(messages.HoldChanged(held=True))
        board.open(screen, closed)
