"""A scenario's raw tables, put together from a file, the files it extends, and single keys set by the user.

Each layer is laid over the one before: tables are merged key by key, everything else (lists too) is replaced. The
origin of every key is kept, so that a fault in the merged tables still names the file and line it came from.
"""

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.hadoop_configuration import parse_configuration
from engine.formats.problems import nearest
from engine.formats.toml_lines import Path as KeyPath
from engine.formats.toml_lines import line_numbers
from engine.scenario.scenario import flat_settings

Table = dict[str, Any]  # Any: a TOML document holds values of any TOML type


DOTTED: Final = ("settings", "queue_defaults")
"""Tables whose keys contain dots themselves."""


class Origin(NamedTuple):
    """Where a key was written."""

    file: str
    line: int


class Source(NamedTuple):
    """A scenario file: what the user calls it, and where it is."""

    name: str
    file: Traversable | Path
    folder: Traversable | Path
    """Files it names are looked for here."""


class Layers(msgspec.Struct):
    """The merged tables, where each key came from, and the leading comment of the topmost file that has one."""

    data: Table
    origins: dict[KeyPath, Origin]
    about: str = ""
    name: str = ""

    def origin(self, path: KeyPath) -> Origin:
        """The place of a key, or of the nearest table around it."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return Origin("", 0)


def packaged() -> tuple[str, ...]:
    """Names of the scenarios that come with the program, sorted."""
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml"))
    )


def _folder() -> Traversable:
    return files("scenarios")


def find(name: str, beside: Traversable | Path | None = None) -> Source:
    """The file meant by a path or by the name of a packaged scenario.

    `beside` is the folder relative paths are taken from; the working directory by default.

    Raises:
        ConfigError: There is no such scenario.
    """
    if "/" not in name and "\\" not in name and not name.endswith(".toml"):
        file = _folder() / f"{name}.toml"
        if file.is_file():
            return Source(f"{name}.toml", file, _folder())
        path = Path(name)
        if not path.is_file():
            hint = nearest(name, packaged()) or f"there is {', '.join(packaged())}"
            raise ConfigError([Problem(f"there is no scenario called {name}", hint=hint)])
        return Source(name, path, path.parent)
    if beside is None or Path(name).is_absolute():
        return Source(name, Path(name), Path(name).parent)
    return Source(name, beside / name, beside)


def read(source: Source, seen: tuple[str, ...] = ()) -> Layers:
    """Read a scenario file and what it extends, references to files resolved.

    Raises:
        ConfigError: A file cannot be read, is not TOML, or extends itself.
    """
    layer = parse(read_text(source.file, source.name), source.name)
    layer.name = source.file.name.removesuffix(".toml")
    resolve_files(layer, source.folder)
    base_name = layer.data.pop("extends", None)
    if base_name is None:
        return layer
    line = layer.origin(("extends",)).line
    if not isinstance(base_name, str):
        raise ConfigError([Problem("extends names one scenario", source.name, line, "extends")])
    if base_name in seen:
        raise ConfigError([Problem(f"{base_name} extends itself", source.name, line, "extends")])
    return _lay_over(read(find(base_name, source.folder), (*seen, base_name)), layer)


def parse(text: str, name: str) -> Layers:
    """One TOML text as a layer.

    Raises:
        ConfigError: The text is not TOML; carries the line.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, line = _decode_error(str(error))
        raise ConfigError([Problem(message, name, line)]) from None
    origins = {path: Origin(name, line) for path, line in line_numbers(text).items()}
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


def read_text(file: Traversable | Path, name: str) -> str:
    """The text of a file.

    Raises:
        ConfigError: It cannot be read or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError([Problem("is not UTF-8 text", name)]) from None
    except OSError as error:
        raise ConfigError([Problem(f"cannot be read: {(error.strerror or str(error)).lower()}", name)]) from None


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


def resolve_files(layer: Layers, folder: Traversable | Path) -> None:
    """Put the contents of the files a layer names in the place of their names.

    Raises:
        ConfigError: A file cannot be read or is faulty.
    """
    places: list[tuple[Table, KeyPath]] = [(layer.data, ())]  # tables that may name an allocation file
    steps = layer.data.get("script")
    for index, step in enumerate(steps if isinstance(steps, list) else ()):
        if isinstance(step, dict):
            places.append((step, ("script", index)))
    for table, path in places:
        name = table.pop("allocations_file", None)
        if isinstance(name, str):
            table["allocations"] = read_text(folder / name, name)
            layer.origins[*path, "allocations"] = Origin(name, 0)
    site = layer.data.pop("yarn_site", None)
    if isinstance(site, str):
        values = parse_configuration(read_text(folder / site, site), site).values
        layer.data["settings"] = {**values, **layer.data.get("settings", {})}


def _lay_over(below: Layers, above: Layers) -> Layers:
    """Merge two layers; neither is used afterwards."""
    _merge(below, above.data, above.origins, ())
    below.origins[()] = above.origin(())
    below.about = above.about or below.about
    below.name = above.name
    return below


def _merge(below: Layers, table: Table, origins: dict[KeyPath, Origin], path: KeyPath) -> None:
    target = _table(below.data, path)
    for key, value in table.items():
        here = (*path, key)
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(below, value, origins, here)
            continue
        target[key] = value
        below.origins = {old: place for old, place in below.origins.items() if old[: len(here)] != here}
        below.origins |= {new: place for new, place in origins.items() if new[: len(here)] == here}


def _table(data: Table, path: KeyPath) -> Table:
    for key in path:
        data = data[key]  # type: ignore[index]  # paths of merged tables hold no list indices
    return data
