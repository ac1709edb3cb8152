"""What a row is about, for looking deeper: a queue, a node, or an application; and which events are about that.

Pure functions from a row and a picture; no widget.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from engine.observe.snapshot import ApplicationRow, NodeRow, QueueRow
from tui import format as text
from tui.render.event import told
from tui.render.filter import Filter
from tui.render.line import Look
from tui.render.scope import is_under
from tui.render.trace import Trace
from tui.screens import choices
from tui.view_state import APPLICATION, NODE, QUEUE, EventRow, Picture


class Subject(NamedTuple):
    """Something of the cluster with a name of its own."""

    kind: str
    """`queue`, `node` or `application`."""
    name: str
    """Path of a queue, else the id."""
    number: int = 0
    """Of an application."""

    @property
    def words(self) -> str:
        """What people call it."""
        name = text.short_id(self.name) if self.kind == APPLICATION else self.name
        return f"{self.kind} {text.plain(name)}"


def subject_of(pane: str, row: Any, picture: Picture | None) -> Subject | None:
    """What a row is about; None where it is about nothing that has a name, or there is no row."""
    if isinstance(row, QueueRow):
        return Subject(QUEUE, row.path)
    if isinstance(row, Trace) and row.is_queue:
        return Subject(QUEUE, row.key)
    if isinstance(row, NodeRow):
        return Subject(NODE, row.id)
    application = row if isinstance(row, ApplicationRow) else choices.application_at(pane, row, picture)
    if application is not None:
        return Subject(APPLICATION, application.id, application.number)
    node = choices.node_at(pane, row, picture)
    return None if node is None else Subject(NODE, node.id)


def events_of(subject: Subject, picture: Picture) -> Filter:
    """A scope that keeps the events about something; those of a queue are those of its applications."""
    if subject.kind == NODE:
        return Filter(subject.words, (lambda row, look: told(row, look).node == subject.name,))
    if subject.kind == APPLICATION:
        return Filter(subject.words, (lambda row, look: told(row, look).application == subject.number,))
    return Filter(subject.words, (_OfSome(picture, "queue", lambda queue: is_under(queue, subject.name)),))


def events_of_user(user: str, picture: Picture) -> Filter:
    """A scope that keeps the events of a user's applications."""
    return Filter(f"user {text.plain(user)}", (_OfSome(picture, "user", lambda name: name == user),))


class _OfSome:
    """Whether an event is about one of some applications; who comes to them later is learnt from the events."""

    def __init__(self, picture: Picture, field: str, keeps: Callable[[str], bool]) -> None:
        """Those whose `field`, which records have under the same name, is to be kept."""
        self._field, self._keeps = field, keeps
        rows = picture.snapshot.applications(why=False)
        self._numbers = {row.number for row in rows if keeps(getattr(row, field))}

    def __call__(self, row: EventRow, look: Look) -> bool:
        number, value = told(row, look).application, row.fields.get(self._field)
        if isinstance(value, str) and self._keeps(value):
            if number is not None:
                self._numbers.add(number)
            return True
        return number in self._numbers
