"""A page of text to read, to copy and to save."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui import messages
from tui.render.line import places_of
from tui.screen_edge import literal
from tui.screens.closing import BOX, ClosesOnce, Searched
from tui.terminal_edge import visible
from tui.widgets.text_field import SearchField


class PageScreen(Searched, ClosesOnce[None], ModalScreen[None]):
    """A page of text; `/` finds words, n and N go from one to the next, any closing key goes back."""

    DEFAULT_CSS = f"""
    PageScreen {{ align: center middle; background: $background 60%; }}
    PageScreen > #box {{ {BOX} width: 110; }}
    PageScreen.-ascii > #box {{ border: ascii $border; }}
    PageScreen VerticalScroll {{ height: auto; max-height: 100%; }}
    PageScreen.-ascii VerticalScroll {{ scrollbar-size-vertical: 0; }}
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

    def __init__(self, title: str, text: str, *, stem: str = "", ending: str = "txt", ascii_only: bool = False) -> None:
        """A page to read.

        Args:
            stem: Name of a file to save it in, without its ending; empty where it cannot be saved.
            ending: Of that file.
            ascii_only: Whether to draw with ASCII characters only.
        """
        super().__init__(classes="-ascii" if ascii_only else "")
        self._title_words = title
        self.text = visible(text)
        self._lines = self.text.split("\n")
        self._found: list[int] = []
        self._at = 0
        self._stem, self._ending = stem, ending

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title_words)
            box.border_subtitle = self._ways
            yield SearchField(self._show_found, self._read_on)
            with VerticalScroll():
                yield Static(self.text, markup=False)

    def on_mount(self) -> None:
        """Let the arrows scroll the text."""
        self._read_on()

    def say(self, words: str) -> None:
        """Say something at the foot of the page."""
        self.query_one("#box").border_subtitle = literal(words)

    @property
    def _ways(self) -> str:
        """The keys of the footer."""
        return "/ finds, c copies, x saves, esc closes" if self._stem else "/ finds, c copies, esc closes"

    def _read_on(self) -> None:
        """Let the arrows scroll the text."""
        self.query_one(VerticalScroll).focus()

    def _show_found(self, words: str) -> None:
        """Go to the first line that has these words."""
        self._found, self._at = places_of(words, self._lines), 0
        self._show_match()

    def action_match(self, by: int) -> None:
        """Go to the next line that has the words sought, or to the one before; after the last comes the first."""
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
        """Copy the page, through the terminal."""
        self.app.copy_to_clipboard(self.text)
        self.say("Copied")

    def action_save(self) -> None:
        """Save the page as a file."""
        if self._stem:
            _ = self.post_message(messages.SaveRequested(self._stem, {self._ending: self.text + "\n"}))

    def action_scroll(self, by: int) -> None:
        """Scroll by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
