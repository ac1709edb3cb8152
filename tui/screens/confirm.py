"""A question before harm: what exactly would be done and lost, with the harmless answer under the finger."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from tui.screens.closing import ClosesOnce


class ConfirmScreen(ClosesOnce[bool], ModalScreen[bool]):
    """Answers True only on `y` or the button that says so."""

    DEFAULT_CSS = """
    ConfirmScreen { align: center middle; background: $background 60%; }
    ConfirmScreen > #box {
        width: 70; max-width: 96%; height: auto; max-height: 96%; padding: 0 1;
        border: heavy $error; border-title-style: bold; background: $panel;
    }
    ConfirmScreen.-ascii > #box { border: ascii $error; }
    ConfirmScreen #words { height: auto; }
    ConfirmScreen #answers { height: 1; margin-top: 1; align-horizontal: center; }
    ConfirmScreen Button { margin: 0 2; min-width: 14; }
    ConfirmScreen Button:focus { text-style: reverse bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n,escape,q,ctrl+c", "answer(False)", "no", show=False),
        Binding("space", "press", "the answer under the finger", show=False),
        Binding("left,right,h,l,tab,shift+tab", "other", "other answer", show=False),
    ]

    def __init__(
        self, title: str, lines: Sequence[str], *, yes: str, no: str = "Cancel", ascii_only: bool = False
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._title_words = title
        self._words = "\n".join(lines)
        self._yes, self._no = yes, no

    @property
    def words(self) -> str:
        """What the dialog says."""
        return self._words

    def compose(self) -> ComposeResult:
        """The question and two answers, the harmless one first."""
        with Vertical(id="box") as box:
            box.border_title = self._title_words
            yield Static(self._words, id="words", markup=False)
            with Horizontal(id="answers"):
                yield Button(f"{self._no} (n)", id="no", compact=True)
                yield Button(f"{self._yes} (y)", id="yes", variant="error", compact=True)

    def on_mount(self) -> None:
        """Put the finger on the harmless answer."""
        self.query_one("#no", Button).focus()

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
