"""A page of text to read, to copy and to save."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Final

from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from tui.actions import ACTIONS
from tui.dialogs.forms import BOX, SearchableScreen, SingleResultScreen
from tui.keymap import FooterKey
from tui.pages import help as helping
from tui.panes.fragments import cell_width, places_of
from tui.protocol import messages
from tui.terminal.edges import visible
from tui.terminal.format import CURSOR_BAR, CUT
from tui.terminal.screen_edges import literal
from tui.widgets.bars import ActionBar
from tui.widgets.lines import Lines
from tui.widgets.prompt import SearchField
from tui.widgets.scrolled_page import ScrolledPage

_READING = """\
Lower-case letters look, capitals act. An act names an id, never a row: what moves under the cursor is safe.
A bar reads from the left: used up to the fair share, used beyond it, room up to the max share.
Marks: ! wrong or starved, x lost, - out of service, {cut} a text is cut (right scrolls it).
Steps (s) of Spark's Master: right and left a step, n a round, tab the next plan, g G first and last, esc back.
Why (w): enter asks about what the cursor is on, h what would help, c copies, x saves, K kills, tab the other side.
Memory is in binary units: 62.5G is 64000 MB. An application's number is the end of its id."""

_STYLES = {"bold soft": "bold $secondary", "bold accent": "bold $accent", "faint": "$foreground-muted"}
"""Style of a renderer → textual's, which follows the theme."""


_WIDTH = 96  # Cells the box takes where it can
_TWO_FROM = 70  # Width of a terminal from which on all keys stand in two columns
_LEGEND_FROM = 110  # Width from which on words, badges, marks and mouse stand below the keys
_FRAME = 5  # Cells of it that are border, padding and scrollbar


class HelpScreen(SearchableScreen, SingleResultScreen[str], ModalScreen[str]):
    """Keys and commands; `/` finds some of them, a click answers with the action of a line, the other keys go back."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = f"""
    HelpScreen {{ align: center middle; background: $background 60%; }}
    HelpScreen > #box {{ {BOX} width: {_WIDTH}; height: 100%; max-height: 100%; }}
    HelpScreen VerticalScroll {{ height: 1fr; scrollbar-size-vertical: 1; overflow-y: scroll; }}
    HelpScreen Static {{ height: auto; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("escape,q,question_mark,f1,ctrl+c", "close", "close", show=False),
        Binding("enter", "do", "do it", show=False),
        Binding("j,down", "step(1)", "down", show=False),
        Binding("k,up", "step(-1)", "up", show=False),
        Binding("space,pagedown,ctrl+d,ctrl+f", "page(1)", "page down", show=False),
        Binding("pageup,ctrl+u,ctrl+b", "page(-1)", "page up", show=False),
        Binding("g,home", "end(False)", "beginning", show=False),
        Binding("G,end", "end(True)", "end", show=False),
    ]

    def __init__(
        self,
        sections: Sequence[helping.HelpSection] = (),
        overview: Callable[[int, int], Sequence[Sequence[helping.HelpLine]]] | None = None,
    ) -> None:
        """Without sections, the keys of the registry; before a search an `overview` of two columns."""
        super().__init__()
        self._sections = sections or helping.of_actions(ACTIONS, {})
        self._overview = overview
        self._at = 0  # The line of the overview that the cursor is on, among those that do something
        self._calls: list[str] = []  # The action that each line is about
        self._reading = _READING.format(cut=CUT)

    @on(Click)
    def _pointed(self, event: Click) -> None:
        line = event.screen_y - self.query_one(Static).region.y
        is_inside = self.query_one(VerticalScroll).region.contains(event.screen_x, event.screen_y)
        call = self._calls[line] if is_inside and 0 <= line < len(self._calls) else ""
        if self._has_overview and is_inside:
            columns, half = self._columns(), self._half
            column = columns[event.screen_x >= self.query_one(Static).region.x + half]
            call = column[line].call if 0 <= line < len(column) else ""
        if call:
            _ = self.dismiss(call)

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Help"
            box.border_subtitle = "j k go through, enter does it, / finds a word or a key, esc closes"
            yield SearchField(self._show_found, self._read_on, "a word, or a key: K, ctrl+p, esc")
            with VerticalScroll(can_focus=False):  # its keys would not go through the lines
                yield Static("", markup=False)

    def on_mount(self) -> None:
        self._read_on()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        self.query_one(Static).update(self._content(self.search.value))

    def _content(self, query: str) -> Content:
        width = max(20, min(_WIDTH, self.app.size.width) - _FRAME)
        if self._has_overview:
            return self._two_columns()
        found = helping.found(self._sections, query) if query.strip() else helping.alive(self._sections)
        lines = helping.lines(found, width)
        self._calls = [line.call for line in lines]
        drawn = [
            Content.assemble(*(Content.styled(words, _STYLES.get(style, "")) for words, style in line.spans))
            for line in lines
        ]
        if not found:
            drawn.append(Content(f"Nothing here is about {query}."))
        elif not query:
            drawn += [Content(""), Content(self._reading)]
        return Content("\n").join(drawn)

    @property
    def _has_overview(self) -> bool:
        return self._overview is not None and not self.search.value.strip() and self.app.size.width >= _TWO_FROM

    @property
    def _half(self) -> int:
        return (min(_WIDTH, self.app.size.width) - _FRAME) // 2

    def _columns(self) -> Sequence[Sequence[helping.HelpLine]]:
        width, height = self.app.size
        lines = height - _FRAME if width >= _LEGEND_FROM else 0
        return [] if self._overview is None else self._overview(self._half - 2, lines)

    def _two_columns(self) -> Content:
        columns = self._columns()
        alive = [line for column in columns for line in column if line.call]
        self._at = max(0, min(self._at, len(alive) - 1))
        chosen = alive[self._at] if alive else None
        rows: list[Content] = []
        for pair in zip_longest(*columns, fillvalue=helping.HelpLine([])):
            parts: list[Content] = []
            for line in pair:
                taken = cell_width(line.spans)
                bar = (CURSOR_BAR if line is chosen else " ", "bold accent")
                spans = [bar, *line.spans, (" " * max(0, self._half - 2 - taken), "text")]
                mark = " on $primary 30%" if line is chosen else ""
                parts += [Content.styled(words, f"{_STYLES.get(style, '')}{mark}".strip()) for words, style in spans]
                parts.append(Content(" "))
            rows.append(Content.assemble(*parts))
        self._calls = []
        return Content("\n").join(rows)

    @property
    def text(self) -> str:
        return str(self.query_one(Static).content)

    def _show_found(self, words: str) -> None:
        self._draw()
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_step(self, by: int) -> None:
        if self._has_overview:
            self._at += by
            self._draw()
        else:
            self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def action_do(self) -> None:
        """Do what the line under the cursor is about; where there is no cursor, close."""
        alive = [line.call for column in self._columns() for line in column if line.call] if self._has_overview else []
        _ = self.dismiss(alive[self._at] if alive else None)

    def action_page(self, by: int) -> None:
        box = self.query_one(VerticalScroll)
        box.scroll_relative(y=by * max(1, box.size.height - 1), animate=False)

    def action_end(self, is_last: bool) -> None:
        box = self.query_one(VerticalScroll)
        (box.scroll_end if is_last else box.scroll_home)(animate=False)


class PageScreen(SearchableScreen, SingleResultScreen[None], ModalScreen[None]):
    """A page of text; `/` finds words, n and N go from one to the next, any closing key goes back."""

    DEFAULT_CSS = f"""
    PageScreen {{ align: center middle; background: $background 60%; }}
    PageScreen > #box {{ {BOX} width: 110; }}
    PageScreen VerticalScroll {{ height: auto; max-height: 100%; }}
    PageScreen Static {{ height: auto; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("escape,q,enter,d,y,ctrl+c", "close", "close", show=False),
        Binding("c", "copy", "copy", show=False),
        Binding("x,z", "save", "save", show=False),
        Binding("n", "match(1)", "next", show=False),
        Binding("N", "match(-1)", "before", show=False),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
    ]

    def __init__(self, title: str, text: str, *, stem: str = "", ending: str = "txt") -> None:
        """`stem` is the name of a file to save it in, without its ending; empty where it cannot be saved."""
        super().__init__()
        self._title_words = title
        self.text = visible(text)
        self._lines = self.text.split("\n")
        self._found: list[int] = []
        self._at = 0
        self._stem, self._ending = stem, ending

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = literal(self._title_words)
            box.border_subtitle = self._ways
            yield SearchField(self._show_found, self._read_on)
            with VerticalScroll():
                yield Static(self.text, markup=False)

    def on_mount(self) -> None:
        self._read_on()

    def say(self, words: str) -> None:
        self.query_one("#box").border_subtitle = literal(words)

    @property
    def _ways(self) -> str:
        return "/ finds, c copies, x saves, esc closes" if self._stem else "/ finds, c copies, esc closes"

    def _show_found(self, words: str) -> None:
        self._found, self._at = places_of(words, self._lines), 0
        self._show_match()

    def action_match(self, by: int) -> None:
        if self._found:
            self._at = (self._at + by) % len(self._found)
            self._show_match()

    def _show_match(self) -> None:
        here = self._found[self._at] if self._found else -1
        styles = dict.fromkeys(self._found, "bold $accent") | {here: "reverse"}
        drawn = [Content.styled(line, styles.get(place, "")) for place, line in enumerate(self._lines)]
        text, box = self.query_one(Static), self.query_one(VerticalScroll)
        text.update(Content("\n").join(drawn))
        if self._found:
            above = sum(len(Content(line).wrap(max(1, text.size.width))) for line in self._lines[:here])
            box.scroll_to(y=above - box.size.height // 3, animate=False)
            self.say(f"{self._at + 1} of {len(self._found)}: n the next, N the one before, esc shows all")
        else:
            self.say("No line has all these words." if self.search.value else self._ways)

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self.text)
        self.say("Copied")

    def action_save(self) -> None:
        if self._stem:
            _ = self.post_message(messages.SaveRequested(self._stem, {self._ending: self.text + "\n"}))

    def action_scroll(self, by: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


PAGE_KEYS: Final[list[BindingType]] = [
    Binding("down,j", "move(1)", "down", show=False),
    Binding("up,k", "move(-1)", "up", show=False),
    Binding("pagedown,space", "page(1)", "page down", show=False),
    Binding("pageup", "page(-1)", "page up", show=False),
    Binding("home,g", "end(False)", "first", show=False),
    Binding("end,G", "end(True)", "last", show=False),
]  # Keys that go through the page


class Paged(Screen[Any]):
    """A screen with a head, a page and hints, arranged anew for every size; of parts all that fit, or one alone."""

    AUTO_FOCUS = ""
    PARTS: ClassVar[Sequence[str]] = ()  # In the order of their keys, from 1 on

    def __init__(self, styles: dict[str, Style]) -> None:
        super().__init__()
        self._styles_by_name = styles
        self._part = ""  # The only part that is shown; empty for all there is room for

    def compose(self) -> ComposeResult:
        yield Lines(self._styles_by_name, id="head", mark=CUT)
        yield ScrolledPage(self._styles_by_name, id="page")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        self.page.focus(scroll_visible=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        """Draw everything for the size there is."""

    @property
    def page(self) -> ScrolledPage:
        return self.query_one(ScrolledPage)

    def show_keys(self, groups: Sequence[Sequence[FooterKey]], leave: str = "back") -> None:
        self.query_one("#hints", ActionBar).show_keys(groups, FooterKey("esc", leave, "leave"))

    def action_move(self, by: int) -> None:
        self.page.move(by)

    def action_page(self, by: int) -> None:
        self.page.move_pages(by)

    def action_end(self, last: bool) -> None:
        self.page.go_to_end(last=last)

    def action_part(self, part: str) -> None:
        self._part = "" if part == self._part else part
        self.page.scroll_to(y=0, animate=False)
        self._show()

    def action_next_part(self) -> None:
        place = self.PARTS.index(self._part or self.PARTS[0])
        self.action_part(self.PARTS[(place + 1) % len(self.PARTS)])

    def action_leave(self) -> None:
        if self._part:
            self.action_part(self._part)
        else:
            _ = self.dismiss(None)


def parted_keys(parts: Sequence[str]) -> list[BindingType]:
    digits = (Binding(str(place), f"part({name!r})", name, show=False) for place, name in enumerate(parts, 1))
    return [*PAGE_KEYS, *digits, Binding("escape,q,backspace,ctrl+c", "leave", "back", show=False)]
