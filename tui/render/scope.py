"""Scopes: the rows of a pane that belong to one queue, application, node, user or rack.

`enter` on a row narrows the pane it leads to; a filter is typed, a scope is not.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from engine.model.queue import is_under
from tui import format as text

QUEUE, APPLICATION, NODE, USER, RACK = "queue", "app", "node", "user", "rack"
"""Kinds of scopes, as filters call the fields."""


def belongs(kind: str, value: Any, key: str) -> bool:
    """True where a row with this value of the field belongs to a thing; a queue includes its descendants.

    Rows of Spark's Master name an application by its number.
    """
    if kind == QUEUE:
        return is_under(value, key)
    if isinstance(value, int):
        return f"{value:04d}" == text.short_id(key)
    return bool(value == key)


_SHORT: Final[Mapping[str, Callable[[str], str]]] = {APPLICATION: text.short_id, NODE: text.short_node}


class Scope(NamedTuple):
    """Rows that belong to one thing."""

    kind: str
    id: str

    @property
    def text(self) -> str:
        """Return the text of a title.

        >>> Scope("app", "application_1507795051888_183354").text, Scope("node", "n1:45454").text
        ('app:183354', 'node:n1')
        """
        return f"{self.kind}:{text.plain(_SHORT.get(self.kind, str)(self.id))}"
