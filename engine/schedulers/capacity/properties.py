"""Reads Hadoop properties as the real `Configuration` does and collects every refusal.

A refusal has the key and the name of the exception with which the real scheduler stops. Reading goes on with the
default, so that one pass finds all mistakes.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2 and 3.4.1.
"""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final, TypeVar

from engine.errors import ConfigError, Problem
from engine.model.java_values import trim
from engine.settings.kind import ValueKind
from engine.settings.table import Key, SettingTable
from engine.state import Shared, State

_Value = TypeVar("_Value")

NUMBER_FORMAT: Final = "NumberFormatException"
ILLEGAL_ARGUMENT: Final = "IllegalArgumentException"
ILLEGAL_STATE: Final = "IllegalStateException"
INPUT_OUTPUT: Final = "IOException"
RUNTIME: Final = "YarnRuntimeException"
CLASS_NOT_FOUND: Final = "ClassNotFoundException"
OUT_OF_BOUNDS: Final = "StringIndexOutOfBoundsException"


class Refusals(metaclass=State):
    """The problems a configuration is refused for, in the order the real scheduler would meet them."""

    noted: dict[Problem, str] = {}
    """Problem → the exception's simple class name."""
    keys: dict[str, None] = {}
    """Where something is refused."""

    @property
    def problems(self) -> list[Problem]:
        """All of them."""
        return list(self.noted)

    @property
    def kinds(self) -> list[str]:
        """The exception of each."""
        return list(self.noted.values())

    def add(self, kind: str, message: str, key: str = "", hint: str = "") -> None:
        """Note one, unless it is noted already; `kind` is the exception's simple class name."""
        self.noted.setdefault(Problem(message, key=key, hint=hint), kind)
        self.keys[key] = None

    def names(self, key: str) -> bool:
        """Tell whether something is refused at a key."""
        return key in self.keys

    def add_all(self, later: "Refusals") -> None:
        """Note what something else was refused for."""
        self.noted |= later.noted
        self.keys |= later.keys

    def check(self) -> None:
        """Return if nothing was refused.

        Raises:
            ConfigError: Something was.
        """
        if self.noted:
            raise ConfigError(self.problems, self.kinds[0])


class Properties(metaclass=State):
    """Properties as a release reads them; `refusals` collects the texts that it refuses."""

    values: dict[str, str]
    given: Shared[dict[str, str]]
    """The properties as they came; `values` may get more, as from templates."""
    ordered: Shared[list[str]]
    """The keys given, by their letters; a dot stands just before `/`."""
    places: Shared[dict[str, int]]
    """Where each of them stands among those given."""
    refusals: Refusals
    table: Shared[SettingTable]
    """The settings of the release."""

    def __init__(self, values: Mapping[str, str], refusals: Refusals, table: SettingTable) -> None:
        self.values = dict(values)
        self.given = dict(values)
        self.ordered = sorted(values)
        self.places = {key: place for place, key in enumerate(values)}
        self.refusals = refusals
        self.table = table

    def text(self, key: str) -> str | None:
        """The text as it stands; None when the key is not set."""
        return self.values.get(key)

    def everywhere(self, key: Key[_Value]) -> _Value:
        """A setting of the whole scheduler."""
        name = key.everywhere
        if name not in self.values:
            return self.table.default(key)
        return self.parsed(name, self.table.whole[name].kind, self.table.default(key))

    def of_queue(self, key: Key[_Value], path: str, otherwise: _Value | None = None, *, label: str = "") -> _Value:
        """A setting of a queue, in the partition of a node label or in the default one.

        Where the queue states none, `otherwise` holds, else the setting of all queues where there is one, else the
        default.
        """
        entry = self.table.queue[key.name]
        if otherwise is None:
            default = self.table.queue_default(key)
            otherwise = default if entry.wider is None else self.everywhere(entry.wider)
        return self.parsed(key.of(path, label), entry.kind, otherwise)

    def parsed(self, key: str, kind: ValueKind[_Value], otherwise: _Value) -> _Value:
        """The value of a text; `otherwise` where the key is not set, or refused."""
        text = self.values.get(key)
        if text is None:
            return otherwise
        try:
            return kind.read(text, otherwise)
        except ValueError:
            self.refusals.add(NUMBER_FORMAT, f"{text!r} is not {kind.words}", key)
            return otherwise

    def names(self, key: str) -> list[str] | None:
        """Names between commas, without blanks around them; None when there is none. Source: #getStrings."""
        text = self.values.get(key)
        names = [trim(name) for name in text.split(",") if name] if text is not None else []
        return names or None

    def starting_with(self, prefix: str) -> dict[str, str]:
        """The given properties below a prefix that ends with a dot, by the rest of their keys."""
        first = bisect_left(self.ordered, prefix)
        end = bisect_left(self.ordered, f"{prefix[:-1]}/", first)
        return {
            key[len(prefix) :]: self.given[key] for key in sorted(self.ordered[first:end], key=self.places.__getitem__)
        }
