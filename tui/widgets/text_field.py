"""Fields to type into: one line of a form, and the line in which words to find are typed."""

from collections.abc import Callable
from typing import Any, Final

from textual import on
from textual.widgets import Input

MOST_CHARACTERS: Final = 400
"""What a field takes; rich remembers thousands of pieces of the lines it drew, and those of long ones are large."""


class TextField(Input):
    """A field of one line, within bounds."""

    def __init__(self, value: str = "", **options: Any) -> None:
        options.setdefault("select_on_focus", False)
        super().__init__(value, compact=True, max_length=MOST_CHARACTERS, **options)


class SearchField(TextField):
    """Closed until it is opened; what is typed is found at once, and closing it shows everything again."""

    DEFAULT_CSS = """
    SearchField { display: none; dock: top; height: 1; background: $panel; }
    SearchField.-open { display: block; }
    """

    def __init__(self, found: Callable[[str], None], left: Callable[[], None], hint: str = "words to find") -> None:
        """`found` shows what has the words typed, everything when there are none; `left` takes the keys back."""
        super().__init__(placeholder=hint, disabled=True, id="words")
        self._found, self._left = found, left

    def open(self) -> None:
        """Take the keys."""
        self.disabled = False
        self.add_class("-open")
        self.focus()

    def close(self) -> bool:
        """Show everything again; False where it was not open."""
        if not self.has_class("-open"):
            return False
        self.remove_class("-open")
        self.value = ""
        self.disabled = True
        self._left()
        return True

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._found(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self._left()
