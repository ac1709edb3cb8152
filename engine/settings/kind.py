"""Parsers of Hadoop settings: how `Configuration#getInt` and its kin read a text.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

from engine.model.java_values import parse_double, parse_float, parse_int, parse_long, setting_boolean, trim

_Value = TypeVar("_Value")

_LONGEST_HEX: Final = 16
"""Hexadecimal digits of the largest int64."""


class ValueKind(NamedTuple, Generic[_Value]):
    """The type of a setting's value."""

    words: str
    """The type as an error message names it."""
    read: Callable[[str, _Value], _Value]
    """(text, default) → value; raises ValueError for a text that Hadoop refuses."""


def parse_whole(text: str, parse: Callable[[str], int]) -> int:
    """A whole number, decimal or hexadecimal; hexadecimal digits go to Java's parser as the decimal they mean.

    Raises:
        ValueError: It is none, or too large.
    """
    negative, digits = text.startswith("-"), text.removeprefix("-")
    if digits[:2].lower() != "0x" or len(digits[2:].lstrip("0")) > _LONGEST_HEX:
        return parse(text)
    return parse(f"{'-' if negative else ''}{int(digits, 16)}")


INTEGER: Final[ValueKind[int]] = ValueKind("a whole number", lambda text, _: parse_whole(trim(text), parse_int))
"""An int32. Source: #getInt."""

LONG: Final[ValueKind[int]] = ValueKind("a whole number", lambda text, _: parse_whole(trim(text), parse_long))
"""An int64. Source: #getLong."""

SINGLE: Final[ValueKind[float]] = ValueKind("a number", lambda text, _: parse_float(trim(text)))
"""A float32. Source: #getFloat."""

DOUBLE: Final[ValueKind[float]] = ValueKind("a number", lambda text, _: parse_double(trim(text)))
"""A float64. Source: #getDouble."""

FLAG: Final[ValueKind[bool]] = ValueKind("true or false", setting_boolean)
"""A boolean; any text but true and false means the default. Source: #getBoolean."""

TEXT: Final[ValueKind[str]] = ValueKind("a text", lambda text, _: text)
"""A text, or a form of which the reader of the setting has the parser. Source: #get."""
