"""The palette: every action of the registry, found by a few letters of its name."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from tui.keymap import APP, Action, spelled
from tui.palettes import PALETTES

THEMES = tuple(Action(f"theme {name}", (), f"choose_theme({name!r})", name, f"Theme {name}", APP) for name in PALETTES)
"""The commands that take one theme."""


def titles(registry: Sequence[Action]) -> list[tuple[str, Action]]:
    """What stands in the palette for each action: its sentence and its key."""
    keyed = [(f"{one.help.rstrip('.')} ({spelled(one.keys[0])}, :{one.id})", one) for one in registry]
    return [*keyed, *((f"{one.help} (:{one.id})", one) for one in THEMES)]


def open_palette(screen: Screen[Any], registry: Sequence[Action]) -> None:
    """Open the palette over a screen; what is chosen runs there."""

    class Actions(Provider):
        """The registry, for textual's palette."""

        async def discover(self) -> Hits:
            """All of them."""
            for words, action in titles(registry):
                yield DiscoveryHit(words, partial(screen.run_action, action.call), text=words)

        async def search(self, query: str) -> Hits:
            """Those that match."""
            matcher = self.matcher(query)
            for words, action in titles(registry):
                score = matcher.match(words)
                if score > 0:
                    yield Hit(score, matcher.highlight(words), partial(screen.run_action, action.call), text=words)

    _ = screen.app.push_screen(CommandPalette([Actions], placeholder="What to do"))
