"""The chooser: which scenario to open or drill to play; groups, a search, and a preview of the one under the cursor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Key
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from engine.errors import EngineError
from tui.keymap import FooterKey, spelled
from tui.pages import choice as preview
from tui.pages.help import Entry, HelpSection
from tui.panes.fragments import Fragments, cell_width
from tui.screens.page import HelpScreen, PageScreen
from tui.terminal import format as text
from tui.widgets.bars import ActionBar, FlashLine
from tui.widgets.lines import ChoiceLines, Lines
from tui.widgets.prompt import SearchField

Fill = Callable[[preview.ScenarioEntry], preview.ScenarioEntry]


class ScenarioList:
    """The rows that are listed, the cursor among them, the scenarios that are unfolded; knows no widget."""

    def __init__(self, entries: Sequence[preview.ScenarioEntry], fill: Fill | None = None) -> None:
        self.entries = entries
        self._fill = fill
        self._left = [one.name for one in entries if one.is_bare] if fill is not None else []
        """Names of those of which something is not known yet; the first is filled last."""
        self.unfolded: set[str] = set()  # Names of scenarios whose variants are listed
        self.rows: list[preview.ChooserRow] = []
        self.cursor = 0  # Place of a row with a scenario; 0 where there is none
        self._first = 0  # Place of the first row on screen

    @property
    def selected(self) -> preview.ScenarioEntry | None:
        found = self.rows[self.cursor].entry if self.rows else None
        return self._known(found) if found is not None else None

    def _known(self, entry: preview.ScenarioEntry) -> preview.ScenarioEntry:
        if not entry.is_bare or self._fill is None:
            return entry
        known = next(one for one in self.entries if one.name == entry.name)
        if known.is_bare:
            known = self._fill(known)
            self.entries = [known if one.name == known.name else one for one in self.entries]
        return known

    def fill_one(self) -> bool:
        """Find what is not known yet of one more; False where nothing is left."""
        if self._left:
            name = self._left.pop()
            _ = self._known(next(one for one in self.entries if one.name == name))
        return bool(self._left)

    @property
    def names(self) -> list[str]:
        return [row.entry.name for row in self.rows if row.entry is not None]

    def list_anew(self, words: str, height: int, name: str = "") -> None:
        """List the scenarios that have all words; the cursor goes to a named one, else stays on its own."""
        while words and self.fill_one():
            pass
        before = name or (self.selected.name if self.selected is not None else "")
        self.rows = preview.rows(self.entries, words, self.unfolded, height)
        places = self._places()
        matched = [place for place in places if not self.rows[place].is_context]
        same = [place for place in matched if (one := self.rows[place].entry) is not None and one.name == before]
        self.cursor = (same or matched or [0])[0]
        if not places:
            self.rows = []

    def to_top(self) -> None:
        self._first = self.cursor = 0

    def lines(self, width: int, height: int) -> list[Fragments]:
        side = preview.name_width(self.rows)
        self._first = preview.scrolled(self._first, self.cursor, len(self.rows), height)
        shown = enumerate(self.rows[self._first : self._first + height], start=self._first)
        return [preview.list_line(row, width, side, is_cursor=place == self.cursor) for place, row in shown]

    def at_line(self, line: int) -> int | None:
        """Return the place of the scenario on a line of the screen; None where there is none."""
        place = self._first + line
        return place if place < len(self.rows) and self.rows[place].entry is not None else None

    def moved(self, by: int) -> int | None:
        places = self._places()
        return places[min(max(places.index(self.cursor) + by, 0), len(places) - 1)] if places else None

    def first_drill(self) -> int | None:
        listed = (row.entry for row in self.rows)
        return next((place for place, one in enumerate(listed) if one is not None and one.drill is not None), None)

    def _places(self) -> list[int]:
        return [place for place, row in enumerate(self.rows) if row.entry is not None]


WIDE_FROM = 110  # Width from which the preview stands beside the list
LISTED = 76  # Cells of the list beside the preview: a whole name and its description

_KEYS = (
    Entry(("enter",), "Open the scenario under the cursor, or play the drill.", call="open"),
    Entry(("tab", "left", "right", "h", "l"), "List the variants of the scenario, or fold them.", call="fold"),
    Entry(("/", "F3", "F4"), "Find words of a name, a title or a text; an exact name wins.", call="find"),
    Entry(("y",), "Show the scenario as its file says it, in full.", call="definition"),
    Entry(("d",), "Go to the drills: incidents for you to solve.", call="drills"),
    Entry(("up", "down", "k", "j"), "Go up or down."),
    Entry(("PgUp", "PgDn"), "Go up or down a page."),
    Entry(("home", "end", "g", "G"), "Go to the first or the last."),
    Entry(("esc",), "Show all again, fold the variants."),
    Entry(("?", "F1"), "Show this help."),
    Entry(("q", "F10", "ctrl+q", "ctrl+c"), "Leave the program.", call="leave_program"),
)  # What the keys do, for help
_HINTS = (
    FooterKey("enter", "open", "open", 1),
    FooterKey("tab", "variants", "fold", 3),
    FooterKey("/", "search", "find", 2),
    FooterKey("y", "definition", "definition", 4),
    FooterKey("d", "drills", "drills", 5),
    FooterKey("q", "quit", "leave_program", 1),
)
REST_S: Final = 0.02  # Between two scenarios whose files are read while nothing else is to be done [s]


class PickerScreen(Screen[None]):
    """All scenarios, then the drills; enter opens one, `/` leaves those with some words in name, title or text."""

    DEFAULT_CSS = f"""
    PickerScreen #title {{ height: 1; }}
    PickerScreen SearchField {{ display: block; dock: none; height: 1; margin: 0 1; background: $boost; }}
    PickerScreen #body {{ height: 1fr; layout: vertical; }}
    PickerScreen #scenarios {{ height: 1fr; width: 1fr; }}
    PickerScreen #preview {{ height: 5; width: 1fr; }}
    PickerScreen.-wide #body {{ layout: horizontal; }}
    PickerScreen.-wide #scenarios {{ width: {LISTED}; }}
    PickerScreen.-wide #preview {{ width: 1fr; height: 1fr; margin-left: 1; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("pagedown,ctrl+d", "page(1)", "page down", show=False),
        Binding("pageup,ctrl+u", "page(-1)", "page up", show=False),
        Binding("home,g", "move(-100000)", "first", show=False),
        Binding("end,G", "move(100000)", "last", show=False),
        Binding("tab", "fold", "variants", show=False),
        Binding("right,l", "fold(True)", "variants", show=False),
        Binding("left,h", "fold(False)", "fold", show=False),
        Binding("y", "definition", "definition", show=False),
        Binding("d", "drills", "drills", show=False),
        Binding("question_mark,f1", "help", "help", show=False),
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("escape", "show_all", "show all", show=False),
        Binding("q,f10,ctrl+q,ctrl+c", "leave_program", "quit", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """The user opens a scenario."""

        name: str

    @dataclass
    class DrillChosen(Message):
        """The user plays a drill."""

        name: str

    def __init__(
        self,
        entries: Sequence[preview.ScenarioEntry],
        styles: dict[str, Style],
        *,
        definition: Callable[[str], str] | None = None,
        fill: Fill | None = None,
    ) -> None:
        """A chooser over these; `definition` gives the text of a scenario by name, `fill` what its file says."""
        super().__init__()
        self._list = ScenarioList(entries, fill)
        self._styles_by_name = styles
        self._definition = definition
        self._problems: tuple[str, ...] = ()
        self._said: FlashLine | None = None

    def compose(self) -> ComposeResult:
        styles = self._styles_by_name
        yield Lines(styles, id="title")
        yield SearchField(self._find, self._read_on, "/ type to search names, titles and words", self._open_found)
        with Horizontal(id="body"):
            yield ChoiceLines(styles, id="scenarios")
            yield Lines(styles, id="preview")
        yield ActionBar(styles, id="hints")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return super().check_action(action, parameters) if self.is_mounted else False

    def on_mount(self) -> None:
        self._said = FlashLine(self.query_one("#hints", ActionBar), self._show_hints, click="help")
        self._show_hints()
        self._list_anew()
        self._read_on()
        _ = self.set_timer(REST_S, self._fill_on)

    def _fill_on(self) -> None:
        """Find what is not known yet of the next scenario, so that a search need not wait for all of them."""
        if self._list.fill_one():
            _ = self.set_timer(REST_S, self._fill_on)

    @property
    def selected(self) -> preview.ScenarioEntry | None:
        return self._list.selected

    @property
    def names(self) -> list[str]:
        return self._list.names

    # Drawing

    def on_resize(self) -> None:
        self.set_class(self.size.width >= WIDE_FROM, "-wide")
        self.call_after_refresh(self._list_anew)
        self._show_hints()

    def _list_anew(self, name: str = "") -> None:
        self._list.list_anew(self.query_one(SearchField).value, self._height, name)
        self._show()

    @property
    def _height(self) -> int:
        return self.query_one("#scenarios", Lines).size.height

    def _show(self) -> None:
        listed = self.query_one("#scenarios", Lines)
        lines = self._list.lines(*listed.size)
        words = self.query_one(SearchField).value
        nothing = f" No scenario has {words}; esc shows all." if words else " No scenario was found."
        listed.show_lines(lines or [[(nothing, "soft")]])
        self._show_title()
        self._show_preview()

    def _show_title(self) -> None:
        left: Fragments = [(" schedlab", "strong"), ("  a flight simulator for cluster schedulers", "soft")]
        entries = self._list.entries
        drills = sum(one.drill is not None for one in entries)
        more = f", {text.plural(drills, 'drill')}" if drills else ""
        count = f"{text.plural(len(entries) - drills, 'scenario')}{more} "
        gap = max(1, self.size.width - cell_width(left) - len(count))
        self.query_one("#title", Lines).show_lines([[*left, (" " * gap, "text"), (count, "soft")]])

    def _show_preview(self) -> None:
        about, one = self.query_one("#preview", Lines), self.selected
        width, height = about.size
        if width < 20:
            return
        names = self.names
        side = f"{names.index(one.name) + 1} of {len(names)}" if one is not None else ""
        title = one.title if one is not None else "Nothing"
        if self.has_class("-wide"):
            head, _, rest = title.partition(": ")
            lines = self._problem_lines(width - 4)
            if one is not None:
                lines = lines or preview.preview_lines(one, self._list.entries, width - 4, height - 3)
            about.show_lines(preview.framed(head, rest, lines, width, height))
        else:
            lines = self._problem_lines(width) or ([] if one is None else preview.short_lines(one, width))
            about.show_lines([preview.ruled(title, side, width), *lines])

    def _problem_lines(self, width: int) -> list[Fragments]:
        return [[("! ", "alarm"), *line] for each in self._problems for line in preview.wrap_paragraph(each, width - 2)]

    def _show_hints(self) -> None:
        self.query_one("#hints", ActionBar).show_keys((_HINTS,), FooterKey("?", "keys", "help"))

    # Answering

    def on_key(self, event: Key) -> None:
        if isinstance(self.focused, Input) and event.is_printable:
            return
        if self._said is not None:
            self._said.end()
        if event.key not in self.active_bindings:
            self.answer(f"{spelled(event.key)} does nothing here; ? lists the keys")

    def answer(self, words: str) -> None:
        if self._said is not None:
            self._said.say(words)

    def show_problems(self, problems: Sequence[str]) -> None:
        self._problems = tuple(problems)
        self._show_preview()

    # Keys and mouse

    def _find(self, words: str) -> None:
        self._list.to_top()
        self._problems = ()
        self._list_anew()

    def _read_on(self) -> None:
        self.query_one("#scenarios", ChoiceLines).focus()

    def _open_found(self) -> None:
        self._read_on()
        self.action_open()

    @on(ChoiceLines.Pointed)
    def _pointed(self, event: ChoiceLines.Pointed) -> None:
        place = self._list.at_line(event.line)
        if place is not None:
            self._go_to(place)
            if event.times > 1:
                self.action_open()

    @on(ChoiceLines.Turned)
    def _turned(self, event: ChoiceLines.Turned) -> None:
        self.action_move(event.by)

    def _go_to(self, place: int) -> None:
        self._list.cursor, self._problems = place, ()
        self._show()

    def action_open(self) -> None:
        one = self.selected
        if one is None:
            self.answer("There is no scenario under the cursor; esc shows all")
        elif one.drill is not None:
            self.post_message(self.DrillChosen(one.name))
        else:
            self.post_message(self.Chosen(one.name))

    def action_move(self, by: int) -> None:
        place = self._list.moved(by)
        if place is None:
            self.answer("There is no scenario to go to; esc shows all")
            return
        if place == self._list.cursor:
            self.answer("This is the first scenario" if by < 0 else "This is the last scenario")
        self._go_to(place)

    def action_page(self, by: int) -> None:
        self.action_move(by * max(1, self._height - 1))

    def action_fold(self, is_open: bool | None = None) -> None:
        """List the variants of the scenario, or fold them; without a wish, the other."""
        one = self.selected
        if one is None:
            return
        name = one.varies or one.name
        wanted = name not in self._list.unfolded if is_open is None else is_open
        if not any(each.varies == name for each in self._list.entries):
            self.answer(f"{name if one.drill is None else 'A drill'} has no variants")
        elif self.query_one(SearchField).value:
            self.answer("What is found is listed with its variants; esc shows all")
        elif wanted == (name in self._list.unfolded):
            self.answer(f"The variants of {name} are {'listed' if wanted else 'folded'} already")
        else:
            self._list.unfolded ^= {name}
            self._list_anew(one.name if wanted else name)

    def action_definition(self) -> None:
        one = self.selected
        if one is None or self._definition is None:
            self.answer("There is no scenario under the cursor")
            return
        if one.drill is not None:
            self.answer("The file of a drill tells its cause; enter plays the drill")
            return
        try:
            words = self._definition(one.name)
        except EngineError as error:
            self.show_problems(str(error).splitlines())
            return
        _ = self.app.push_screen(PageScreen(one.name, words, stem=one.name, ending="toml"))

    def action_drills(self) -> None:
        first = self._list.first_drill()
        if first is None:
            self.answer("No drill is listed; esc shows all")
        elif self.selected is not None and self.selected.drill is not None:
            self.answer("The cursor is on a drill already; enter plays it")
        else:
            self._go_to(first)

    def action_find(self) -> None:
        self.query_one(SearchField).open()

    def action_show_all(self) -> None:
        if self.query_one(SearchField).close():
            return
        if self._list.unfolded:
            self._list.unfolded.clear()
            self._list_anew(self.selected.varies if self.selected is not None else "")
        else:
            self.answer("q leaves the program; enter opens the scenario under the cursor")

    def action_help(self) -> None:
        async def chosen(call: str | None) -> None:
            if call:
                await self.run_action(call)

        _ = self.app.push_screen(HelpScreen([HelpSection("here: scenarios", _KEYS)]), chosen)

    def action_leave_program(self) -> None:
        self.app.exit()
