"""Reads answers of servers, which are JSON, as values of a type."""

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeVar

import msgspec

from engine.errors import EngineError

Kind = TypeVar("Kind")

Whole = Annotated[int, msgspec.Meta(ge=-(2**45), le=2**45)]
"""A count, or an amount that somebody has."""
Large = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""An amount that may be Java's largest, which stands for no limit."""
Instant = Annotated[int, msgspec.Meta(ge=-1, le=32_503_680_000_000)]
"""Epoch ms, up to the year 3000; -1 and 0 stand for never."""
Percent = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]

MOST_VALUES: Final = 2_500_000
"""Values an answer may have; 10,000 nodes of 3.4 have a million. The shortest cost 15 times their length."""
MOST_OBJECTS: Final = 500_000
"""The same of answers whose every value is kept, as of queues; 10,000 queues have 280,000."""
LONGEST_TEXT: Final = 512 * 1024
"""Bytes of an answer without a quotation mark; a text of any length would become four times as long."""

PIECE: Final = 256 * 1024
"""Bytes of an answer that are counted at once; others work in between."""

QUOTED: Final = 80
"""How much of an answer that is not understood is quoted [characters]."""


class AnswerError(EngineError):
    """An answer is not what such a server answers."""


def read(body: bytes, kind: type[Kind], most: int | None = None) -> Kind:
    """An answer as a value of this type. `most` is the number of values it may have, where that is fewer than usual.

    Raises:
        AnswerError: It is not JSON, not of this form, or would take too much memory.
    """
    _check(body, most or MOST_VALUES)
    try:
        return msgspec.json.decode(body, type=kind, strict=False)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise AnswerError(f"{_what(body)} ({error})") from error


def read_each(body: msgspec.Raw, kind: type[Kind]) -> Sequence[Kind]:
    """The items of a collection in any of its forms, of an answer that is checked; others may work in between.

    Raises:
        AnswerError: An item is not of this form.
    """
    decoder = msgspec.json.Decoder(kind, strict=False)
    try:
        first = bytes(memoryview(body)[:1])
        parts = msgspec.json.decode(body, type=list[msgspec.Raw]) if first == b"[" else [] if first == b"n" else [body]
        return tuple([decoder.decode(part) for part in parts])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise AnswerError(f"{_what(bytes(memoryview(body)[:QUOTED]))} ({error})") from error


def read_objects(body: bytes, kind: type[Kind], make: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> Kind:
    """An answer as a value of this type, where a name may stand several times in an object.

    `make` makes one object of its names and values, which stand as in the answer.

    Raises:
        AnswerError: It is not JSON, not of this form, or would take too much memory.
    """
    _check(body, MOST_OBJECTS)
    try:
        return msgspec.convert(json.loads(body, object_pairs_hook=make), type=kind, strict=False)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise AnswerError(f"{_what(body)} ({error})") from error


def many(value: Sequence[Kind] | Kind | None) -> Sequence[Kind]:
    """The items of a collection in any of its forms."""
    if value is None:
        return ()
    return value if isinstance(value, tuple | list) else (value,)


def _check(body: bytes, most: int) -> None:
    """Refuse what is small and becomes large.

    Raises:
        AnswerError: It has too many values, or texts that are too long.
    """
    marks = (b",", b"[", b"{")
    pieces = range(0, len(body), PIECE) if len(body) > most else ()
    if sum(body.count(mark, at, at + PIECE) for at in pieces for mark in marks) > most:
        raise AnswerError(f"more than {most:,} values")
    if any(body.find(b'"', at, at + LONGEST_TEXT) < 0 for at in range(0, len(body) - LONGEST_TEXT, LONGEST_TEXT)):
        raise AnswerError("a text of more than half a megabyte")


def _what(body: bytes) -> str:
    """Return what an answer is that is not understood."""
    start = body[:QUOTED].decode(errors="replace").strip()
    if not start:
        return "an empty answer"
    if start.startswith("<?xml"):
        return "XML instead of JSON"
    if start.startswith("<"):
        return "an HTML page instead of JSON, as of a login"
    return f"something else than was asked for: {start!r}"
