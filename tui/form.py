"""What the submit form says, read into an application; every mistake is named, all at once."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from engine.scenario import ApplicationSpec, ScriptedSpec, StandaloneSpec
from engine.units import UnitError, parse_duration, parse_memory

Spec = TypeVar("Spec", ScriptedSpec, StandaloneSpec)

MOST_CONTAINERS = 100_000
"""More than this by hand is a slip of the finger."""


def _whole(text: str) -> int:
    """A whole number.

    Raises:
        UnitError: It is none.
    """
    if not text.isascii() or not text.isdigit():
        raise UnitError(f"{text!r} is not a whole number")
    return int(text)


def _read(fields: Mapping[str, str], name: str, reader: Callable[[str], int], problems: list[str]) -> int:
    text = fields.get(name, "").strip()
    try:
        return reader(text)
    except UnitError as error:
        title = _TITLES.get(name, name)
        problems.append(f"{title}: {error}" if text else f"{title}: nothing is given")
        return 0


def spec_of(fields: Mapping[str, str]) -> tuple[ApplicationSpec | None, list[str]]:
    """The application a form describes, and what is wrong with it; None when anything is.

    A form that asks for tasks is that of Spark's standalone Master.
    """
    return _standalone(fields) if "tasks" in fields else _scripted(fields)


def _standalone(fields: Mapping[str, str]) -> tuple[StandaloneSpec | None, list[str]]:
    """An application of one stage.

    No cores at most is every core there is, no cores each is all a worker gives, no tasks is an idle shell.
    """
    problems: list[str] = []
    data: dict[str, Any] = {"type": "spark-standalone", "name": fields.get("name", ""), "user": fields.get("user", "")}
    data["executor_memory_mb"] = _read(fields, "memory", parse_memory, problems)
    for name in ("cores_max", "executor_cores"):
        if fields.get(name):
            data[name] = _read(fields, name, _whole, problems)
    tasks = _read(fields, "tasks", _whole, problems)
    if tasks > MOST_CONTAINERS:
        problems.append(f"tasks: {tasks} is more than {MOST_CONTAINERS}")
    if tasks:
        length = _read(fields, "duration", parse_duration, problems)
        data["stages"] = [{"tasks": tasks, "duration_ms": (length, length)}]
    if not fields.get("user"):
        problems.append("user: nothing is given")
    return (None, problems) if problems else _checked(StandaloneSpec, data)


def _scripted(fields: Mapping[str, str]) -> tuple[ScriptedSpec | None, list[str]]:
    """An application that asks once.

    An empty queue leaves it to the placement rules, an empty duration means for ever, a master of `unmanaged` runs
    outside the cluster.
    """
    problems: list[str] = []
    ask: dict[str, Any] = {
        "count": _read(fields, "containers", _whole, problems),
        "memory_mb": _read(fields, "memory", parse_memory, problems),
        "vcores": _read(fields, "vcores", _whole, problems),
    }
    if fields.get("duration"):
        length = _read(fields, "duration", parse_duration, problems)
        ask["duration_ms"] = (length, length)
    master: Any = None
    if fields.get("master", "").strip() != "unmanaged":
        master = {"memory_mb": _read(fields, "master", parse_memory, problems), "vcores": 1}
    if not fields.get("user"):
        problems.append("user: nothing is given")
    if ask["count"] > MOST_CONTAINERS:
        problems.append(f"containers: {ask['count']} is more than {MOST_CONTAINERS}")
    if problems:
        return None, problems
    data = {
        "type": "scripted",
        "name": fields.get("name", ""),
        "user": fields["user"],
        "queue": fields.get("queue") or None,
        "am": master,
        "asks": [ask] if ask["count"] else [],
    }
    return _checked(ScriptedSpec, data)


def _checked(model: type[Spec], data: Mapping[str, Any]) -> tuple[Spec | None, list[str]]:
    try:
        return model.model_validate(data, by_name=True), []
    except ValidationError as error:
        return None, [f"{_place(one['loc'])}: {one['msg']}" for one in error.errors()]


_TITLES = {
    "memory_mb": "memory",
    "executor_memory_mb": "memory",
    "am": "master",
    "count": "containers",
    "duration_ms": "duration",
    "stages": "tasks",
    "cores_max": "cores at most",
    "executor_cores": "cores each",
}


def _place(location: tuple[int | str, ...]) -> str:
    names = [str(part) for part in location if isinstance(part, str) and part != "asks"]
    return _TITLES.get(names[0], names[0]) if names else "form"
