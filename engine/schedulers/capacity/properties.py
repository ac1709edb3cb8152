"""Hadoop properties read as the real `Configuration` reads them, with every refusal collected.

A value that cannot be read is noted with its key and the name of the exception the real scheduler stops with, and the
reading goes on with the default, so that one look finds all mistakes.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from engine.errors import ConfigError, Problem
from engine.model.java_values import parse_double, parse_float, parse_int, parse_long, setting_boolean, trim
from engine.state import Shared, State

_Value = TypeVar("_Value")

PREFIX: Final = "yarn.scheduler.capacity."
NUMBER_FORMAT: Final = "NumberFormatException"
ILLEGAL_ARGUMENT: Final = "IllegalArgumentException"
ILLEGAL_STATE: Final = "IllegalStateException"
INPUT_OUTPUT: Final = "IOException"
RUNTIME: Final = "YarnRuntimeException"
CLASS_NOT_FOUND: Final = "ClassNotFoundException"
OUT_OF_BOUNDS: Final = "StringIndexOutOfBoundsException"


class Refusals(metaclass=State):
    """What a configuration is refused for, in the order the real scheduler would meet it."""

    problems: list[Problem] = []
    kinds: list[str] = []

    def add(self, kind: str, message: str, key: str = "", hint: str = "") -> None:
        """Note one, unless it is noted already; `kind` is the exception's simple class name."""
        problem = Problem(message, key=key, hint=hint)
        if problem not in self.problems:
            self.problems.append(problem)
            self.kinds.append(kind)

    def add_all(self, later: "Refusals") -> None:
        """Note what something else was refused for."""
        self.problems += later.problems
        self.kinds += later.kinds

    def check(self) -> None:
        """Return if nothing was refused.

        Raises:
            ConfigError: Something was.
        """
        if self.problems:
            raise ConfigError(self.problems, self.kinds[0])


class Properties(metaclass=State):
    """Keys and their texts; `refusals` collects what cannot be read."""

    values: dict[str, str]
    given: Shared[dict[str, str]]
    """The properties as they came; `values` may get more, as from templates."""
    refusals: Refusals

    def __init__(self, values: Mapping[str, str], refusals: Refusals) -> None:
        self.values = dict(values)
        self.given = dict(values)
        self.refusals = refusals

    def text(self, key: str) -> str | None:
        """The text as it stands; None when the key is not set."""
        return self.values.get(key)

    def integer(self, key: str, default: int) -> int:
        """An int32, decimal or hexadecimal. Source: #getInt."""
        return self._read(key, default, lambda text: _whole(text, parse_int), "a whole number")

    def long(self, key: str, default: int) -> int:
        """An int64, decimal or hexadecimal. Source: #getLong."""
        return self._read(key, default, lambda text: _whole(text, parse_long), "a whole number")

    def single(self, key: str, default: float) -> float:
        """A float32. Source: #getFloat."""
        return self._read(key, default, parse_float, "a number")

    def double(self, key: str, default: float) -> float:
        """A float64. Source: #getDouble."""
        return self._read(key, default, parse_double, "a number")

    def flag(self, key: str, default: bool) -> bool:
        """A boolean; anything but true and false is the default. Source: #getBoolean."""
        return setting_boolean(self.values.get(key), default)

    def names(self, key: str) -> list[str] | None:
        """Names between commas, without blanks around them; None when there is none. Source: #getStrings."""
        text = self.values.get(key)
        names = [trim(name) for name in text.split(",") if name] if text is not None else []
        return names or None

    def starting_with(self, prefix: str) -> dict[str, str]:
        """The given properties below a prefix that ends with a dot, by the rest of their keys."""
        return {key[len(prefix) :]: text for key, text in self.given.items() if key.startswith(prefix)}

    def _read(self, key: str, default: _Value, parse: Callable[[str], _Value], wanted: str) -> _Value:
        text = self.values.get(key)
        if text is None:
            return default
        try:
            return parse(trim(text))
        except ValueError:
            self.refusals.add(NUMBER_FORMAT, f"{text!r} is not {wanted}", key)
            return default


def _whole(text: str, parse: Callable[[str], int]) -> int:
    """A whole number; hexadecimal digits are handed to Java's parser as the decimal they mean."""
    negative, digits = text.startswith("-"), text.removeprefix("-")
    if digits[:2].lower() != "0x":
        return parse(text)
    return parse(f"{'-' if negative else ''}{int(digits, 16)}")
