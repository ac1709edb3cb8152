"""The points of a sweep: settings and a seed each, and the scenario of a point."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import ceil, isfinite, prod
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Final

import msgspec

from engine.compare import carried_over
from engine.errors import ConfigError, Problem, nearest, shortened
from engine.formats.scenario_toml import changed
from engine.measures import RunMeasures
from engine.scenario import Scenario
from engine.scenario.acts import LoseNode, nodes_of, timed
from engine.scenario.cluster import MAX_NODES
from engine.units import parse_duration, plural

# The axes of a sweep: a key and its values, as a user writes them.

NODES: Final = "nodes"  # The key of an axis of node counts
LONGEST_COUNT: Final = 10  # Longest number of nodes [characters]
POLICY: Final = "policy"  # The key of an axis of policies
SEED: Final = "seed"  # The key of an axis of seeds, which hold in place of those of the sweep

OPTION: Final = "--vary"
MOST_VALUES: Final = 10_000


class Axis(msgspec.Struct, frozen=True):
    """A key and the values it is given, as texts, in the order they were written."""

    key: str
    values: tuple[str, ...]


def axis_of(text: str, option: str = OPTION) -> Axis:
    """Read `key=a,b,c` or `key=40..80/10`; the end of a range counts when a step meets it.

    >>> axis_of("nodes=40..80/20"), axis_of("yarn.scheduler.fair.preemption=true,false")
    (Axis(key='nodes', values=('40', '60', '80')), Axis(key='yarn.scheduler.fair.preemption', values=('true', 'false')))

    Raises:
        ConfigError: It is no `key=values`, has no value or one twice, or the range cannot be.
    """
    key, sign, words = text.partition("=")
    key = key.strip()
    if not sign or not key:
        raise _wrong(text, "is not key=a,b,c or key=FROM..TO/STEP", option)
    values = _range(text, words, option) if ".." in words else tuple(each.strip() for each in words.split(","))
    if not all(values) or not values:
        raise _wrong(text, "has an empty value", option)
    if len(set(values)) < len(values):
        raise _wrong(text, "names a value twice", option)
    if key == NODES and not all(each.isdecimal() and len(each) < LONGEST_COUNT and int(each) > 0 for each in values):
        raise _wrong(text, "is not a number of nodes", option)
    return Axis(key, values)


def _range(text: str, words: str, option: str) -> tuple[str, ...]:
    ends, _, step_text = words.partition("/")
    low_text, _, high_text = ends.partition("..")
    try:
        low, high, step = int(low_text), int(high_text), int(step_text or "1")
    except ValueError:
        raise _wrong(text, "is not FROM..TO/STEP in whole numbers", option) from None
    if step < 1:
        raise _wrong(text, f"has the step {step}, which is not 1 or more", option)
    if high < low:
        raise _wrong(text, f"ends at {high}, which is less than {low}", option)
    if (high - low) // step >= MOST_VALUES:
        raise _wrong(text, f"has more than {MOST_VALUES} values", option)
    return tuple(str(value) for value in range(low, high + 1, step))


def _wrong(text: str, message: str, option: str) -> ConfigError:
    example = f"{NODES}=40..80/10" if option == OPTION else f"{NODES}=40..80"
    return ConfigError([Problem(message, f"{option} {shortened(text)}", hint=f"{option} {example}")])


# The figures of a run that a sweep may be judged by, and limits on them.

TIME, SHARE, COUNT, RATIO, WORK = "ms", "share", "", "ratio", "s"
"""Units: ms; 0 to 1, written as per cent; a number; a number without unit; container-seconds or node-seconds."""


class Goal(msgspec.Struct, frozen=True):
    name: str
    title: str
    unit: str
    of: Callable[[RunMeasures], float]
    is_less_better: bool = True
    is_cut: Callable[[RunMeasures], bool] = lambda _: False
    """Whether the end of a run cuts it off, so that it is more than the run shows."""
    is_known: Callable[[RunMeasures], bool] = lambda _: True

    def figure(self, run: RunMeasures) -> float | None:
        """The figure of a run; None where there is none, as no application ended or no master waited."""
        return self.of(run) if self.is_known(run) else None


def _cuts_waits(part: int) -> Callable[[RunMeasures], bool]:
    """Tell of a run whether the wait that so many per cent do not exceed is of one that waits on at the end."""

    def is_cut(run: RunMeasures) -> bool:
        number = run.waits.number
        return run.still_waiting > number - ceil(number * part / 100)

    return is_cut


def _has_waits(run: RunMeasures) -> bool:
    return run.waits.number > 0


HELD: Final = {"cores": "cores held", "memory_mb": "memory held", "map_slots": "map slots held"}
"""Dimension that `used` is of, the first that a cluster has → its words."""

_ALL: Final = (
    Goal(
        "median_wait",
        "median wait for the first container asked for",
        TIME,
        lambda run: run.waits.median,
        is_cut=_cuts_waits(50),
        is_known=_has_waits,
    ),
    Goal(
        "p95_wait",
        "95 % wait for the first container asked for",
        TIME,
        lambda run: run.waits.p95,
        is_cut=_cuts_waits(95),
        is_known=_has_waits,
    ),
    Goal(
        "worst_wait",
        "longest wait for the first container asked for",
        TIME,
        lambda run: run.waits.worst,
        is_cut=_cuts_waits(100),
        is_known=_has_waits,
    ),
    Goal(
        "p95_master_wait",
        "95 % wait for the application master",
        TIME,
        lambda run: run.master_waits.p95,
        is_known=lambda run: run.master_waits.number > 0,
    ),
    Goal(
        "p95_slowdown",
        "95 % slowdown",
        RATIO,
        lambda run: run.slowdown.p95,
        is_cut=lambda run: run.unfinished > 0 and not run.slowdown.number,
        is_known=lambda run: run.slowdown.number > 0,
    ),
    Goal("makespan", "makespan", TIME, lambda run: run.makespan_ms, is_cut=lambda run: run.unfinished > 0),
    Goal("unfinished", "applications that have not ended", COUNT, lambda run: run.unfinished),
    Goal("starved", "applications that waited 10 minutes or longer", COUNT, lambda run: run.starved),
    Goal("never_started", "applications without a container that they asked for", COUNT, lambda run: run.never_started),
    Goal("frozen", "time in which, by proof, nothing could be allocated", TIME, lambda run: run.frozen_ms),
    Goal("livelock", "time in which, by proof, containers are only preempted", TIME, lambda run: run.livelock_ms),
    Goal("refused", "applications refused", COUNT, lambda run: run.refused),
    Goal("failed", "applications that failed or were killed", COUNT, lambda run: run.failed),
    Goal("standstill", "longest standstill while an application waits", TIME, lambda run: run.standstill_ms),
    Goal("preempted", "containers preempted", SHARE, lambda run: run.preempted / max(1, run.containers)),
    Goal("lost_work", "work lost", WORK, lambda run: run.lost_s),
    Goal("reserved_in_vain", "reserved in vain", WORK, lambda run: run.reserved_in_vain_s),
    Goal(
        "used",
        "memory, map slots or, of Spark, cores held",
        SHARE,
        lambda run: next((run.used_share[name] for name in HELD if name in run.used_share), 0.0),
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
GOALS: Final[Mapping[str, Goal]] = MappingProxyType({goal.name: goal for goal in _ALL})  # Name → figure


def goal_named(name: str, key: str) -> Goal:
    """The figure of a name; `p95` alone is that of waits. Raises ConfigError, of the option `key`, if there is none."""
    found = GOALS.get(name) or GOALS.get(f"{name}_wait")
    if found is None:
        hint = nearest(name, GOALS) or f"there is {', '.join(GOALS)}"
        raise ConfigError.of(f"there is no measure {name}", key=key, hint=hint)
    return found


class GoalLimit(msgspec.Struct, frozen=True):
    goal: Goal
    sign: str  # A key of `_SIGNS`
    value: float
    text: str  # As the user wrote it

    def holds(self, run: RunMeasures) -> bool:
        """Tell whether a run shows that it keeps it; one that cuts the figure off does not show that it is less."""
        figure = self.goal.figure(run)
        return figure is not None and not self.is_cut(run) and _SIGNS[self.sign](figure, self.value)

    def is_cut(self, run: RunMeasures) -> bool:
        """Tell whether the end of a run leaves open if the figure is less."""
        return self.sign.startswith("<") and self.goal.is_cut(run)


_LIMIT: Final = re.compile(r"\s*([a-z_0-9]+)\s*([<>]=?)\s*(.+?)\s*\Z")
_SIGNS: Final[Mapping[str, Callable[[float, float], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def limit_of(text: str, key: str) -> GoalLimit:
    """Read `p95_wait < 5m`, `preempted < 1%`, `starved <= 0`. Raises ConfigError if it is none."""
    found = _LIMIT.match(text)
    if found is None:
        raise ConfigError.of(f"{text!r} is not MEASURE < VALUE", key=key, hint="'p95_wait < 5m'")
    goal = goal_named(found[1], key)
    try:
        value = _value(found[3], goal.unit)
    except ValueError as error:
        raise ConfigError.of(f"{text!r}: {error}", key=key) from error
    return GoalLimit(goal, found[2], value, f"{goal.name} {found[2]} {found[3]}")


def _value(text: str, unit: str) -> float:
    if unit == TIME:
        return parse_duration(text)
    value = float(text.removesuffix("%")) / 100 if unit == SHARE and text.endswith("%") else float(text)
    if unit == SHARE and not 0 <= value <= 1:
        raise ValueError("is no share of 0% to 100%, or of 0 to 1")
    if not isfinite(value):
        raise ValueError("is not a number")
    return value


LOST_RACKS: Final = "lost-racks"  # Key of a point: number of racks lost at the start
GROWTH: Final = "growth"  # Key of a point: per cent of applications more


def _without_racks(scenario: Scenario, count: int) -> Scenario:
    nodes = scenario.cluster.all_nodes()
    racks = list(dict.fromkeys(node.rack for node in nodes))
    if len(racks) <= count:
        words = f"has {plural(len(racks), 'rack')}; a lost rack leaves no node"
        raise ConfigError.of(words, scenario.name, key="cluster.groups.racks")
    lost = racks[-count:]
    faults = [timed(LoseNode(node.id)) for node in nodes if node.rack in lost]
    return scenario.model_copy(update={"faults": (*faults, *scenario.faults)})


def _grown(scenario: Scenario, per_cent: int) -> Scenario:
    found = []
    for place, each in enumerate(scenario.workload):
        found.append(each)
        if (place + 1) * per_cent // 100 > place * per_cent // 100:
            found.append(each.model_copy(update={"number": None}))
    return scenario.model_copy(update={"workload": tuple(found)})


MOST_POINTS: Final = 1_000_000


class Point(msgspec.Struct, frozen=True):
    number: int  # From 0; it does not depend on where or when the point is played
    settings: Mapping[str, str]  # Key of an axis → value
    seed: int


def grid(axes: Sequence[Axis], seeds: Sequence[int]) -> list[Point]:
    """Every combination, the last axis fastest, seed after seed. Raises ConfigError if there are too many."""
    _check_count(prod(len(axis.values) for axis in axes), seeds)
    combinations = product(*(axis.values for axis in axes))
    keys = [axis.key for axis in axes]
    return numbered([dict(zip(keys, values, strict=True)) for values in combinations], seeds)


def sampled(axes: Sequence[Axis], draws: Iterable[Sequence[float]], seeds: Sequence[int]) -> list[Point]:
    """The combinations that draws from 0 to below 1 fall on, each with every seed; one that comes twice counts once."""
    places = {tuple(int(part * len(axis.values)) for axis, part in zip(axes, row, strict=True)) for row in draws}
    _check_count(len(places), seeds)
    combinations = [
        {axis.key: axis.values[place] for axis, place in zip(axes, each, strict=True)} for each in sorted(places)
    ]
    return numbered(combinations, seeds)


def _check_count(combinations: int, seeds: Sequence[int]) -> None:
    count = combinations * len(seeds)
    if count > MOST_POINTS:
        hint = "fewer values, fewer seeds or --sample 200"
        raise ConfigError.of(f"{count} points are more than {MOST_POINTS}", key=OPTION, hint=hint)


def numbered(combinations: Sequence[dict[str, str]], seeds: Sequence[int]) -> list[Point]:
    """Every combination with one seed, then with the next: numbers stay when there are more seeds."""
    pairs = product(seeds, combinations)
    return [Point(number, settings, seed) for number, (seed, settings) in enumerate(pairs)]


def varied(scenario: Scenario, settings: Mapping[str, str], seed: int | None = None) -> Scenario:
    """The scenario of a point; its expectations are not judged. Raises ConfigError if a key or value cannot be."""
    policy = settings.get(POLICY)
    found = scenario if policy is None else carried_over(scenario, policy).scenario
    if NODES in settings:
        found = with_nodes(found, int(settings[NODES]))
    if LOST_RACKS in settings:
        found = _without_racks(found, int(settings[LOST_RACKS]))
    if GROWTH in settings:
        found = _grown(found, int(settings[GROWTH]))
    others = [f"{key}={value}" for key, value in settings.items() if key not in (POLICY, NODES, LOST_RACKS, GROWTH)]
    if others:
        found = changed(found, others)
    return found.model_copy(update={"expectations": (), **({} if seed is None or SEED in settings else {"seed": seed})})


def without_nodes(assignments: Sequence[str]) -> tuple[int, list[str]]:
    """What the last `nodes=N` sets, 0 for none, and the rest. Raises ConfigError if it is no number from 1 on."""
    count, others = 0, []
    for each in assignments:
        key, _, words = each.partition("=")
        if key.strip() != NODES:
            others.append(each)
            continue
        count = int(words) if words.strip().isdecimal() and len(words) < LONGEST_COUNT else 0
        if count < 1:
            raise ConfigError.of("is not a number of nodes", f"--set {each}", hint=f"--set {NODES}=40")
    return count, others


def with_nodes(scenario: Scenario, count: int) -> Scenario:
    """The scenario with so many nodes: those of its largest counted group come or go at the end, names stay.

    Raises ConfigError if no group is counted, the others alone have as many, or a fault or act is on a node that went.
    """
    cluster = scenario.cluster
    counted = [place for place, group in enumerate(cluster.groups) if group.count]
    if not counted:
        raise ConfigError.of("names its nodes one by one, so that their number cannot vary", scenario.name, key=NODES)
    largest = max(counted, key=lambda place: cluster.groups[place].count)
    others = len(cluster.nodes) + sum(
        len(group.nodes()) for place, group in enumerate(cluster.groups) if place != largest
    )
    if not others < count <= MAX_NODES:
        words = f"cannot be {count}: {others} are there besides the group that varies, and {MAX_NODES} at most"
        raise ConfigError.of(words, scenario.name, key=NODES)
    group = cluster.groups[largest]
    digits = group.digits or len(str(group.first + group.count - 1))
    group = group.model_copy(update={"count": count - others, "digits": digits})
    groups = tuple(group if place == largest else each for place, each in enumerate(cluster.groups))
    found = scenario.model_copy(update={"cluster": cluster.model_copy(update={"groups": groups})})
    left = {name for node in found.cluster.all_nodes() for name in (node.host, node.id)}
    gone = {name for node in cluster.all_nodes() for name in (node.host, node.id)} - left
    for each in (*scenario.faults, *scenario.script):
        if node := next((name for _, name in nodes_of(each.act) if name in gone), ""):
            words = f"{each.do} {node}: with {plural(count, 'node')} it is not there"
            raise ConfigError.of(words, scenario.name, key=NODES)
    return found
