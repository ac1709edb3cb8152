"""Single keys of a scenario set by the user, written `dotted.key=value`."""

import tomllib
from collections.abc import Sequence
from typing import Any, Final

from engine.errors import Problem, nearest
from engine.formats.scenario_layers import DOTTED, Layers, Origin
from engine.formats.toml_lines import Path

_SHORTHANDS: Final = {
    "yarn.": "settings.yarn.",
    "spark.": "settings.spark.",
    "schedlab.": "settings.schedlab.",
    "reservation.": "settings.schedlab.reservation.",
}
"""Beginnings of keys → what they stand for."""

_NAMES: Final = ("name", "host", "number", "user")
"""Keys whose value names an item of a list."""


def override(layers: Layers, assignments: Sequence[str]) -> list[Problem]:
    """Set single keys on top of what was read; answers what could not be set.

    A value is read as TOML, and as plain text when it is none. Items of lists are named by index, by their name
    (`queues.prod.weight=3`), or all at once by `*`; keys that begin with `yarn.`,
    `spark.` or `reservation.` mean the settings.
    """
    problems = []
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        origin = Origin(f"--set {assignment}", 0)
        if not separator or not key.strip():
            problems.append(Problem("is not key=value", origin.file))
            continue
        problem = assign(layers, key.strip(), _plain_value(text.strip()), origin)
        if problem is not None:
            problems.append(problem)
    return problems


def assign(layers: Layers, key: str, value: object, origin: Origin) -> Problem | None:
    """Set one dotted key; answers why it could not be set."""
    try:
        paths = _assign(layers.data, key, value)
    except _NoSuchKeyError as error:
        return Problem(str(error), origin.file, origin.line, error.key, error.hint)
    for path in paths:
        layers.origins = {old: place for old, place in layers.origins.items() if old[: len(path)] != path}
        for length in range(1, len(path) + 1):  # tables that this made
            layers.origins.setdefault(path[:length], origin)
    return None


class _NoSuchKeyError(Exception):
    """A dotted key names nothing; it becomes a `Problem`."""

    def __init__(self, message: str, path: Path, hint: str = "") -> None:
        self.key = ".".join(str(part) for part in path)
        self.hint = hint
        super().__init__(message)


def _plain_value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _assign(data: dict[str, Any], key: str, value: object) -> list[Path]:
    """Set one key and answer its path, or paths; tables on the way are made."""
    for short, whole in _SHORTHANDS.items():
        key = key.replace(short, whole, 1) if key.startswith(short) else key
    parts = key.split(".")
    if parts[0] in DOTTED and len(parts) > 1:
        data.setdefault(parts[0], {})[".".join(parts[1:])] = value
        return [(parts[0], ".".join(parts[1:]))]
    return _assign_below(data, (), parts, value)


def _assign_below(target: Any, path: Path, parts: list[str], value: object) -> list[Path]:
    """Set the key that parts make up below a table or list."""
    if isinstance(target, list) and parts[0] == "*":
        each = [_assign_below(target, path, [str(index), *parts[1:]], value) for index in range(len(target))]
        return [found for paths in each for found in paths]
    step, used = _step(target, parts, path)
    here = (*path, step)
    if used == len(parts):
        target[step] = value
        return [here]
    if isinstance(target, dict) and step not in target:
        target[step] = {}
    if not isinstance(target[step], dict | list):
        raise _NoSuchKeyError("is not a table", here)
    return _assign_below(target[step], here, parts[used:], value)


def _step(target: Any, parts: list[str], path: Path) -> tuple[Any, int]:
    """The key or index the first parts mean, and how many parts it takes."""
    if isinstance(target, dict):
        return parts[0], 1
    if parts[0].isdigit() and int(parts[0]) < len(target):
        return int(parts[0]), 1
    names = _item_names(target)
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in names:
            return names[name], length
    hint = nearest(parts[0], names) or (f"there is {', '.join(names)}" if names else "")
    raise _NoSuchKeyError(f"has no item {parts[0]}", path, hint)


def _item_names(items: list[Any]) -> dict[str, int]:
    """Name → index of the items of a list that have one; the first of a name wins."""
    names: dict[str, int] = {}
    for index, item in enumerate(items):
        for key in _NAMES:
            if isinstance(item, dict) and key in item:
                names.setdefault(str(item[key]), index)
    return names
