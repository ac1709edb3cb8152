"""Scenario files: TOML to `Scenario` and back.

A file may extend another (`extends = "name"`), and name a fair-scheduler.xml (`allocations_file`), a yarn-site.xml
(`yarn_site`) and a file of applications (`workload_file`) relative to itself; their contents become part of the
scenario. Its leading comment is the `about`.
"""

import tomllib
from collections.abc import Container, Iterator, Sequence
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import tomli_w
from pydantic import BaseModel, ValidationError

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import MAX_BYTES
from engine.formats.scenario_faults import problems_of
from engine.formats.scenario_files import find, packaged, read
from engine.formats.scenario_layers import Layers, Origin, check_limits, parse
from engine.formats.scenario_overrides import override
from engine.formats.scenario_references import check_references, unknown_settings
from engine.scenario import ApplicationSpec, Scenario
from engine.settings.known import readers
from engine.units import format_duration, format_memory

__all__ = ["dump", "load", "loads", "packaged"]

MOST_INLINE: Final = 20_000
"""Applications that a scenario file itself holds at most, where one is written."""


def load(source: str | Path, overrides: Sequence[str] = (), *, is_trusted: bool = False) -> Scenario:
    """Read a scenario by path or packaged name.

    `overrides` are single keys set on top, `dotted.key=value`; one that `is_trusted` may name files outside its folder.

    Raises:
        ConfigError: Anything is wrong with it; carries every problem found.
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

    Raises:
        ConfigError: Anything is wrong with it; carries every problem found.
    """
    return scenario_of(parse(text, name), knows_settings=False)


def scenario_of(layers: Layers, problems: Sequence[Problem] = (), *, knows_settings: bool = True) -> Scenario:
    """A scenario of merged tables; `problems` are those found in them before.

    `knows_settings` says whether settings that nothing reads are refused, but for those of a yarn-site.xml.

    Raises:
        ConfigError: Anything is wrong with it; carries every problem found.
    """
    data = layers.data
    data.setdefault("about", layers.about)
    data.setdefault("name", layers.name)
    start = data.get("start", Scenario.model_fields["start"].default)
    if isinstance(start, str):
        start = _start(start)
    context = {"start": start} if isinstance(start, datetime) and start.tzinfo else {}
    try:
        scenario = Scenario.model_validate(data, context=context)
    except ValidationError as error:
        raise ConfigError([*problems, *problems_of(error, layers, Scenario)]) from None
    unknown = unknown_settings(scenario, layers) if knows_settings else []
    if found := [*problems, *unknown, *check_references(scenario, layers)]:
        raise ConfigError(found)
    return scenario


def changed(scenario: Scenario, assignments: Sequence[str]) -> Scenario:
    """A scenario with single keys set on top, as `--set` does.

    Raises:
        ConfigError: A key is unknown, or its value wrong.
    """
    if not assignments:
        return scenario
    layers = Layers(deepcopy(dict(table_of(scenario))), {(): Origin(scenario.name, 0)}, scenario.about, scenario.name)
    return scenario_of(layers, override(layers, assignments))


def _start(text: str) -> datetime | None:
    """A start written as text; None leaves the fault to the model."""
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
    """The lines of a file of applications."""
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


_WIDTH: Final = 100
"""A list that is longer stands one item a line."""


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
    """The keys an entry leaves out, with what they are then; those that are then nothing are left out.

    `without` names keys that mean nothing to this entry.
    """
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
