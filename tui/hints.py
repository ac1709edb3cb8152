"""The line of hints: which actions stand in it, in which order, and which go first where there is little room.

The keys come from the registry of actions, so a user's own keys are shown.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from tui.keymap import ACTIONS, PANES, Action, actions, spelled


class Place(NamedTuple):
    """A place in the line, for one action or for a few that belong together."""

    title: str
    importance: int
    """1 always stays; the higher, the earlier it goes."""
    actions: tuple[str, ...]
    """Ids; a click calls the first."""
    between: str = ""
    """What stands between their keys."""


PLACES: tuple[Place, ...] = (
    Place("help", 1, ("help",)),
    Place("cmd", 2, ("command",)),
    Place("filter", 3, ("filter",)),
    Place("pane", 9, (f"pane.{PANES[0]}", f"pane.{PANES[-1]}"), "-"),
    Place("zoom", 2, ("zoom",)),
    Place("in", 8, ("follow",)),
    Place("why", 5, ("why",)),
    Place("events", 9, ("row.events",)),
    Place("problems", 11, ("problems",)),
    Place("sort", 10, ("sort",)),
    Place("pause", 3, ("pause",)),
    Place("tick", 4, ("tick",)),
    Place("speed", 4, ("faster", "slower")),
    Place("step", 10, ("past.back", "past.on")),
    Place("mark", 12, ("past.back_mark", "past.on_mark")),
    Place("submit", 6, ("submit",)),
    Place("kill", 5, ("kill",)),
    Place("preempt", 7, ("preemption",)),
    Place("resv", 7, ("reservation",)),
    Place("drain", 8, ("drain",)),
    Place("spread", 7, ("spread_out",)),
    Place("steps", 6, ("plans",)),
    Place("acts", 2, ("menu",)),
    Place("quit", 1, ("quit",)),
)
"""From left to right: looking, the clock, acting, leaving."""

WHOLE_TO = 7
"""Hints stand close, and are said shorter, rather than lose one up to this importance."""


class Hint(NamedTuple):
    """A key, or a few, in the line of hints."""

    keys: str
    title: str
    call: str
    """What a click on it does."""
    importance: int
    is_greyed: bool = False
    """Whether it says why its keys do nothing here."""

    def words(self, *, loose: bool) -> str:
        """Keys and title, with a blank between them where there is room."""
        between = ": " if self.is_greyed else " " if loose else ""
        return self.keys + between + self.title


class FittedHints(NamedTuple):
    """What the line of hints has room for."""

    hints: Sequence[Hint]
    is_loose: bool
    """Whether keys stand apart from their words, and hints further from each other."""


def hints(
    registry: Iterable[Action] = ACTIONS,
    *,
    read_only: bool = False,
    greyed: Collection[str] = (),
    reason: str = "",
) -> list[Hint]:
    """Everything that could stand in the line, in order.

    Args:
        registry: The actions with the user's keys.
        read_only: Whether acts are left out.
        greyed: Calls of actions that do nothing on this kind of cluster.
        reason: Why, for those of them that change a cluster; empty leaves them out.
    """
    known = {action.id: action for action in actions(registry, read_only=read_only)}
    found: list[Hint] = []
    for place in PLACES:
        some = [known[one] for one in place.actions if one in known]
        if not some:
            continue
        keys = place.between.join(spelled(action.keys[0]) for action in some)
        if some[0].call not in greyed:
            found.append(Hint(keys, place.title, some[0].call, place.importance))
        elif reason and found and found[-1].is_greyed:
            found[-1] = found[-1]._replace(keys=f"{found[-1].keys} {keys}")
        elif reason:
            found.append(Hint(keys, reason, some[0].call, place.importance, is_greyed=True))
    return found


def fitted(known: Sequence[Hint], width: int, short: Mapping[str, str] | None = None) -> FittedHints:
    """What of the hints has room in a width; the least important are left out, among equals the last.

    Args:
        known: In the order they stand in.
        width: Cells there are, one of them for the margin.
        short: Title → a shorter one, used where even hints that stand close have no room.
    """
    shorter = [hint._replace(title=(short or {}).get(hint.title, hint.title)) for hint in known]
    for some, is_loose in ((known, True), (known, False), (shorter, False)):
        kept = _kept(some, width, loose=is_loose)
        if all(hint in kept for hint in some if hint.importance <= WHOLE_TO):
            return FittedHints(kept, is_loose)
    return FittedHints(_kept(shorter, width, loose=False), is_loose=False)


def _kept(known: Sequence[Hint], width: int, *, loose: bool) -> list[Hint]:
    gap = 2 if loose else 1
    used, kept = 1 - gap, set[int]()
    for place, hint in sorted(enumerate(known), key=lambda pair: pair[1].importance):
        length = gap + len(hint.words(loose=loose))
        if hint.importance == 1 or used + length <= width:
            used += length
            kept.add(place)
    return [hint for place, hint in enumerate(known) if place in kept]
