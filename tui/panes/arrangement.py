"""Chooses and orders the rows of a pane: scope, filter, problems only, sort."""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine.errors import nearest
from engine.model.request import full_name, is_under
from engine.observe.snapshot import column, lazy_rows
from engine.units import UnitError, parse_duration
from tui.panes.field import Criteria, RowField, Scope, words_of
from tui.panes.fragments import RenderContext
from tui.panes.table import Column
from tui.terminal.format import DOWN, UP

# The language of `/`: words that a row must have, and fields compared with values.
#
# `user:alice state:pend queue:root.a wait>5m` keeps rows that match every part. A bare word matches any field; `-` or
# `!` in front turns a part round; `a,b` after a field means either. Field names may be shortened while they are clear.

_PART = re.compile(r"^(?P<name>[a-z]+)(?P<sign><=|>=|[:=<>])(?P<value>.*)$", re.IGNORECASE)
_SPLIT = re.compile(r'(?:[^\s"]|"[^"]*"?)+')

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    ":": operator.eq,
}


class FilterError(ValueError):
    """A mistake in a filter, in words."""


Test = Callable[[Any, RenderContext], bool]


class Filter(NamedTuple):
    """A filter that was understood; equal texts are equal filters."""

    text: str
    tests: tuple[Test, ...] = ()
    looks_at_time: bool = False  # Whether a row may match later, or no more, without having changed

    def keeps(self, row: Any, look: RenderContext) -> bool:
        return all(test(row, look) for test in self.tests)


REASON: Final = "why"  # The field that names other applications, too; a bare number is not sought there
NOTHING = Filter("")  # Keeps every row


def parse(text: str, fields: Sequence[RowField[Any]]) -> Filter:
    """The filter a text means for rows with these fields; a `FilterError` where a part names no field or value."""
    tests: list[Test] = []
    looks_at_time = False
    for part in _SPLIT.findall(text):
        inverse = part[:1] in {"-", "!"} and len(part) > 1
        test, field = _test(part[1:] if inverse else part, tuple(fields))
        looks_at_time = looks_at_time or (field is not None and field.kind.parse is parse_duration)
        tests.append(_turned_round(test) if inverse else test)
    return Filter(" ".join(text.split()), tuple(tests), looks_at_time)


def _turned_round(test: Test) -> Test:
    return lambda row, look: not test(row, look)


def _test(part: str, fields: tuple[RowField[Any], ...]) -> tuple[Test, RowField[Any] | None]:
    found = _PART.match(part)
    if found is None:
        word = part.replace('"', "").lower()
        own = tuple(field for field in fields if field.name != REASON) if word.isdigit() else fields
        return (lambda row, look: word in words_of(row, own, look)), None
    field = _filter_field(found["name"].lower(), fields)
    sign, value = found["sign"], found["value"].replace('"', "")
    if not value:
        raise FilterError(f"{part}: nothing is given after {sign}")
    if field.kind.parse is not None:
        return _comparison(field, field.kind.parse, sign, value), field
    if sign not in {":", "="}:
        raise FilterError(f"{part}: {field.name} is text, write {field.name}:{value}")
    wanted = tuple(one.lower() for one in value.split(",") if one)
    return (lambda row, look: _has(field, str(field.value(row, look) or "").lower(), wanted)), field


def _has(field: RowField[Any], words: str, wanted: tuple[str, ...]) -> bool:
    if field.name == "queue":
        # A text without the root matches any part of the path.
        return any(is_under(words, one) if one == full_name(one) else one in words for one in wanted)
    return any(one in words for one in wanted)


def _comparison(field: RowField[Any], bound_of: Callable[[str], int], sign: str, value: str) -> Test:
    try:
        bound = bound_of(value)
    except UnitError as error:
        raise FilterError(f"{field.name}{sign}{value}: {error}") from None
    compare = _COMPARE[sign]

    def holds(row: Any, look: RenderContext) -> bool:
        actual = field.value(row, look)
        return isinstance(actual, int) and compare(actual, bound)

    return holds


def _filter_field(name: str, fields: tuple[RowField[Any], ...]) -> RowField[Any]:
    exact = [field for field in fields if field.name == name]
    begun = exact or [field for field in fields if field.name.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    names = [field.name for field in (begun or fields)]
    if begun:
        raise FilterError(f"{name}: could be {', '.join(names)}")
    advice = nearest(name, names) or f"there are {', '.join(names)}"
    raise FilterError(f"no field {name!r} here; {advice}")


_NUMBER: Final = re.compile(r"[0-9]+")

WINDOWS: Final = (600_000, 3_600_000, 21_600_000, None)  # Lengths of time that graphs show [ms]; None is all


class SortFilter(NamedTuple):
    filter: Filter = NOTHING
    scope: Scope | Filter | None = None  # What `enter` left of the rows, e.g. those of one queue; `esc` goes back.
    problems: bool = False
    sort: str = ""  # Name of a field; empty is the pane's own order
    reverse: bool = False
    window_ms: int | None = None  # The part of the time before now that graphs show; None is all of it

    @property
    def is_plain(self) -> bool:
        """True where no filter, no scope and not "only problems" hides rows."""
        return not (self.filter.text or self.scope or self.problems)

    def key(self, look: RenderContext) -> tuple[object, ...]:
        """The inputs besides the section on which the chosen rows depend; another key means to choose again."""
        second = look.now_ms // 1000 if self.filter.looks_at_time else 0
        return (self.filter.text, self.scope, self.problems, self.sort, self.reverse, self.window_ms, second)

    def words(self) -> str:
        """Tells how rows are chosen, save their scope; empty where every row is."""
        parts = [f"/{self.filter.text}"] if self.filter.text else []
        parts += ["only problems"] if self.problems else []
        return "  ".join(parts)

    def keeps(self, row: Any, criteria: Criteria, look: RenderContext) -> bool:
        if self.problems and not criteria.is_problem(row, look):
            return False
        return _is_in(row, self.scope, criteria, look) and self.filter.keeps(row, look)

    def order(self, rows: Sequence[Any], criteria: Criteria, look: RenderContext) -> list[int] | None:
        """The places of the rows to show, in order; None when that is all of them as they are."""
        field = _field(criteria, self)
        own = criteria.order
        if self.is_plain and field is None and own is None and not self.reverse:
            return None
        if field is None and own is not None:
            keys = list(map(own.key, *(column(rows, name) for name in own.reads)))
            return sorted(self._chosen(rows, criteria, look), key=keys.__getitem__, reverse=self.reverse)
        if field is not None:
            seen = list(lazy_rows(rows))
            some = [(place, seen[place]) for place in self._chosen(rows, criteria, look)]
            return _sorted(some, field, look, reverse=self.reverse)
        places = list(self._chosen(rows, criteria, look))
        return places[::-1] if self.reverse else places

    def _chosen(self, rows: Sequence[Any], criteria: Criteria, look: RenderContext) -> Iterable[int]:
        if self.is_plain:
            return range(len(rows))
        return (place for place, row in enumerate(lazy_rows(rows)) if self.keeps(row, criteria, look))


class SortedBy(NamedTuple):
    field: str = ""  # Its name; empty is the own order of the rows
    arrow: str = ""  # Which way; empty where not sorted


def sorted_by(criteria: Criteria, arrangement: SortFilter) -> SortedBy:
    field = _field(criteria, arrangement)
    if field is None:
        return SortedBy(arrow=UP if arrangement.reverse else "")
    is_downward = (field.kind.parse is not None) != arrangement.reverse
    return SortedBy(field.name, DOWN if is_downward else UP)


def sort_words(columns: Iterable[Column[Any]], criteria: Criteria, arrangement: SortFilter, look: RenderContext) -> str:
    """By which column rows are sorted and what comes first: `by WAITS, longest first`; empty where not sorted."""
    field = _field(criteria, arrangement)
    if field is None:
        return "own order, reversed" if arrangement.reverse else ""
    title = next((column.title for column in columns if column.sorts == field.name and column.title), "")
    return f"by {title or field.title(look)}, {field.kind.firsts[arrangement.reverse]}"


def _field(criteria: Criteria, arrangement: SortFilter) -> RowField[Any] | None:
    return next((one for one in criteria.fields if one.name == arrangement.sort), None)


def _is_in(row: Any, scope: Scope | Filter | None, criteria: Criteria, look: RenderContext) -> bool:
    if scope is None:
        return True
    if isinstance(scope, Filter):
        return scope.keeps(row, look)
    belongs = criteria.scopes.get(scope.kind)
    return belongs is not None and belongs(row, scope.id)


def _sorted(rows: Sequence[tuple[int, Any]], field: RowField[Any], look: RenderContext, *, reverse: bool) -> list[int]:
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
