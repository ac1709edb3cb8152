"""Chooses how much of the time is shown: by the pulse and by the graphs, which have one scale."""

from tui.render.arrangement import WINDOWS
from tui.render.noun import PLOTS
from tui.render.trace import next_window, window_words
from tui.screens.board import Board
from tui.screens.menu import Choice, MenuScreen


def shown_ms(board: Board) -> int | None:
    """Tells how much of the time before the present is shown [ms]; None for the whole run."""
    return board.arrangement(_graphs(board)).window_ms


def _graphs(board: Board) -> str:
    """The pane whose arrangement holds it."""
    return next(name for name in board.dialect.panes if board.noun(name).drawn == PLOTS)


class TimeScale:
    """The part of the board that chooses it."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def window(self, length_ms: int) -> None:
        """Show so much of the time [ms]; 0 is the whole run."""
        board, name = self._board, _graphs(self._board)
        board.rearrange(name, board.arrangement(name)._replace(window_ms=length_ms or None))

    def change(self, by: int) -> None:
        """Show more of the time (1), or less (-1)."""
        now_ms, run_ms = shown_ms(self._board), self._run_ms
        length_ms = next_window(now_ms, by)
        while length_ms is not None and run_ms is not None and length_ms >= run_ms:
            length_ms = next_window(length_ms, by) if by < 0 else None
        self.window(length_ms or 0)
        end = "" if length_ms != now_ms else " already" if length_ms is None else ", and no less"
        self._board.say(f"The pulse and the graphs show {window_words(length_ms)}{end}.", "information")

    @property
    def _run_ms(self) -> int | None:
        """Tells how long the run is so far [ms]; None where that is not known. More than all of it is not offered."""
        picture = self._board.state.picture
        if picture is None or picture.run.track is None:
            return None
        present_ms = picture.run.present_ms or picture.snapshot.header.time_ms
        return max(present_ms - picture.run.track.first_ms, WINDOWS[0] or 0) + 1

    def menu(self) -> None:
        """Choose from all lengths."""
        some = [Choice(str(n), window_words(length), str(length or 0)) for n, length in enumerate(WINDOWS, start=1)]

        def chosen(length_ms: str | None) -> None:
            if length_ms is not None:
                self.window(int(length_ms))

        self._board.open(MenuScreen("How much of the time", some, ascii_only=self._board.options.ascii_only), chosen)
