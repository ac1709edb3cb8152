"""Sums up a sweep: each setting over its seeds, the front of the best ones, and what matters."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from statistics import mean, median
from typing import Final

import msgspec

from engine.measures import RunMeasures
from engine.sweep.axes import NODES, Axis
from engine.sweep.goals import GOALS, Goal, GoalLimit
from engine.sweep.playing import DONE, FAILED
from engine.sweep.store import StoredPoint

USED: Final = GOALS["used"]
MOST_FAILED: Final = 1000


class SettingFigures(msgspec.Struct, frozen=True):
    """One setting over its seeds."""

    settings: Mapping[str, str]
    done: int
    """Seeds that were played to the end."""
    goal: float
    """The median of the goal over these seeds."""
    low: float
    high: float
    used: float
    """The mean part of the cluster's memory or map slots held."""
    breaks: tuple[str, ...] = ()
    """Limits that some seed breaks."""
    is_front: bool = False
    """Whether no other is as good in the goal and better in what it costs, or the other way round."""
    frozen: int = 0
    """Seeds in which, as was proved, nothing could be allocated any more."""
    lost: float = 0.0
    """Applications refused, failed or not ended, the mean over the seeds."""
    master_wait_ms: float = 0.0
    """The median over the seeds of the wait for an application master that 95 % do not exceed [ms]."""

    @property
    def harm(self) -> tuple[bool, float]:
        """What no figure of waits makes good: a freeze, then applications lost; the less the better."""
        return bool(self.frozen), self.lost


class Effect(msgspec.Struct, frozen=True):
    """The effect of one axis on the goal."""

    key: str
    low: float
    high: float
    """From worst to best value, others averaged: least and most over the seeds."""
    best: str
    """The value that is best in every seed; empty, with no claim, where seeds disagree or there is only one."""
    share: float
    """Its middle in relation to the sum over all axes, 0 to 1."""


class Summary(msgspec.Struct, frozen=True):
    """The whole of a sweep, or of what there is of it."""

    goal: str
    settings: tuple[SettingFigures, ...]
    """The best first: by what is lost (`SettingFigures.harm`), then those that keep all limits, then by the goal; of
    equals the cheapest."""
    effects: tuple[Effect, ...]
    """The largest first."""
    counts: Mapping[str, int]
    """Status → points."""
    errors: tuple[tuple[str, str, int], ...]
    """(status, words, points) of those that were refused or failed."""
    failed: tuple[StoredPoint, ...] = ()
    """Points that failed, by number; at most `MOST_FAILED`."""


def summarised(
    points: Iterable[StoredPoint], axes: Sequence[Axis], goal: Goal, limits: Sequence[GoalLimit] = ()
) -> Summary:
    """Sum up the points there are."""
    groups: dict[tuple[tuple[str, str], ...], list[StoredPoint]] = {}
    counts: dict[str, int] = {}
    errors: dict[tuple[str, str], int] = {}
    failed: list[StoredPoint] = []
    for each in points:
        counts[each.status] = counts.get(each.status, 0) + 1
        if each.status != DONE:
            errors[each.status, each.words] = errors.get((each.status, each.words), 0) + 1
        if each.status == FAILED:
            failed.append(each)
        groups.setdefault(tuple(sorted(each.settings.items())), []).append(each)
    found = (_figures(dict(settings), some, goal, limits) for settings, some in groups.items())
    played = sorted((each for each in found if each is not None), key=lambda each: _rank(each, goal))
    return Summary(
        goal.name,
        tuple(_with_front(played, goal)),
        tuple(sorted(_effects(groups.values(), axes, goal), key=lambda each: -each.share)),
        dict(sorted(counts.items())),
        tuple((*key, count) for key, count in sorted(errors.items())),
        tuple(failed[:MOST_FAILED]),
    )


def _rank(each: SettingFigures, goal: Goal) -> tuple[tuple[bool, float], bool, float, float, list[tuple[str, str]]]:
    cost, value = _cost_and_goal(each, goal)
    return each.harm, bool(each.breaks), value, cost, sorted(each.settings.items())


def _figures(
    settings: Mapping[str, str], points: Sequence[StoredPoint], goal: Goal, limits: Sequence[GoalLimit]
) -> SettingFigures | None:
    """Return the figures of a setting; None where no seed was played to the end."""
    runs = [each.measures for each in points if each.measures is not None]
    if not runs:
        return None
    values = [goal.of(run) for run in runs]
    broken = tuple(limit.text for limit in limits if not all(limit.holds(run) for run in runs))
    used = mean(USED.of(run) for run in runs)
    return SettingFigures(
        settings,
        len(runs),
        median(values),
        min(values),
        max(values),
        used,
        broken,
        frozen=sum(run.frozen_ms > 0 for run in runs),
        lost=mean(run.lost_applications for run in runs),
        master_wait_ms=median(run.master_waits.p95 for run in runs),
    )


def _with_front(played: Sequence[SettingFigures], goal: Goal) -> list[SettingFigures]:
    """Mark those that no other beats: fewest nodes where they vary, else the cluster used most, for the goal.

    Fewer nodes are worth something even where more is lost; a fuller cluster is not, and a freeze nowhere.
    """
    kept = [each for each in played if not each.breaks]
    least_harm = min((each.harm for each in kept), default=(False, 0.0))
    places: set[tuple[float, tuple[float, float]]] = set()
    for each in kept:
        cost, value = _cost_and_goal(each, goal)
        if each.harm == least_harm or (NODES in each.settings and bool(each.frozen) == least_harm[0]):
            places.add((cost, (each.lost, value)))
    front, least = set[tuple[float, tuple[float, float]]](), (inf, inf)
    for cost, good in sorted(places):
        if good < least:
            front.add((cost, good))
            least = good
    marked = []
    for each in played:
        cost, value = _cost_and_goal(each, goal)
        is_in = not each.breaks and bool(each.frozen) == least_harm[0] and (cost, (each.lost, value)) in front
        marked.append(msgspec.structs.replace(each, is_front=is_in))
    return marked


def _harm(runs: Sequence[RunMeasures]) -> tuple[bool, float]:
    """As `SettingFigures.harm`."""
    return any(run.frozen_ms for run in runs), mean(run.lost_applications for run in runs)


def _sign(goal: Goal) -> int:
    """Return what makes less of a goal better."""
    return 1 if goal.is_less_better else -1


def _cost_and_goal(each: SettingFigures, goal: Goal) -> tuple[float, float]:
    """Return what a setting costs and what it reaches; of both less is better."""
    cost = float(each.settings[NODES]) if NODES in each.settings else -each.used
    return cost, each.goal * _sign(goal)


def _effects(groups: Iterable[Sequence[StoredPoint]], axes: Sequence[Axis], goal: Goal) -> list[Effect]:
    points = [each for some in groups for each in some]
    found = [effect for axis in axes if (effect := _effect(axis, points, goal)) is not None]
    whole = sum(each.low + each.high for each in found)
    return [msgspec.structs.replace(each, share=(each.low + each.high) / whole if whole else 0.0) for each in found]


def _effect(axis: Axis, points: Sequence[StoredPoint], goal: Goal) -> Effect | None:
    """Return how much an axis of two or more values matters; None where no seed has two of them."""
    by_seed: dict[int, dict[str, list[RunMeasures]]] = {}
    for each in points:
        if each.measures is not None and axis.key in each.settings:
            values = by_seed.setdefault(each.seed, {})
            values.setdefault(each.settings[axis.key], []).append(each.measures)
    several = [each for each in by_seed.values() if len(each) > 1]
    if not several:
        return None
    means = [{value: mean(map(goal.of, some)) for value, some in each.items()} for each in several]
    spans = [max(each.values()) - min(each.values()) for each in means]
    best = {
        min(each, key=lambda value, each=each, of=of: (_harm(each[value]), of[value] * _sign(goal)))  # type: ignore[misc]  # the defaults bind the names
        for each, of in zip(several, means, strict=True)
        if max(of.values()) > min(of.values())
    }
    return Effect(
        axis.key,
        min(spans),
        max(spans),
        best.pop() if len(best) == 1 and len(spans) > 1 and min(spans) > 0 else "",
        0.0,
    )
