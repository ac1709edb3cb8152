"""Reads the submit form into an application; names every mistake at once."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from engine.scenario import ApplicationSpec, MapReduceSpec, ScriptedSpec, StandaloneSpec
from engine.scenario.cluster import Table
from engine.units import UnitError, parse_duration, parse_memory, parse_whole

# Which acts ask before they are done.

ALWAYS, LOSS, NEVER = "always", "loss", "never"
CONFIRM: Final = (ALWAYS, LOSS, NEVER)  # Every act asks, those that lose something, none


def asks(confirm: str, *, loses: bool) -> bool:
    """Tell whether an act asks first.

    >>> [asks(confirm, loses=False) for confirm in CONFIRM], [asks(confirm, loses=True) for confirm in CONFIRM]
    ([True, False, False], [True, True, False])
    """
    return confirm == ALWAYS or (confirm == LOSS and loses)


Spec = TypeVar("Spec", bound=BaseModel)

MOST_CONTAINERS = 100_000  # More than this by hand is a slip of the finger


JOB_PRIORITIES = ("very_low", "low", "normal", "high", "very_high")  # Place → an application's priority

UNMANAGED = "unmanaged"  # What the form says of a master that runs outside the cluster


def job_priority(text: str) -> int:
    """The number of a JobTracker's job priority, the higher the sooner.

    >>> job_priority("normal"), job_priority("VERY_HIGH")
    (2, 4)

    Raises:
        UnitError: There is no such priority.
    """
    word = text.lower().replace(" ", "_")
    if word not in JOB_PRIORITIES:
        raise UnitError(f"{text!r} is none of {', '.join(JOB_PRIORITIES)}")
    return JOB_PRIORITIES.index(word)


def read_field(fields: Mapping[str, str], name: str, reader: Callable[[str], int], problems: list[str]) -> int:
    """A number from a field; 0, and a problem more, where there is none."""
    text = fields.get(name, "").strip()
    try:
        return reader(text)
    except UnitError as error:
        problems.append(f"{title_of(name)}: {error}" if text else f"{title_of(name)}: nothing is given")
        return 0


def spec_of(fields: Mapping[str, str]) -> tuple[ApplicationSpec | None, list[str]]:
    """The application a form describes, and what is wrong with it; one for tasks is standalone, one for maps a job."""
    if "maps" in fields:
        return _job(fields)
    return _standalone(fields) if "tasks" in fields else _scripted(fields)


def _job(fields: Mapping[str, str]) -> tuple[MapReduceSpec | None, list[str]]:
    problems: list[str] = []
    data: Table = {"type": "mapreduce", "name": fields.get("name", ""), "user": fields.get("user", "")}
    data["queue"] = fields.get("queue") or None
    for name, kind in (("maps", "map"), ("reduces", "reduce")):
        data[name] = read_field(fields, name, parse_whole, problems)
        if data[name] > MOST_CONTAINERS:
            problems.append(f"{name}: {data[name]} is more than {MOST_CONTAINERS}")
        prefix = "" if kind == "map" else "reduce_"
        length = read_field(fields, f"{prefix}duration", parse_duration, problems)
        data[f"{kind}_duration_ms"] = (length, length)
        data[kind] = {"memory_mb": read_field(fields, f"{prefix}memory", parse_memory, problems), "vcores": 1}
    data["priority"] = read_field(fields, "priority", job_priority, problems)
    return checked(MapReduceSpec, data, fields, problems)


def _standalone(fields: Mapping[str, str]) -> tuple[StandaloneSpec | None, list[str]]:
    problems: list[str] = []
    data: Table = {"type": "spark-standalone", "name": fields.get("name", ""), "user": fields.get("user", "")}
    data["executor_memory_mb"] = read_field(fields, "memory", parse_memory, problems)
    for name in ("cores_max", "executor_cores"):
        if fields.get(name):
            data[name] = read_field(fields, name, parse_whole, problems)
    tasks = read_field(fields, "tasks", parse_whole, problems)
    if tasks > MOST_CONTAINERS:
        problems.append(f"tasks: {tasks} is more than {MOST_CONTAINERS}")
    if tasks:
        length = read_field(fields, "duration", parse_duration, problems)
        data["stages"] = [{"tasks": tasks, "duration_ms": (length, length)}]
    return checked(StandaloneSpec, data, fields, problems)


def _scripted(fields: Mapping[str, str]) -> tuple[ScriptedSpec | None, list[str]]:
    problems: list[str] = []
    ask: Table = {
        "count": read_field(fields, "containers", parse_whole, problems),
        "memory_mb": read_field(fields, "memory", parse_memory, problems),
        "vcores": read_field(fields, "vcores", parse_whole, problems),
    }
    if fields.get("duration"):
        length = read_field(fields, "duration", parse_duration, problems)
        ask["duration_ms"] = (length, length)
    master: Any = None
    if fields.get("master", "").strip() != UNMANAGED:
        master = {"memory_mb": read_field(fields, "master", parse_memory, problems), "vcores": 1}
    if ask["count"] > MOST_CONTAINERS:
        problems.append(f"containers: {ask['count']} is more than {MOST_CONTAINERS}")
    data = {
        "type": "scripted",
        "name": fields.get("name", ""),
        "user": fields.get("user", ""),
        "queue": fields.get("queue") or None,
        "am": master,
        "asks": [ask] if ask["count"] else [],
    }
    return checked(ScriptedSpec, data, fields, problems)


def checked(
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


def title_of(name: str) -> str:
    return _TITLES.get(name, name)


def _place(location: tuple[int | str, ...]) -> str:
    names = [str(part) for part in location if isinstance(part, str) and part != "asks"]
    return _TITLES.get(names[0], names[0]) if names else "form"
