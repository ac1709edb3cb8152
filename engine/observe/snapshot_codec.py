"""Writes rows and snapshots as plain values, and makes them again; a field that its source cannot tell is left out."""

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.mr1_snapshot import JobRow, TrackerRow
from engine.observe.snapshot import SECTIONS, UNKNOWN, Header, Snapshot, Unknown
from engine.observe.snapshot_document import section_rows
from engine.observe.spark_snapshot import StandaloneRow
from engine.schedulers.capacity.queue_row import CapacityQueueRow

_KINDS: Final[tuple[type[msgspec.Struct], ...]] = (CapacityQueueRow, JobRow, StandaloneRow, TrackerRow)
"""Rows of some kinds of clusters, which tell more than those of their section do."""

ROW_TYPES: Final[Mapping[str, type[msgspec.Struct]]] = {row.__name__: row for row in (*SECTIONS.values(), *_KINDS)}
"""Name of each type of rows → the type."""


def plain_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot with all its rows as plain values."""
    return {
        "dialect": snapshot.dialect,
        "header": plain_row(snapshot.header),
        "sections": {name: row.__name__ for name, row in snapshot.sections.items()},
        "versions": {name: snapshot.version(name) for name in snapshot.sections},
        "rows": {name: [plain_row(row) for row in section_rows(snapshot, name)] for name in snapshot.sections},
    }


def snapshot_of_plain(written: Mapping[str, Any]) -> FixedSnapshot:
    """The snapshot that plain values stand for.

    Raises:
        msgspec.ValidationError: A value is of another type.
        KeyError: One is missing.
    """
    sections = {name: ROW_TYPES[row] for name, row in written["sections"].items()}
    rows = {name: [row_of_plain(sections[name], fields) for fields in rows] for name, rows in written["rows"].items()}
    header = row_of_plain(Header, written["header"])
    return FixedSnapshot(written["dialect"], header, sections, rows, written["versions"])


def plain_row(row: msgspec.Struct) -> dict[str, Any]:
    """A row by field, without what its source cannot tell."""
    return {name: value for name in row.__struct_fields__ if (value := getattr(row, name)) is not UNKNOWN}


def row_of_plain(kind: Any, fields: Mapping[str, Any]) -> Any:
    """The row of a type that has these fields; the others are `UNKNOWN`.

    Raises:
        msgspec.ValidationError: A value is of another type.
    """
    known = known_types(kind)
    return kind(**{name: msgspec.convert(fields[name], known[name]) if name in fields else UNKNOWN for name in known})


@cache
def known_types(kind: Any) -> dict[str, Any]:
    """Field of a type of rows → its type where the source can tell it."""
    return {name: _without_unknown(hint) for name, hint in get_type_hints(kind).items()}


def _without_unknown(hint: Any) -> Any:
    if get_origin(hint) not in {Union, UnionType}:
        return hint
    return Union[tuple(each for each in get_args(hint) if each is not Unknown)]  # noqa: UP007 -- made of a list
