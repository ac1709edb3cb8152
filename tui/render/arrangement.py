"""Chooses and orders the rows of a pane: scope, filter, problems only, sort."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine.observe.section import column, glimpses
from tui.glyphs import DOWN, UP
from tui.render.field import Criteria, RowField
from tui.render.filter import NOTHING, Filter
from tui.render.line import Look
from tui.render.scope import Scope
from tui.render.table import Column

_NUMBER: Final = re.compile(r"[0-9]+")

WINDOWS: Final = (600_000, 3_600_000, 21_600_000, None)
"""Lengths of the time that graphs show [ms]; None is all there is."""


class Arrangement(NamedTuple):
    """The user's choice of a pane's rows and of their order."""

    filter: Filter = NOTHING
    scope: Scope | Filter | None = None
    """What `enter` left of the rows, e.g. those of one queue; `esc` goes back."""
    problems: bool = False
    sort: str = ""
    """Name of a field; empty is the pane's own order."""
    reverse: bool = False
    window_ms: int | None = None
    """The part of the time before now that graphs show; None is all of it."""

    @property
    def is_plain(self) -> bool:
        """True where no filter, no scope and not "only problems" hides rows."""
        return not (self.filter.text or self.scope or self.problems)

    def key(self, look: Look) -> tuple[object, ...]:
        """The inputs besides the section on which the chosen rows depend; another key means to choose again."""
        second = look.now_ms // 1000 if self.filter.looks_at_time else 0
        return (self.filter.text, self.scope, self.problems, self.sort, self.reverse, self.window_ms, second)

    def words(self) -> str:
        """Tells how rows are chosen, save their scope; empty where every row is."""
        parts = [f"/{self.filter.text}"] if self.filter.text else []
        parts += ["only problems"] if self.problems else []
        return "  ".join(parts)

    def keeps(self, row: Any, criteria: Criteria, look: Look) -> bool:
        """True where a row passes the filter and the scope."""
        if self.problems and not criteria.is_problem(row, look):
            return False
        return _is_in(row, self.scope, criteria, look) and self.filter.keeps(row, look)

    def order(self, rows: Sequence[Any], criteria: Criteria, look: Look) -> list[int] | None:
        """The places of the rows to show, in order; None when that is all of them as they are."""
        field = _field(criteria, self)
        own = criteria.order
        if self.is_plain and field is None and own is None and not self.reverse:
            return None
        if field is None and own is not None:
            keys = list(map(own.key, *(column(rows, name) for name in own.reads)))
            return sorted(self._chosen(rows, criteria, look), key=keys.__getitem__, reverse=self.reverse)
        if field is not None:
            seen = list(glimpses(rows))
            some = [(place, seen[place]) for place in self._chosen(rows, criteria, look)]
            return _sorted(some, field, look, reverse=self.reverse)
        places = list(self._chosen(rows, criteria, look))
        return places[::-1] if self.reverse else places

    def _chosen(self, rows: Sequence[Any], criteria: Criteria, look: Look) -> Iterable[int]:
        """The places of the rows to show, as they come."""
        if self.is_plain:
            return range(len(rows))
        return (place for place, row in enumerate(glimpses(rows)) if self.keeps(row, criteria, look))


class SortedBy(NamedTuple):
    """The field rows are sorted by."""

    field: str = ""
    """Its name; empty is the own order of the rows."""
    arrow: str = ""
    """Which way; empty where nobody sorts."""


def sorted_by(criteria: Criteria, arrangement: Arrangement) -> SortedBy:
    """Return what rows are sorted by, and which way."""
    field = _field(criteria, arrangement)
    if field is None:
        return SortedBy(arrow=UP if arrangement.reverse else "")
    is_downward = (field.kind.parse is not None) != arrangement.reverse
    return SortedBy(field.name, DOWN if is_downward else UP)


def sort_words(columns: Iterable[Column[Any]], criteria: Criteria, arrangement: Arrangement) -> str:
    """Tells by which column rows are sorted and what comes first: `by WAITS, longest first`; empty where nobody sorts.

    A field that has none of the `columns` is called as in the sort menu.
    """
    field = _field(criteria, arrangement)
    if field is None:
        return "own order, reversed" if arrangement.reverse else ""
    title = next((column.title for column in columns if column.sorts == field.name and column.title), "")
    return f"by {title or field.help or field.name}, {field.kind.firsts[arrangement.reverse]}"


def _field(criteria: Criteria, arrangement: Arrangement) -> RowField[Any] | None:
    return next((one for one in criteria.fields if one.name == arrangement.sort), None)


def _is_in(row: Any, scope: Scope | Filter | None, criteria: Criteria, look: Look) -> bool:
    if scope is None:
        return True
    if isinstance(scope, Filter):
        return scope.keeps(row, look)
    belongs = criteria.scopes.get(scope.kind)
    return belongs is not None and belongs(row, scope.id)


def _sorted(rows: Sequence[tuple[int, Any]], field: RowField[Any], look: Look, *, reverse: bool) -> list[int]:
    """By a field: words from A on, numbers from the largest on; rows without a value come last either way."""
    valued = [(field.value(row, look), place) for place, row in rows]
    downward = (field.kind.parse is not None) != reverse
    having = [(value, place) for value, place in valued if value is not None and value != ""]
    missing = [place for value, place in valued if value is None or value == ""]
    if field.kind.parse is None:
        having.sort(key=lambda pair: natural(str(pair[0])), reverse=downward)
    else:
        having.sort(key=lambda pair: pair[0], reverse=downward)
    return [place for _, place in having] + missing


@lru_cache(maxsize=32_768)
def natural(words: str) -> str:
    """A key that orders words as people do: numbers in them by value.

    >>> sorted(["n100", "n84", "n9b", "m"], key=natural)
    ['m', 'n9b', 'n84', 'n100']
    """
    return _NUMBER.sub(lambda found: found[0].zfill(20), words)
