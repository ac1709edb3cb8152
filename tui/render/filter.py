"""The language of `/`: words that a row must have, and fields compared with values.

`user:alice state:pend queue:root.a wait>5m` keeps rows that match every part. A bare word matches any field; `-` or
`!` in front turns a part round; `a,b` after a field means either. Field names may be shortened while they are clear.
"""

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.errors import nearest
from engine.model.queue import full_name, is_under
from engine.units import UnitError, parse_duration
from tui.render.field import RowField, words_of
from tui.render.line import Look

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


Test = Callable[[Any, Look], bool]


class Filter(NamedTuple):
    """A filter that was understood; equal texts are equal filters."""

    text: str
    tests: tuple[Test, ...] = ()
    looks_at_time: bool = False
    """Whether a row may match later, or no more, without having changed."""

    def keeps(self, row: Any, look: Look) -> bool:
        """True where a row matches every term of the filter."""
        return all(test(row, look) for test in self.tests)


NOTHING = Filter("")  # Keeps every row


def parse(text: str, fields: Sequence[RowField[Any]]) -> Filter:
    """The filter a text means for rows that have these fields.

    Raises:
        FilterError: A part has an unknown field, or a value its field cannot have.
    """
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
        return (lambda row, look: word in words_of(row, fields, look)), None
    field = _field(found["name"].lower(), fields)
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
    """A test of a number.

    Raises:
        FilterError: The value is not of the field's kind.
    """
    try:
        bound = bound_of(value)
    except UnitError as error:
        raise FilterError(f"{field.name}{sign}{value}: {error}") from None
    compare = _COMPARE[sign]

    def holds(row: Any, look: Look) -> bool:
        actual = field.value(row, look)
        return isinstance(actual, int) and compare(actual, bound)

    return holds


def _field(name: str, fields: tuple[RowField[Any], ...]) -> RowField[Any]:
    """The field of a name, or the only one that begins with it.

    Raises:
        FilterError: There is none, or there are several.
    """
    exact = [field for field in fields if field.name == name]
    begun = exact or [field for field in fields if field.name.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    names = [field.name for field in (begun or fields)]
    if begun:
        raise FilterError(f"{name}: could be {', '.join(names)}")
    advice = nearest(name, names) or f"there are {', '.join(names)}"
    raise FilterError(f"no field {name!r} here; {advice}")
