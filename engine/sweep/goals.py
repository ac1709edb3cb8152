"""The figures of a run that a sweep may be judged by, and limits on them."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem, nearest
from engine.measures import RunMeasures
from engine.units import parse_duration

TIME, SHARE, COUNT, RATIO, WORK = "ms", "share", "", "ratio", "s"
"""Units: ms; 0 to 1, written as per cent; a number; a number without unit; container-seconds or node-seconds."""


class Goal(msgspec.Struct, frozen=True):
    """One figure."""

    name: str
    title: str
    unit: str
    of: Callable[[RunMeasures], float]
    is_less_better: bool = True


_ALL: Final = (
    Goal("median_wait", "median wait for the first container asked for", TIME, lambda run: run.waits.median),
    Goal("p95_wait", "95 % wait for the first container asked for", TIME, lambda run: run.waits.p95),
    Goal("worst_wait", "longest wait for the first container asked for", TIME, lambda run: run.waits.worst),
    Goal("p95_master_wait", "95 % wait for the application master", TIME, lambda run: run.master_waits.p95),
    Goal("p95_slowdown", "95 % slowdown", RATIO, lambda run: run.slowdown.p95),
    Goal("makespan", "makespan", TIME, lambda run: run.makespan_ms),
    Goal("unfinished", "applications that have not ended", COUNT, lambda run: run.unfinished),
    Goal("starved", "applications that waited 10 minutes or longer", COUNT, lambda run: run.starved),
    Goal("never_started", "applications without a container that they asked for", COUNT, lambda run: run.never_started),
    Goal("frozen", "time in which, by proof, nothing could be allocated", TIME, lambda run: run.frozen_ms),
    Goal("refused", "applications refused", COUNT, lambda run: run.refused),
    Goal("failed", "applications that failed or were killed", COUNT, lambda run: run.failed),
    Goal("standstill", "longest standstill while somebody waits", TIME, lambda run: run.standstill_ms),
    Goal("preempted", "containers preempted", SHARE, lambda run: run.preempted / max(1, run.containers)),
    Goal("lost_work", "work lost", WORK, lambda run: run.lost_s),
    Goal("reserved_in_vain", "reserved in vain", WORK, lambda run: run.reserved_in_vain_s),
    Goal(
        "used",
        "memory or map slots held",
        SHARE,
        lambda run: next(iter(run.used_share.values()), 0.0),
        is_less_better=False,
    ),
    Goal(
        "fairness",
        "Jain's index of users",
        RATIO,
        lambda run: 1.0 if run.users.jain is None else run.users.jain,
        is_less_better=False,
    ),
)
GOALS: Final[Mapping[str, Goal]] = MappingProxyType({goal.name: goal for goal in _ALL})
"""Name → figure."""


def goal_named(name: str, key: str) -> Goal:
    """The figure of a name; `p95` alone is that of waits.

    Args:
        name: As the user writes it.
        key: The option it was given with.

    Raises:
        ConfigError: There is no such figure.
    """
    found = GOALS.get(name) or GOALS.get(f"{name}_wait")
    if found is None:
        hint = nearest(name, GOALS) or f"there is {', '.join(GOALS)}"
        raise ConfigError([Problem(f"there is no measure {name}", key=key, hint=hint)])
    return found


class GoalLimit(msgspec.Struct, frozen=True):
    """A bound on a figure."""

    goal: Goal
    is_below: bool
    value: float
    text: str
    """As the user wrote it."""

    def holds(self, run: RunMeasures) -> bool:
        """Tell whether a run keeps it."""
        value = self.goal.of(run)
        return value < self.value if self.is_below else value > self.value


_LIMIT: Final = re.compile(r"\s*([a-z_0-9]+)\s*([<>])=?\s*(.+?)\s*\Z")


def limit_of(text: str, key: str) -> GoalLimit:
    """Read `p95_wait < 5m`, `preempted < 1%`, `starved < 1`.

    Raises:
        ConfigError: It is no such text, or names no figure.
    """
    found = _LIMIT.match(text)
    if found is None:
        raise ConfigError([Problem(f"{text!r} is not MEASURE < VALUE", key=key, hint="'p95_wait < 5m'")])
    goal = goal_named(found[1], key)
    try:
        value = _value(found[3], goal.unit)
    except ValueError as error:
        raise ConfigError([Problem(f"{text!r}: {error}", key=key)]) from error
    return GoalLimit(goal, found[2] == "<", value, f"{goal.name} {found[2]} {found[3]}")


def _value(text: str, unit: str) -> float:
    if unit == TIME:
        return parse_duration(text)
    if unit == SHARE:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    return float(text)
