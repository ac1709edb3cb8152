"""Writes what a session is asked and answers as bytes, and reads it again, so that it may be in another process.

Most of it are plain values. Three kinds of answers are made when they are looked at: a snapshot, its rows and the
history of graphs. They are written whole and come back as the same rows. A field that a source cannot tell is left out.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.history import History
from engine.observe.mr1_view import JobRow, TrackerRow
from engine.observe.snapshot import SECTIONS, UNKNOWN, Header, Unknown
from engine.observe.snapshot_document import section_rows
from engine.observe.spark_view import StandaloneRow
from engine.observe.step_series import Steps
from engine.schedulers.capacity.queue_row import CapacityQueueRow

Value = TypeVar("Value")

_KINDS: Final[tuple[type[msgspec.Struct], ...]] = (CapacityQueueRow, JobRow, StandaloneRow, TrackerRow)
"""Rows of some kinds of clusters, which tell more than those of their section do."""

_ROWS: Final[Mapping[str, type[msgspec.Struct]]] = {row.__name__: row for row in (*SECTIONS.values(), *_KINDS)}
"""Name of each type of rows → the type."""


class _Series(msgspec.Struct, frozen=True):
    """What `Steps` hold."""

    times: list[int]
    values: list[Any]


class _History(msgspec.Struct, frozen=True):
    """What a `History` tells."""

    names: tuple[str, ...]
    cluster: _Series
    queues: dict[str, _Series]


def encode(value: object) -> bytes:
    """Write an argument or an answer of a session."""
    return msgspec.msgpack.encode(value, enc_hook=_plain)


def decode(data: bytes, kind: type[Value]) -> Value:
    """Read a value of this type.

    Raises:
        msgspec.MsgspecError: It is none.
    """
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_made)


def _plain(value: Any) -> Any:
    """What stands for a value that is made when it is looked at."""
    if isinstance(value, Sequence):
        return list(value)
    if isinstance(value, History):
        queues = {path: _Series(steps.times, steps.values) for path, steps in value.queues.items()}
        return _History(value.names, _Series(value.cluster.times, value.cluster.values), queues)
    return {
        "dialect": value.dialect,
        "header": _fields(value.header),
        "sections": {name: row.__name__ for name, row in value.sections.items()},
        "versions": {name: value.version(name) for name in value.sections},
        "rows": {name: [_fields(row) for row in section_rows(value, name)] for name in value.sections},
    }


def _made(kind: type[Any], data: Any) -> Any:
    """The value that some data stands for."""
    if kind is History:
        return _history(msgspec.convert(data, _History))
    return _snapshot(data)


def _snapshot(written: Mapping[str, Any]) -> FixedSnapshot:
    sections = {name: _ROWS[row] for name, row in written["sections"].items()}
    rows = {name: [_row(sections[name], fields) for fields in rows] for name, rows in written["rows"].items()}
    return FixedSnapshot(written["dialect"], _row(Header, written["header"]), sections, rows, written["versions"])


def _history(written: _History) -> History:
    history = History()
    history.names = written.names
    history.cluster = _steps(_Series(written.cluster.times, [tuple(each) for each in written.cluster.values]))
    history.queues = {path: _steps(series) for path, series in written.queues.items()}
    return history


def _steps(series: _Series) -> Steps[Any]:
    steps: Steps[Any] = Steps()
    steps.times, steps.values, steps.count = series.times, series.values, len(series.times)
    return steps


def _fields(row: msgspec.Struct) -> dict[str, Any]:
    """A row by field, without what its source cannot tell."""
    return {name: value for name in row.__struct_fields__ if (value := getattr(row, name)) is not UNKNOWN}


def _row(kind: Any, fields: Mapping[str, Any]) -> Any:
    known = _known(kind)
    return kind(**{name: msgspec.convert(fields[name], known[name]) if name in fields else UNKNOWN for name in known})


@cache
def _known(kind: Any) -> dict[str, Any]:
    """Field → its type where its source can tell it."""
    return {name: _without_unknown(hint) for name, hint in get_type_hints(kind).items()}


def _without_unknown(hint: Any) -> Any:
    if get_origin(hint) not in {Union, UnionType}:
        return hint
    return Union[tuple(each for each in get_args(hint) if each is not Unknown)]  # noqa: UP007 -- made of a list
