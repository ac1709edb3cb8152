"""The instructor's desk: what the trainee sees and does, and a key for everything an instructor may do."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui.render.line import Spans
from tui.widgets.bars import Hint, HintedLines

_HINTS: Final[Sequence[Hint]] = (
    ("c", "cluster", "do('cluster')"),
    ("m", "message", "do('message')"),
    ("n", "note", "do('note')"),
    ("i", "inject", "do('inject')"),
    ("l", "load", "do('load')"),
    ("f", "freeze", "do('freeze')"),
    ("b", "back", "do('back')"),
    ("v", "screen", "do('screen')"),
    ("q", "leave", "do('leave')"),
)


class SeatScreen(Screen[None]):
    """Shows the lines of `drawn`; every key calls `do` with what is wanted."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(keys, call, words, show=False)
        for keys, words, call in (
            ("c,tab,enter,H,f12", "cluster", "do('cluster')"),
            ("m", "message", "do('message')"),
            ("n", "note", "do('note')"),
            ("i", "inject", "do('inject')"),
            ("l", "load", "do('load')"),
            ("f,p", "freeze", "do('freeze')"),
            ("b", "back", "do('back')"),
            ("v", "screen", "do('screen')"),
            ("q,ctrl+c,ctrl+q,f10", "leave", "do('leave')"),
        )
    ]

    def __init__(
        self, styles: dict[str, Style], drawn: Callable[[int, int], Sequence[Spans]], do: Callable[[str], object]
    ) -> None:
        super().__init__()
        self._styles_by_name, self._drawn, self._do = styles, drawn, do

    def compose(self) -> ComposeResult:
        """The lines, the hints."""
        yield HintedLines(self._styles_by_name, _HINTS, self._drawn)

    def draw(self) -> None:
        """Draw what is known now."""
        for lines in self.query(HintedLines):
            lines.draw()

    def action_do(self, what: str) -> None:
        """Have it done."""
        _ = self._do(what)
