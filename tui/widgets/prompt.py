"""The line to type into at the foot of the screen: a mark, what is typed, and what is said of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol

from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Button, Input, Static
from textual.widgets.input import Selection

from tui.terminal.screen_edges import literal
from tui.widgets.lines import Lines


class Answers(Horizontal):
    """Two filled badges in the last line of a dialog: the harmless answer first, each with its key."""

    DEFAULT_CSS = """
    Answers { height: 1; margin-top: 1; }
    Answers Button {
        margin: 0 2 0 0; min-width: 10; text-style: none;
        background: $input-selection-background !important; color: $input-selection-foreground !important;
    }
    Answers Button.-error { background: $error !important; color: $background !important; }
    Answers Button:focus {
        background: $foreground !important; color: $background !important; text-style: bold !important;
    }
    Answers Button.-error:focus { background: $error !important; text-style: bold underline !important; }
    Answers Button:nocolor:focus { text-style: reverse bold !important; }
    Answers #leave { width: 1fr; text-align: right; color: $text-muted; }
    """

    def __init__(self, no: str, yes: str, *, is_harmful: bool = False, leave: str = "") -> None:
        """Two answers. It `is_harmful` where something is lost by it; `leave` stands at the end of the line."""
        super().__init__(id="answers")
        self._no, self._yes, self._is_harmful, self._leave = no, yes, is_harmful, leave

    def compose(self) -> ComposeResult:
        yield Button(literal(self._no), id="no", compact=True)
        yield Button(literal(self._yes), id="yes", variant="error" if self._is_harmful else "primary", compact=True)
        yield Static(self._leave, id="leave", markup=False)

    @property
    def no(self) -> Button:
        return self.query_one("#no", Button)

    @property
    def yes(self) -> Button:
        return self.query_one("#yes", Button)


class Chooser(Static, can_focus=True):
    """Holds one of its options: arrows go through them, enter or a click lists them all."""

    DEFAULT_CSS = """
    Chooser { width: 1fr; height: 1; }
    Chooser:focus { text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "option before", show=False),
        Binding("right", "turn(1)", "next option", show=False),
        Binding("enter,space", "list", "all options", show=False),
    ]

    @dataclass
    class Changed(Message):
        """Another option is chosen."""

        chooser: "Chooser"

    @dataclass
    class ListRequested(Message):
        """The user wants to see all options."""

        chooser: "Chooser"

    def __init__(self, title: str, options: Sequence[str], *, chosen: int = 0, id: str) -> None:
        """`title` names what is chosen; there is at least one option."""
        super().__init__(id=id, markup=False)
        self.title = title
        self.options = options
        self.chosen = chosen

    @property
    def value(self) -> str:
        return self.options[self.chosen]

    def on_mount(self) -> None:
        self._show()

    def follow(self, place: int, words: str = "") -> None:
        """Stand at the option of a place, which was chosen elsewhere; `words` stand there where it is none of them."""
        self.chosen = place
        self._show(words)

    def _show(self, words: str = "") -> None:
        count = f"  {self.chosen + 1}/{len(self.options)}" if len(self.options) > 1 and not words else ""
        self.update(f"< {words or self.value} >{count}")

    def choose(self, place: int) -> None:
        self.chosen = place % len(self.options)
        self._show()
        self.post_message(self.Changed(self))

    def action_turn(self, by: int) -> None:
        self.choose(self.chosen + by)

    def action_list(self) -> None:
        self.post_message(self.ListRequested(self))

    def on_click(self, event: events.Click) -> None:
        end = len(self.value) + 3
        if event.x < 2:
            self.action_turn(-1)
        elif end <= event.x <= end + 1:
            self.action_turn(1)
        else:
            self.action_list()


MOST_CHARACTERS: Final = 400
"""What a field takes; rich remembers thousands of pieces of the lines it drew, and those of long ones are large."""


class TextField(Input):
    def __init__(self, value: str = "", **options: Any) -> None:
        options.setdefault("select_on_focus", False)
        super().__init__(value, compact=True, max_length=MOST_CHARACTERS, **options)


class SearchField(TextField):
    """Closed until it is opened; what is typed is found at once, and closing it shows everything again."""

    DEFAULT_CSS = """
    SearchField { display: none; dock: top; height: 1; background: $panel; }
    SearchField.-open { display: block; }
    """

    def __init__(
        self,
        found: Callable[[str], None],
        left: Callable[[], None],
        hint: str = "words to find",
        entered: Callable[[], None] | None = None,
    ) -> None:
        """`found` shows what has the words typed; `left` takes the keys back, as enter does unless it is `entered`."""
        super().__init__(placeholder=hint, disabled=True, id="words")
        self._found, self._left, self._enters = found, left, entered or left

    def open(self) -> None:
        self.disabled = False
        self.add_class("-open")
        self.focus()

    def close(self) -> bool:
        if not self.has_class("-open"):
            return False
        self.remove_class("-open")
        self.value = ""
        self.disabled = True
        self._left()
        return True

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._found(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self._enters()


KEPT = 100  # How many lines of each kind are remembered


class PromptInput(TextField):
    """The field that is typed into; keys of the prompt go before those of the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "press('give_up')", "give up", show=False),
        Binding("tab", "press('complete', 1)", "complete", show=False),
        Binding("shift+tab", "press('complete', -1)", "complete back", show=False),
        Binding("up", "press('recall', -1)", "line before", show=False),
        Binding("down", "press('recall', 1)", "next line", show=False),
    ]

    @dataclass
    class TypedEarly(Message):
        """A key that stands for no character, typed before the text had the focus."""

        key: str

    def __init__(self, pressed: Callable[[str, int], None]) -> None:
        """`pressed` does what one of the prompt's own keys means."""
        super().__init__(disabled=True)
        self._pressed = pressed
        self.seen: events.Key | None = None  # The latest key that came here first

    def on_key(self, event: events.Key) -> None:
        """Remember it, so that it is not taken for one that came too early."""
        self.seen = event

    @on(TypedEarly)
    async def _typed_early(self, event: TypedEarly) -> None:
        event.stop()
        found = self.screen.active_bindings.get(event.key)
        if found is not None:
            _ = await self.app.run_action(found.binding.action, found.node)

    def action_press(self, what: str, by: int = 0) -> None:
        self._pressed(what, by)


class Reader(Protocol):
    """The interface of a reader that takes what is typed after one mark."""

    def typed(self, words: str) -> None:
        """Take another text."""

    def entered(self, words: str) -> None:
        """Take the text that the user wants."""

    def given_up(self) -> None:
        """Go back to how it was before."""


class Prompt(Horizontal):
    """The line to type into, in place of the hints while a reader has it open; lines entered under a mark come back."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; }
    Prompt.-open { display: block; }
    Prompt > Static { width: 2; }
    Prompt > PromptInput { width: 1fr; }
    Prompt > Lines { width: 1fr; height: 1; margin-left: 1; }
    """

    def __init__(self, styles: dict[str, Style], focus: Callable[[], None], *, id: str) -> None:
        """`focus` gives the keys back to where they were."""
        super().__init__(id=id)
        self._styles_by_name, self._focus = styles, focus
        self._reader: Reader | None = None  # What takes the keys typed now
        self._mark = ""
        self._history: dict[str, list[str]] = {}
        self._place = 0
        self._complete: Callable[[str], Sequence[str]] = lambda text: ()
        self._stem: str | None = None
        self._candidates: Sequence[str] = ()
        self._candidate = -1

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    @property
    def said(self) -> str:
        return "".join(words for line in self.query_one(Lines).lines for words, _ in line)

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)
        yield PromptInput(self._key_pressed)
        yield Lines(self._styles_by_name, id="said")

    def open(
        self,
        reader: Reader,
        mark: str,
        text: str,
        complete: Callable[[str], Sequence[str]],
        hint: str,
        filled: str = "",
    ) -> None:
        """Have a line typed that begins with `text`; the first key replaces `filled`, a `hint` stands beside it."""
        self._reader, self._mark, self._complete, self._stem = reader, mark, complete, None
        self._place = len(self._history.get(mark, ()))
        self.query_one(Static).update(mark)
        self._show(is_open=True)
        field = self.query_one(PromptInput)
        with self.prevent(Input.Changed):
            field.value = text + filled
        field.selection = Selection(len(text), len(text) + len(filled))
        self.screen.set_focus(field, scroll_visible=False)  # at once: the next key is typed already
        self.say(hint, "faint")

    def _show(self, *, is_open: bool) -> None:
        self.set_class(is_open, "-open")
        self.query_one(PromptInput).disabled = not is_open
        self.screen.query("#hints").set(display=not is_open)

    def takes(self, event: events.Key) -> bool:
        """Gives the text a key that was typed before the text had the focus; tells whether the key was its own."""
        field = self.query_one(PromptInput)
        if not self.is_open or event is field.seen:
            return False
        early = events.Key(event.key, event.character) if event.is_printable else field.TypedEarly(event.key)
        field.post_message(early)
        return True

    def close(self) -> None:
        self._show(is_open=False)
        self._focus()

    def say(self, words: str, style: str = "watch") -> None:
        self.query_one(Lines).show_lines([[(words, style)]])

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        is_completed = self._stem is not None and self._candidate >= 0
        if not is_completed or event.value != self._candidates[self._candidate]:
            self._stem = None
        if self._reader is not None:
            self._reader.typed(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        lines = self._history.setdefault(self._mark, [])
        if event.value.strip() and lines[-1:] != [event.value]:
            lines.append(event.value)
            del lines[:-KEPT]
        if self._reader is not None:
            self._reader.entered(event.value)

    def _key_pressed(self, what: str, by: int) -> None:
        if what == "complete":
            self._put_completion(by)
        elif what == "give_up" and self._reader is not None:
            self._reader.given_up()
        elif lines := self._history.get(self._mark, []):
            self._place = max(0, min(len(lines), self._place + by))
            self._put(lines[self._place] if self._place < len(lines) else "")

    def _put_completion(self, by: int) -> None:
        field = self.query_one(PromptInput)
        if self._stem is None:
            self._stem = field.value
            self._candidates, self._candidate = self._complete(field.value), -1 if by > 0 else 0
        if not self._candidates:
            self._stem = None
            self.say("nothing to complete", "faint")
            return
        self._candidate = (self._candidate + by) % len(self._candidates)
        self._put(self._candidates[self._candidate])

    def _put(self, text: str) -> None:
        field = self.query_one(PromptInput)
        field.value, field.cursor_position = text, len(text)
