"""Single keys of a scenario set by the user, written `dotted.key=value`."""

import tomllib
from collections.abc import Sequence
from typing import Any, Final

from engine.errors import Problem, nearest, shortened
from engine.formats.scenario_layers import DOTTED, MAX_DEPTH, Layers, Origin, is_within
from engine.formats.toml_lines import Path

_SHORTHANDS: Final = {
    "yarn.": "settings.yarn.",
    "spark.": "settings.spark.",
    "mapred.": "settings.mapred.",
    "schedlab.": "settings.schedlab.",
    "reservation.": "settings.schedlab.reservation.",
}
"""Beginnings of keys → what they stand for."""

_LONGEST_VALUE: Final = 100_000
"""Longest text read as TOML [characters]; a longer one is a text."""

_NAMES: Final = ("name", "host", "number", "user")
"""Keys whose value names an item of a list."""


def override(layers: Layers, assignments: Sequence[str]) -> list[Problem]:
    """Set single keys on top of what was read; answers what could not be set.

    A value is read as TOML, and as plain text when it is none. Items of lists are named by index, by their name
    (`queues.prod.weight=3`), or all at once by `*`; keys that begin with `yarn.`,
    `spark.`, `mapred.` or `reservation.` mean the settings.
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
    replaced = {path for path, was_table in paths.items() if was_table}
    if replaced:
        layers.origins = {path: place for path, place in layers.origins.items() if not is_within(path, replaced)}
    for path in paths:
        layers.origins[path] = origin
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
        return tomllib.loads(f"value = {text}")["value"] if len(text) <= _LONGEST_VALUE else text
    except (ValueError, RecursionError):  # also what Python cannot hold: the text stays, and is judged as one
        return text


def _assign(data: dict[str, Any], key: str, value: object) -> dict[Path, bool]:
    """Set one key and answer its path, or paths, and whether a table or list was there; tables on the way are made."""
    for short, whole in _SHORTHANDS.items():
        key = key.replace(short, whole, 1) if key.startswith(short) else key
    parts = key.split(".")
    if parts[0] in DOTTED and len(parts) > 1:
        table = data.setdefault(parts[0], {})
        if not isinstance(table, dict):
            raise _NoSuchKeyError("is not a table", (parts[0],))
        name = ".".join(parts[1:])
        name = name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name
        table[name] = value
        return {(parts[0], name): False}
    if len(parts) > MAX_DEPTH:
        raise _NoSuchKeyError(f"has more than {MAX_DEPTH} parts", (key,))
    return _assign_below(data, (), parts, value)


def _assign_below(target: Any, path: Path, parts: list[str], value: object) -> dict[Path, bool]:
    """Set the key that parts make up below a table or list."""
    if isinstance(target, list) and parts[0] == "*":
        found: dict[Path, bool] = {}
        for index in range(len(target)):
            found |= _assign_below(target, path, [str(index), *parts[1:]], value)
        return found
    step, used = _step(target, parts, path)
    here = (*path, step)
    if used == len(parts):
        old = target.get(step) if isinstance(target, dict) else target[step]
        target[step] = value
        return {here: isinstance(old, dict | list)}
    if isinstance(target, dict) and step not in target:
        target[step] = {}
    if not isinstance(target[step], dict | list):
        raise _NoSuchKeyError("is not a table", here)
    return _assign_below(target[step], here, parts[used:], value)


def _step(target: Any, parts: list[str], path: Path) -> tuple[Any, int]:
    """The key or index the first parts mean, and how many parts it takes."""
    if isinstance(target, dict):
        return parts[0], 1
    if parts[0].isascii() and parts[0].isdigit() and len(parts[0]) < 10 and int(parts[0]) < len(target):
        return int(parts[0]), 1
    names = _item_names(target)
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in names:
            return names[name], length
    hint = nearest(parts[0], names) or (f"there is {shortened(', '.join(names), 300)}" if names else "")
    raise _NoSuchKeyError(f"has no item {shortened(parts[0])}", path, hint)


def _item_names(items: list[Any]) -> dict[str, int]:
    """Name → index of the items of a list that have one; the first of a name wins."""
    names: dict[str, int] = {}
    for index, item in enumerate(items):
        for key in _NAMES:
            if isinstance(item, dict) and key in item:
                names.setdefault(str(item[key]), index)
    return names
