"""The command line `:` and the palette: both become the call of an action."""

from collections.abc import Callable, Sequence
from functools import partial

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.widgets import Input

from engine.observe.snapshot import Snapshot
from tui import format as text
from tui.actions import APP, Action
from tui.keymap import actions, spelled
from tui.palettes import PALETTES
from tui.render.capacity_queue import partitions_of
from tui.screens import command
from tui.screens.board import Board
from tui.screens.command import CommandError
from tui.screens.prompt_line import PromptLine
from tui.screens.views import DEFAULT

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


MARK = ":"
"""The mark of the prompt."""


class CommandLine:
    """The part of the board that takes commands."""

    def __init__(self, board: Board, line: PromptLine) -> None:
        self._board, self._line = board, line

    def open(self) -> None:
        """Type a command."""
        self._line.open(self, MARK, "", self._completions, "tab completes, up recalls, esc leaves")

    def open_with(self, words: str, filled: str = "") -> None:
        """Finish a command that begins with these words; what is typed replaces those filled in after them."""
        self._line.open(self, MARK, words, self._completions, "enter does it, esc leaves", filled)

    def names(self) -> command.Names:
        """The names that a command can use at the instant shown."""
        board = self._board
        panes = tuple(board.dialect.panes)
        fields = [f"{field.name}:" for field in board.noun(board.pane_name).criteria.fields]
        if board.state.picture is None:
            return command.Names(
                panes,
                fields=fields,
                form=board.dialect.form,
                absent=board.dialect.absent,
                settings=board.dialect.queue_settings,
            )
        snapshot = board.state.picture.snapshot
        return command.Names(
            panes,
            [text.short_id(row.id) for row in snapshot.applications(why=False)],
            [row.path for row in snapshot.queues()],
            [row.id for row in snapshot.nodes()],
            fields,
            [preset.name for preset in board.state.picture.presets],
            board.dialect.form,
            board.dialect.absent,
            board.dialect.queue_settings,
            self._partitions(snapshot),
        )

    @staticmethod
    def _partitions(snapshot: Snapshot) -> list[str]:
        return [label or DEFAULT for label in partitions_of(snapshot)]

    @property
    def _registry(self) -> tuple[Action, ...]:
        return self._board.dialect.offered(self._board.options.registry)

    def _completions(self, line: str) -> list[str]:
        options = self._board.options
        return command.completions(line, self._registry, self.names(), read_only=options.read_only)

    def typed(self, words: str) -> None:
        """Say what could follow."""
        found = self._completions(words)
        self._line.say("  ".join(one.rpartition(" ")[2] for one in found[:12]), "faint")

    def entered(self, words: str) -> None:
        """Do it, or say what is wrong with it."""
        board, options = self._board, self._board.options
        if not words.strip():
            self._line.close()
            return
        try:
            call = command.parse(words, self._registry, self.names(), read_only=options.read_only)
        except CommandError as error:
            self._line.say(str(error))
            return
        self._line.close()
        board.perform(call)

    def given_up(self) -> None:
        """Close the line."""
        self._line.close()

    def palette(self) -> None:
        """Choose an action by name."""
        board, options = self._board, self._board.options
        known = actions(self._registry, read_only=options.read_only)
        board.open(palette(known, board.perform, ascii_only=options.ascii_only))
