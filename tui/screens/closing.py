"""The base class of dialogs: a dialog closes once, so a second key pressed at once does not close what is below it."""

from typing import Any, ClassVar, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.await_complete import AwaitComplete
from textual.color import Color
from textual.events import Click, Key
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from tui.keymap import spelled
from tui.screen_edge import literal
from tui.widgets.bars import ActionBar, SaidLine
from tui.widgets.text_field import SearchField

Answer = TypeVar("Answer")

BOX = """
    width: 60; max-width: 100%; height: auto; max-height: 96%; padding: 0 1;
    border: round $border; border-title-style: bold; background: $panel;
    border-title-color: $foreground; border-subtitle-color: $text-muted;
"""
"""How the box of a dialog looks."""


class GreyedScreen(BackgroundScreen):
    """The screen below a dialog in one grey."""

    def __init__(self, screen: Screen[Any], style: Style) -> None:
        super().__init__(screen, Color(0, 0, 0, 0.5))
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Every word in the one style."""
        for segment in super().__rich_console__(console, options):
            words = segment.text if isinstance(segment, Segment) else ""
            yield Segment(words, self._style)


class ClosesOnce(Screen[Answer]):
    """A screen whose answer is taken only while it is the one on top."""

    _usual: str | None = None
    """What stands at the foot of the box while a sentence is there in its place."""
    _said: SaidLine | None = None
    """What is said in place of the hints."""
    has_hints: ClassVar[bool] = False
    """Whether a sentence is said in place of its hints."""
    leaves_by_click: ClassVar[bool] = True
    """Whether a click beside a dialog leaves it; not where something typed would be lost."""

    def render(self) -> RenderableType:
        """Below a dialog the picture is one grey, where there are colours to spare."""
        drawn = super().render()
        variables = self.app.theme_variables
        if isinstance(drawn, BackgroundScreen) and "behind" in variables and not self.app.no_color:
            return GreyedScreen(drawn.screen, Style(color=variables["behind"], bgcolor=variables["background"]))
        return drawn

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with an answer; nothing once it is closed."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key pressed before the dialog is there, or after it closed, is nobody's: no answer without a question."""
        return super().check_action(action, parameters) if self.is_mounted and self.is_active else False

    def on_key(self, event: Key) -> None:
        """End what is said, and say so where a key has no meaning here: at the foot of the box, or of the screen."""
        if self._usual is not None:
            self.children[0].border_subtitle, self._usual = self._usual, None
        if self._said is not None and not isinstance(self.focused, Input):
            self._said.end()
        if event.key in self.active_bindings:
            return
        self.answer(f"{spelled(event.key)} does nothing here; esc {'closes' if self.is_modal else 'goes back'}")

    def answer(self, words: str) -> None:
        """Answer a key that changed nothing, at the foot of the box or of the screen."""
        if self.is_modal:
            self._usual = self.children[0].border_subtitle or ""
            self.children[0].border_subtitle = literal(words)
        else:
            self.tell(words, "information")

    def tell(self, words: str, severity: str) -> None:
        """Say one sentence in place of the hints of a screen that has hints, for a while."""
        if self._said is None:
            self._said = SaidLine(self.query_one("#hints", ActionBar), self._show_hints, click="nothing")
        self._said.say(words, severity)

    def _show_hints(self) -> None:
        """Name the keys of a screen that has hints."""

    @on(Click)
    async def _leave_by_click(self, event: Click) -> None:
        """Leave a dialog, as esc does, by a click beside it or on its lower edge, where it says how to leave."""
        if not self.leaves_by_click or not self.is_modal or event.chain > 1 or not self.is_active:
            return
        box = self.children[0].region
        if not box.contains(event.screen_x, event.screen_y) or event.screen_y == box.bottom - 1:
            event.stop()
            for binding in self._bindings.get_bindings_for_key("escape")[:1]:
                await self.run_action(binding.action)

    def on_screen_suspend(self) -> None:
        """Forget what was drawn: Textual keeps caches of closed screens for long, and a session would grow by them."""
        for widget in self.walk_children(Widget):
            widget.refresh()


class Searched(Screen[Any]):
    """A screen whose field for words to find a key opens; the key that closes the screen closes the field first."""

    @property
    def search(self) -> SearchField:
        """The field for words to find."""
        return self.query_one(SearchField)

    def action_find(self) -> None:
        """Type what to find."""
        self.search.open()

    def action_close(self) -> None:
        """Show everything again, or go back when everything is shown."""
        if not self.search.close():
            _ = self.dismiss(None)
