"""Help, written from the registry of actions, so it cannot lie about a key."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.keymap import ACTIONS, Action, help_rows
from tui.render.line import ASCII, BLOCKS
from tui.screens.closing import ClosesOnce

_CLOSING = """\
Lower-case letters look, capitals act. An act names an id, never a row: what moves under the cursor is safe.
A bar reads from the left: used up to the fair share, used beyond it, room up to the max share.
Marks: ! wrong or starved, x lost, - out of service, {cut} a text is cut (right scrolls it).
Steps (s) of Spark's Master: right and left a step, n a round, tab the next plan, g G first and last, esc back.
Why (w): enter asks about whom the cursor is on, h what would help, c copies, x saves, K kills, tab the other side.
Memory is in binary units: 62.5G is 64000 MB. An application's number is the end of its id."""


def help_text(cut: str = ASCII.cut, registry: Sequence[Action] = ACTIONS) -> str:
    """All keys by group, and how to read the screen."""
    parts = []
    for group, rows in help_rows(registry):
        width = max(len(keys) for keys, _ in rows)
        parts.append("\n".join([group.upper(), *(f"  {keys.ljust(width)}  {words}" for keys, words in rows)]))
    return "\n\n".join([*parts, _CLOSING.format(cut=cut)])


class HelpScreen(ClosesOnce[None], ModalScreen[None]):
    """All keys; any of the closing keys goes back."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen > VerticalScroll {
        width: 96; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
        border: heavy $primary; border-title-style: bold; background: $panel;
    }
    HelpScreen.-ascii > VerticalScroll { border: ascii $primary; scrollbar-size-vertical: 0; }
    HelpScreen Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter,ctrl+c", "close", "close", show=False),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
    ]

    def __init__(self, registry: Sequence[Action] = ACTIONS, *, ascii_only: bool = False) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._registry = registry

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll() as box:
            box.border_title = "Help"
            box.border_subtitle = "esc closes, arrows scroll"
            yield Static(help_text((ASCII if self.has_class("-ascii") else BLOCKS).cut, self._registry), markup=False)

    def on_mount(self) -> None:
        """Let the arrows scroll the text."""
        self.query_one(VerticalScroll).focus()

    def action_close(self) -> None:
        """Go back."""
        _ = self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        """Scroll by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
