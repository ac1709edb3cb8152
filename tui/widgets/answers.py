"""The two answers of a dialog: the harmless one first, each with its key."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Button

from tui.screen_edge import literal


class Answers(Horizontal):
    """Two buttons in the last line of a dialog."""

    DEFAULT_CSS = """
    Answers { height: 1; margin-top: 1; }
    Answers Button { margin: 0 2 0 0; min-width: 10; }
    Answers Button:focus { text-style: reverse bold; }
    """

    def __init__(self, no: str, yes: str, *, is_harmful: bool = False) -> None:
        """Two answers.

        Args:
            no: What the harmless one says.
            yes: What the other says.
            is_harmful: Whether something is lost by it.
        """
        super().__init__(id="answers")
        self._no, self._yes, self._is_harmful = no, yes, is_harmful

    def compose(self) -> ComposeResult:
        """No, then yes."""
        yield Button(literal(self._no), id="no", compact=True)
        yield Button(literal(self._yes), id="yes", variant="error" if self._is_harmful else "primary", compact=True)

    @property
    def no(self) -> Button:
        """The harmless one."""
        return self.query_one("#no", Button)

    @property
    def yes(self) -> Button:
        """The other."""
        return self.query_one("#yes", Button)
