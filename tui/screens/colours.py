"""The colours of the app: one palette at a time, for our own panes and for textual's dialogs, changed while it runs.

Everything drawn by us looks its styles up in one mapping, which is changed in place; textual follows its theme.
"""

from collections.abc import Callable

from textual.app import App

from tui.dialogs.forms import themes_menu
from tui.protocol import messages
from tui.screens.requests import Routes
from tui.terminal.theme import THEMES, StyleTable

_WITHOUT_COLOUR = "textual-dark"  # The theme below the palette without colour: weight and reverse video remain


class ColourRequests:
    """Changes the palette, and lets the user choose one."""

    def __init__(self, app: App[None], palette: str, table: StyleTable, redraw: Callable[[], None]) -> None:
        """Looks of an app; `redraw` shows its picture anew, as some signs differ where there is no colour."""
        self._app, self._styles, self._redraw = app, table, redraw
        self.palette = palette  # The palette in use
        app.set_class(palette == "16", "-sixteen")

    def routes(self) -> Routes:
        return {messages.ThemeChosen: self._choose, messages.ThemesRequested: self._ask}

    def register(self) -> None:
        for theme in THEMES:
            self._app.register_theme(theme)
        if self.palette != "none":
            self._app.theme = self.palette

    def take(self, palette: str) -> None:
        if palette == self.palette:
            return
        app, self.palette = self._app, palette
        self._styles.take(palette)
        app.no_color = palette == "none"
        app.set_class(palette == "16", "-sixteen")
        app.ansi_color = True if app.no_color else None
        app.theme = _WITHOUT_COLOUR if app.no_color else palette
        self._redraw()
        for screen in app.screen_stack:
            for widget in screen.walk_children(with_self=True):
                widget.refresh()

    async def _choose(self, event: messages.ThemeChosen) -> None:
        self.take(event.theme)
        words = f'Theme {event.theme} until you leave; theme = "{event.theme}" in the settings keeps it.'
        self._app.post_message(messages.Noticed(words))

    async def _ask(self, _: messages.ThemesRequested) -> None:
        before = self.palette

        def decided(theme: str | None) -> None:
            if theme is None:
                self.take(before)
            else:
                self._app.post_message(messages.ThemeChosen(theme))

        await self._app.push_screen(themes_menu(before, self.take), decided)
