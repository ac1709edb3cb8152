"""Single keys of a scenario set by the user, written `dotted.key=value`."""

import tomllib
from collections.abc import Sequence
from typing import Any, Final

from engine.errors import Problem
from engine.formats.problems import nearest
from engine.formats.scenario_layers import DOTTED, Layers, Origin
from engine.formats.toml_lines import Path

_SHORTHANDS: Final = ("yarn.", "mapreduce.", "reservation.")
"""Beginnings of keys that mean the settings table."""

_NAMES: Final = ("name", "host", "number", "user")
"""Keys by which an item of a list can be told."""


def override(layers: Layers, assignments: Sequence[str]) -> list[Problem]:
    """Set single keys on top of what was read; answers what could not be set.

    A value is read as TOML, and as plain text when it is none. Items of lists are named by index or by their name
    (`queues.prod.weight=3`); keys that begin with `yarn.` or `reservation.` mean the settings.
    """
    problems = []
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not key.strip():
            problems.append(Problem("is not key=value", f"--set {assignment}"))
            continue
        try:
            path = _assign(layers.data, key.strip(), _plain_value(text.strip()))
        except _NoSuchKeyError as error:
            problems.append(Problem(str(error), f"--set {assignment}", 0, error.key, error.hint))
            continue
        layers.origins = {old: place for old, place in layers.origins.items() if old[: len(path)] != path}
        for length in range(1, len(path) + 1):  # tables that came into being by this
            layers.origins.setdefault(path[:length], Origin(f"--set {assignment}", 0))
    return problems


class _NoSuchKeyError(Exception):
    """A dotted key leads nowhere; ends as a `Problem`."""

    def __init__(self, message: str, path: Path, hint: str = "") -> None:
        self.key = ".".join(str(part) for part in path)
        self.hint = hint
        super().__init__(message)


def _plain_value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _assign(data: dict[str, Any], key: str, value: object) -> Path:
    """Set one key and answer its path; tables on the way come into being."""
    parts = (f"settings.{key}" if key.startswith(_SHORTHANDS) else key).split(".")
    if parts[0] in DOTTED and len(parts) > 1:
        data.setdefault(parts[0], {})[".".join(parts[1:])] = value
        return (parts[0], ".".join(parts[1:]))
    target: Any = data  # Any: tables and lists of the document in turn
    path: Path = ()
    while True:
        step, used = _step(target, parts, path)
        path = (*path, step)
        if used == len(parts):
            target[step] = value
            return path
        if isinstance(target, dict) and step not in target:
            target[step] = {}
        target, parts = target[step], parts[used:]
        if not isinstance(target, dict | list):
            raise _NoSuchKeyError("is not a table", path)


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
