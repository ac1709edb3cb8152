"""The form that submits an application: a few fields with sensible beginnings, and every mistake named beside it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from textual.widget import Widget
from textual.widgets import Input

from tui.messages import SubmitFilled
from tui.screens.forms import FormScreen


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


class SubmitScreen(FormScreen):
    """Fill in and submit; stays open while something is wrong."""

    title_words: ClassVar[str] = "Submit an application"

    def __init__(
        self, beginnings: Mapping[str, str], *, fields: Sequence[Field] = FIELDS, ascii_only: bool = False
    ) -> None:
        super().__init__(ascii_only=ascii_only)
        self._beginnings = beginnings
        self._fields = fields

    def fields(self) -> Iterator[tuple[str, Widget, str]]:
        """A line per field."""
        for field in self._fields:
            value = self._beginnings.get(field.name, field.value)
            yield field.title, Input(value, id=field.name, compact=True, select_on_focus=False), field.hint

    def on_mount(self) -> None:
        """Begin with the first field."""
        self.query_one("#name", Input).focus()

    def hand_in(self) -> None:
        """Submit what is filled in."""
        self.post_message(SubmitFilled(self.texts()))
