"""Finds the least value that keeps a goal, by bisection.

Both sides are played: the answer keeps the goal with every seed, one less breaks it with some. A goal that holds at 40
nodes, breaks at 41 and holds at 42 is not found by it.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from engine.measures import RunMeasures
from engine.sweep.spec import GoalLimit, Point
from engine.sweep.store import StoredPoint, figures_of


class SizeStep(msgspec.Struct, frozen=True):
    value: int
    values: tuple[float, ...]  # The goal's figure for each seed; fewer where a seed could not be played or has none
    kept: int
    """Seeds that keep the goal; one that freezes, goes round in a livelock, or loses applications that the
    largest value does not, keeps none."""
    words: str = ""  # Why a seed could not be played
    frozen: int = 0  # Seeds in which, as was proved, nothing could be allocated any more
    lost: int = 0  # Applications refused or failed, over all seeds
    cut: int = 0  # Seeds in which neither is so and the end of the run leaves open whether the goal is kept
    livelocked: int = 0  # Seeds without a freeze in which, as was proved, containers are preempted again and again


class Sizing(msgspec.Struct, frozen=True):
    key: str
    steps: tuple[SizeStep, ...]  # In the order they were tried
    answer: int | None
    """The least value that keeps the goal with every seed; None where even the largest does not, or it was stopped."""
    seeds: int

    def step(self, value: int) -> SizeStep | None:
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
    also: Sequence[GoalLimit] = (),
) -> Sizing:
    """Bisect between two values, both of which count; each is played with each of the `seeds`.

    `beside` are further settings of every point, `also` limits besides the goal; `told` gets what there is so far.
    """
    steps: dict[int, SizeStep] = {}

    def keeps(value: int) -> bool | None:
        largest = steps.get(high)
        allowed = None if largest is None else largest.lost
        step = tried(key, value, (goal, *also), seeds, played, beside or {}, allowed)
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
    limits: Sequence[GoalLimit],
    seeds: Sequence[int],
    played: Played,
    beside: Mapping[str, str],
    allowed: int | None = None,
) -> SizeStep | None:
    """Play one value with every seed; None when it was stopped. `allowed` may be refused or fail; None: any number."""
    settings = {**beside, key: str(value)}
    points = [Point(value * len(seeds) + place, settings, seed) for place, seed in enumerate(seeds)]
    found = played(points)
    if len(found) < len(points):
        return None
    runs: list[RunMeasures] = [each.measures for each in found.values() if each.measures is not None]
    words = next((each.words for each in found.values() if each.words), "")
    lost = sum(run.refused + run.failed for run in runs)
    is_allowed = allowed is None or lost <= allowed
    thawed = [run for run in runs if not run.frozen_ms]
    going = [run for run in thawed if not run.livelock_ms]
    kept = sum(all(limit.holds(run) for limit in limits) for run in going) if is_allowed else 0
    cut = sum(any(limit.is_cut(run) for limit in limits) for run in going)
    goal = limits[0].goal
    figures = figures_of(runs, goal)
    words = words if figures or not runs else f"no {goal.name} with any seed"
    return SizeStep(value, tuple(figures), kept, words, len(runs) - len(thawed), lost, cut, len(thawed) - len(going))
