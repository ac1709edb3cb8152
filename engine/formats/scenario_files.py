"""Scenario files: where they are, what they extend, and the files they name.

A file with `extends = "name"` is laid over that scenario; its table `set` then changes single keys of the result,
items of lists included (`"cluster.nodes.*.memory" = "200g"`), so that a variant need not repeat a list.

A scenario may come from anybody: it names only files of its own folder, unless whoever plays it trusts it.
"""

from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import LISTED_UP_TO, ConfigError, Problem, meant, quoted, shortened
from engine.formats.hadoop_configuration import parse_configuration
from engine.formats.regular_files import STANDARD_INPUT, is_there, open_file, read_file_text, resolved
from engine.formats.scenario_layers import Layers, Origin, Table, lay_over, parse
from engine.formats.scenario_overrides import assign
from engine.formats.toml_lines import Path as KeyPath


class ScenarioFile(NamedTuple):
    """A scenario file: what the user calls it, and where it is."""

    name: str
    file: Traversable | Path
    folder: Traversable | Path
    """Files it names are looked for here."""


def packaged() -> tuple[str, ...]:
    """Names of the scenarios that come with the program, sorted."""
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml"))
    )


def _folder() -> Traversable:
    return files("scenarios")


def find(name: str, beside: Traversable | Path | None = None) -> ScenarioFile:
    """The file meant by a path or by the name of a packaged scenario.

    `beside` is the folder relative paths are taken from; the working directory by default.

    Raises:
        ConfigError: There is no such scenario.
    """
    if "/" not in name and "\\" not in name and not name.endswith(".toml"):
        file = _folder() / f"{name}.toml"
        if file.is_file():
            return ScenarioFile(f"{name}.toml", file, _folder())
        path = Path(name)
        if path != STANDARD_INPUT and not is_there(path):
            hint = meant(name, packaged())
            raise ConfigError([Problem(f"there is no scenario called {shortened(name)}", hint=hint)])
        return ScenarioFile(name, path, path.parent)
    if beside is None or Path(name).is_absolute():
        return ScenarioFile(name, Path(name), Path(name).parent)
    return ScenarioFile(name, beside / name, beside)


def read(source: ScenarioFile, seen: tuple[str, ...] = (), *, is_trusted: bool = False) -> Layers:
    """Read a scenario file and what it extends, references to files resolved.

    A file that `is_trusted` may name files outside its folder.

    Raises:
        ConfigError: A file cannot be read, is not TOML, extends itself, names a file it must not, or sets a key that
            names nothing.
    """
    layer = parse(read_text(source.file, source.name), source.name)
    layer.name = source.file.name.removesuffix(".toml")
    _resolve_files(layer, source.folder, is_trusted=is_trusted)
    changes = layer.data.pop("set", {})
    if not isinstance(changes, dict):
        raise ConfigError([Problem("is not a table", source.name, layer.origin(("set",)).line, "set")])
    merged = _extended(layer, source, seen, is_trusted=is_trusted)
    problems = [assign(merged, key, value, layer.origin(("set", key))) for key, value in changes.items()]
    found = [problem for problem in problems if problem is not None]
    if found:
        raise ConfigError(found)
    return merged


def _extended(layer: Layers, source: ScenarioFile, seen: tuple[str, ...], *, is_trusted: bool) -> Layers:
    """A layer laid over what it extends; the layer itself when it extends nothing."""
    base_name = layer.data.pop("extends", None)
    if base_name is None:
        return layer
    line = layer.origin(("extends",)).line
    if not isinstance(base_name, str):
        raise ConfigError([Problem("extends names one scenario", source.name, line, "extends")])
    if base_name in seen:
        raise ConfigError([Problem(f"{base_name} extends itself", source.name, line, "extends")])
    base = find(base_name, source.folder)
    if not is_trusted and base.folder != _folder():
        _check_inside(base.file, base_name, source.folder, Problem("", source.name, line, "extends"))
    return lay_over(read(base, (*seen, base_name), is_trusted=is_trusted), layer)


def _check_inside(file: Traversable | Path, name: str, folder: Traversable | Path, place: Problem) -> None:
    """Refuse a file that is not in a folder, links followed.

    Raises:
        ConfigError: At `place`.
    """
    if isinstance(file, Path) and isinstance(folder, Path) and not resolved(file).is_relative_to(resolved(folder)):
        message = f"{shortened(name)} is outside the folder of the scenario"
        raise ConfigError([Problem(message, place.file, place.line, place.key, "with --trust it is read")])


def read_text(file: Traversable | Path, name: str) -> str:
    """The text of a file.

    Raises:
        ConfigError: It cannot be read or is not UTF-8.
    """
    return read_file_text(file, name) if isinstance(file, Path) else file.read_text(encoding="utf-8")


def _resolve_files(layer: Layers, folder: Traversable | Path, *, is_trusted: bool) -> None:
    """Put the contents of the files a layer names in the place of their names.

    Raises:
        ConfigError: A file cannot be read, must not be or is faulty.
    """

    def named(table: Table, key: str, path: KeyPath) -> tuple[str, Traversable | Path]:
        name = _file_name(table.pop(key), layer, (*path, key))
        if not is_trusted:
            place = Problem("", *layer.origin((*path, key)), ".".join(map(str, (*path, key))))
            _check_inside(folder / name, name, folder, place)
        return name, folder / name

    places: list[tuple[Table, KeyPath]] = [(layer.data, ())]  # tables that may name an allocation file
    steps = layer.data.get("script")
    for index, step in enumerate(steps if isinstance(steps, list) else ()):
        if isinstance(step, dict):
            places.append((step, ("script", index)))
    for table, path in places:
        if "allocations_file" in table:
            name, file = named(table, "allocations_file", path)
            table["allocations"] = read_text(file, name)
            layer.origins[*path, "allocations"] = Origin(name, 0)
    if "yarn_site" in layer.data:
        site, file = named(layer.data, "yarn_site", ())
        values = parse_configuration(read_text(file, site), site).values
        own = layer.data.get("settings", {})
        layer.origins |= {("settings", key): Origin(site, 0) for key in values if key not in own}
        layer.data["settings"] = {**values, **own} if isinstance(own, dict) else own
    if "workload_file" in layer.data:
        _add_workload(layer, *named(layer.data, "workload_file", ()))


def _add_workload(layer: Layers, name: str, file: Traversable | Path) -> None:
    """Put the applications of a file behind those of the layer itself."""
    workload = layer.data.setdefault("workload", [])
    if isinstance(workload, list):  # anything else is refused later
        for line, table in read_workload(file, name):
            layer.origins["workload", len(workload)] = Origin(name, line)
            workload.append(table)


def _file_name(value: object, layer: Layers, path: KeyPath) -> str:
    """The name of a file.

    Raises:
        ConfigError: It is none.
    """
    if isinstance(value, str) and value:
        return value
    origin = layer.origin(path)
    raise ConfigError([Problem(f"{quoted(value)} is not the name of a file", *origin, ".".join(map(str, path)))])


MOST_LINES: Final = 1_000_000
"""As many applications as a workload may have."""
LONGEST_LINE: Final = 16 * 1024 * 1024
"""Longest line [bytes]: an application with the durations of a million tasks."""


def read_workload(file: Traversable | Path, name: str) -> Iterator[tuple[int, Table]]:
    """(line, keys) of each application; blank lines are passed over.

    Raises:
        ConfigError: It cannot be read, a line is no JSON object, or it has too many or too long ones.
    """
    decoder = msgspec.json.Decoder(dict[str, Any])
    problems: list[Problem] = []
    number = 0
    with closing(open_file(file) if isinstance(file, Path) else file.open("rb")) as stream:
        while (line := stream.readline(LONGEST_LINE + 1)) and len(problems) < LISTED_UP_TO:
            number += 1
            if number > MOST_LINES or len(line) > LONGEST_LINE:
                message = "line is too long" if len(line) > LONGEST_LINE else f"has more than {MOST_LINES:,} lines"
                raise ConfigError([*problems, Problem(message, name, number)])
            if line.isspace():
                continue
            try:
                yield number, decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                problems.append(Problem(f"is no application as a JSON object: {_reason(error)}", name, number))
    if problems:
        raise ConfigError(problems)


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
