"""The palette: every action of the registry, found by a few letters of its name."""

from collections.abc import Callable, Sequence
from functools import partial

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.widgets import Input

from tui.actions import APP, Action
from tui.keymap import spelled
from tui.palettes import PALETTES

THEMES = tuple(
    Action(f"theme {name}", (), f"program.choose_theme({name!r})", name, f"Theme {name}", APP) for name in PALETTES
)
"""The commands that take one theme."""


def titles(registry: Sequence[Action]) -> list[tuple[str, Action]]:
    """The line of each action in the palette: its sentence and its key."""
    keyed = [(f"{one.help.rstrip('.')} ({spelled(one.keys[0])}, :{one.id})", one) for one in registry]
    return [*keyed, *((f"{one.help} (:{one.id})", one) for one in THEMES)]


class PlainPalette(CommandPalette):
    """Textual's palette, drawn with characters that every terminal has."""

    DEFAULT_CSS = """
    PlainPalette.-ascii #--input, PlainPalette.-ascii CommandList { border: ascii $primary; }
    PlainPalette.-ascii CommandList { scrollbar-size-vertical: 0; }
    """

    def on_mount(self) -> None:
        """Begin the line with a sign instead of a picture."""
        self.query_one(SearchIcon).icon = ">"

    def answer(self, words: str) -> None:
        """Answer a key that changed nothing, in the empty line."""
        self.query_one(Input).placeholder = words


def palette(registry: Sequence[Action], perform: Callable[[str], None], *, ascii_only: bool) -> CommandPalette:
    """The palette; the call of what is chosen goes to `perform`."""

    class Actions(Provider):
        """The registry, for textual's palette."""

        async def discover(self) -> Hits:
            """All of them."""
            for words, action in titles(registry):
                yield DiscoveryHit(words, partial(perform, action.call), text=words)

        async def search(self, query: str) -> Hits:
            """Finds the actions that match."""
            matcher = self.matcher(query)
            for words, action in titles(registry):
                score = matcher.match(words)
                if score > 0:
                    yield Hit(score, matcher.highlight(words), partial(perform, action.call), text=words)

    shown = PlainPalette([Actions], placeholder="What to do")
    return shown.set_class(ascii_only, "-ascii")
