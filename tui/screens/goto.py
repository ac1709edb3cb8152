"""A line to type a time into."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input


class GotoScreen(ModalScreen[str]):
    """Answers with what was typed; with nothing when it was left."""

    DEFAULT_CSS = """
    GotoScreen { align: center bottom; background: $background 0%; }
    GotoScreen > Input { height: 1; border: none; padding: 0 1; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "leave", "back", show=False, priority=True)]

    def compose(self) -> ComposeResult:
        """One line."""
        yield Input(placeholder="go to: 09:30, 09:30:05, +15m, or seconds after the start", compact=True)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        _ = self.dismiss(event.value)

    def action_leave(self) -> None:
        """Go nowhere."""
        _ = self.dismiss("")
