"""Scenario files: TOML to `Scenario` and back.

A file may extend another (`extends = "name"`), and name a fair-scheduler.xml (`allocations_file`), a yarn-site.xml
(`yarn_site`) and a file of applications (`workload_file`) relative to itself; their contents become part of the
scenario. Its leading comment is the `about`.
"""

import tomllib
from collections.abc import Container, Iterator, Sequence
from contextlib import closing
from copy import deepcopy
from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import tomli_w
from pydantic import BaseModel, ValidationError

from engine.errors import LISTED_UP_TO, ConfigError, Problem, did_you_mean, quoted, shortened
from engine.formats.hadoop_configuration import parse_configuration
from engine.formats.regular_files import MAX_BYTES, STANDARD_INPUT, is_there, open_file, read_file_text, resolved
from engine.formats.scenario_overrides import (
    Layers,
    Origin,
    assign,
    check_limits,
    lay_over,
    override,
    parse,
    problems_of,
)
from engine.formats.scenario_overrides import Path as KeyPath
from engine.formats.scenario_references import check_references, unknown_settings
from engine.scenario import ApplicationSpec, Scenario
from engine.scenario.cluster import Table
from engine.settings.known import readers
from engine.units import format_duration, format_memory

# Scenario files: where they are, what they extend, and the files they name.
#
# A file with `extends = "name"` is laid over that scenario; its table `set` then changes single keys of the result,
# items of lists included (`"cluster.nodes.*.memory" = "200g"`), so that a variant need not repeat a list.
#
# A scenario may come from anywhere: it may name only files of its own folder, unless the user trusts it.


class ScenarioFile(NamedTuple):
    """A scenario file: what the user calls it, and where it is."""

    name: str
    file: Traversable | Path
    folder: Traversable | Path  # Files it names are looked for here


def packaged() -> tuple[str, ...]:
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml"))
    )


def _folder() -> Traversable:
    return files("scenarios")


def find(name: str, beside: Traversable | Path | None = None) -> ScenarioFile:
    """The file meant by a path or by the name of a packaged scenario. Raises ConfigError if there is no such scenario.

    `beside` is the folder relative paths are taken from; the working directory by default.
    """
    if "/" not in name and "\\" not in name and not name.endswith(".toml"):
        file = _folder() / f"{name}.toml"
        if file.is_file():
            return ScenarioFile(f"{name}.toml", file, _folder())
        path = Path(name)
        if path != STANDARD_INPUT and not is_there(path):
            raise ConfigError.of(f"there is no scenario called {shortened(name)}", hint=did_you_mean(name, packaged()))
        return ScenarioFile(name, path, path.parent)
    if beside is None or Path(name).is_absolute():
        return ScenarioFile(name, Path(name), Path(name).parent)
    return ScenarioFile(name, beside / name, beside)


def read(source: ScenarioFile, seen: tuple[str, ...] = (), *, is_trusted: bool = False) -> Layers:
    """Read a scenario file and what it extends, references to files resolved.

    A file that `is_trusted` may name files outside its folder. Raises ConfigError if a file cannot be read, is not
    TOML, extends itself, names a file it must not, or sets a key that names nothing.
    """
    layer = _parsed(source)
    layer.name = source.file.name.removesuffix(".toml")
    _resolve_files(layer, source.folder, is_trusted=is_trusted)
    changes = layer.data.pop("set", {})
    if not isinstance(changes, dict):
        raise ConfigError.of("is not a table", source.name, layer.origin(("set",)).line, "set")
    merged = _extended(layer, source, seen, is_trusted=is_trusted)
    problems = [assign(merged, key, value, layer.origin(("set", key))) for key, value in changes.items()]
    found = [problem for problem in problems if problem is not None]
    if found:
        raise ConfigError(found)
    return merged


def _parsed(source: ScenarioFile) -> Layers:
    # A path is read each time: its user may be editing it. A packaged file is parsed once, until it changes.
    if source.folder != _folder() or Path(source.name).is_absolute():
        return parse(read_text(source.file, source.name), source.name)
    status = source.file.stat() if isinstance(source.file, Path) and source.file.is_file() else None
    kept = _packaged_layer(source.name, None if status is None else (status.st_mtime_ns, status.st_size))
    return Layers(deepcopy(kept.data), dict(kept.origins), kept.about)


@cache
def _packaged_layer(name: str, _version: tuple[int, int] | None) -> Layers:
    return parse(read_text(_folder() / name, name), name)


def _extended(layer: Layers, source: ScenarioFile, seen: tuple[str, ...], *, is_trusted: bool) -> Layers:
    base_name = layer.data.pop("extends", None)
    if base_name is None:
        return layer
    at_key = partial(Problem, file=source.name, line=layer.origin(("extends",)).line, key="extends")
    if not isinstance(base_name, str):
        raise ConfigError([at_key(f"{quoted(base_name)} is not the name of a scenario")])
    if base_name in seen:
        raise ConfigError([at_key(f"{base_name} extends itself")])
    try:
        base = find(base_name, source.folder)
    except ConfigError as error:
        raise ConfigError([at_key(each.message, hint=each.hint) for each in error.problems]) from None
    if not is_trusted and base.folder != _folder():
        _check_inside(base.file, base_name, source.folder, at_key(""))
    return lay_over(read(base, (*seen, base_name), is_trusted=is_trusted), layer)


def _check_inside(file: Traversable | Path, name: str, folder: Traversable | Path, place: Problem) -> None:
    """Refuse a file that is not in a folder, links followed. Raises ConfigError at `place`."""
    if isinstance(file, Path) and isinstance(folder, Path) and not resolved(file).is_relative_to(resolved(folder)):
        message = f"{shortened(name)} is outside the folder of the scenario"
        raise ConfigError.of(message, place.file, place.line, place.key, "with --trust it is read")


def read_text(file: Traversable | Path, name: str) -> str:
    """The text of a file. Raises ConfigError if it cannot be read or is not UTF-8."""
    return read_file_text(file, name) if isinstance(file, Path) else file.read_text(encoding="utf-8")


def _resolve_files(layer: Layers, folder: Traversable | Path, *, is_trusted: bool) -> None:
    def named(table: Table, key: str, path: KeyPath) -> tuple[str, Traversable | Path]:
        name, path = table.pop(key), (*path, key)
        place = (*layer.origin(path), ".".join(map(str, path)))
        if not isinstance(name, str) or not name:
            raise ConfigError.of(f"{quoted(name)} is not the name of a file", *place)
        if not is_trusted:
            _check_inside(folder / name, name, folder, Problem("", *place))
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
    workload = layer.data.setdefault("workload", [])
    if isinstance(workload, list):  # anything else is refused later
        for line, table in _read_workload(file, name):
            layer.origins["workload", len(workload)] = Origin(name, line)
            workload.append(table)


MOST_LINES: Final = 1_000_000  # As many applications as a workload may have
LONGEST_LINE: Final = 16 * 1024 * 1024  # Longest line [bytes]: an application with the durations of a million tasks


def _read_workload(file: Traversable | Path, name: str) -> Iterator[tuple[int, Table]]:  # (line, keys)
    decoder = msgspec.json.Decoder(Table)
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
                problems.append(Problem(f"is not an application as a JSON object: {_reason(error)}", name, number))
    if problems:
        raise ConfigError(problems)


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


__all__ = ["dump", "load", "loads", "packaged"]

MOST_INLINE: Final = 20_000  # Applications that a scenario file itself holds at most, where one is written


def load(source: str | Path, overrides: Sequence[str] = (), *, is_trusted: bool = False) -> Scenario:
    """Read a scenario by path or packaged name.

    `overrides` are single keys set on top, `dotted.key=value`; one that `is_trusted` may name files outside its folder.
    Raises ConfigError if anything is wrong with it; carries every problem found.
    """
    return load_with_places(source, overrides, is_trusted=is_trusted)[0]


def load_with_places(
    source: str | Path, overrides: Sequence[str] = (), *, is_trusted: bool = False
) -> tuple[Scenario, Layers]:
    """A scenario as `load` reads it, and where each of its keys stands."""
    layers = read(find(str(source)), is_trusted=is_trusted)
    return scenario_of(layers, override(layers, overrides)), layers


def loads(text: str, name: str = "") -> Scenario:
    """Read a scenario from its text, which may have settings that nothing reads; `name` is what problems call the file.

    Raises ConfigError if anything is wrong with it; carries every problem found.
    """
    return scenario_of(parse(text, name), knows_settings=False)


def scenario_of(layers: Layers, problems: Sequence[Problem] = (), *, knows_settings: bool = True) -> Scenario:
    """A scenario of merged tables; `problems` are those found in them before.

    `knows_settings` says whether settings that nothing reads are refused, but for those of a yarn-site.xml. Raises
    ConfigError if anything is wrong with it; carries every problem found.
    """
    data = layers.data
    data.setdefault("about", layers.about)
    data.setdefault("name", layers.name)
    start = data.get("start", Scenario.model_fields["start"].default)
    if isinstance(start, str):
        start = _start(start)
    if not (isinstance(start, datetime) and start.tzinfo):  # the model tells; times of day are read all the same
        start = Scenario.model_fields["start"].default
    try:
        scenario = Scenario.model_validate(data, context={"start": start})
    except ValidationError as error:
        raise ConfigError([*problems, *problems_of(error, layers, Scenario)]) from None
    unknown = unknown_settings(scenario, layers) if knows_settings else []
    if found := [*problems, *unknown, *check_references(scenario, layers)]:
        raise ConfigError(found)
    return scenario


def changed(scenario: Scenario, assignments: Sequence[str]) -> Scenario:
    """A scenario with single keys set on top. Raises ConfigError if a key is unknown, or its value wrong."""
    if not assignments:
        return scenario
    layers = Layers(deepcopy(dict(table_of(scenario))), {(): Origin(scenario.name, 0)}, scenario.about, scenario.name)
    return scenario_of(layers, override(layers, assignments))


def _start(text: str) -> datetime | None:  # Of a text that is none the model tells
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def dump(scenario: Scenario) -> str:
    """Write a scenario so that `loads` reads the same one back; what is as by default is left out."""
    table = dict(table_of(scenario))
    text = tomli_w.dumps(table, multiline_strings=True)
    if tomllib.loads(text) == table:
        return text
    return tomli_w.dumps(table)  # a carriage return survives only in an escaped string


def dump_file(scenario: Scenario) -> str:
    """Write a scenario so that `load` takes it: settings of a yarn-site.xml that nothing reads are left out."""
    read = {key: value for key, value in scenario.settings.items() if readers(key)}
    return dump(scenario if len(read) == len(scenario.settings) else scenario.model_copy(update={"settings": read}))


def dump_apart(scenario: Scenario, name: str) -> tuple[str, Sequence[ApplicationSpec]]:
    """A scenario's text, and the applications that it leaves to a file of this name beside it; none mostly."""
    if len(scenario.workload) <= MOST_INLINE:
        text = dump_file(scenario)
        if _may_be_read(text):
            return text, ()
    rest = dump_file(scenario.model_copy(update={"workload": ()}))
    return tomli_w.dumps({"workload_file": name}) + rest, scenario.workload


def _may_be_read(text: str) -> bool:
    try:
        check_limits(text, "")
    except ConfigError:
        return False
    return len(text.encode()) <= MAX_BYTES


def workload_lines(workload: Sequence[ApplicationSpec]) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    for spec in workload:
        yield encode(dict(table_of(spec))) + b"\n"


def table_of(part: BaseModel) -> Iterator[tuple[str, Any]]:
    """(key, value) pairs of a part, in the order of its fields, tables after plain values."""
    later = []
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if not field.is_required() and value == field.default:
            continue
        pair = (field.alias or name, value_of(name, value))
        if isinstance(value, tuple | dict | BaseModel):
            later.append(pair)
        else:
            yield pair
    yield from later


def value_of(name: str, value: Any) -> Any:
    """A value as a file writes it; the field's name tells its unit."""
    if isinstance(value, BaseModel):
        return dict(table_of(value))
    if isinstance(value, tuple):
        return [value_of(name, item) for item in value]
    if value is None:
        return "unmanaged" if name == "am" else "forever"
    if name.endswith("_mb"):
        return format_memory(value)
    if name.endswith("_ms"):
        return format_duration(value) if value >= 0 else f"-{format_duration(-value)}"
    return value


_WIDTH: Final = 100  # A list that is longer stands one item a line


def entry(header: str, part: BaseModel) -> list[str]:
    """The lines of an entry, what is as by default left out.

    >>> from engine.scenario.cluster import NodeSpec
    >>> entry("cluster.nodes", NodeSpec(host="n1", memory=2048, vcores=2))
    ['[[cluster.nodes]]', 'host = "n1"', 'memory = "2g"', 'vcores = 2']
    """
    lines = [f"[[{header}]]"]
    for key, value in sorted(table_of(part), key=lambda pair: pair[0] != "type"):  # what it is goes first
        lines += _pair(key, value)
    return lines


def defaults(part: BaseModel, *, without: Container[str] = ()) -> list[str]:
    """The keys an entry leaves out that are then something, but those of `without`, which mean nothing to it."""
    stated = {key for key, _ in table_of(part)}
    plain = type(part).model_construct()
    found = []
    for name, field in type(part).model_fields.items():
        key, value = field.alias or name, getattr(plain, name, None)
        if key not in stated and key not in without and not field.is_required() and value not in (None, "", (), False):
            found += _pair(key, value_of(name, value))
    return found


def _pair(key: str, value: Any) -> list[str]:
    whole = f"{key} = {_inline(value)}"
    if len(whole) <= _WIDTH or not isinstance(value, list):
        return [whole]
    return [f"{key} = [", *(f"  {_inline(item)}," for item in value), "]"]


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {_inline(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inline(item) for item in value)}]"
    return tomli_w.dumps({"k": value}).removeprefix("k = ").rstrip("\n")
