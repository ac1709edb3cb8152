"""The line to type into at the foot of the screen: a mark, what is typed, and what is said of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from tui.widgets.lines import Lines
from tui.widgets.text_field import TextField

KEPT = 100  # How many lines of each kind are remembered


class PromptInput(TextField):
    """The field that is typed into; keys of the prompt go before those of the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "give_up", "give up", show=False),
        Binding("tab", "complete(1)", "complete", show=False),
        Binding("shift+tab", "complete(-1)", "complete back", show=False),
        Binding("up", "recall(-1)", "line before", show=False),
        Binding("down", "recall(1)", "next line", show=False),
    ]

    @dataclass
    class KeyPressed(Message):
        """One of the prompt's own keys."""

        what: str
        by: int = 0

    @dataclass
    class TypedEarly(Message):
        """A key that stands for no character, typed before the text had the focus."""

        key: str

    def __init__(self) -> None:
        super().__init__(disabled=True)
        self.seen: events.Key | None = None
        """The latest key that came here first."""

    def on_key(self, event: events.Key) -> None:
        """Remember it, so that it is not taken for one that came too early."""
        self.seen = event

    @on(TypedEarly)
    async def _typed_early(self, event: TypedEarly) -> None:
        """Do what the key does now."""
        event.stop()
        found = self.screen.active_bindings.get(event.key)
        if found is not None:
            _ = await self.app.run_action(found.binding.action, found.node)

    def action_give_up(self) -> None:
        """Close without doing anything."""
        self.post_message(self.KeyPressed("give_up"))

    def action_complete(self, by: int) -> None:
        """Put in the next completion."""
        self.post_message(self.KeyPressed("complete", by))

    def action_recall(self, by: int) -> None:
        """Put in an earlier line."""
        self.post_message(self.KeyPressed("recall", by))


class Prompt(Horizontal):
    """Closed until it is opened with a mark; remembers what was entered under each mark."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; }
    Prompt.-open { display: block; }
    Prompt > Static { width: 2; }
    Prompt > PromptInput { width: 1fr; }
    Prompt > Lines { width: 1fr; height: 1; margin-left: 1; }
    """

    @dataclass
    class Typed(Message):
        """The text changed."""

        mark: str
        text: str

    @dataclass
    class Entered(Message):
        """The user wants it."""

        mark: str
        text: str

    @dataclass
    class GivenUp(Message):
        """The user does not want it."""

        mark: str

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(id=id)
        self._styles_by_name = styles
        self._mark = ""
        self._history: dict[str, list[str]] = {}
        self._place = 0
        self._complete: Callable[[str], Sequence[str]] = lambda text: ()
        self._stem: str | None = None
        self._candidates: Sequence[str] = ()
        self._candidate = -1

    @property
    def is_open(self) -> bool:
        """True while the prompt takes the keys."""
        return self.has_class("-open")

    @property
    def said(self) -> str:
        """The note beside the text."""
        return "".join(words for line in self.query_one(Lines).lines for words, _ in line)

    def compose(self) -> ComposeResult:
        """Mark, text, words."""
        yield Static("", markup=False)
        yield PromptInput()
        yield Lines(self._styles_by_name, id="said")

    def open(self, mark: str, text: str, complete: Callable[[str], Sequence[str]], hint: str, filled: str = "") -> None:
        """Take the keys; what is typed replaces the text that is filled in."""
        self._mark, self._complete, self._stem = mark, complete, None
        self._place = len(self._history.get(mark, ()))
        self.query_one(Static).update(mark)
        self.add_class("-open")
        field = self.query_one(PromptInput)
        field.disabled = False
        with self.prevent(Input.Changed):
            field.value = text + filled
        field.selection = Selection(len(text), len(text) + len(filled))
        self.screen.set_focus(field, scroll_visible=False)  # at once: the next key is typed already
        self.say(hint, "faint")

    def takes(self, event: events.Key) -> bool:
        """Gives the text a key that was typed before the text had the focus; tells whether the key was its own."""
        field = self.query_one(PromptInput)
        if not self.is_open or event is field.seen:
            return False
        early = events.Key(event.key, event.character) if event.is_printable else field.TypedEarly(event.key)
        field.post_message(early)
        return True

    def close(self) -> None:
        """Let the keys go."""
        self.remove_class("-open")
        self.query_one(PromptInput).disabled = True

    def say(self, words: str, style: str = "watch") -> None:
        """Say something beside the text."""
        self.query_one(Lines).show_lines([[(words, style)]])

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._stem is not None and self._candidate >= 0 and event.value == self._candidates[self._candidate]:
            self.post_message(self.Typed(self._mark, event.value))
            return
        self._stem = None
        self.post_message(self.Typed(self._mark, event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        lines = self._history.setdefault(self._mark, [])
        if event.value.strip() and lines[-1:] != [event.value]:
            lines.append(event.value)
            del lines[:-KEPT]
        self.post_message(self.Entered(self._mark, event.value))

    @on(PromptInput.KeyPressed)
    def _key_pressed(self, event: PromptInput.KeyPressed) -> None:
        event.stop()
        if event.what == "give_up":
            self.post_message(self.GivenUp(self._mark))
        elif event.what == "complete":
            self._put_completion(event.by)
        else:
            lines = self._history.get(self._mark, [])
            if lines:
                self._place = max(0, min(len(lines), self._place + event.by))
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
        field.value = text
        field.cursor_position = len(text)
