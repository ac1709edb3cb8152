"""Help: every key and command, those of the focused pane first, with a field to find them by a word or by a key."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions import ACTIONS
from tui.glyphs import CUT
from tui.render import help as helping
from tui.screens.closing import BOX, ClosesOnce, Searched
from tui.widgets.text_field import SearchField

_READING = """\
Lower-case letters look, capitals act. An act names an id, never a row: what moves under the cursor is safe.
A bar reads from the left: used up to the fair share, used beyond it, room up to the max share.
Marks: ! wrong or starved, x lost, - out of service, {cut} a text is cut (right scrolls it).
Steps (s) of Spark's Master: right and left a step, n a round, tab the next plan, g G first and last, esc back.
Why (w): enter asks about whom the cursor is on, h what would help, c copies, x saves, K kills, tab the other side.
Memory is in binary units: 62.5G is 64000 MB. An application's number is the end of its id."""

_STYLES = {"bold soft": "bold $secondary", "bold accent": "bold $accent", "faint": "$foreground-muted"}
"""Style of a renderer → textual's, which follows the theme."""


_WIDTH = 96
"""Cells the box takes where it can."""
_FRAME = 5
"""Cells of it that are border, padding and scrollbar."""


class HelpScreen(Searched, ClosesOnce[str], ModalScreen[str]):
    """Keys and commands; `/` finds some of them, a click answers with the action of a line, the other keys go back."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = f"""
    HelpScreen {{ align: center middle; background: $background 60%; }}
    HelpScreen > #box {{ {BOX} width: {_WIDTH}; height: 100%; max-height: 100%; }}
    HelpScreen.-ascii > #box {{ border: ascii $border; }}
    HelpScreen VerticalScroll {{ height: 1fr; scrollbar-size-vertical: 1; overflow-y: scroll; }}
    HelpScreen.-ascii VerticalScroll {{ scrollbar-size-vertical: 0; }}
    HelpScreen Static {{ height: auto; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("escape,q,question_mark,f1,enter,ctrl+c", "close", "close", show=False),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
        Binding("space,ctrl+d,ctrl+f", "page(1)", "page down", show=False),
        Binding("ctrl+u,ctrl+b", "page(-1)", "page up", show=False),
        Binding("g", "end(False)", "beginning", show=False),
        Binding("G", "end(True)", "end", show=False),
    ]

    def __init__(self, sections: Sequence[helping.HelpSection] = (), *, ascii_only: bool = False) -> None:
        """Help with these sections; without any, the keys of the registry."""
        super().__init__(classes="-ascii" if ascii_only else "")
        self._sections = sections or helping.of_actions(ACTIONS, {})
        self._calls: list[str] = []
        """The action that each line is about."""
        self._reading = _READING.format(cut=CUT)

    @on(Click)
    def _pointed(self, event: Click) -> None:
        """Answer with the action of the line the mouse pointed at."""
        line = event.screen_y - self.query_one(Static).region.y
        is_inside = self.query_one(VerticalScroll).region.contains(event.screen_x, event.screen_y)
        call = self._calls[line] if is_inside and 0 <= line < len(self._calls) else ""
        if call:
            _ = self.dismiss(call)

    def compose(self) -> ComposeResult:
        """A field and one scrolling text."""
        with Vertical(id="box") as box:
            box.border_title = "Help"
            box.border_subtitle = "j k space g G go through, / finds a word or a key, esc closes"
            yield SearchField(self._show_found, self._read_on, "a word, or a key: K, ctrl+p, esc")
            with VerticalScroll():
                yield Static(self._content(""), markup=False)

    def on_mount(self) -> None:
        """Let the arrows scroll the text."""
        self._read_on()

    def on_resize(self, event: events.Resize) -> None:
        """Break the lines anew."""
        self._draw()

    def _draw(self) -> None:
        self.query_one(Static).update(self._content(self.search.value))

    def _content(self, query: str) -> Content:
        """Returns the sections that match, as they are drawn at this width."""
        width = max(20, min(_WIDTH, self.app.size.width) - _FRAME)
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
    def text(self) -> str:
        """The whole text, with the parts that are scrolled out of sight."""
        return str(self.query_one(Static).content)

    def _show_found(self, words: str) -> None:
        """Show what is about the words, or has them as a key."""
        self._draw()
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def _read_on(self) -> None:
        """Let the arrows scroll the text."""
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, by: int) -> None:
        """Scroll by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        """Scroll by a page."""
        box = self.query_one(VerticalScroll)
        box.scroll_relative(y=by * max(1, box.size.height - 1), animate=False)

    def action_end(self, is_last: bool) -> None:
        """Go to the beginning or to the end."""
        box = self.query_one(VerticalScroll)
        (box.scroll_end if is_last else box.scroll_home)(animate=False)
