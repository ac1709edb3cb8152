"""Tables of comma-separated values: columns by the names of the first line, else in the order they were published.

Names are compared without capitals, blanks and signs: `job ID`, `job_id` and `JobID` are one.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.formats.traces.application import whole
from engine.formats.traces.source import TraceSource

_SIGNS: Final = re.compile(r"[^a-z0-9]")

Row = Mapping[str, str]


class Columns(NamedTuple):
    """The columns of a table."""

    order: tuple[str, ...] = ()
    """Their names where no line gives them; none: the first line always does."""
    also: Mapping[str, str] = {}
    """Other names they are given."""


def rows(source: TraceSource, columns: Columns) -> Iterator[tuple[int, Row]]:
    """(line, row) of a table; the line of names is none."""
    names: Sequence[str] = columns.order
    is_first = True
    for number, line in source.lines():
        try:
            cells = next(csv.reader([line]), []) if '"' in line else line.split(",")
        except csv.Error:
            source.fault("this is no row of comma-separated values", number)
            continue
        if is_first:
            is_first = False
            named = [_SIGNS.sub("", cell.lower()) for cell in cells]
            found = [columns.also.get(name, name) for name in named]
            if not columns.order or len(set(found) & set(columns.order)) > len(found) // 2:
                names = found
                continue
        yield number, dict(zip(names, map(str.strip, cells), strict=False))


def fraction(text: str | None, most: float) -> float | None:
    """A part of a machine, above 0 and at most so large; None where it is none.

    >>> fraction("0.5", 1), fraction("", 1), fraction("7", 1)
    (0.5, None, None)
    """
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 < number <= most else None


def seconds_ms(text: str | None) -> int | None:
    """An instant in whole seconds [ms]; None where it is none."""
    found = whole(text, 0, 2**40)
    return None if found is None else found * 1000
