"""Keys as people write them, in help and in a settings file, and look-ups in a registry of actions."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from tui.actions import ACT, ACTIONS, APP, LOOK, TIME, Action

_SPELLING: Final = {
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "underscore": "_",
    "question_mark": "?",
    "full_stop": ".",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "colon": ":",
    "slash": "/",
    "exclamation_mark": "!",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "asterisk": "*",
    "backslash": "\\",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "esc",
}


def spelled(key: str) -> str:
    """A key as people write it.

    >>> spelled("plus"), spelled("K"), spelled("f9"), spelled("ctrl+c")
    ('+', 'K', 'F9', 'ctrl+c')
    """
    if len(key) > 1 and key[0] == "f" and key[1:].isdigit():
        return key.upper()
    return _SPELLING.get(key, key)


def actions(registry: Iterable[Action] = ACTIONS, *, read_only: bool = False) -> tuple[Action, ...]:
    """All actions; in read-only mode those that change the cluster are gone."""
    return tuple(action for action in registry if not (read_only and action.changes_cluster))


def help_groups(registry: Iterable[Action] = ACTIONS) -> list[tuple[str, list[Action]]]:
    """(group, its actions) for the help screen, in the order of the registry."""
    groups: dict[str, list[Action]] = {name: [] for name in (LOOK, TIME, ACT, APP)}
    for action in registry:
        groups[action.group].append(action)
    return list(groups.items())


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


def clashing(keys: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """(id, key, other id) of every key the user gives to an action that another one has too."""
    owners: dict[str, list[str]] = {}
    for action in rebound(keys):
        for key in action.keys:
            owners.setdefault(key, []).append(action.id)
    return [
        (action_id, spelled(key), next(other for other in owners[key] if other != action_id))
        for action_id, some in keys.items()
        for key in some
        if len(set(owners.get(key, ()))) > 1
    ]
