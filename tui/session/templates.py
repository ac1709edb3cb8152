"""Shows an application in the form, and makes one of what the form says; names every mistake at once."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median_low
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from engine.errors import nearest
from engine.grouping import grouped
from engine.scenario import (
    ApplicationSpec,
    MapReduceSpec,
    Scenario,
    ScriptedSpec,
    ServiceSpec,
    SparkSpec,
    StandaloneSpec,
    TezSpec,
)
from engine.scenario.acts import SubmitApplication
from engine.scenario.applications import AskSpec, StageSpec
from engine.scenario.cluster import Table
from engine.units import UnitError, format_duration, parse_duration, parse_memory, parse_whole
from tui.protocol.picture import PRESET, Preset
from tui.terminal.format import plain, plural

Spec = TypeVar("Spec", bound=BaseModel)

MOST_CONTAINERS = 100_000  # More than this by hand is a slip of the finger


JOB_PRIORITIES = ("very_low", "low", "normal", "high", "very_high")  # Place → an application's priority

UNMANAGED = "unmanaged"  # What the form says of a master that runs outside the cluster


def _job_priority(text: str) -> int:
    """The number of a JobTracker's job priority, the higher the sooner.

    >>> _job_priority("normal"), _job_priority("VERY_HIGH")
    (2, 4)

    Raises:
        UnitError: There is no such priority.
    """
    word = text.lower().replace(" ", "_")
    if word not in JOB_PRIORITIES:
        raise UnitError(f"{text!r} is none of {', '.join(JOB_PRIORITIES)}")
    return JOB_PRIORITIES.index(word)


def _read_field(fields: Mapping[str, str], name: str, reader: Callable[[str], int], problems: list[str]) -> int:
    """A number from a field; 0, and a problem more, where there is none."""
    text = fields.get(name, "").strip()
    try:
        return reader(text)
    except UnitError as error:
        problems.append(f"{_title_of(name)}: {error}" if text else f"{_title_of(name)}: nothing is given")
        return 0


Place = tuple[str | int, ...]  # The place of a value in the data of a specification

_YARN: Final[Mapping[str, Place]] = {"master": ("am", "memory_mb")}
_PLACES: Final[Mapping[type, Mapping[str, Place]]] = {
    MapReduceSpec: {
        "containers": ("maps",),
        "memory": ("map", "memory_mb"),
        "vcores": ("map", "vcores"),
        "duration": ("map_duration_ms",),
        **_YARN,
    },
    SparkSpec: {
        "containers": ("executors",),
        "memory": ("executor", "memory_mb"),
        "vcores": ("executor", "vcores"),
        "duration": ("duration_ms",),
        **_YARN,
    },
    TezSpec: {
        "memory": ("container", "memory_mb"),
        "vcores": ("container", "vcores"),
        **_YARN,
    },
    ServiceSpec: {
        "containers": ("instances",),
        "memory": ("instance", "memory_mb"),
        "vcores": ("instance", "vcores"),
        **_YARN,
    },
    ScriptedSpec: {
        "containers": ("asks", 0, "count"),
        "memory": ("asks", 0, "memory_mb"),
        "vcores": ("asks", 0, "vcores"),
        "duration": ("asks", 0, "duration_ms"),
        **_YARN,
    },
    StandaloneSpec: {
        "cores_max": ("cores_max",),
        "executor_cores": ("executor_cores",),
        "memory": ("executor_memory_mb",),
        "tasks": ("stages", 0, "tasks"),
        "duration": ("stages", 0, "duration_ms"),
    },
}  # Kind of application → field of the form → place of its value

_ON_SLOTS: Final[Mapping[str, Place]] = {
    "priority": ("priority",),
    "maps": ("maps",),
    "duration": ("map_duration_ms",),
    "memory": ("map", "memory_mb"),
    "reduces": ("reduces",),
    "reduce_duration": ("reduce_duration_ms",),
    "reduce_memory": ("reduce", "memory_mb"),
}  # Fields of a JobTracker's job: field of the form → place of its value

_FIELDS: Final = {
    False: ("containers", "memory", "vcores", "duration", "master"),
    True: ("cores_max", "executor_cores", "memory", "tasks", "duration"),
}  # Fields of the form that have a place, for an application of a standalone Master or not


def _value_at(data: Any, place: Place) -> Any:  # Any: plain data of any shape
    for step in place:
        if isinstance(data, Mapping):
            data = data.get(str(step))
        elif isinstance(data, Sequence) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _written(field: str, value: Any) -> str:
    if field == "priority":
        return JOB_PRIORITIES[2 if value is None else min(value, len(JOB_PRIORITIES) - 1)]
    if field in {"memory", "reduce_memory", "master"} and isinstance(value, int):
        return f"{value // 1024}g" if value and value % 1024 == 0 else f"{value}m"
    if field in _DURATIONS and isinstance(value, Sequence):
        return "-".join(dict.fromkeys(format_duration(one) for one in value))
    return "" if value is None else str(value)


_READERS: Final[Mapping[str, Callable[[str], int]]] = {
    "memory": parse_memory,
    "master": parse_memory,
    "duration": parse_duration,
    "reduce_memory": parse_memory,
    "reduce_duration": parse_duration,
    "priority": _job_priority,
}
_DURATIONS: Final = ("duration", "reduce_duration")


def fields_of(spec: ApplicationSpec, *, on_slots: bool = False) -> dict[str, str]:
    """Return an application as the form shows it; `on_slots` is that of a JobTracker."""
    data, places = spec.model_dump(mode="json"), _PLACES[type(spec)]
    fields = {"name": plain(spec.name), "user": spec.user}
    if on_slots:
        written = {field: _written(field, _value_at(data, place)) for field, place in _ON_SLOTS.items()}
        return {**fields, "queue": spec.queue or "", **written}
    is_standalone = isinstance(spec, StandaloneSpec)
    if not is_standalone:
        fields["queue"] = spec.queue or ""
    for field in _FIELDS[is_standalone]:
        fields[field] = _written(field, _value_at(data, places[field])) if field in places else ""
    if not is_standalone and spec.am is None:
        fields["master"] = UNMANAGED
    if is_standalone and not fields["tasks"]:
        fields["tasks"] = "0"
    return fields


def about(spec: ApplicationSpec) -> str:
    """Return the kind of an application, in a few words, and what the form does not show of it."""
    words = [plain(spec.application_type) or spec.type]
    match spec:
        case MapReduceSpec() if spec.reduces:
            words.append(f"and {plural(spec.reduces, 'reduce')} of {_written('memory', spec.reduce.memory_mb)}")
        case TezSpec():
            words.append(plural(len(spec.all_jobs), "DAG"))
        case SparkSpec() if spec.jobs:
            words.append(plural(len(spec.all_jobs), "job"))
        case SparkSpec() if spec.stages:
            words.append(plural(len(spec.stages), "stage"))
        case ScriptedSpec() if len(spec.asks) > 1:
            words.append(f"the first of {len(spec.asks)} asks is shown")
        case StandaloneSpec() if len(spec.stages) > 1:
            words.append(f"the first of {len(spec.stages)} stages is shown")
        case _:
            pass
    return ", ".join(words)


def changed(
    spec: ApplicationSpec, before: Mapping[str, str], fields: Mapping[str, str]
) -> tuple[ApplicationSpec | None, list[str]]:
    """Return an application like `spec`, with the fields that differ from `before`, and what is wrong with them."""
    problems: list[str] = []
    data = spec.model_dump(mode="json")
    for other in ("at_ms", "number", "phase_ms", "repeat"):
        data.pop(other, None)
    for field, text in fields.items():
        if field in before and text != before[field]:
            _change(spec, data, field, fields, problems)
    for field in ("containers", "tasks"):
        place = _PLACES[type(spec)].get(field, ())
        if 0 in place and _value_at(data, place) == 0:  # it asks for none, or runs none
            del _value_at(data, place[:1])[0]
    return _checked(type(spec), data, fields, problems)


_BLANK: Final[Mapping[str, ApplicationSpec]] = {
    "maps": MapReduceSpec(type="mapreduce", user="-", maps=1),
    "tasks": StandaloneSpec(type="spark-standalone", user="-", stages=(StageSpec(tasks=1),)),
    "containers": ScriptedSpec(type="scripted", user="-", asks=(AskSpec(memory_mb=1),)),
}  # Field that only one kind of form has → an application that the form fills in


def _filled_in(fields: Mapping[str, str]) -> tuple[ApplicationSpec | None, list[str]]:
    spec = _BLANK[next((field for field in _BLANK if field in fields), "containers")]
    fields = {**dict.fromkeys(_ON_SLOTS if "maps" in fields else _PLACES[type(spec)], ""), **fields}
    return changed(spec, dict.fromkeys(fields, "\0"), fields)


def _change(spec: ApplicationSpec, data: Table, field: str, fields: Mapping[str, str], problems: list[str]) -> None:
    places = _ON_SLOTS if "maps" in fields else _PLACES[type(spec)]
    text, place = fields[field], places.get(field)
    if field in {"name", "user", "queue"}:
        data[field] = text or (None if field == "queue" else "")
    elif field == "master":
        vcores = 1 if spec.am is None else spec.am.vcores
        is_outside = text == UNMANAGED
        memory_mb = 0 if is_outside else _read_field(fields, field, parse_memory, problems)
        data["am"] = None if is_outside else {"memory_mb": memory_mb, "vcores": vcores}
    elif place is None or (holder := _value_at(data, place[:-1])) is None:
        problems.append(f"{_title_of(field)}: {about(spec)} has none to change")
    else:
        may_be_empty = place[-1] in ("duration_ms", "cores_max", "executor_cores")
        holder[place[-1]] = _read(field, fields, problems) if text or not may_be_empty else None
        if field == "duration" and isinstance(spec, SparkSpec):
            data["stages"] = []


def _read(field: str, fields: Mapping[str, str], problems: list[str]) -> int | list[int]:
    number = _read_field(fields, field, _READERS.get(field, parse_whole), problems)
    if field in {"containers", "tasks", "maps", "reduces"} and number > MOST_CONTAINERS:
        problems.append(f"{field}: {number} is more than {MOST_CONTAINERS}")
    return [number, number] if field in _DURATIONS else number


def _checked(
    model: type[Spec], data: Table, fields: Mapping[str, str], problems: list[str]
) -> tuple[Spec | None, list[str]]:
    """An application from its data, or what is wrong with them: the `problems` found so far."""
    if not fields.get("user"):
        problems.append("user: nothing is given")
    if problems:
        return None, problems
    try:
        return model.model_validate(data, by_name=True), []
    except ValidationError as error:
        return None, [f"{_place(one['loc'])}: {one['msg']}" for one in error.errors()]


_TITLES = {
    "memory_mb": "memory",
    "executor_memory_mb": "memory",
    "am": "master",
    "count": "containers",
    "maps": "containers",
    "executors": "containers",
    "instances": "containers",
    "duration_ms": "duration",
    "stages": "tasks",
    "cores_max": "cores at most",
    "executor_cores": "cores each",
    "reduce_memory": "reduce memory",
    "reduce_duration": "a reduce runs",
}


def _title_of(name: str) -> str:
    return _TITLES.get(name, name)


def _place(location: tuple[int | str, ...]) -> str:
    names = [str(part) for part in location if isinstance(part, str) and part != "asks"]
    return _TITLES.get(names[0], names[0]) if names else "form"


LAST: Final = "last"  # Name of the preset with what was submitted last
MOST: Final = 30  # Most kinds that are offered: those submitted most often

_COUNTED: Final = re.compile(r"[\s#_.-]*\d+$")


class Presets:
    """The beginnings of the submit form: kinds of applications of a workload, and what was submitted last."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._templates: dict[str, ApplicationSpec] = {}
        self._offered: tuple[Preset, ...] | None = None

    def offered(self) -> tuple[Preset, ...]:
        """Return all presets: first what was submitted last, then the kinds of the workload."""
        if self._offered is None:
            self._templates |= dict(_named(_kinds(self._scenario)))
            self._offered = tuple(self._preset(name, spec) for name, spec in self._templates.items())
        return self._offered

    def remember(self, spec: ApplicationSpec) -> None:
        kinds = [preset for preset in self.offered() if preset.name != LAST]
        self._templates[LAST] = spec
        self._offered = (self._preset(LAST, spec), *kinds)

    def _preset(self, name: str, spec: ApplicationSpec) -> Preset:
        return Preset(name, about(spec), fields_of(spec, on_slots=self._scenario.system == "mr1"))

    def spec_of(self, fields: Mapping[str, str]) -> tuple[ApplicationSpec | None, list[str]]:
        """The application that a form describes, and what is wrong with it. What it leaves out is as in the preset."""
        name = fields.get(PRESET)
        if name is None:
            return _filled_in(fields)
        before = {preset.name: preset.fields for preset in self.offered()}
        if name not in before:
            return None, [f"preset: there is no {name}{_hint(name, list(before))}"]
        return changed(self._templates[name], before[name], fields)


def _hint(name: str, names: Sequence[str]) -> str:
    hint = nearest(name, names) or f"there is {', '.join(names)}" if names else "this workload has none"
    return f" ({hint})"


def _submitted(scenario: Scenario) -> Iterator[tuple[ApplicationSpec, int]]:
    for running in scenario.running:
        yield running.application, 1
    for spec in scenario.workload:
        yield spec, spec.repeat.times if spec.repeat else 1
    for step in scenario.script:
        if isinstance(act := step.act, SubmitApplication):
            yield act.spec(), 1


def _stem(spec: ApplicationSpec) -> str:
    return _COUNTED.sub("", plain(spec.name)).strip()


def _kinds(scenario: Scenario) -> list[ApplicationSpec]:
    """Return a typical application of each kind (same name but for a number, type, user, queue), frequent first."""
    groups = grouped(
        ((_stem(spec), spec.type, spec.user, spec.queue), (spec, times)) for spec, times in _submitted(scenario)
    )
    often = sorted(groups.values(), key=lambda group: -sum(times for _, times in group))
    return [_typical([spec for spec, _ in group]) for group in often[:MOST]]


def _typical(specs: Sequence[ApplicationSpec]) -> ApplicationSpec:
    if len(specs) == 1:
        return specs[0]
    sizes = [_size(spec) for spec in specs]
    return specs[sizes.index(median_low(sizes))]


def _size(spec: ApplicationSpec) -> int:
    fields = fields_of(spec)
    return int(fields.get("containers") or fields.get("tasks") or 0)


def _named(specs: Sequence[ApplicationSpec]) -> Iterator[tuple[str, ApplicationSpec]]:
    taken = {LAST}
    for spec in specs:
        name = "-".join((_stem(spec) or spec.type).split())
        number = 2
        unique = name
        while unique in taken:
            unique, number = f"{name}-{number}", number + 1
        taken.add(unique)
        yield unique, spec
