"""Shared parts of forms: a box of titled lines, choosers whose options can be listed, mistakes, two buttons."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Click, DescendantFocus, Key
from textual.message import Message
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from tui.keymap import spelled
from tui.panes.fragments import places_of
from tui.terminal.palettes import PALETTES
from tui.terminal.screen_edges import literal
from tui.widgets.bars import ActionBar, FlashLine, HintedLines
from tui.widgets.prompt import Answers, Chooser, SearchField

Answer = TypeVar("Answer")

BOX = """
    width: 60; max-width: 100%; height: auto; max-height: 96%; padding: 0 1;
    border: round $border; border-title-style: bold; background: $panel;
    border-title-color: $foreground; border-subtitle-color: $text-muted;
"""  # How the box of a dialog looks


class DimmedScreen(BackgroundScreen):
    """The screen below a dialog in one grey."""

    def __init__(self, screen: Screen[Any], style: Style) -> None:
        super().__init__(screen, Color(0, 0, 0, 0.5))
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in super().__rich_console__(console, options):
            words = segment.text if isinstance(segment, Segment) else ""
            yield Segment(words, self._style)


class SingleResultScreen(Screen[Answer]):
    """A screen whose answer is taken only while it is the one on top."""

    _usual: str | None = None  # What stands at the foot of the box while a sentence is there in its place
    _said: FlashLine | None = None  # What is said in place of the hints
    has_hints: ClassVar[bool] = False  # Whether a sentence is said in place of its hints
    leaves_by_click: ClassVar[bool] = True  # Whether a click beside it leaves; not where typed words are lost

    def render(self) -> RenderableType:
        """Below a dialog the picture is one grey, where there are colours to spare."""
        drawn = super().render()
        variables = self.app.theme_variables
        if isinstance(drawn, BackgroundScreen) and "behind" in variables and not self.app.no_color:
            return DimmedScreen(drawn.screen, Style(color=variables["behind"], bgcolor=variables["background"]))
        return drawn

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with an answer; nothing once it is closed."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key pressed before the dialog is there, or after it closed, has no effect: no answer without a question."""
        return super().check_action(action, parameters) if self._is_there else False

    @property
    def _is_there(self) -> bool:
        return self.is_mounted and self.is_active

    def on_key(self, event: Key) -> None:
        """End what is said, and say so where a key has no meaning here: at the foot of the box, or of the screen."""
        if not self._is_there:
            return
        if self._usual is not None:
            self.children[0].border_subtitle, self._usual = self._usual, None
        if self._said is not None and not isinstance(self.focused, Input):
            self._said.end()
        if event.key in self.active_bindings:
            return
        self.answer(f"{spelled(event.key)} does nothing here; esc {'closes' if self.is_modal else 'goes back'}")

    def answer(self, words: str) -> None:
        if self.is_modal:
            self._usual = self.children[0].border_subtitle or ""
            self.children[0].border_subtitle = literal(words)
        else:
            self.tell(words, "information")

    def tell(self, words: str, severity: str) -> None:
        if self._said is None:
            self._said = FlashLine(self.query_one("#hints", ActionBar), self._show_hints, click="nothing")
        self._said.say(words, severity)

    def _show_hints(self) -> None:
        for lines in self.query(HintedLines):
            lines.show_hints()

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


class SearchableScreen(Screen[Any]):
    """A screen whose field for words to find a key opens; the key that closes the screen closes the field first."""

    @property
    def search(self) -> SearchField:
        return self.query_one(SearchField)

    def _read_on(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_find(self) -> None:
        self.search.open()

    def action_close(self) -> None:
        if not self.search.close():
            _ = self.dismiss(None)


class Choice(NamedTuple):
    letter: str
    words: str
    value: str
    why_not: str = ""  # Why it cannot be chosen; nothing where it can


def _option(place: int, choice: Choice) -> Option:
    reason = f": {choice.why_not}" if choice.why_not else ""
    words = literal(f"{choice.letter:<6} {choice.words}{reason}")
    return Option(words, id=str(place), disabled=bool(choice.why_not))


class MenuList(OptionList):
    """Goes no page further before it is laid out, where Textual fails; takes a click on what is seen, no other."""

    _is_seen = True  # False from a change of what is listed until it is drawn

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not action.startswith("page_") or bool(self.scrollable_content_region)

    def on_click(self, event: events.Click) -> None:
        if not self._is_seen or event.style.meta.get("option", 0) >= self.option_count:
            event.prevent_default()

    def list_anew(self, options: Sequence[Option]) -> None:
        self._is_seen = False
        _ = self.clear_options().add_options(options)
        _ = self.call_after_refresh(self._see)

    def _see(self) -> None:
        self._is_seen = True


class MenuScreen(SearchableScreen, SingleResultScreen[str | None], ModalScreen[str | None]):
    """Answers with the value chosen, or None; `/` leaves only what has some words."""

    DEFAULT_CSS = f"""
    MenuScreen {{ align: center middle; background: $background 60%; }}
    MenuScreen > #box {{ {BOX} width: 76; }}
    MenuScreen OptionList {{ border: none; height: auto; max-height: 100%; background: $panel; padding: 0; }}
    MenuScreen OptionList:focus {{ border: none; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("escape,ctrl+c", "close", "back", show=False),
    ]

    def __init__(
        self, title: str, choices: Sequence[Choice], *, start: int = 0, tried: Callable[[str], None] | None = None
    ) -> None:
        """A menu whose cursor begins at the place `start`; `tried` gets the value of each choice it goes to."""
        super().__init__()
        self._title_words = title
        self._every = self.choices = choices  # All, and those that match the words sought
        self._start = start
        self._tried = tried

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = literal(self._title_words)
            yield SearchField(self._show_found, self._read_on)
            yield MenuList(*(_option(place, one) for place, one in enumerate(self._every)), markup=False)

    def on_mount(self) -> None:
        self._read_on()
        if self._start:
            self.query_one(OptionList).highlighted = self._start

    def on_key(self, event: events.Key) -> None:
        chosen = next((one for one in self.choices if one.letter and event.character == one.letter), None)
        if chosen is None:
            return
        event.stop()
        event.prevent_default()
        if chosen.why_not:
            self.query_one("#box").border_subtitle = literal(chosen.why_not)
        else:
            _ = self.dismiss(chosen.value)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self._tried is not None:
            self._tried(self._value_of(event))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        _ = self.dismiss(self._value_of(event))

    def _value_of(self, event: OptionList.OptionMessage) -> str:
        """The value of an option, which may have been in the list before other words were sought."""
        assert event.option_id is not None, "every option has its place as its id"
        return self._every[int(event.option_id)].value

    def _show_found(self, words: str) -> None:
        every = self._every
        places = places_of(words, [one.words for one in every]) if words else range(len(every))
        self.choices = [every[place] for place in places]
        listed = self.query_one(MenuList)
        listed.list_anew([_option(place, every[place]) for place in places])
        listed.highlighted = 0 if self.choices else None

    def _read_on(self) -> None:
        self.query_one(OptionList).focus()


_THEMES = {
    "dark": "light words on dark",
    "light": "dark words on light",
    "high-contrast": "as far apart as colours are",
    "colour-blind": "blue, yellow and orange; never red against green",
    "16": "the terminal's own sixteen colours",
    "none": "no colour: weight and reverse video",
}


def themes_menu(now: str, tried: Callable[[str], None]) -> MenuScreen:
    """A menu that begins at the theme in use; each is `tried` while the cursor is on it."""
    some = [
        Choice(str(number), f"{name.ljust(14)} {_THEMES.get(name, '')}".rstrip(), name)
        for number, name in enumerate(PALETTES, start=1)
    ]
    return MenuScreen("Theme", some, start=list(PALETTES).index(now), tried=tried)


SIGNS = "123456789abcdefghijklmnopqrstuvwxyz"  # What options are chosen by in a list


_FRAME = 5  # Lines of the box that are neither fields nor mistakes: its border, the answers and what keeps them apart


IN_CHOOSER: Final = "left and right choose, enter lists all, esc cancels"


class FormLine(NamedTuple):
    title: str
    widget: Widget  # What is filled in, or only read
    hint: str = ""


class Form(Vertical):
    """Titled lines, the mistakes, and two answers; asks to be handed in and stays open while something is wrong."""

    DEFAULT_CSS = f"""
    Form {{ {BOX} width: 72; max-height: 100%; }}
    Form #fields {{ height: auto; scrollbar-size-vertical: 1; }}
    Form .field {{ height: 1; }}
    Form .field > Label {{ width: 15; }}
    Form .field > Input {{ width: 22; }}
    Form .field > Input:focus {{ text-style: reverse; }}
    Form .field > .hint {{ width: 1fr; margin-left: 1; color: $foreground-muted; }}
    Form #problems {{ height: auto; max-height: 6; color: $error; margin-top: 1; }}
    """

    class HandedIn(Message):
        """The user is done."""

    class Cancelled(Message):
        """The user does not want it."""

    def __init__(
        self,
        title: str,
        lines: Sequence[FormLine],
        *,
        subtitle: str = "enter submits, esc cancels",
        yes: str = "Submit",
    ) -> None:
        super().__init__(id="box")
        self.border_title, self.border_subtitle = literal(title), subtitle
        self._subtitle = subtitle
        self._form_lines, self._yes = lines, yes

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="fields", can_focus=False):
            for title, widget, hint in self._form_lines:
                with Horizontal(classes="field"):
                    yield Label(title, markup=False)
                    yield widget
                    if isinstance(widget, Input):
                        yield Label(hint, classes="hint", id=f"hint-{widget.id}", markup=False)
        yield Static("", id="problems", markup=False)
        yield Answers("Cancel (esc)", self._yes)

    def fit(self, height: int) -> None:
        problems = min(6, 1 + self.problems.count("\n"))
        self.query_one("#fields").styles.max_height = max(1, height - _FRAME - problems)

    def show_problems(self, problems: Sequence[str]) -> None:
        self.query_one("#problems", Static).update("\n".join(f"! {problem}" for problem in problems))
        self.fit(self.app.size.height)

    @property
    def problems(self) -> str:
        return str(self.query_one("#problems", Static).render())

    def chooser(self, name: str) -> Chooser:
        return self.query_one(f"#{name}", Chooser)

    @on(Chooser.ListRequested)
    def _list_wanted(self, event: Chooser.ListRequested) -> None:
        chooser = event.chooser
        some = [
            Choice(SIGNS[place] if place < len(SIGNS) else "", option, str(place))
            for place, option in enumerate(chooser.options)
        ]

        def chosen(place: str | None) -> None:
            if place is not None:
                # Not as this widget: textual lets a message rise no further than to its sender.
                _ = self.screen.call_later(chooser.choose, int(place))

        _ = self.app.push_screen(MenuScreen(chooser.title, some), chosen)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self.border_subtitle = IN_CHOOSER if isinstance(event.widget, Chooser) else self._subtitle

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.post_message(self.HandedIn())

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.post_message(self.HandedIn() if event.button.id == "yes" else self.Cancelled())

    def texts(self) -> dict[str, str]:
        """Name of each field to type in → its text."""
        return {one.id or "": one.value.strip() for one in self.query(Input)}

    def fill(self, texts: Mapping[str, str]) -> None:
        for name, words in texts.items():
            field = self.query_one(f"#{name}", Input)
            field.value, field.cursor_position = words, len(words)


class FormScreen(Screen[Any]):
    """A screen with one form: arrows go from field to field, esc closes it, and a click beside it does not."""

    leaves_by_click: ClassVar[bool] = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "cancel", show=False),
        Binding("down", "app.focus_next", "next field", show=False),
        Binding("up", "app.focus_previous", "field before", show=False),
    ]

    def on_resize(self, event: events.Resize) -> None:
        self.form.fit(event.size.height)

    @property
    def form(self) -> Form:
        return self.query_one(Form)

    def show_problems(self, problems: Sequence[str]) -> None:
        self.form.show_problems(problems)

    @on(Form.Cancelled)
    def action_cancel(self) -> None:
        _ = self.dismiss(None)
