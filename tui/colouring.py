"""The looks of the app: one palette at a time, for our own panes and for textual's dialogs, changed while it runs.

Everything drawn by us looks its styles up in one mapping, which is changed in place; textual follows its theme.
"""

from rich.style import Style
from textual import on
from textual.app import App
from textual.filter import LineFilter, Monochrome, NoColor

from tui import messages
from tui.palettes import palette_of, take_colour_wish
from tui.screens.themes import ThemesScreen
from tui.theme import THEMES, styles

_WITHOUT_COLOUR = "textual-dark"
"""The theme beneath the palette without colour, of which weight and reverse video remain."""


class ColouredApp(App[None]):
    """An app with palettes."""

    CSS = """
    ColouredApp.-sixteen, .-sixteen Screen, .-sixteen ModalScreen > *, .-sixteen Input, .-sixteen Button {
        background: ansi_black; color: ansi_bright_white;
    }
    """
    """Textual gives a theme of sixteen colours the terminal's own background, which may be as light as its words."""

    _filters: list[LineFilter]
    _ascii: bool

    def __init__(self, palette: str | None) -> None:
        """An app in a palette; None lets the environment choose."""
        self._palette = palette_of(palette)
        take_colour_wish(self._palette)
        super().__init__(ansi_color=True if self._palette == "none" else None)
        self.set_class(self._palette == "16", "-sixteen")
        self._styles_by_name: dict[str, Style] = styles(self._palette)

    @property
    def palette(self) -> str:
        """The palette in use."""
        return self._palette

    def register_palettes(self) -> None:
        """Make textual's themes of the palettes, and take the one in use."""
        for theme in THEMES:
            self.register_theme(theme)
        if self._palette != "none":
            self.theme = self._palette

    def take_palette(self, palette: str) -> None:
        """Draw everything in another palette from now on."""
        if palette == self._palette:
            return
        self._palette = palette
        self._styles_by_name.update(styles(palette))
        self.no_color = palette == "none"
        self._filters = [one for one in self._filters if not isinstance(one, NoColor | Monochrome)]
        if self.no_color:
            self._filters.append(NoColor())
        self.set_class(palette == "16", "-sixteen")
        self.ansi_color = True if self.no_color else None
        self.theme = _WITHOUT_COLOUR if self.no_color else palette
        for screen in self.screen_stack:
            for widget in screen.walk_children(with_self=True):
                widget.refresh()

    @on(messages.ThemeChosen)
    def _theme_chosen(self, event: messages.ThemeChosen) -> None:
        self.take_palette(event.theme)
        if not event.tried:
            words = f'Theme {event.theme} until you leave; theme = "{event.theme}" in the settings keeps it.'
            self.post_message(messages.Noticed(words))

    @on(messages.ThemesRequested)
    def _themes_requested(self) -> None:
        _ = self.push_screen(ThemesScreen(self._palette, ascii_only=self._ascii), self._theme_decided)

    def _theme_decided(self, theme: str | None) -> None:
        if theme is not None:
            self.post_message(messages.ThemeChosen(theme))
