"""Finds the fewest nodes, or the smallest value of a setting, that keep a goal over all seeds, by bisection.

Both sides are played: the answer keeps the goal with every seed, one less breaks it with some. What lies between is
not looked at: a goal that holds at 40 nodes, breaks at 41 and holds at 42 is not found by it.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from engine.measures import RunMeasures
from engine.sweep.spec import GoalLimit, Point
from engine.sweep.store import StoredPoint


class SizeStep(msgspec.Struct, frozen=True):
    """A value that was tried."""

    value: int
    values: tuple[float, ...]  # The goal's figure for each seed; fewer where a seed could not be played
    kept: int
    """Seeds that keep the goal; one that freezes, or loses applications that the largest value does not, keeps none."""
    words: str = ""  # Why a seed could not be played
    frozen: int = 0  # Seeds in which, as was proved, nothing could be allocated any more
    lost: int = 0  # Applications refused or failed, over all seeds


class Sizing(msgspec.Struct, frozen=True):
    """The size that was found."""

    key: str
    steps: tuple[SizeStep, ...]  # In the order they were tried
    answer: int | None
    """The least value that keeps the goal with every seed; None where even the largest does not, or it was stopped."""
    seeds: int

    def step(self, value: int) -> SizeStep | None:
        """Return what was tried at a value."""
        return next((each for each in self.steps if each.value == value), None)


Played = Callable[[list[Point]], Mapping[int, StoredPoint]]
"""Plays points and returns what came of them by number; fewer when it was stopped."""


def sized(
    key: str,
    low: int,
    high: int,
    goal: GoalLimit,
    seeds: Sequence[int],
    played: Played,
    beside: Mapping[str, str] | None = None,
    told: Callable[[Sizing], None] = lambda _: None,
) -> Sizing:
    """Bisect between two values, both of which count.

    Each value is played with each of the `seeds`; `beside` are further settings of every point; `told` is given what
    there is after each value.
    """
    steps: dict[int, SizeStep] = {}

    def keeps(value: int) -> bool | None:
        largest = steps.get(high)
        step = tried(key, value, goal, seeds, played, beside or {}, None if largest is None else largest.lost)
        if step is None:
            return None
        steps[value] = step
        told(Sizing(key, tuple(steps.values()), None, len(seeds)))
        return step.kept == len(seeds)

    if not keeps(high):
        return Sizing(key, tuple(steps.values()), None, len(seeds))
    if keeps(low):
        return Sizing(key, tuple(steps.values()), low, len(seeds))
    below, above = low, high
    while above - below > 1:
        middle = (below + above) // 2
        is_kept = keeps(middle)
        if is_kept is None:
            return Sizing(key, tuple(steps.values()), None, len(seeds))
        if is_kept:
            above = middle
        else:
            below = middle
    return Sizing(key, tuple(steps.values()), above, len(seeds))


def tried(
    key: str,
    value: int,
    goal: GoalLimit,
    seeds: Sequence[int],
    played: Played,
    beside: Mapping[str, str],
    allowed: int | None = None,
) -> SizeStep | None:
    """Play one value with every seed; None when it was stopped.

    `allowed` is how many applications may be refused or fail over all seeds; None for any number.
    """
    settings = {**beside, key: str(value)}
    points = [Point(value * len(seeds) + place, settings, seed) for place, seed in enumerate(seeds)]
    found = played(points)
    if len(found) < len(points):
        return None
    runs: list[RunMeasures] = [each.measures for each in found.values() if each.measures is not None]
    words = next((each.words for each in found.values() if each.words), "")
    lost = sum(run.refused + run.failed for run in runs)
    is_allowed = allowed is None or lost <= allowed
    kept = sum(goal.holds(run) and not run.frozen_ms for run in runs) if is_allowed else 0
    frozen = sum(run.frozen_ms > 0 for run in runs)
    return SizeStep(value, tuple(goal.goal.of(run) for run in runs), kept, words, frozen, lost)
