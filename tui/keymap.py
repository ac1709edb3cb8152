"""Keys as people write them, and look-ups in a registry of actions."""

from collections.abc import Iterable
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


def clashes(registry: Iterable[Action] = ACTIONS) -> list[str]:
    """Keys that two actions claim, each in words; empty when there is none."""
    owner: dict[str, str] = {}
    found = []
    for action in registry:
        for key in action.keys:
            if key in owner:
                found.append(f"{spelled(key)}: {owner[key]} and {action.id}")
            owner.setdefault(key, action.id)
    return found


def help_groups(registry: Iterable[Action] = ACTIONS) -> list[tuple[str, list[Action]]]:
    """(group, its actions) for the help screen, in the order of the registry."""
    groups: dict[str, list[Action]] = {name: [] for name in (LOOK, TIME, ACT, APP)}
    for action in registry:
        groups[action.group].append(action)
    return list(groups.items())
