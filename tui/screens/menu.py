"""A short list to choose from by letter, arrows or mouse."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.palettes import PALETTES
from tui.render.line import places_of
from tui.screen_edge import literal
from tui.screens.closing import BOX, ClosesOnce, Searched
from tui.widgets.text_field import SearchField


class Choice(NamedTuple):
    """One thing to choose."""

    letter: str
    words: str
    value: str
    why_not: str = ""
    """Why it cannot be chosen; nothing where it can."""


def _option(choice: Choice) -> Option:
    reason = f": {choice.why_not}" if choice.why_not else ""
    return Option(literal(f"{choice.letter:<6} {choice.words}{reason}"), disabled=bool(choice.why_not))


class MenuScreen(Searched, ClosesOnce[str | None], ModalScreen[str | None]):
    """Answers with the value chosen, or None; `/` leaves only what has some words."""

    DEFAULT_CSS = f"""
    MenuScreen {{ align: center middle; background: $background 60%; }}
    MenuScreen > #box {{ {BOX} width: 76; }}
    MenuScreen.-ascii > #box {{ border: ascii $border; }}
    MenuScreen OptionList {{ border: none; height: auto; max-height: 100%; background: $panel; padding: 0; }}
    MenuScreen OptionList:focus {{ border: none; }}
    MenuScreen.-ascii OptionList {{ scrollbar-size-vertical: 0; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("escape,ctrl+c", "close", "back", show=False),
    ]

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        start: int = 0,
        tried: Callable[[str], None] | None = None,
        ascii_only: bool = False,
    ) -> None:
        """A menu whose cursor begins at the place `start`; `tried` gets the value of each choice it goes to."""
        super().__init__(classes="-ascii" if ascii_only else "")
        self._title_words = title
        self._every = self._choices = choices
        self._start = start
        self._tried = tried

    @property
    def choices(self) -> Sequence[Choice]:
        """The choices that match the words sought."""
        return self._choices

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title_words)
            yield SearchField(self._show_found, self._read_on)
            yield OptionList(*(_option(one) for one in self._choices), markup=False)

    def on_mount(self) -> None:
        """Put the cursor where it begins."""
        self._read_on()
        if self._start:
            self.query_one(OptionList).highlighted = self._start

    def on_key(self, event: events.Key) -> None:
        """Choose by letter."""
        chosen = next((one for one in self._choices if one.letter and event.character == one.letter), None)
        if chosen is None:
            return
        event.stop()
        event.prevent_default()
        if chosen.why_not:
            self.query_one("#box").border_subtitle = literal(chosen.why_not)
        else:
            _ = self.dismiss(chosen.value)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self._tried is not None:
            self._tried(self._choices[event.option_index].value)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        _ = self.dismiss(self._choices[event.option_index].value)

    def _show_found(self, words: str) -> None:
        """Leave only the choices that have these words."""
        every = self._every
        self._choices = [every[place] for place in places_of(words, [one.words for one in every])] if words else every
        listed = self.query_one(OptionList)
        _ = listed.clear_options().add_options([_option(one) for one in self._choices])
        listed.highlighted = 0 if self._choices else None

    def _read_on(self) -> None:
        """Let the arrows choose."""
        self.query_one(OptionList).focus()


_THEMES = {
    "dark": "light words on dark",
    "light": "dark words on light",
    "high-contrast": "as far apart as colours are",
    "colour-blind": "blue, yellow and orange; never red against green",
    "16": "the terminal's own sixteen colours",
    "none": "no colour: weight and reverse video",
}


def themes_menu(now: str, tried: Callable[[str], None], *, ascii_only: bool = False) -> MenuScreen:
    """A menu that begins at the theme in use; each is `tried` while the cursor is on it."""
    some = [
        Choice(str(number), f"{name.ljust(14)} {_THEMES.get(name, '')}".rstrip(), name)
        for number, name in enumerate(PALETTES, start=1)
    ]
    return MenuScreen("Theme", some, start=list(PALETTES).index(now), tried=tried, ascii_only=ascii_only)
