"""The menu of themes: the one under the cursor is tried at once, and taken back when none is chosen."""

from textual import on
from textual.widgets import OptionList

from tui import messages
from tui.palettes import PALETTES
from tui.screens.menu import Choice, MenuScreen

_ABOUT = {
    "dark": "light words on dark",
    "light": "dark words on light",
    "high-contrast": "as far apart as colours are",
    "colour-blind": "blue, yellow and orange; never red against green",
    "16": "the terminal's own sixteen colours",
    "none": "no colour: weight and reverse video",
}


def theme_words(name: str) -> str:
    """A theme with what it is like."""
    return f"{name.ljust(14)} {_ABOUT.get(name, '')}".rstrip()


class ThemesScreen(MenuScreen):
    """Answers with the theme chosen, or None."""

    def __init__(self, now: str, *, ascii_only: bool = False) -> None:
        """A menu that begins at the theme in use."""
        some = [Choice(str(number), theme_words(name), name) for number, name in enumerate(PALETTES, start=1)]
        super().__init__("Theme", some, start=list(PALETTES).index(now), ascii_only=ascii_only)
        self._now = now

    @on(OptionList.OptionHighlighted)
    def _try(self, event: OptionList.OptionHighlighted) -> None:
        _ = self.post_message(messages.ThemeChosen(self.choices[event.option_index].value, tried=True))

    def action_close(self) -> None:
        """Go back to the theme there was; from a search, to all themes."""
        if not self.has_class("-finding"):
            _ = self.post_message(messages.ThemeChosen(self._now, tried=True))
        super().action_close()
