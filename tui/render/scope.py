"""What drilling down leaves of a pane's rows: those of one queue, application, node or user, named exactly."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from engine.observe.snapshot import ApplicationRow, ContainerRow, ExecutorRow, NodeRow, ReservationRow
from tui import format as text
from tui.render.line import Look

QUEUE, APPLICATION, NODE, USER, RACK = "queue", "app", "node", "user", "rack"
"""Kinds of scopes, as filters call the fields."""


def is_under(queue: str, path: str) -> bool:
    """Whether a queue is this one or below it."""
    return queue == path or queue.startswith(path + ".")


def _of_queue(row: Any, path: str) -> bool:
    return isinstance(row, ApplicationRow | ContainerRow | ReservationRow) and is_under(row.queue, path)


def _of_application(row: Any, application: str) -> bool:
    if isinstance(row, ExecutorRow):
        return text.short_id(application) == f"{row.application:04d}"
    return isinstance(row, ContainerRow | ReservationRow) and row.application == application


def _on_node(row: Any, node: str) -> bool:
    if isinstance(row, ExecutorRow):
        return row.worker == node
    return isinstance(row, ContainerRow | ReservationRow) and row.node == node


def _of_user(row: Any, user: str) -> bool:
    return isinstance(row, ApplicationRow | ContainerRow) and row.user == user


def _in_rack(row: Any, rack: str) -> bool:
    return isinstance(row, NodeRow) and row.rack == rack


_KEEPS: Final[Mapping[str, Callable[[Any, str], bool]]] = {
    QUEUE: _of_queue,
    APPLICATION: _of_application,
    NODE: _on_node,
    USER: _of_user,
    RACK: _in_rack,
}
_SHORT: Final[Mapping[str, Callable[[str], str]]] = {APPLICATION: text.short_id, NODE: text.short_node}


class Scope(NamedTuple):
    """Rows that belong to one thing."""

    kind: str
    id: str

    @property
    def text(self) -> str:
        """As a title says it.

        >>> Scope("app", "application_1507795051888_183354").text, Scope("node", "n1:45454").text
        ('app:183354', 'node:n1')
        """
        return f"{self.kind}:{text.plain(_SHORT.get(self.kind, str)(self.id))}"

    @property
    def key(self) -> tuple[str, str]:
        """What makes it another scope."""
        return (self.kind, self.id)

    def keeps(self, row: Any, look: Look) -> bool:
        """Whether a row belongs to it."""
        return _KEEPS[self.kind](row, self.id)
