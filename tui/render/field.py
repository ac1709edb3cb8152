"""Fields: what rows can be sorted and filtered by, what counts as a problem, and the order nobody chose.

Each kind of row names its fields in its own file; this one has what they are made of.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.observe.snapshot import Unknown
from tui import format as text
from tui.render.line import Look

TEXT, COUNT, MEMORY, SPAN = "text", "count", "memory", "duration"
"""Kinds of fields: words, a number, an amount of memory [MB], a length of time [ms]."""

Value = str | int | None
"""None is nothing to compare: it matches no comparison and is sorted last."""


class RowField(NamedTuple):
    """One thing a row can be sorted or filtered by."""

    name: str
    """As in `name:value`."""
    letter: str
    """In the sort menu; empty: only the filter knows it."""
    kind: str
    value: Callable[[Any, Look], Value]
    help: str


class RowOrder(NamedTuple):
    """The order of a pane where the user chose none."""

    reads: tuple[str, ...]
    """Names of the row's attributes that the key is made of."""
    key: Callable[..., Any]
    """Sort key, from the values of these."""


def _no_problem(row: Any, look: Look) -> bool:
    return False


class Criteria(NamedTuple):
    """What the rows of one noun are chosen and ordered by."""

    fields: tuple[RowField, ...] = ()
    is_problem: Callable[[Any, Look], bool] = _no_problem
    """Whether an operator should look at a row: it waits, starves, is out of service, or was ended by force."""
    order: RowOrder | None = None
    """None is the order of the snapshot."""
    scopes: Mapping[str, Callable[[Any, str], bool]] = {}
    """Kind of a thing (`scope.QUEUE` and so on) → whether a row belongs to the thing with a key."""

    @property
    def sortable(self) -> tuple[RowField, ...]:
        """The fields rows can be sorted by."""
        return tuple(field for field in self.fields if field.letter)


def known(value: Any) -> int | None:
    """A number the source can tell; None where it cannot."""
    return None if isinstance(value, Unknown) else value


def at(amounts: Any, place: int) -> int | None:
    """One dimension of an amount; None where there is no such dimension."""
    return amounts[place] if isinstance(amounts, tuple) and len(amounts) > place else None


def since(instant_ms: Any, look: Look) -> int | None:
    """How long ago [ms]; None where the instant is not known."""
    return look.now_ms - instant_ms if isinstance(instant_ms, int) else None


def words_of(row: Any, fields: tuple[RowField, ...], look: Look) -> str:
    """All words of a row, in lower case, for a search without a field."""
    values = (field.value(row, look) for field in fields if field.kind == TEXT)
    return " ".join(text.plain(str(value)) for value in values if value).lower()
