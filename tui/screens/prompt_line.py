"""The line that is typed into, at the foot of the board; it has the place of the hints while it is open."""

from collections.abc import Callable, Sequence
from typing import Protocol

from textual.screen import Screen

from tui.widgets.prompt import Prompt


class Reader(Protocol):
    """The interface of a reader that takes what is typed after one mark."""

    def typed(self, words: str) -> None:
        """The text changed."""

    def entered(self, words: str) -> None:
        """The user wants it."""

    def given_up(self) -> None:
        """The user does not want it."""


class PromptLine:
    """Opens the prompt of a screen for a reader, and closes it."""

    def __init__(self, screen: Screen[None], focus: Callable[[], None]) -> None:
        """`focus` gives the keys back to where they were."""
        self._screen, self._focus = screen, focus
        self.reader: Reader | None = None
        """The reader of what is typed now."""

    @property
    def prompt(self) -> Prompt:
        """The widget."""
        return self._screen.query_one("#prompt", Prompt)

    def open(
        self,
        reader: Reader,
        mark: str,
        words: str,
        complete: Callable[[str], Sequence[str]],
        hint: str,
        filled: str = "",
    ) -> None:
        """Have a line typed that begins with `words`; `hint` stands beside it until something is.

        The first key typed replaces `filled`, which stands after them.
        """
        self.reader = reader
        self.prompt.open(mark, words, complete, hint, filled)
        self._screen.query_one("#hints").display = False

    def say(self, words: str, style: str = "watch") -> None:
        """Say something beside what is typed."""
        self.prompt.say(words, style)

    def close(self) -> None:
        """Give the keys back."""
        self.prompt.close()
        self._screen.query_one("#hints").display = True
        self._focus()

    def typed(self, words: str) -> None:
        """Tell the reader, if there is one, that the text changed."""
        if self.reader is not None:
            self.reader.typed(words)

    def entered(self, words: str) -> None:
        """Tell it that the user wants it."""
        if self.reader is not None:
            self.reader.entered(words)

    def given_up(self) -> None:
        """Tell it that the user does not want it."""
        if self.reader is not None:
            self.reader.given_up()
