"""A scenario's raw tables, one layer laid over another.

Tables are merged key by key, everything else (lists too) is replaced. The
origin of every key is kept, so that a fault in the merged tables still names the file and line it came from.
"""

import tomllib
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.toml_lines import Path, line_numbers
from engine.scenario.scenario import flat_settings

Table = dict[str, Any]  # Any: a TOML document holds values of any TOML type

DOTTED: Final = ("settings", "queue_defaults")
"""Tables whose keys contain dots themselves."""


class Origin(NamedTuple):
    """Where a key was written."""

    file: str
    line: int


class Layers(msgspec.Struct):
    """The merged tables, where each key came from, and the leading comment of the topmost file that has one."""

    data: Table
    origins: dict[Path, Origin]
    about: str = ""
    name: str = ""

    def origin(self, path: Path) -> Origin:
        """The place of a key, or of the nearest table around it."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return Origin("", 0)


def parse(text: str, name: str) -> Layers:
    """One TOML text as a layer.

    Raises:
        ConfigError: The text is not TOML (carries the line), or is nested too deeply.
    """
    try:
        data = tomllib.loads(text)
        lines = line_numbers(text)
    except tomllib.TOMLDecodeError as error:
        message, line = _decode_error(str(error))
        raise ConfigError([Problem(message, name, line)]) from None
    except RecursionError:
        raise ConfigError([Problem("is nested too deeply", name)]) from None
    origins = {path: Origin(name, line) for path, line in lines.items()}
    origins[()] = Origin(name, 0)
    layer = Layers(data, origins, _leading_comment(text))
    for table in DOTTED:
        _flatten(layer, table)
    return layer


def _flatten(layer: Layers, table: str) -> None:
    """Give a table of dotted keys one form, so that layers can be merged key by key."""
    nested = layer.data.get(table)
    if isinstance(nested, dict):
        layer.data[table] = flat_settings(nested)
        inside = {path: place for path, place in layer.origins.items() if path[:1] == (table,) and len(path) > 1}
        layer.origins |= {(table, ".".join(map(str, path[1:]))): place for path, place in inside.items()}


def _decode_error(text: str) -> tuple[str, int]:
    """The reader's message without its place, and the line."""
    message, _, place = text.rpartition(" (at ")
    if not message:
        return f"is not TOML: {text}", 0
    digits = place.removeprefix("line ").split(",")[0]
    return f"is not TOML: {message}", int(digits) if digits.isdigit() else 0


def _leading_comment(text: str) -> str:
    """The comment block a file begins with, without its marks."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines).strip()


def lay_over(below: Layers, above: Layers) -> Layers:
    """Merge two layers; neither is used afterwards."""
    _merge(below, above.data, above.origins, ())
    below.origins[()] = above.origin(())
    below.about = above.about or below.about
    below.name = above.name
    return below


def _merge(below: Layers, table: Table, origins: dict[Path, Origin], path: Path) -> None:
    target = _table(below.data, path)
    for key, value in table.items():
        here = (*path, key)
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(below, value, origins, here)
            continue
        target[key] = value
        below.origins = {old: place for old, place in below.origins.items() if old[: len(here)] != here}
        below.origins |= {new: place for new, place in origins.items() if new[: len(here)] == here}


def _table(data: Table, path: Path) -> Table:
    for key in path:
        data = data[key]  # type: ignore[index]  # paths of merged tables hold no list indices
    return data
