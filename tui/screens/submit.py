"""The form that submits an application: a few fields with sensible beginnings, and every mistake named beside it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static

from tui.messages import SubmitFilled
from tui.screens.closing import ClosesOnce


class Field(NamedTuple):
    """One field of the form."""

    name: str
    title: str
    value: str
    hint: str


FIELDS = (
    Field("name", "name", "by-hand", "what to call it"),
    Field("user", "user", "operator", "who submits it"),
    Field("queue", "queue", "", "empty: the rules decide"),
    Field("containers", "containers", "4", "besides its master"),
    Field("memory", "memory each", "2g", "512m, 4g, or MB"),
    Field("vcores", "vcores each", "1", ""),
    Field("duration", "runs for", "2m", "empty: for ever"),
    Field("master", "master memory", "1g", "unmanaged: none"),
)


STANDALONE_FIELDS = (
    Field("name", "name", "by-hand", "what to call it"),
    Field("user", "user", "operator", "who submits it"),
    Field("cores_max", "cores at most", "12", "empty: all there are"),
    Field("executor_cores", "cores each", "2", "empty: all a worker gives"),
    Field("memory", "memory each", "512m", "of one executor"),
    Field("tasks", "tasks", "48", "0: an idle shell"),
    Field("duration", "a task runs", "20s", ""),
)
"""Of Spark's standalone Master."""


class SubmitScreen(ClosesOnce[None], ModalScreen[None]):
    """Fill in and submit; stays open while something is wrong."""

    DEFAULT_CSS = """
    SubmitScreen { align: center middle; background: $background 60%; }
    SubmitScreen > #box {
        width: 72; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
        border: heavy $primary; border-title-style: bold; background: $panel;
    }
    SubmitScreen.-ascii > #box { border: ascii $primary; }
    SubmitScreen .field { height: 1; }
    SubmitScreen .field > Label { width: 15; }
    SubmitScreen .field > Input { width: 22; }
    SubmitScreen .field > Input:focus { text-style: reverse; }
    SubmitScreen .field > .hint { width: 1fr; margin-left: 1; color: $foreground-muted; }
    SubmitScreen #problems { height: auto; max-height: 6; color: $error; margin-top: 1; }
    SubmitScreen #answers { height: 1; margin-top: 1; align-horizontal: center; }
    SubmitScreen Button { margin: 0 2; min-width: 14; }
    SubmitScreen Button:focus { text-style: reverse bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "cancel", show=False),
        Binding("down", "app.focus_next", "next field", show=False),
        Binding("up", "app.focus_previous", "field before", show=False),
    ]

    def __init__(
        self, beginnings: Mapping[str, str], *, fields: Sequence[Field] = FIELDS, ascii_only: bool = False
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._beginnings = beginnings
        self._fields = fields

    def compose(self) -> ComposeResult:
        """A line per field, the mistakes, two buttons."""
        with Vertical(id="box") as box:
            box.border_title = "Submit an application"
            box.border_subtitle = "enter submits, esc cancels"
            for field in self._fields:
                with Horizontal(classes="field"):
                    yield Label(field.title)
                    value = self._beginnings.get(field.name, field.value)
                    yield Input(value, id=field.name, compact=True, select_on_focus=False)
                    yield Label(field.hint, classes="hint", markup=False)
            yield Static("", id="problems", markup=False)
            with Horizontal(id="answers"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button("Submit", id="yes", variant="primary", compact=True)

    def on_mount(self) -> None:
        """Begin with the first field."""
        self.query_one("#name", Input).focus()

    def show_problems(self, problems: Sequence[str]) -> None:
        """Name what is wrong and stay open."""
        self.query_one("#problems", Static).update("\n".join(f"! {problem}" for problem in problems))

    @property
    def problems(self) -> str:
        """What is named as wrong now."""
        return str(self.query_one("#problems", Static).render())

    def _submit(self) -> None:
        self.post_message(SubmitFilled({one.id or "": one.value.strip() for one in self.query(Input)}))

    @on(Input.Submitted)
    def _entered(self) -> None:
        self._submit()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self._submit()
        else:
            _ = self.dismiss(None)

    def action_cancel(self) -> None:
        """Close without submitting."""
        _ = self.dismiss(None)
