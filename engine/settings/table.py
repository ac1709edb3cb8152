"""Tables of settings, one for each scheduler and release.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2 and 3.4.1.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

import msgspec

from engine.model.java_values import parse_double, parse_float, parse_int, parse_long, setting_boolean, trim

# Parsers of Hadoop settings: how `Configuration#getInt` and its kin read a text.

_Value = TypeVar("_Value")

_HEXADECIMAL: Final = re.compile(r"-?0[xX]0*[0-9a-fA-F]{1,16}")  # As many digits as the largest int64 has


class ValueKind(NamedTuple, Generic[_Value]):
    words: str  # The type as an error message names it
    read: Callable[[str, _Value], _Value]  # (text, default) → value; raises ValueError for a text that Hadoop refuses


def parse_whole(text: str, parse: Callable[[str], int]) -> int:
    """A whole number; hexadecimal digits go to Java's parser as the decimal they mean. Raises ValueError."""
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


INTEGER: Final[ValueKind[int]] = kind_of("a whole number", _integer)  # An int32. Source: #getInt.
LONG: Final[ValueKind[int]] = kind_of("a whole number", _long)  # An int64. Source: #getLong.
SINGLE: Final[ValueKind[float]] = kind_of("a number", _single)  # A float32. Source: #getFloat.
DOUBLE: Final[ValueKind[float]] = kind_of("a number", _double)  # A float64. Source: #getDouble.

FLAG: Final[ValueKind[bool]] = ValueKind("true or false", setting_boolean)
"""A boolean; any text but true and false means the default. Source: #getBoolean."""

TEXT: Final[ValueKind[str]] = kind_of("a text", str)
"""A text, or a form of which the reader of the setting has the parser. Source: #get."""

LABELS: Final = "accessible-node-labels"  # Precedes the name of a node label in a queue's key


class Key(NamedTuple, Generic[_Value]):
    """The name of a setting, with the type of its value.

    >>> factor = Key[float]("user-limit-factor", "yarn.scheduler.capacity.")
    >>> factor.everywhere, factor.of("root.a")
    ('yarn.scheduler.capacity.user-limit-factor', 'yarn.scheduler.capacity.root.a.user-limit-factor')
    """

    name: str  # The last part of the keys of queues; the whole key of a setting that no queue has
    prefix: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def everywhere(self) -> str:
        return f"{self.prefix}{self.name}"

    def of(self, path: str, label: str = "") -> str:
        """The key of a queue's value, in the partition of a node label or in the default one."""
        return f"{self.prefix}{path}.{LABELS}.{label}.{self.name}" if label else f"{self.prefix}{path}.{self.name}"


class SettingHelp(NamedTuple):
    example: str
    about: str  # A few words


class SettingEntry(msgspec.Struct, frozen=True):
    key: Key[Any]
    default: str  # The text of the value that holds where nothing states one
    meaning: str  # A sentence
    unit: str = ""  # E.g. `%`, `MB`, `ms`; empty for a number without one and for other values.
    kind: ValueKind[Any] = TEXT
    bounds: str = ""  # The values that are accepted, where there are bounds
    fallback: Literal["", "parent", "ancestors"] = ""
    """`parent`: the parent's value holds where a queue has none; `ancestors`: a right given in a queue above holds in
    this one."""
    wider: Key[Any] | None = None  # The setting of all queues that holds where none of a queue does
    shown: str | None = None  # The default in words, where the text is not what holds
    of_root: str = ""  # The value that root has whatever is written
    unset: str | None = None  # A text that counts as no value
    of_leaf: bool = False  # Whether only leaf queues have it
    listed: bool = True  # Whether `schedlab get` lists it where nothing states it
    help: SettingHelp | None = None  # Given for a setting that changes while the scheduler runs
    source: str = ""  # The class and method that read it

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest number of bounds such as `1 to 100`, `at least 1` and `at most 100`."""
        least, _, most = self.bounds.removeprefix("at least ").replace("at most ", " to ").partition(" to ")
        return float(least or "-inf"), float(most or "inf")

    @property
    def effective_default(self) -> str:
        return self.default if self.shown is None else self.shown


class SettingTable:
    __slots__ = ("_defaults", "families", "live", "name", "queue", "whole")

    def __init__(
        self,
        name: str,
        whole: Iterable[SettingEntry],
        queue: Iterable[SettingEntry] = (),
        *,
        live: Iterable[Key[Any]] = (),
        families: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.whole: Final[Mapping[str, SettingEntry]] = {entry.key.everywhere: entry for entry in whole}
        """Settings of the whole scheduler by their keys, in the order in which they are listed."""
        self.queue: Final[Mapping[str, SettingEntry]] = {entry.key.name: entry for entry in queue}
        """Settings of a queue by their names, in the same order."""
        self.live: Final = tuple(key.name for key in live)
        """Names of the settings of a queue that change while the scheduler runs, the most used first."""
        self.families: Final = families
        """Beginnings of names of settings of queues whose rest names a label, a user or another setting."""
        self._defaults: dict[tuple[str, bool], Any] = {}

    def default(self, key: Key[_Value]) -> _Value:
        value: _Value = self._default(self.whole[key.everywhere], False)
        return value

    def value(self, values: Mapping[str, str], key: Key[_Value]) -> _Value:
        """A setting of the whole scheduler among all texts, by default its default. Raises ValueError."""
        entry, text = self.whole[key.everywhere], values.get(key.everywhere)
        value: _Value = self.default(key) if text is None else entry.kind.read(text, self.default(key))
        return value

    def queue_default(self, key: Key[_Value]) -> _Value:
        value: _Value = self._default(self.queue[key.name], True)
        return value

    def _default(self, entry: SettingEntry, of_queue: bool) -> Any:
        where = (entry.key.name, of_queue)
        if where not in self._defaults:
            self._defaults[where] = entry.kind.read(entry.default, False)
        return self._defaults[where]

    def reads(self, name: str) -> bool:
        return name in self.queue or name.startswith(self.families)

    def listed(self) -> dict[str, str]:
        """The settings of yarn-site.xml that `schedlab get` lists, each with its default."""
        return {key: each.default for key, each in self.whole.items() if each.listed and not each.key.prefix}

    def helps(self) -> dict[str, SettingHelp]:
        found = {name: self.queue[name].help for name in self.live}
        return {name: words for name, words in found.items() if words is not None}


_KINDS: Final[Mapping[str, ValueKind[Any]]] = {
    "text": TEXT,
    "flag": FLAG,
    "integer": INTEGER,
    "long": LONG,
    "single": SINGLE,
    "double": DOUBLE,
}


def table_rows(table: str, short: Mapping[str, str] | None = None) -> Iterator[tuple[list[str], str]]:
    """The cells of each row, between `|`, and the sentence in the lines under it, which begin further in.

    A row goes on in lines that begin with `    |`. `short` are texts that the table writes as `$a`.
    """
    for sign, text in (short or {}).items():
        table = table.replace(sign, text)
    lines = table.strip("\n").split("\n")
    while lines:
        row = lines.pop(0)
        while lines and lines[0].startswith("    |"):
            row += lines.pop(0)
        sentence = []
        while lines and lines[0].startswith("    "):
            sentence.append(lines.pop(0).strip())
        yield [cell.strip() for cell in row.split("|")], " ".join(sentence)


def rows(
    table: str, prefix: str = "", short: Mapping[str, str] | None = None, kinds: Mapping[str, ValueKind[Any]] = _KINDS
) -> tuple[SettingEntry, ...]:
    """The settings of a table: name, kind, default, unit, source, and other fields of `SettingEntry` by their names.

    locality-delay | integer | -1 | offers | CapacitySchedulerConfiguration#getNodeLocalityDelay | shown=none
        The offers that an ask lets pass while it waits for its node; -1 waits for none.

    A flag is `yes` or `no`, `help` is `EXAMPLE: ABOUT`, and `wider` is a whole key, or `same` for the setting of all
    queues that has the same name.
    """
    entries: list[SettingEntry] = []
    for (name, kind, default, unit, source, *more), meaning in table_rows(table, short):
        key = Key[Any](name, prefix)
        options: dict[str, Any] = dict(option.split("=", 1) for option in more)
        options |= {flag: options[flag] == "yes" for flag in ("listed", "of_leaf") if flag in options}
        if "wider" in options:
            options["wider"] = key if options["wider"] == "same" else Key[Any](options["wider"])
        if "help" in options:
            options["help"] = SettingHelp(*options["help"].split(": ", 1))
        entries.append(SettingEntry(key, default, meaning, unit, kinds[kind], source=source, **options))
    return tuple(entries)
