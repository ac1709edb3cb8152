"""The two answers of a dialog as filled badges: the harmless one first, each with its key."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Button, Static

from tui.screen_edge import literal


class Answers(Horizontal):
    """Two buttons in the last line of a dialog."""

    DEFAULT_CSS = """
    Answers { height: 1; margin-top: 1; }
    Answers Button {
        margin: 0 2 0 0; min-width: 10; text-style: none;
        background: $input-selection-background !important; color: $input-selection-foreground !important;
    }
    Answers Button.-error { background: $error !important; color: $background !important; }
    Answers Button:focus {
        background: $foreground !important; color: $background !important; text-style: bold !important;
    }
    Answers Button.-error:focus { background: $error !important; text-style: bold underline !important; }
    Answers Button:nocolor:focus { text-style: reverse bold !important; }
    Answers #leave { width: 1fr; text-align: right; color: $text-muted; }
    """

    def __init__(self, no: str, yes: str, *, is_harmful: bool = False, leave: str = "") -> None:
        """Two answers. It `is_harmful` where something is lost by it; `leave` stands at the end of the line."""
        super().__init__(id="answers")
        self._no, self._yes, self._is_harmful, self._leave = no, yes, is_harmful, leave

    def compose(self) -> ComposeResult:
        """No, then yes."""
        yield Button(literal(self._no), id="no", compact=True)
        yield Button(literal(self._yes), id="yes", variant="error" if self._is_harmful else "primary", compact=True)
        yield Static(self._leave, id="leave", markup=False)

    @property
    def no(self) -> Button:
        """The harmless one."""
        return self.query_one("#no", Button)

    @property
    def yes(self) -> Button:
        """The other."""
        return self.query_one("#yes", Button)
