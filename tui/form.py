"""What the submit form says, read into an application; every mistake is named, all at once."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from engine.scenario import ScriptedSpec
from engine.units import UnitError, parse_duration, parse_memory

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
        problems.append(f"{name}: {error}" if text else f"{name}: nothing is given")
        return 0


def spec_of(fields: Mapping[str, str]) -> tuple[ScriptedSpec | None, list[str]]:
    """The application a form describes, and what is wrong with it; None when anything is.

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
    try:
        return ScriptedSpec.model_validate(data, by_name=True), []
    except ValidationError as error:
        return None, [f"{_place(one['loc'])}: {one['msg']}" for one in error.errors()]


_TITLES = {"memory_mb": "memory", "am": "master", "count": "containers", "duration_ms": "duration"}


def _place(location: tuple[int | str, ...]) -> str:
    names = [str(part) for part in location if isinstance(part, str) and part != "asks"]
    return _TITLES.get(names[0], names[0]) if names else "form"
