"""What the forms have in common: a box of titled lines, choosers whose options can be listed, mistakes, two buttons."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Static

from tui.screens.closing import ClosesOnce
from tui.screens.menu import Choice, MenuScreen
from tui.widgets.chooser import Chooser

SIGNS = "123456789abcdefghijklmnopqrstuvwxyz"
"""What options are chosen by in a list."""


_FRAME = 5
"""Lines of the box that are neither fields nor mistakes: its border, the answers and what keeps them apart."""


class FormScreen(ClosesOnce[None], ModalScreen[None]):
    """Fill in and hand in; stays open while something is wrong."""

    leaves_by_click: ClassVar[bool] = False

    DEFAULT_CSS = """
    FormScreen { align: center middle; background: $background 60%; }
    FormScreen > #box {
        width: 72; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
        border: heavy $primary; border-title-style: bold; background: $panel;
    }
    FormScreen.-ascii > #box { border: ascii $primary; }
    FormScreen #fields { height: auto; scrollbar-size-vertical: 1; }
    FormScreen.-ascii #fields { scrollbar-size-vertical: 0; }
    FormScreen .field { height: 1; }
    FormScreen .field > Label { width: 15; }
    FormScreen .field > Input { width: 22; }
    FormScreen .field > Input:focus { text-style: reverse; }
    FormScreen .field > .hint { width: 1fr; margin-left: 1; color: $foreground-muted; }
    FormScreen #problems { height: auto; max-height: 6; color: $error; margin-top: 1; }
    FormScreen #answers { height: 1; margin-top: 1; align-horizontal: center; }
    FormScreen Button { margin: 0 2; min-width: 14; }
    FormScreen Button:focus { text-style: reverse bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "cancel", show=False),
        Binding("down", "app.focus_next", "next field", show=False),
        Binding("up", "app.focus_previous", "field before", show=False),
    ]
    title_words: ClassVar[str] = ""
    subtitle_words: ClassVar[str] = "enter submits, esc cancels"
    yes_words: ClassVar[str] = "Submit"

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")

    def compose(self) -> ComposeResult:
        """The fields, the mistakes, two buttons."""
        with Vertical(id="box") as box:
            box.border_title = self.title_words
            box.border_subtitle = self.subtitle_words
            with VerticalScroll(id="fields", can_focus=False):
                yield from self._lines()
            yield Static("", id="problems", markup=False)
            with Horizontal(id="answers"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button(self.yes_words, id="yes", variant="primary", compact=True)

    def _lines(self) -> ComposeResult:
        for title, widget, hint in self.fields():
            with Horizontal(classes="field"):
                yield Label(title)
                yield widget
                if isinstance(widget, Input):
                    yield Label(hint, classes="hint", id=f"hint-{widget.id}", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Keep the answers on screen, however little there is of it; the fields scroll."""
        self._fit(event.size.height)

    def _fit(self, height: int) -> None:
        problems = min(6, 1 + self.problems.count("\n"))
        self.query_one("#fields").styles.max_height = max(1, height - _FRAME - problems)

    def fields(self) -> Iterator[tuple[str, Widget, str]]:
        """(title, what is filled in, hint) of each line."""
        raise NotImplementedError

    def hand_in(self) -> None:
        """Hand in what is filled in."""
        raise NotImplementedError

    def show_problems(self, problems: Sequence[str]) -> None:
        """Name what is wrong and stay open."""
        self.query_one("#problems", Static).update("\n".join(f"! {problem}" for problem in problems))
        self._fit(self.app.size.height)

    @property
    def problems(self) -> str:
        """What is named as wrong now."""
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
                chooser.choose(int(place))

        _ = self.app.push_screen(MenuScreen(chooser.title, some, ascii_only=self.has_class("-ascii")), chosen)

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.hand_in()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.hand_in()
        else:
            _ = self.dismiss(None)

    def action_cancel(self) -> None:
        """Close without doing anything."""
        _ = self.dismiss(None)

    def texts(self) -> dict[str, str]:
        """Name of each field to type in → its text."""
        return {one.id or "": one.value.strip() for one in self.query(Input)}

    def fill(self, texts: dict[str, Any]) -> None:
        """Put texts into fields."""
        for name, words in texts.items():
            field = self.query_one(f"#{name}", Input)
            field.value, field.cursor_position = words, len(words)
