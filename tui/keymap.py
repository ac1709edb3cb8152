"""Keys as people write them, in help and in a settings file, and look-ups in a registry of actions."""

import unicodedata
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from engine.errors import nearest
from engine.grouping import grouped
from tui.actions import ACT, ACTIONS, APP, DRILL, EXAM, LOOK, PANES, TIME, UNDO, Action, changes_cluster

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
}  # Names of Unicode → what textual calls the key
LONGEST_TYPED: Final = 6  # Letters that are taken for keys one after another
_MODIFIERS: Final = ("ctrl", "alt", "shift")


def key_name(written: str) -> str | None:
    """The name textual has for a key as people write it; None when there is no such key.

    >>> [key_name(one) for one in ("K", "F9", "PgUp", "+", "plus", "?", "ctrl+x", "esc", "hyper+x", "kk", "")]
    ['K', 'f9', 'pageup', 'plus', 'plus', 'question_mark', 'ctrl+x', 'escape', None, None, None]
    """
    *modifiers, last = written.split("+") if len(written) > 1 else [written]
    if not last and written.endswith("++"):
        modifiers, last = written[:-2].split("+"), "+"
    name = _plain_name(last)
    if name is None or any(modifier.lower() not in _MODIFIERS for modifier in modifiers):
        return None
    return "+".join([*(modifier.lower() for modifier in modifiers), name])


def key_hint(written: str) -> str:
    """What is meant by a text that is no key: the nearest one, or each of its letters.

    >>> key_hint("entr"), key_hint("wj"), key_hint("hyper+x")
    ('did you mean enter?', 'one key each: w, j', 'as in w, ?, enter, f5, ctrl+r')
    """
    if found := nearest(written, sorted({*_NAMED, *_SPELLING, *_ALIASES})):
        return found
    is_typed = 1 < len(written) <= LONGEST_TYPED and all(map(key_name, written))
    return f"one key each: {', '.join(written)}" if is_typed else "as in w, ?, enter, f5, ctrl+r"


def _plain_name(written: str) -> str | None:
    if len(written) == 1 and written.isalnum():
        return written
    folded = _ALIASES.get(written.lower(), written.lower())
    if folded in _NAMED or folded in _SPELLING:
        return folded
    if len(written) == 1 and written.isprintable():
        name = unicodedata.name(written, "").lower().replace("-", "_").replace(" ", "_")
        return _SIGNS.get(name, name) or None
    return None


def rebound(keys: Mapping[str, tuple[str, ...]]) -> tuple[Action, ...]:
    """The registry with a user's own keys: id of an action → its keys, the first is the one shown."""
    return tuple(action._replace(keys=keys.get(action.id, action.keys)) for action in ACTIONS)


def clashing(keys: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """(id, key, other id) of every key the user gives to an action that another one has too."""
    owners = grouped((key, action.id) for action in rebound(keys) for key in action.keys)
    return [
        (action_id, spelled(key), next(other for other in owners[key] if other != action_id))
        for action_id, some in keys.items()
        for key in some
        if len(set(owners.get(key, ()))) > 1
    ]


# The footer's keys: which actions stand in it, in which group, and which go first where there is little room.
#
# The keys come from the registry of actions, so a user's own keys are shown. A key that does nothing on this kind of
# cluster is left out; one that does nothing now stands there with the reason while there is room.

BRANCH = "branch"  # The one act of the past


class FooterSlot(NamedTuple):
    """A place in the footer, for one action or for a few that belong together."""

    title: str
    importance: int  # 1 always stays; the higher, the earlier it goes
    actions: tuple[str, ...]  # Ids; a click calls the first
    between: str = ""  # What stands between their keys


LOOKING = (
    FooterSlot("open", 3, ("follow",)),
    FooterSlot("why", 2, ("why",)),
    FooterSlot("what to do", 4, ("fix",)),
    FooterSlot("filter", 4, ("filter",)),
    FooterSlot("steps", 7, ("plans",)),
    FooterSlot("sort", 9, ("sort",)),
    FooterSlot("zoom", 8, ("zoom",)),
    FooterSlot("pane", 5, (f"pane.{PANES[0]}", f"pane.{PANES[-1]}"), "-"),
)
CLOCK = (
    FooterSlot("pause", 2, ("pause",)),
    FooterSlot("tick", 6, ("tick",)),
    FooterSlot("speed", 10, ("faster", "slower"), " "),
    FooterSlot("step", 11, ("past.back", "past.on"), " "),
    FooterSlot("marks", 9, ("past.back_mark", "past.on_mark"), " "),
)  # Only where the clock can be driven
SCALE = (FooterSlot("scale", 13, ("scale.less", "scale.more"), " "),)
ACTING = (
    FooterSlot("branch", 2, (BRANCH,)),
    FooterSlot("kill", 3, ("kill",)),
    FooterSlot("submit", 12, ("submit",)),
    FooterSlot("undo", 2, (UNDO,)),
    FooterSlot("acts", 3, ("menu",)),
    FooterSlot("drill", 2, (DRILL.id,)),
    *(FooterSlot(each.title, 1, (each.id,)) for each in EXAM),
)


STAYS: Final = 1  # The importance of a key that is never left out


class FooterKey(NamedTuple):
    """A key, or a few, with what they do."""

    keys: str
    title: str
    call: str  # What a click on it does; empty for nothing
    importance: int = STAYS  # The higher, the earlier it goes
    short: str = ""  # What is said where not every key has room; empty is the title
    is_idle: bool = False  # Whether it does nothing now; its title is the reason


FAINT: Final = 8  # How much earlier a key goes that does nothing now
IN_PAST: Final = {"pause": "not in the past", "kill": "not in the past"}  # Action → why it does nothing there


def hints(
    registry: Iterable[Action] = ACTIONS,
    *,
    read_only: bool = False,
    is_past: bool = False,
    stands: bool = False,
    has_clock: bool = True,
    can_undo: bool = False,
    idle: Mapping[str, str] = MappingProxyType({}),
) -> list[list[FooterKey]]:
    """Return the keys of the footer: what looks, what drives the clock, what acts.

    `stands` where the clock stands, `can_undo` where a key undoes an act; `idle` has the calls of actions that do
    nothing where the cursor stands, with the reason, which is empty where this kind of cluster has no such thing.
    """
    offered = {action.id: action for action in actions(registry, read_only=read_only)}
    known = {name: action for name, action in offered.items() if idle.get(action.call, "-")}
    reasons = {name: idle[action.call] for name, action in known.items() if action.call in idle}
    if is_past:
        kept = (BRANCH, *IN_PAST)
        known = {name: each for name, each in known.items() if name in kept or not changes_cluster(each.call)}
        known.pop("menu", None)
        reasons |= IN_PAST
    else:
        for name in (BRANCH, "past.on", "past.on_mark"):
            known.pop(name, None)
    if read_only:
        known.pop("menu", None)
    if EXAM[0].id in known:  # its clock had better run, and its questions show their key themselves
        for name in ("tick" if stands else "pause", DRILL.id, EXAM[0].id):
            known.pop(name, None)
    if not stands:
        known.pop("tick", None)
    if not can_undo:
        known.pop(UNDO, None)
    return [
        [
            _hint(place, known, reasons.get(place.actions[0], ""), stands=stands)
            for place in group
            if place.actions[0] in known
        ]
        for group in (LOOKING, (*CLOCK, *SCALE) if has_clock else SCALE, ACTING)
    ]


def _hint(place: FooterSlot, known: dict[str, Action], reason: str, *, stands: bool) -> FooterKey:
    some = [known[one] for one in place.actions if one in known]
    keys = place.between.join(spelled(action.keys[0]) for action in some)
    if reason:
        return FooterKey(keys, reason, some[0].call, place.importance + FAINT, is_idle=True)
    words = "run" if place.title == "pause" and stands else place.title
    return FooterKey(keys, words, some[0].call, place.importance)
