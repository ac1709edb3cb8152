"""Undoing the last act, while its line stands below the header."""

from collections.abc import Callable
from typing import Final

from textual.widget import Widget

from tui.actions import UNDO
from tui.board.board import ClusterScreenProtocol
from tui.board.finding import Filtering
from tui.keymap import spelled
from tui.panes.line import RenderContext
from tui.panes.pulse import ActLine, act_facts, act_line
from tui.protocol import messages
from tui.widgets.lines import Lines

FACTS_FROM: Final = 24  # Lines of a screen from which on it is told what an act changed


class Undoing:
    """The part of the board that takes back the last act; its key filters by user where there is none to take back."""

    def __init__(self, board: ClusterScreenProtocol, filtering: Filtering, find: Callable[[str], Widget]) -> None:
        """`find` gives the widget of an id."""
        self._board, self._filtering, self._find = board, filtering, find

    def offer(self, acted: ActLine | None) -> None:
        """Show the line of an act that can be undone, or none any more."""
        self._board.state.acted = acted
        self._board.redraw()

    def show(self, look: RenderContext) -> None:
        """Draw the line, where there is one."""
        acted, line = self._board.state.acted, self._find("acted")
        assert isinstance(line, Lines), "an act has a line"
        line.set_class(acted is not None, "-shown")
        if acted is not None:
            key = next(spelled(each.keys[0]) for each in self._board.options.registry if each.id == UNDO)
            picture, size = self._board.state.picture, self._board.size
            facts = act_facts(acted, picture, look) if picture is not None and size.height >= FACTS_FROM else []
            line.styles.height = 1 + len(facts)
            line.show_lines([act_line(acted, key, look, size.width), *facts])

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
        had_line = self._board.state.acted is not None
        if had_line:
            self.offer(None)
        return had_line
