"""Dialogs in which words can be found: `/` opens a field, what is typed is found at once, esc shows all again."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.screens.closing import Answer, ClosesOnce
from tui.widgets.text_field import TextField

BOX = """
    width: 60; max-width: 100%; height: auto; max-height: 96%; padding: 0 1;
    border: heavy $primary; border-title-style: bold; background: $panel;
"""
"""How the box of a dialog looks."""


def places_of(words: str, lines: Sequence[str]) -> list[int]:
    """The places of the lines that have all of some words, whatever their case; none when there are no words.

    >>> places_of("queue b", ["Queue root.b", "Node b", "queue b"])
    [0, 2]
    """
    wanted = words.casefold().split()
    if not wanted:
        return []
    return [place for place, line in enumerate(lines) if all(word in line.casefold() for word in wanted)]


class Searching(ClosesOnce[Answer]):
    """A dialog with a field for words; whoever inherits puts it somewhere and says what is found."""

    DEFAULT_CSS = """
    Searching #words { display: none; dock: top; height: 1; background: $panel; }
    Searching.-finding #words { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("slash,f3,f4", "find", "find", show=False)]

    def _field(self, hint: str = "words to find") -> Input:
        return TextField(placeholder=hint, disabled=True, id="words")

    @property
    def words(self) -> str:
        """What is to be found; empty while nothing is."""
        return self.query_one("#words", Input).value

    def show_found(self, words: str) -> None:
        """Show what has these words; everything when there are none."""
        raise NotImplementedError

    def read_on(self) -> None:
        """Give the keys back to what is read."""
        raise NotImplementedError

    def action_find(self) -> None:
        """Type what to find."""
        field = self.query_one("#words", Input)
        field.disabled = False
        self.add_class("-finding")
        field.focus()

    @on(Input.Changed, "#words")
    def _typed(self) -> None:
        self.show_found(self.words)

    @on(Input.Submitted, "#words")
    def _entered(self) -> None:
        self.read_on()

    def action_close(self) -> None:
        """Show everything again, or go back when everything is shown."""
        if self.has_class("-finding"):
            field = self.query_one("#words", Input)
            self.remove_class("-finding")
            field.value = ""
            field.disabled = True
            self.read_on()
        else:
            _ = self.dismiss(None)
