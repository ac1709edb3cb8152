"""Undoing acts and bringing back what was undone; the last act has lines below the header that say what came of it."""

from typing import Final

from tui.actions import REDO, UNDO
from tui.board.board import BoardScreen
from tui.keymap import spelled
from tui.panes.fragments import RenderContext
from tui.panes.pulse import ActLine, act_facts, act_line, thaw_of
from tui.protocol import messages
from tui.protocol.picture import SessionState
from tui.widgets.lines import Lines

FACTS_FROM: Final = 24  # Lines of a screen from which on it is told what an act changed
ALL_FROM: Final = 34  # Lines from which on all of it is told


class Undoing:
    """The part of the board that takes back the last act, then the one before it; and brings back what it took back."""

    def __init__(self, board: BoardScreen) -> None:
        self._board = board
        self._done: list[ActLine] = []
        self._undone: list[ActLine] = []  # Those undone last, while they can be brought back

    def offer(self, acted: ActLine) -> None:
        self._done.append(acted)
        self._undone = []
        self._show_last()

    def undone(self) -> None:
        self._undone = self._last()
        del self._done[len(self._done) - len(self._undone) :]
        self._show_last()

    def _last(self) -> list[ActLine]:
        """The last act with those of its instant: the run goes back to before all of them."""
        return [each for each in self._done if each.time_ms == self._done[-1].time_ms]

    def redone(self) -> None:
        self._done += self._undone
        self._undone = []
        self._show_last()

    def forget(self, time_ms: int) -> None:
        """The run goes on from an instant [epoch ms]: acts that lie ahead of it can no more be undone."""
        self._done = [each for each in self._done if each.time_ms <= time_ms]
        self._undone = []
        self._show_last()

    def _show_last(self) -> None:
        state = self._board.state
        state.acted, state.can_undo = self._done[-1] if self._done else None, bool(self._done)
        state.can_redo = bool(self._undone)
        self._board.redraw()

    def follow(self, picture: SessionState) -> None:
        acted = self._done[-1] if self._done else None
        self._board.state.thaw = None if acted is None else thaw_of(acted, picture)

    def show(self, look: RenderContext) -> None:
        state, line = self._board.state, self._board.query_one("#acted", Lines)
        acted, picture = state.acted, state.picture
        line.set_class(acted is not None, "-shown")
        if acted is None:
            return
        size = self._board.size
        names = {each.id: spelled(each.keys[0]) for each in self._board.options.registry}
        keys = [(names[UNDO], "undo", True), (names[REDO], "redo", state.can_redo)]
        facts = act_facts(acted, state.thaw, picture, look, size.width) if size.height >= FACTS_FROM else []
        if size.height < ALL_FROM:
            facts = [each for each in facts if not each[0][0].startswith(" lost")]
        line.styles.height = 1 + len(facts)
        line.show_lines([act_line(acted, keys, look, size.width), *facts])

    def undo(self) -> None:
        if not self._done:
            back = "; ctrl+r brings back what was undone" if self._undone else ""
            self._board.say(f"There is no act to undo{back}.", "information")
            return
        count = len(self._last())
        what = "the last act" if count == 1 else f"the last {count} acts, which are of one instant"
        self._board.say(f"Going back to just before {what} …", "information")
        _ = self._board.post_message(messages.AppCalled("clock.undo", self._done[-1].time_ms - 1))

    def redo(self) -> None:
        if not self._undone:
            self._board.say("Nothing was undone.", "information")
            return
        self._board.say("Playing it again …", "information")
        _ = self._board.post_message(messages.AppCalled("clock.redo"))

    def drop(self) -> bool:
        had_line = self._board.state.acted is not None
        if had_line:
            self._board.state.acted = None
            self._board.redraw()
        return had_line
