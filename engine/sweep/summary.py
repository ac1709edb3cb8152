"""Sums up a sweep: each setting over its seeds, the front of the best ones, and what matters."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from statistics import mean, median
from typing import Final

import msgspec

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
    """Settings that keep all limits first, then by the goal, the best first; of equals the cheapest."""
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


def _rank(each: SettingFigures, goal: Goal) -> tuple[bool, float, float, list[tuple[str, str]]]:
    cost, value = _cost_and_goal(each, goal)
    return bool(each.breaks), value, cost, sorted(each.settings.items())


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
    return SettingFigures(settings, len(runs), median(values), min(values), max(values), used, broken)


def _with_front(played: Sequence[SettingFigures], goal: Goal) -> list[SettingFigures]:
    """Mark those that no other beats: fewest nodes where they vary, else the cluster used most, for the goal."""
    places = {_cost_and_goal(each, goal) for each in played if not each.breaks}
    front, least = set[tuple[float, float]](), inf
    for cost, value in sorted(places):
        if value < least:
            front.add((cost, value))
            least = value
    return [
        msgspec.structs.replace(each, is_front=not each.breaks and _cost_and_goal(each, goal) in front)
        for each in played
    ]


def _cost_and_goal(each: SettingFigures, goal: Goal) -> tuple[float, float]:
    """Return what a setting costs and what it reaches; of both less is better."""
    cost = float(each.settings[NODES]) if NODES in each.settings else -each.used
    return cost, each.goal if goal.is_less_better else -each.goal


def _effects(groups: Iterable[Sequence[StoredPoint]], axes: Sequence[Axis], goal: Goal) -> list[Effect]:
    points = [each for some in groups for each in some]
    found = [effect for axis in axes if (effect := _effect(axis, points, goal)) is not None]
    whole = sum(each.low + each.high for each in found)
    return [msgspec.structs.replace(each, share=(each.low + each.high) / whole if whole else 0.0) for each in found]


def _effect(axis: Axis, points: Sequence[StoredPoint], goal: Goal) -> Effect | None:
    """Return how much an axis of two or more values matters; None where no seed has two of them."""
    by_seed: dict[int, dict[str, list[float]]] = {}
    for each in points:
        if each.measures is not None and axis.key in each.settings:
            values = by_seed.setdefault(each.seed, {})
            values.setdefault(each.settings[axis.key], []).append(goal.of(each.measures))
    means = [{value: mean(some) for value, some in each.items()} for each in by_seed.values() if len(each) > 1]
    if not means:
        return None
    spans = [max(each.values()) - min(each.values()) for each in means]
    choose = min if goal.is_less_better else max
    best = {choose(each, key=each.__getitem__) for each in means if max(each.values()) > min(each.values())}
    return Effect(
        axis.key,
        min(spans),
        max(spans),
        best.pop() if len(best) == 1 and len(spans) > 1 and min(spans) > 0 else "",
        0.0,
    )
