"""Keys as people write them in a settings file, and a registry of actions with a user's own keys."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from tui.actions import ACTIONS, Action
from tui.keymap import spelled

_NAMED: Final = frozenset({
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "enter", "escape", "space", "backspace",
    "delete", "insert", *(f"f{number}" for number in range(1, 25)),
})  # fmt: skip
_ALIASES: Final = {
    "esc": "escape",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    " ": "space",
}
_SIGNS: Final = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
"""Names of Unicode → what textual calls the key."""
_MODIFIERS: Final = ("ctrl", "alt", "shift")


def key_name(written: str) -> str | None:
    """The name textual has for a key as people write it; None when there is no such key.

    >>> [key_name(one) for one in ("K", "F9", "PgUp", "+", "?", "ctrl+x", "esc", "hyper+x", "kk", "")]
    ['K', 'f9', 'pageup', 'plus', 'question_mark', 'ctrl+x', 'escape', None, None, None]
    """
    *modifiers, last = written.split("+") if len(written) > 1 else [written]
    if not last and written.endswith("++"):
        modifiers, last = written[:-2].split("+"), "+"
    name = _plain_name(last)
    if name is None or any(modifier.lower() not in _MODIFIERS for modifier in modifiers):
        return None
    return "+".join([*(modifier.lower() for modifier in modifiers), name])


def _plain_name(written: str) -> str | None:
    if len(written) == 1 and written.isalnum():
        return written
    folded = _ALIASES.get(written.lower(), written.lower())
    if folded in _NAMED:
        return folded
    if len(written) == 1 and written.isprintable():
        name = unicodedata.name(written, "").lower().replace("-", "_").replace(" ", "_")
        return _SIGNS.get(name, name) or None
    return None


def rebound(keys: Mapping[str, tuple[str, ...]], registry: Iterable[Action] = ACTIONS) -> tuple[Action, ...]:
    """The registry with a user's own keys: id of an action → its keys, the first is the one shown."""
    return tuple(action._replace(keys=keys.get(action.id, action.keys)) for action in registry)


def clashing(keys: Mapping[str, tuple[str, ...]], registry: Iterable[Action] = ACTIONS) -> list[tuple[str, str, str]]:
    """(id, key, other id) of every key the user gives to an action that another one has too."""
    owners: dict[str, list[str]] = {}
    for action in rebound(keys, registry):
        for key in action.keys:
            owners.setdefault(key, []).append(action.id)
    return [
        (action_id, spelled(key), next(other for other in owners[key] if other != action_id))
        for action_id, some in keys.items()
        for key in some
        if len(set(owners.get(key, ()))) > 1
    ]
