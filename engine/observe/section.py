"""Sections of a snapshot whose rows are made when they are asked for.

A section knows what its rows are about, and how each field is read from such a thing. Ten thousand nodes of which
forty are looked at cost forty rows; who orders or chooses among all of them takes glimpses, which cost the few fields
that are looked at.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, Generic, TypeVar, cast, overload

Row = TypeVar("Row")
Read = Callable[[Any], Any]
"""Reads a field of a thing."""


class Section(Sequence[Row], Generic[Row]):
    """Rows of one kind; which there are is settled, what a row says is read from its thing when the row is made."""

    __slots__ = ("fields", "glimpsed", "make", "things")

    def __init__(
        self,
        things: Sequence[Any],
        make: Callable[..., Row],
        fields: Mapping[str, Read],
        glimpsed: Mapping[str, Read] | None = None,
    ) -> None:
        """Make nothing yet.

        Args:
            things: What the rows are about, in order.
            make: The type of the rows, which takes its fields by name.
            fields: Name of a field → how it is read from a thing.
            glimpsed: The same for fields that are dear, for whoever looks at them in every row.
        """
        self.things = things
        self.make = make
        self.fields = fields
        self.glimpsed = glimpsed or {}

    def __len__(self) -> int:
        return len(self.things)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> "Section[Row]": ...

    def __getitem__(self, index: int | slice) -> "Row | Section[Row]":
        if isinstance(index, slice):
            return Section(self.things[index], self.make, self.fields, self.glimpsed)
        thing = self.things[index]
        return self.make(**{name: read(thing) for name, read in self.fields.items()})

    def __eq__(self, other: object) -> bool:
        """Like any sequence of the same rows."""
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # what its rows say may change

    def picked(self, order: Iterable[int]) -> "Section[Row]":
        """The rows at some places, in this order."""
        things = self.things
        return Section([things[index] for index in order], self.make, self.fields, self.glimpsed)

    def glimpses(self) -> Iterable[Row]:
        """All rows as seen from afar: a field is read when it is asked for, and the others never are."""
        fields = {**self.fields, **self.glimpsed}
        return (cast("Row", _Glimpse(thing, self.make, fields)) for thing in self.things)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """The fields of a struct that have a default, each with it."""
    names, defaults = kind.__struct_fields__, kind.__struct_defaults__
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


class _Glimpse:
    """Passes for a row of its section."""

    __slots__ = ("_fields", "_make", "_thing")

    def __init__(self, thing: Any, make: Callable[..., Any], fields: Mapping[str, Read]) -> None:
        self._thing, self._make, self._fields = thing, make, fields

    def __getattr__(self, name: str) -> Any:
        read = self._fields.get(name)
        if read is not None:
            return read(self._thing)
        try:
            return _defaults(self._make)[name]  # the section leaves it out: it is the same in every row
        except KeyError:
            raise AttributeError(name) from None

    @property  # type: ignore[misc]  # a stand-in is of the type it stands in for
    def __class__(self) -> Any:
        """That of the row, so that whoever asks what kind of row it is gets the right answer."""
        return self._make


def glimpses(rows: Sequence[Row]) -> Iterable[Row]:
    """All rows, for whoever looks at a few fields of each: where it can be helped no row is made."""
    return rows.glimpses() if isinstance(rows, Section) else rows


def picked(rows: Sequence[Row], order: Iterable[int]) -> Sequence[Row]:
    """The rows at some places, in this order."""
    return rows.picked(order) if isinstance(rows, Section) else [rows[index] for index in order]


def column(rows: Sequence[Any], name: str) -> list[Any]:
    """One field of every row, without making the rows where that can be helped."""
    if isinstance(rows, Section):
        read = rows.fields.get(name)
        if read is None:  # left out, it is the same in every row
            return [getattr(row, name) for row in rows[:1]] * len(rows)
        return list(map(read, rows.things))
    return list(map(attrgetter(name), rows))
