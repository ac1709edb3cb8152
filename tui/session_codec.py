"""Writes what a session is asked and answers as bytes, and reads it again, so that it may be in another process.

Most of it are plain values. Three kinds of answers are made when they are looked at: a snapshot, its rows and the
history of graphs. They are written whole and come back as the same rows. A field that a source cannot tell is left out.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from engine.observe.fixed_snapshot import plain_snapshot, snapshot_of_plain
from engine.observe.history import History
from engine.observe.step_series import Steps

Value = TypeVar("Value")


class _Series(msgspec.Struct, frozen=True):
    """The contents of `Steps`."""

    times: list[int]
    values: list[Any]


class _History(msgspec.Struct, frozen=True):
    """The contents of a `History`."""

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
    """Return what stands for a value that is made when it is looked at."""
    if isinstance(value, Sequence):
        return list(value)
    if isinstance(value, History):
        queues = {path: _Series(steps.times, steps.values) for path, steps in value.queues.items()}
        return _History(value.names, _Series(value.cluster.times, value.cluster.values), queues)
    return plain_snapshot(value)


def _made(kind: type[Any], data: Any) -> Any:
    """The value that some data stands for."""
    if kind is History:
        return _history(msgspec.convert(data, _History))
    return snapshot_of_plain(data)


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
