"""Fields of a kind of row: one list says how each is called, compared, and shown in a table and among the facts.

Each noun has one list. Its tables, its sort menu, its filter, its scopes and its facts are made of that.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from tui import format as text
from tui.render.facts import Group, grouped
from tui.render.field_kind import TEXT, FieldKind, Value
from tui.render.line import Look
from tui.render.scope import belongs
from tui.render.table import Cell, Column, unfilled

Row = TypeVar("Row")
Draw = Callable[[Row, Look, int], Cell]
"""Draws the cell of a row in so many cells."""


class RowField(NamedTuple, Generic[Row]):
    """One thing that is known of a row."""

    name: str
    """As in `name:value`, and in lists of columns."""
    attribute: str = ""
    """The row's attribute; empty is the name."""
    kind: FieldKind = TEXT
    letter: str = ""
    """In the sort menu; empty: only the filter knows it."""
    help: str = ""
    """In the sort menu; empty is the name. A field without letter and help is neither sorted nor filtered by."""
    column: Column[Row] | None = None
    """How a table shows it. A column without a cell shows the attribute as its kind does."""
    group: str = ""
    """Title of its group among the facts; empty where the facts leave it out."""
    scope: str = ""
    """FieldKind of the thing whose rows are told by this field."""
    own: Callable[[Row, Look], Value] | None = None
    """What it is compared by, where that is not the attribute."""

    def value(self, row: Row, look: Look) -> Value:
        """The value by which rows are sorted and filtered."""
        if self.own is not None:
            return self.own(row, look)
        return self.kind.value(getattr(row, self.attribute or self.name), look)

    @property
    def is_compared(self) -> bool:
        """True for a field that can be sorted or filtered by."""
        return bool(self.letter or self.help)

    def cell(self, row: Row, look: Look, width: int) -> Cell:
        """The attribute as its kind shows it."""
        return self.kind.cell(getattr(row, self.attribute or self.name), look)


class RowOrder(NamedTuple):
    """The order of a pane where the user chose none."""

    reads: tuple[str, ...]
    """Names of the row's attributes that the key is made of."""
    key: Callable[..., Any]
    """Sort key, from the values of these."""


def _no_problem(row: Any, look: Look) -> bool:
    return False


class Criteria(NamedTuple):
    """The tests and keys that the rows of one noun are chosen and ordered by."""

    fields: tuple[RowField[Any], ...] = ()
    is_problem: Callable[[Any, Look], bool] = _no_problem
    """Whether an operator should look at a row: it waits, starves, is out of service, or was ended by force."""
    order: RowOrder | None = None
    """None is the order of the snapshot."""
    scopes: Mapping[str, Callable[[Any, str], bool]] = {}
    """FieldKind of a thing (`scope.QUEUE` and so on) → whether a row belongs to the thing with a key."""

    @property
    def sortable(self) -> tuple[RowField[Any], ...]:
        """The fields rows can be sorted by."""
        return tuple(field for field in self.fields if field.letter)


class Fields(NamedTuple, Generic[Row]):
    """All fields of a kind of row."""

    every: tuple[RowField[Row], ...]
    """In the order of the facts."""
    letters: str = ""
    """The order of the sort menu, where it is another one."""

    def field(self, name: str) -> RowField[Row]:
        """The field of a name.

        Raises:
            KeyError: There is none.
        """
        return {one.name: one for one in self.every}[name]

    def column(self, name: str, **changes: Any) -> Column[Row]:
        """The column of a field, maybe with another title, width and so on.

        Raises:
            KeyError: The field has no column.
        """
        field = self.field(name)
        if field.column is None:
            raise KeyError(name)
        column = field.column._replace(sorts=field.name if field.letter else field.column.sorts)
        if column.cell is unfilled:
            column = column._replace(cell=field.cell)
        return column._replace(**changes)

    def columns(self, names: str) -> tuple[Column[Row], ...]:
        """The columns of some fields, named with blanks between."""
        return tuple(map(self.column, names.split()))

    def drawn_as(self, **columns: Column[Any]) -> "Fields[Any]":
        """The same fields with other columns for some, by name."""
        return self._replace(
            every=tuple(field._replace(column=columns.get(field.name, field.column)) for field in self.every)
        )

    def criteria(
        self, is_problem: Callable[[Row, Look], bool] = _no_problem, order: RowOrder | None = None
    ) -> Criteria:
        """Build the table of filters, sort keys and scopes of these fields."""
        compared = [field for field in self.every if field.is_compared]
        compared.sort(key=lambda field: self.letters.find(field.letter) if field.letter else len(self.letters))
        scopes = {
            field.scope: partial(_belongs, field.attribute or field.name, field.scope)
            for field in self.every
            if field.scope
        }
        return Criteria(tuple(compared), is_problem, order, scopes)

    def facts(self, absent: Collection[str] = ()) -> Callable[[Any, Look], list[str]]:
        """All fields of a row as lines; `absent` are attributes that mean nothing for these rows."""
        groups: dict[str, list[str]] = {}
        for field in self.every:
            if field.group:
                groups.setdefault(field.group, []).append(field.attribute or field.name)
        return grouped(*(Group(title, tuple(names)) for title, names in groups.items()), absent=absent)


def _belongs(attribute: str, kind: str, row: Any, key: str) -> bool:
    return belongs(kind, getattr(row, attribute), key)


def said(words: Callable[[Row, Look], str], style: str = "text") -> Draw[Row]:
    """A cell of words in one style."""
    return lambda row, look, width: (words(row, look), style)


def styled(span: Callable[[Row, Look], Cell]) -> Draw[Row]:
    """A cell that is drawn alike in any width."""
    return lambda row, look, width: span(row, look)


def told(group: str, *attributes: str) -> tuple[RowField[Any], ...]:
    """Fields that stand among the facts only."""
    return tuple(RowField(name, group=group) for name in attributes)


def words_of(row: Any, fields: tuple[RowField[Any], ...], look: Look) -> str:
    """All words of a row, in lower case, for a search without a field."""
    values = (field.value(row, look) for field in fields if field.kind.parse is None)
    return " ".join(text.plain(str(value)) for value in values if value).lower()
