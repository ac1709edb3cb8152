"""The footer's keys: which actions stand in it, in which group, and which go first where there is little room.

The keys come from the registry of actions, so a user's own keys are shown; a key that does nothing now is left out.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from tui.actions import ACTIONS, DRILL, EXAM, PANES, UNDO, Action, changes_cluster
from tui.keymap import actions, spelled

BRANCH = "branch"
"""The one act of the past."""


class Place(NamedTuple):
    """A place in the footer, for one action or for a few that belong together."""

    title: str
    importance: int
    """1 always stays; the higher, the earlier it goes."""
    actions: tuple[str, ...]
    """Ids; a click calls the first."""
    between: str = ""
    """What stands between their keys."""


LOOKING = (
    Place("open", 3, ("follow",)),
    Place("why", 2, ("why",)),
    Place("filter", 4, ("filter",)),
    Place("steps", 7, ("plans",)),
    Place("sort", 9, ("sort",)),
    Place("zoom", 8, ("zoom",)),
    Place("pane", 5, (f"pane.{PANES[0]}", f"pane.{PANES[-1]}"), "-"),
)
CLOCK = (
    Place("pause", 2, ("pause",)),
    Place("tick", 6, ("tick",)),
    Place("speed", 10, ("faster", "slower"), " "),
    Place("step", 11, ("past.back", "past.on"), " "),
    Place("marks", 9, ("past.back_mark", "past.on_mark"), " "),
)
"""Only where the clock can be driven."""
SCALE = (Place("scale", 13, ("scale.less", "scale.more"), " "),)
ACTING = (
    Place("branch", 2, (BRANCH,)),
    Place("kill", 3, ("kill",)),
    Place("submit", 12, ("submit",)),
    Place("undo", 2, (UNDO,)),
    Place("acts", 3, ("menu",)),
    Place("drill", 2, (DRILL.id,)),
    *(Place(each.title, 1, (each.id,)) for each in EXAM),
)


class Hint(NamedTuple):
    """A key, or a few, in the footer."""

    keys: str
    title: str
    call: str
    """What a click on it does."""
    importance: int


def hints(
    registry: Iterable[Action] = ACTIONS,
    *,
    read_only: bool = False,
    is_past: bool = False,
    stands: bool = False,
    has_clock: bool = True,
    can_undo: bool = False,
    idle: Collection[str] = (),
) -> list[list[Hint]]:
    """Return every key that does something now: what looks, what drives the clock, what acts.

    Args:
        registry: The actions with the user's keys.
        read_only: Whether nothing may be changed.
        is_past: Whether the past is looked at, where nothing acts but to branch.
        stands: Whether the clock stands.
        can_undo: Whether the line of an act stands, which a key undoes.
        has_clock: Whether there is a clock to drive: not on a running cluster.
        idle: Calls of actions that do nothing on this kind of cluster, or where the cursor stands.
    """
    known = {action.id: action for action in actions(registry, read_only=read_only) if action.call not in idle}
    if is_past:
        known = {name: each for name, each in known.items() if name == BRANCH or not changes_cluster(each.call)}
        known.pop("menu", None)
    else:
        for name in (BRANCH, "past.on_mark"):
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
        [_hint(place, known, stands=stands) for place in group if place.actions[0] in known]
        for group in (LOOKING, (*CLOCK, *SCALE) if has_clock else SCALE, ACTING)
    ]


def _hint(place: Place, known: dict[str, Action], *, stands: bool) -> Hint:
    some = [known[one] for one in place.actions if one in known]
    title = "run" if place.title == "pause" and stands else place.title
    return Hint(place.between.join(spelled(action.keys[0]) for action in some), title, some[0].call, place.importance)
