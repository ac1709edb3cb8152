"""Parsers of Hadoop settings: how `Configuration#getInt` and its kin read a text.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2 and 3.4.1.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Final, Generic, NamedTuple, TypeVar

from engine.model.java_values import parse_double, parse_float, parse_int, parse_long, setting_boolean, trim

_Value = TypeVar("_Value")

_HEXADECIMAL: Final = re.compile(r"-?0[xX]0*[0-9a-fA-F]{1,16}")
"""As many digits as the largest int64 has."""


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
    return parse(str(int(text, 16)) if _HEXADECIMAL.fullmatch(text) else text)


def kind_of(words: str, read: Callable[[str], _Value]) -> ValueKind[_Value]:
    """The type of a text that means the same whatever the default."""
    return ValueKind(words, partial(_alone, read))


def _alone(read: Callable[[str], _Value], text: str, _: _Value) -> _Value:
    return read(text)


# Functions with names, for tables of settings are packed with a simulation.


def _integer(text: str) -> int:
    return parse_whole(trim(text), parse_int)


def _long(text: str) -> int:
    return parse_whole(trim(text), parse_long)


def _single(text: str) -> float:
    return parse_float(trim(text))


def _double(text: str) -> float:
    return parse_double(trim(text))


INTEGER: Final[ValueKind[int]] = kind_of("a whole number", _integer)
"""An int32. Source: #getInt."""

LONG: Final[ValueKind[int]] = kind_of("a whole number", _long)
"""An int64. Source: #getLong."""

SINGLE: Final[ValueKind[float]] = kind_of("a number", _single)
"""A float32. Source: #getFloat."""

DOUBLE: Final[ValueKind[float]] = kind_of("a number", _double)
"""A float64. Source: #getDouble."""

FLAG: Final[ValueKind[bool]] = ValueKind("true or false", setting_boolean)
"""A boolean; any text but true and false means the default. Source: #getBoolean."""

TEXT: Final[ValueKind[str]] = kind_of("a text", str)
"""A text, or a form of which the reader of the setting has the parser. Source: #get."""
