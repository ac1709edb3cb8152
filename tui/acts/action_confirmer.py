"""Questions before acts: the clock stands while one is open, and only yes sends the act."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual.message import Message
from textual.screen import Screen

from engine.observe.snapshots import waits_of
from engine.scenario.acts import Act
from tui.board.board import BoardScreen
from tui.dialogs.confirm import ConfirmScreen
from tui.pages.act_sheet import ActQuestion
from tui.panes.pulse import Forecast
from tui.protocol import messages
from tui.settings import asks


@dataclass
class ActsConfirmed(messages.ScreenRequest):
    """The user does acts, one after the other.

    `acts` are named by the ids they are about, a single one by nothing where it is about none; `done` is the sentence
    for when they are done, with `{}` for the id or for how many there are.
    """

    acts: Mapping[str, Act]
    done: str
    forecast: Forecast | None = None  # What was foretold of them; None where nothing was tried


class ActionConfirmer:
    def __init__(self, board: BoardScreen) -> None:
        self._board = board

    def ask_to_act(
        self,
        question: ActQuestion,
        done: str,
        acts: Mapping[str, Act] | None = None,
        *,
        loses: bool = True,
        spent: Sequence[str] = (),
    ) -> None:
        """Ask, then do `acts`, by default those of the question; the words are those of `ActsConfirmed` and `ask`."""
        confirmed = ActsConfirmed(question.acts if acts is None else acts, done)
        self.ask(question, confirmed, loses=loses, spent=spent)

    def ask(self, question: ActQuestion, request: Message, *, loses: bool = True, spent: Sequence[str] = ()) -> None:
        """Hold the clock while a question is open; send a request only on yes.

        By default it asks only where something is lost. Afterwards the ids `spent` are marked no more.
        """
        board, pane = self._board, self._board.active

        def act_now() -> None:
            _ = board.post_message(request)
            pane.unmark(spent)

        def answered(sure: bool | None) -> None:
            if sure:
                if isinstance(request, ActsConfirmed):
                    request.forecast = dialog.forecast
                act_now()

        if not asks(board.options.confirm, loses=loses):
            act_now()
            return
        options, drill = board.options, board.options.drill
        if not waits_of(board.state.picture.snapshot.applications(why=False)).number:
            question = question._replace(alone=question.alone or "waits now")
        runs_on = board.state.picture.run.reception is not None or (drill is not None and drill.is_exam)
        dialog = ConfirmScreen(question, options.styles, holds=not runs_on)
        self.open(dialog, answered)

    def open(self, screen: Screen[Any], answered: Callable[[Any], object] | None = None) -> None:
        """Hold the clock while a screen is open; `answered` gets its answer, if it gives one."""
        board = self._board

        def closed(answer: Any) -> None:
            if answered is not None and answer is not None:
                answered(answer)
            _ = board.post_message(messages.AppCalled("clock.suspend", False))

        _ = board.post_message(messages.AppCalled("clock.suspend", True))
        board.open(screen, closed)
