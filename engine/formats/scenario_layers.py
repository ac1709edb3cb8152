"""A scenario's raw tables, one layer laid over another.

Tables are merged key by key, everything else (lists too) is replaced. The
origin of every key is kept, so that a fault in the merged tables still names the file and line it came from.
"""

import re
import tomllib
from collections.abc import Container
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.toml_lines import Path, line_numbers
from engine.scenario.scenario import flat_settings

Table = dict[str, Any]  # Any: a TOML document holds values of any TOML type

MAX_CHARACTERS: Final = 10_000_000
"""Longest text read [characters]."""

MAX_KEYS: Final = 400_000
"""Most keys of a text, and most items of its lists: signs `=`, and signs `,`."""

MAX_DEPTH: Final = 100
"""Most parts of a dotted key."""

_LONG_KEY: Final = re.compile(rf"""(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{MAX_DEPTH}}}""")

_LONG_NUMBER: Final = re.compile(r"[0-9_]{1000}")

DOTTED: Final = ("settings", "queue_defaults")
"""Tables whose keys contain dots themselves."""


class Origin(NamedTuple):
    """The place a key was written at."""

    file: str
    line: int


class Layers(msgspec.Struct):
    """The merged tables, where each key came from, and the leading comment of the topmost file that has one."""

    data: Table
    origins: dict[Path, Origin]
    about: str = ""
    name: str = ""

    def origin(self, path: Path) -> Origin:
        """The place of a key, or of the nearest table around it; of a table without a head, its first key's."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        inside = [place for key, place in self.origins.items() if path and key[: len(path)] == path]
        return min(inside, key=lambda place: place.line, default=self.origins.get((), Origin("", 0)))


def parse(text: str, name: str) -> Layers:
    """One TOML text as a layer.

    Raises:
        ConfigError: The text is not TOML (carries the line), is nested too deeply or is beyond a limit.
    """
    check_limits(text, name)
    try:
        data = tomllib.loads(text)
        lines = line_numbers(text)
    except tomllib.TOMLDecodeError as error:
        message, line = _decode_error(str(error))
        raise ConfigError([Problem(message, name, line)]) from None
    except ValueError:
        found = _LONG_NUMBER.search(text)
        line = 0 if found is None else text.count("\n", 0, found.start()) + 1
        raise ConfigError([Problem("a number has too many digits", name, line)]) from None
    except RecursionError:
        raise ConfigError([Problem("is nested too deeply", name)]) from None
    except (IndexError, StopIteration):
        raise ConfigError([Problem("is TOML in which the lines of keys cannot be found", name)]) from None
    origins = {path: Origin(name, line) for path, line in lines.items()}
    origins[()] = Origin(name, 0)
    layer = Layers(data, origins, _leading_comment(text))
    for table in DOTTED:
        _flatten(layer, table)
    return layer


def check_limits(text: str, name: str) -> None:
    """Refuse what would take the reader longer than its length allows.

    Raises:
        ConfigError: The text is too long, or has a key or a number that is.
    """
    if len(text) > MAX_CHARACTERS:
        raise ConfigError([Problem(f"is longer than {MAX_CHARACTERS:,} characters", name)])
    for sign, what in (("=", "keys"), (",", "list items")):
        if text.count(sign) > MAX_KEYS:
            raise ConfigError([Problem(f"has more than {MAX_KEYS:,} {what} (signs {sign})", name)])
    found = _LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ConfigError([Problem(f"a dotted key has more than {MAX_DEPTH} parts", name, line)])


def _flatten(layer: Layers, table: str) -> None:
    """Give a table of dotted keys one form, so that layers can be merged key by key."""
    nested = layer.data.get(table)
    if isinstance(nested, dict) and nested:
        layer.data[table] = flat_settings(nested)
        inside = {path: place for path, place in layer.origins.items() if len(path) > 1 and path[0] == table}
        layer.origins |= {(table, ".".join(map(str, path[1:]))): place for path, place in inside.items()}


def _decode_error(text: str) -> tuple[str, int]:
    """The reader's message without its place, and the line."""
    message, _, place = text.rpartition(" (at ")
    if not message:
        return f"is not TOML: {text}", 0
    digits = place.removeprefix("line ").split(",")[0]
    return f"is not TOML: {message}", int(digits) if digits.isdigit() else 0


def _leading_comment(text: str) -> str:
    """The comment block a file begins with, without its marks and without the schema that editors look for (`#:`)."""
    lines = []
    for line in text.splitlines():
        if line.startswith("#:"):
            continue
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines).strip()


def lay_over(below: Layers, above: Layers) -> Layers:
    """Merge two layers; neither is used afterwards."""
    replaced: set[Path] = set()
    _merge(below.data, above.data, (), replaced)
    below.origins = {path: place for path, place in below.origins.items() if not is_within(path, replaced)}
    below.origins |= {path: place for path, place in above.origins.items() if is_within(path, replaced)}
    below.origins[()] = above.origin(())
    below.about = above.about or below.about
    below.name = above.name
    return below


def is_within(path: Path, places: Container[Path]) -> bool:
    """Tell whether a path is one of these places or below one of them."""
    return any(path[:length] in places for length in range(1, len(path) + 1))


def _merge(below: Table, above: Table, path: Path, replaced: set[Path]) -> None:
    """Lay one table over another, and note the paths of what it replaces."""
    for key, value in above.items():
        old = below.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            _merge(old, value, (*path, key), replaced)
        else:
            below[key] = value
            replaced.add((*path, key))
