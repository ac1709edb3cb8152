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

QUOTED: Final = 80
"""How much of an answer that is not understood is quoted [characters]."""


class AnswerError(EngineError):
    """An answer is not what such a server answers."""


def read(body: bytes, kind: type[Kind]) -> Kind:
    """An answer as a value of this type.

    Raises:
        AnswerError: It is not JSON, or not of this form.
    """
    try:
        return msgspec.json.decode(body, type=kind, strict=False)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise AnswerError(f"{_what(body)} ({error})") from error


def read_objects(body: bytes, kind: type[Kind], make: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> Kind:
    """An answer as a value of this type, where a name may stand several times in an object.

    Args:
        make: Makes one object of its names and values, which stand as in the answer.

    Raises:
        AnswerError: It is not JSON, or not of this form.
    """
    try:
        return msgspec.convert(json.loads(body, object_pairs_hook=make), type=kind, strict=False)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise AnswerError(f"{_what(body)} ({error})") from error


def many(value: Sequence[Kind] | Kind | None) -> Sequence[Kind]:
    """The items of a collection in any of its forms."""
    if value is None:
        return ()
    return value if isinstance(value, tuple | list) else (value,)


def _what(body: bytes) -> str:
    """What an answer is that is not understood."""
    start = body[:QUOTED].decode(errors="replace").strip()
    if not start:
        return "an empty answer"
    if start.startswith("<?xml"):
        return "XML instead of JSON"
    if start.startswith("<"):
        return "an HTML page instead of JSON, as of a login"
    return f"something else than was asked for: {start!r}"
