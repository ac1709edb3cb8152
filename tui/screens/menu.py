"""A short list to choose from by letter, arrows or mouse; and a page of text to read."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui import messages
from tui.screens.closing import ClosesOnce

_BOX = """
    width: 60; max-width: 100%; height: auto; max-height: 96%; padding: 0 1;
    border: heavy $primary; border-title-style: bold; background: $panel;
"""


class Choice(NamedTuple):
    """One thing to choose."""

    letter: str
    words: str
    value: str
    why_not: str = ""
    """Why it cannot be chosen; nothing where it can."""


def _option(choice: Choice) -> Option:
    reason = f": {choice.why_not}" if choice.why_not else ""
    return Option(f"{choice.letter:<6} {choice.words}{reason}", disabled=bool(choice.why_not))


class MenuScreen(ClosesOnce[str | None], ModalScreen[str | None]):
    """Answers with the value chosen, or None."""

    DEFAULT_CSS = f"""
    MenuScreen {{ align: center middle; background: $background 60%; }}
    MenuScreen > #box {{ {_BOX} width: 76; }}
    MenuScreen.-ascii > #box {{ border: ascii $primary; }}
    MenuScreen OptionList {{ border: none; height: auto; max-height: 100%; background: $panel; padding: 0; }}
    MenuScreen OptionList:focus {{ border: none; }}
    MenuScreen.-ascii OptionList {{ scrollbar-size-vertical: 0; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "choose_none", "back", show=False)]

    def __init__(self, title: str, choices: Sequence[Choice], *, start: int = 0, ascii_only: bool = False) -> None:
        """A menu whose cursor begins at the place `start`."""
        super().__init__(classes="-ascii" if ascii_only else "")
        self._title_words = title
        self._choices = choices
        self._start = start

    @property
    def choices(self) -> Sequence[Choice]:
        """What can be chosen."""
        return self._choices

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical(id="box") as box:
            box.border_title = self._title_words
            yield OptionList(*(_option(one) for one in self._choices), markup=False)

    def on_mount(self) -> None:
        """Put the cursor where it begins."""
        if self._start:
            self.query_one(OptionList).highlighted = self._start

    def on_key(self, event: events.Key) -> None:
        """Choose by letter."""
        chosen = next((one for one in self._choices if one.letter and event.character == one.letter), None)
        if chosen is not None and chosen.why_not:
            event.stop()
            return
        if chosen is not None:
            event.stop()
            _ = self.dismiss(chosen.value)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        _ = self.dismiss(self._choices[event.option_index].value)

    def action_choose_none(self) -> None:
        """Go back."""
        _ = self.dismiss(None)


class PageScreen(ClosesOnce[None], ModalScreen[None]):
    """A page of text; any closing key goes back."""

    DEFAULT_CSS = f"""
    PageScreen {{ align: center middle; background: $background 60%; }}
    PageScreen > VerticalScroll {{ {_BOX} width: 110; }}
    PageScreen.-ascii > VerticalScroll {{ border: ascii $primary; scrollbar-size-vertical: 0; }}
    PageScreen Static {{ height: auto; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,d,y,ctrl+c", "close", "close", show=False),
        Binding("c", "copy", "copy", show=False),
        Binding("x,z", "save", "save", show=False),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
    ]

    def __init__(self, title: str, text: str, *, stem: str = "", ending: str = "txt", ascii_only: bool = False) -> None:
        """A page to read.

        Args:
            title: What stands over it.
            text: The page.
            stem: Name of a file to save it in, without its ending; empty where it cannot be saved.
            ending: Of that file.
            ascii_only: Whether to draw with ASCII characters only.
        """
        super().__init__(classes="-ascii" if ascii_only else "")
        self._title_words = title
        self.text = text
        self._stem, self._ending = stem, ending

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll() as box:
            box.border_title = self._title_words
            box.border_subtitle = "c copies, x saves, esc closes" if self._stem else "c copies, esc closes"
            yield Static(self.text, markup=False)

    def on_mount(self) -> None:
        """Let the arrows scroll the text."""
        self.query_one(VerticalScroll).focus()

    def say(self, words: str) -> None:
        """Say something at the foot of the page."""
        self.query_one(VerticalScroll).border_subtitle = words

    def action_close(self) -> None:
        """Go back."""
        _ = self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the page, through the terminal."""
        self.app.copy_to_clipboard(self.text)
        self.say("Copied")

    def action_save(self) -> None:
        """Save the page as a file."""
        if self._stem:
            _ = self.post_message(messages.SaveRequested(self._stem, {self._ending: self.text + "\n"}))

    def action_scroll(self, by: int) -> None:
        """Scroll by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
