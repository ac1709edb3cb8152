"""The picker: which scenario to open, and what each one shows."""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from tui.render import scenario
from tui.render.line import ASCII, BLOCKS, Look, places_of
from tui.screens.help import HelpScreen
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines
from tui.widgets.pane import RowPane
from tui.widgets.text_field import SearchField

_HINTS = (
    Clickable((("enter", "key"), (" open", "dim")), "open"),
    Clickable((("j k", "key"), (" choose", "dim")), "move(1)"),
    Clickable((("/", "key"), (" find", "dim")), "find"),
    Clickable((("?", "key"), (" help", "dim")), "help"),
    Clickable((("q", "key"), (" quit", "dim")), "leave_program"),
)


class PickerScreen(Screen[None]):
    """All scenarios; enter opens one, `/` leaves those that have some words in their name, title or text."""

    DEFAULT_CSS = """
    PickerScreen { layout: vertical; }
    PickerScreen #title { height: 2; }
    PickerScreen #scenarios { height: auto; min-height: 5; max-height: 60%; border-top: heavy $accent; }
    PickerScreen #about { height: 1fr; min-height: 4; border-top: solid $foreground-muted; }
    PickerScreen SearchField { dock: bottom; background: $background; }
    PickerScreen.-ascii #scenarios, PickerScreen.-ascii #about { border-top: ascii $foreground-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("home,g", "move(-100000)", "first", show=False),
        Binding("end,G", "move(100000)", "last", show=False),
        Binding("question_mark,f1", "help", "help", show=False),
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("escape", "show_all", "show all", show=False),
        Binding("q,f10,ctrl+q,ctrl+c", "leave_program", "quit", show=False),
    ]

    class Chosen(Message):
        """The user opens a scenario."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(
        self, entries: Sequence[scenario.ScenarioEntry], styles: dict[str, Style], *, ascii_only: bool = False
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._entries = entries
        self._styles_by_name = styles
        self._ascii = ascii_only
        self._described = ""
        self._problems: tuple[str, ...] = ()
        self._look = Look(0, ("memory_mb",), (0,), glyphs=ASCII if ascii_only else BLOCKS)

    def compose(self) -> ComposeResult:
        """Title, list, what the chosen one shows, hints."""
        title = Lines(self._styles_by_name, id="title")
        title.show_lines(
            [
                [(" schedlab", "strong"), ("  a flight simulator for cluster schedulers", "plain")],
                [(" Choose what to watch.", "dim")],
            ]
        )
        yield title
        yield RowPane(scenario.NOUN, self._styles_by_name, id="scenarios")
        yield Lines(self._styles_by_name, id="about")
        hints = ActionBar(self._styles_by_name, id="hints")
        hints.show_items(_HINTS)
        yield hints
        yield SearchField(self._show_found, self._read_on, "words of a name, a title or a text")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the list is there nothing can be done."""
        return super().check_action(action, parameters) if self.is_mounted else False

    @property
    def pane(self) -> RowPane[scenario.ScenarioEntry]:
        """The list."""
        return self.query_one("#scenarios", RowPane)

    def on_mount(self) -> None:
        """Fill the list."""
        self.pane.show(self._entries, "", self._look)
        self.pane.focus()

    def _show_found(self, words: str) -> None:
        """List the scenarios that have all these words."""
        every = [f"{each.name} {each.title} {each.about}" for each in self._entries]
        found = [self._entries[place] for place in places_of(words, every)] if words else self._entries
        self.pane.nothing = f"No scenario has {words}." if words else scenario.NOUN.nothing
        self.pane.show(found, words, self._look)

    def _read_on(self) -> None:
        self.pane.focus()

    @on(RowPane.CursorMoved)
    def _moved(self) -> None:
        row = self.pane.selected
        if row is not None and row.name != self._described:
            self._described, self._problems = row.name, ()
        self._show_about()

    def on_resize(self) -> None:
        """Fill the text to another width."""
        self.call_after_refresh(self._show_about)

    def show_problems(self, problems: Sequence[str]) -> None:
        """Say why the scenario under the cursor cannot be opened, in place of what it shows."""
        self._problems = tuple(problems)
        self._show_about()

    def _show_about(self) -> None:
        row, about = self.pane.selected, self.query_one("#about", Lines)
        width = about.content_size.width or self.size.width
        if self._problems:
            lines = [line for problem in self._problems for line in scenario.filled(problem, width - 2)]
            about.show_lines([[("! ", "bad"), *line] for line in lines])
        else:
            about.show_lines(scenario.about_lines(row, width) if row is not None else [])

    def action_open(self) -> None:
        """Open the scenario under the cursor."""
        row = self.pane.selected
        if row is not None:
            self.post_message(self.Chosen(row.name))

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.pane.move(by)

    def action_page(self, by: int) -> None:
        """Move the cursor by pages."""
        self.pane.move_pages(by)

    def action_find(self) -> None:
        """Type words to find."""
        self.query_one(SearchField).open()

    def action_show_all(self) -> None:
        """List every scenario again; where every one is listed, say how to leave."""
        if not self.query_one(SearchField).close():
            self.show_problems(["q leaves the program; enter opens the scenario under the cursor."])

    def action_help(self) -> None:
        """Show all keys."""
        _ = self.app.push_screen(HelpScreen(ascii_only=self._ascii))

    def action_leave_program(self) -> None:
        """Quit."""
        self.app.exit()
