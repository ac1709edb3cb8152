"""What stands around the panes: the header, the timeline, the hints, and a sentence in place of these."""

from collections.abc import Callable

from textual.widget import Widget

from tui.hints import Hint, fitted, hints
from tui.keymap import spelled
from tui.render import header as header_lines
from tui.render.line import Look, Span
from tui.screens.board import Board, as_action
from tui.view_state import Picture
from tui.widgets.bars import ActionBar, Clickable, SaidLine
from tui.widgets.lines import Lines
from tui.widgets.track import TrackBar

_OTHER_KEYS = frozenset({"ctrl+q", "ctrl+c", "ctrl+p", "tab", "shift+tab", "escape"})
"""Keys that have a meaning without being in the registry."""


class Frame:
    """Draws what stands around the panes of a board."""

    def __init__(self, board: Board, find: Callable[[str], Widget]) -> None:
        """`find` gives the widget of an id."""
        self._board, self._find = board, find
        self._said: SaidLine | None = None
        self._keys = frozenset(key for action in board.options.registry for key in action.keys) | _OTHER_KEYS

    def _bar(self, name: str) -> ActionBar:
        bar = self._find(name)
        assert isinstance(bar, ActionBar), f"{name} is a bar"
        return bar

    def show(self, picture: Picture, look: Look) -> None:
        """Draw the header and the timeline of a picture."""
        lines, track = self._find("header"), self._find("track")
        assert isinstance(lines, Lines), "the header is made of lines"
        assert isinstance(track, TrackBar), "the track is a timeline"
        size, read_only = lines.content_size, self._board.options.read_only
        width = size.width or self._board.size.width
        header = picture.snapshot.header
        lines.show_lines(header_lines.lines(header, picture.run, look, width, size.height, read_only=read_only))
        track.show_run(picture.run, look)

    def show_hints(self) -> None:
        """Name the keys there is room for."""
        board, options = self._board, self._board.options
        short, reason = board.dialect.footer
        greyed = board.dialect.greyed
        every = hints(
            board.dialect.offered(options.registry), read_only=options.read_only, greyed=greyed, reason=reason
        )
        line = fitted(every, board.size.width, {reason: short})
        items = [Clickable(_hint_spans(hint, loose=line.is_loose), as_action(hint.call)) for hint in line.hints]
        self._bar("hints").show_items(items, gap=2 if line.is_loose else 1)

    def say(self, words: str, severity: str) -> None:
        """Say one sentence in place of the hints, for a while."""
        if self._said is None:
            self._said = SaidLine(self._bar("hints"), self.show_hints, click=as_action("board.leave"))
        self._said.say(words, severity)

    def answer(self, key: str, *, is_typed: bool) -> None:
        """A key ends what is said; one that has no meaning, and is not typed into the prompt, is answered."""
        if self._said is not None:
            self._said.end()
        if key not in self._keys and not is_typed:
            self.say(f"{spelled(key)} does nothing here; ? lists all keys", "information")


def _hint_spans(hint: Hint, *, loose: bool) -> tuple[Span, ...]:
    words = hint.words(loose=loose)
    if hint.is_greyed:
        return ((words, "dim"),)
    return ((hint.keys, "key"), (words.removeprefix(hint.keys), "dim"))
