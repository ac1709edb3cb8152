"""The dialog that asks before an act: it says what is done and what is lost; Cancel has the focus."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from tui.screen_edge import literal
from tui.screens.closing import ClosesOnce
from tui.terminal_edge import visible_lines

_FRAME = 4
"""Lines of the box that are not words: its border and the answers."""


class ConfirmScreen(ClosesOnce[bool], ModalScreen[bool]):
    """Answers True only on `y` or the button that says so."""

    DEFAULT_CSS = """
    ConfirmScreen { align: center middle; background: $background 60%; }
    ConfirmScreen > #box {
        width: 70; max-width: 96%; height: auto; max-height: 100%; padding: 0 1;
        border: heavy $error; border-title-style: bold; background: $panel;
    }
    ConfirmScreen.-ascii > #box { border: ascii $error; }
    ConfirmScreen #scroll { height: auto; scrollbar-size-vertical: 1; }
    ConfirmScreen.-ascii #scroll { scrollbar-size-vertical: 0; }
    ConfirmScreen #words { height: auto; }
    ConfirmScreen #answers { height: 1; margin-top: 1; align-horizontal: center; }
    ConfirmScreen Button { margin: 0 2; min-width: 14; }
    ConfirmScreen Button:focus { text-style: reverse bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n,escape,q,ctrl+c", "answer(False)", "no", show=False),
        Binding("space", "press", "the answer that has the focus", show=False),
        Binding("left,right,h,l,tab,shift+tab", "other", "other answer", show=False),
        Binding("down,j", "scroll(1)", "down", show=False),
        Binding("up,k", "scroll(-1)", "up", show=False),
    ]

    def __init__(
        self, title: str, lines: Sequence[str], *, yes: str, no: str = "Cancel", ascii_only: bool = False
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._title_words = title
        self._words = visible_lines(lines).removesuffix("\n")
        self._yes, self._no = yes, no

    @property
    def words(self) -> str:
        """What the dialog says."""
        return self._words

    def compose(self) -> ComposeResult:
        """The question and two answers, the harmless one first."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title_words)
            with VerticalScroll(id="scroll", can_focus=False):
                yield Static(self._words, id="words", markup=False)
            with Horizontal(id="answers"):
                yield Button(f"{self._no} (n)", id="no", compact=True)
                yield Button(literal(f"{self._yes} (y)"), id="yes", variant="error", compact=True)

    def on_mount(self) -> None:
        """Focus the harmless answer."""
        self.query_one("#no", Button).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Keep the answers on screen, however little there is of it; the words scroll."""
        scroll = self.query_one("#scroll")
        scroll.styles.max_height = max(1, event.size.height - _FRAME)

        def tell() -> None:
            self.query_one("#box").border_subtitle = "arrows scroll" if scroll.max_scroll_y else ""

        self.call_after_refresh(tell)

    def action_scroll(self, by: int) -> None:
        """Scroll the words by a line."""
        self.query_one("#scroll").scroll_relative(y=by, animate=False)

    def action_other(self) -> None:
        """Go to the other answer."""
        self.query_one("#yes" if self.focused is self.query_one("#no") else "#no", Button).focus()

    def action_answer(self, sure: bool) -> None:
        """Close with the answer."""
        _ = self.dismiss(sure)

    def action_press(self) -> None:
        """Close with the answer that has the focus."""
        _ = self.dismiss(self.focused is self.query_one("#yes"))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        _ = self.dismiss(event.button.id == "yes")
