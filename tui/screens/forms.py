"""Shared parts of forms: a box of titled lines, choosers whose options can be listed, mistakes, two buttons."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import DescendantFocus
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Static

from tui.screen_edge import literal
from tui.screens.closing import BOX
from tui.screens.menu import Choice, MenuScreen
from tui.widgets.answers import Answers
from tui.widgets.chooser import Chooser

SIGNS = "123456789abcdefghijklmnopqrstuvwxyz"
"""What options are chosen by in a list."""


_FRAME = 5
"""Lines of the box that are neither fields nor mistakes: its border, the answers and what keeps them apart."""


IN_CHOOSER: Final = "left and right choose, enter lists all, esc cancels"


class FormLine(NamedTuple):
    """One line of a form."""

    title: str
    widget: Widget
    """What is filled in, or only read."""
    hint: str = ""


class Form(Vertical):
    """Titled lines, the mistakes, and two answers; asks to be handed in and stays open while something is wrong."""

    DEFAULT_CSS = f"""
    Form {{ {BOX} width: 72; max-height: 100%; }}
    Form.-ascii {{ border: ascii $border; }}
    Form #fields {{ height: auto; scrollbar-size-vertical: 1; }}
    Form.-ascii #fields {{ scrollbar-size-vertical: 0; }}
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
        ascii_only: bool = False,
    ) -> None:
        super().__init__(id="box", classes="-ascii" if ascii_only else "")
        self.border_title, self.border_subtitle = literal(title), subtitle
        self._subtitle = subtitle
        self._form_lines, self._yes, self._ascii = lines, yes, ascii_only

    def compose(self) -> ComposeResult:
        """The fields, the mistakes, two buttons."""
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
        """Keep the answers on a screen of so many lines; the fields scroll."""
        problems = min(6, 1 + self.problems.count("\n"))
        self.query_one("#fields").styles.max_height = max(1, height - _FRAME - problems)

    def show_problems(self, problems: Sequence[str]) -> None:
        """Name what is wrong and stay open."""
        self.query_one("#problems", Static).update("\n".join(f"! {problem}" for problem in problems))
        self.fit(self.app.size.height)

    @property
    def problems(self) -> str:
        """The problems that the form shows."""
        return str(self.query_one("#problems", Static).render())

    def chooser(self, name: str) -> Chooser:
        """One of the form's choosers."""
        return self.query_one(f"#{name}", Chooser)

    @on(Chooser.ListWanted)
    def _list_wanted(self, event: Chooser.ListWanted) -> None:
        chooser = event.chooser
        some = [
            Choice(SIGNS[place] if place < len(SIGNS) else "", option, str(place))
            for place, option in enumerate(chooser.options)
        ]

        def chosen(place: str | None) -> None:
            if place is not None:
                # Not as this widget: textual lets a message rise no further than to who sent it.
                _ = self.screen.call_later(chooser.choose, int(place))

        _ = self.app.push_screen(MenuScreen(chooser.title, some, ascii_only=self._ascii), chosen)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Say what enter does where the keys are."""
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
        """Put texts into fields."""
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
        """Keep the answers on screen, however little there is of it."""
        self.form.fit(event.size.height)

    @property
    def form(self) -> Form:
        """The form with the values entered."""
        return self.query_one(Form)

    def show_problems(self, problems: Sequence[str]) -> None:
        """Name what is wrong and stay open."""
        self.form.show_problems(problems)

    @on(Form.Cancelled)
    def action_cancel(self) -> None:
        """Close without doing anything."""
        _ = self.dismiss(None)
