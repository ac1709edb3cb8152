"""In which order drills are best taken, and which one a trainee takes next."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, get_args

import msgspec

from engine.errors import ConfigError
from engine.training.drill import Difficulty, Track
from engine.training.drill_file import find_drill, load_drill, packaged_drills
from engine.training.history import PlayedDrill, best

ENOUGH: Final = 80
"""A drill solved with so many points need not be repeated."""
TRIES: Final = 3
"""After so many tries in a row without a solution something else comes first."""


class ListedFacts(msgspec.Struct, frozen=True):
    """The facts of a drill that a list needs; fields as of `Drill`."""

    brief: str
    minutes: int
    difficulty: Difficulty
    teaches: str
    before: str | None = None
    track: Track = "foundations"


class ListedDrill(msgspec.Struct, frozen=True):
    """A drill in a list, whose scenario was not looked at."""

    title: str
    drill: ListedFacts
    name: str = ""


class Curriculum(NamedTuple):
    """The drills that come with the program."""

    drills: Sequence[ListedDrill]
    """Track by track, each in the order it is best taken."""
    unreadable: Mapping[str, str]
    """Name of a drill that cannot be read → why, in one line."""


class Recommendation(NamedTuple):
    """The drill to take next."""

    drill: str
    reason: str


def curriculum() -> Curriculum:
    """Return the entries of all packaged drills; one that cannot be read keeps no other from being taken."""
    drills, unreadable = [], {}
    for name in packaged_drills():
        try:
            drills.append(listed(name))
        except ConfigError as error:
            unreadable[name] = error.first_line
    tracks = get_args(Track)
    return Curriculum(sorted(in_order(drills), key=lambda drill: tracks.index(drill.drill.track)), unreadable)


def listed(name: str) -> ListedDrill:
    """Return the entry of a packaged drill, by its own file alone where that says everything.

    Raises:
        ConfigError: Its file says too little, and with those it extends there is more wrong.
    """
    try:
        table = tomllib.loads(find_drill(name).file.read_text(encoding="utf-8"))
        return msgspec.convert({**table, "name": name}, ListedDrill)
    except (msgspec.ValidationError, ValueError, OSError):
        return msgspec.convert(load_drill(name), ListedDrill, from_attributes=True)


def recommended(history: Sequence[PlayedDrill], ordered: Sequence[ListedDrill]) -> Recommendation | None:
    """The drill to take next, and why; None when every drill was solved with enough points.

    A drill that was just not solved comes again, three times at most; then the first unsolved one whose predecessor is
    solved, of the same track where there is one; then, with all solved, the one with the fewest points below `ENOUGH`.

    `history` is what the trainee played, oldest first; `ordered` are all drills, in the order they are best taken.
    """
    solved = {one.drill for one in history if one.solved_s is not None}
    titles = {drill.name: drill for drill in ordered}
    last = history[-1].drill if history else ""
    others = [place for place, one in enumerate(history, 1) if one.drill != last]
    tries = len(history) - (others[-1] if others else 0)
    if last in titles and last not in solved and tries < TRIES:
        return Recommendation(last, f"not solved yet, after {tries} of {TRIES} tries in a row; a hint costs little")
    unsolved = [drill for drill in ordered if drill.name not in solved and drill.name != last]
    ready = [drill for drill in unsolved if drill.drill.before is None or drill.drill.before in solved]
    track = titles[last].drill.track if last in titles else ""
    for drill in sorted(ready or unsolved, key=lambda one: one.drill.track != track):
        after = f"after {drill.drill.before}: " if drill.drill.before in solved else ""
        return Recommendation(drill.name, f"{after}{drill.drill.teaches}")
    if last in titles and last not in solved:
        return Recommendation(last, "the only one that is not solved")
    return _weakest(history, ordered)


def _weakest(history: Sequence[PlayedDrill], ordered: Sequence[ListedDrill]) -> Recommendation | None:
    scores = [(found.score, drill.name) for drill in ordered if (found := best(history, drill.name)) is not None]
    score, name = min(scores, default=(ENOUGH, ""))
    return Recommendation(name, f"your best is {score}; --vary 1 gives it another workload") if score < ENOUGH else None


def in_order(drills: list[ListedDrill]) -> list[ListedDrill]:
    """Drills by difficulty, each after the one to take before it."""
    ranks = {"first shift": 0, "practised": 1, "expert": 2}
    waiting = sorted(drills, key=lambda drill: (ranks[drill.drill.difficulty], drill.drill.minutes, drill.name))
    names = {drill.name for drill in drills}
    ordered: list[ListedDrill] = []
    while waiting:
        taken = {drill.name for drill in ordered}
        free = [one for one in waiting if one.drill.before is None or one.drill.before in taken - {one.name}]
        free = free or [one for one in waiting if one.drill.before not in names] or waiting
        ordered.append(free[0])
        waiting.remove(free[0])
    return ordered
