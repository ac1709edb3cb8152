"""The points of a sweep: settings and a seed each, and the scenario of a point."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

import msgspec

from engine.compare import carried_over
from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import changed
from engine.scenario import Scenario
from engine.scenario.acts import LoseNode
from engine.scenario.cluster import MAX_NODES
from engine.scenario.timed_acts import timed
from engine.sweep.axes import NODES, POLICY, Axis
from engine.units import plural

LOST_RACKS: Final = "lost-racks"
"""Key of a point: number of racks lost at the start."""

GROWTH: Final = "growth"
"""Key of a point: per cent of applications more."""


def strained(scenario: Scenario, settings: Mapping[str, str]) -> Scenario:
    """The scenario with what `LOST_RACKS` and `GROWTH` say.

    Raises:
        ConfigError: The cluster has no rack to lose but its only one.
    """
    if LOST_RACKS in settings:
        scenario = _without_racks(scenario, int(settings[LOST_RACKS]))
    return _grown(scenario, int(settings[GROWTH])) if GROWTH in settings else scenario


def _without_racks(scenario: Scenario, count: int) -> Scenario:
    nodes = scenario.cluster.all_nodes()
    racks = list(dict.fromkeys(node.rack for node in nodes))
    if len(racks) <= count:
        words = f"has {plural(len(racks), 'rack')}; a lost rack leaves no node"
        raise ConfigError([Problem(words, scenario.name, key="cluster.groups.racks")])
    lost = racks[-count:]
    faults = [timed(LoseNode(node.id)) for node in nodes if node.rack in lost]
    return scenario.model_copy(update={"faults": (*faults, *scenario.faults)})


def _grown(scenario: Scenario, per_cent: int) -> Scenario:
    """Every application that makes the sum of the per cents pass another hundred comes twice."""
    found = []
    for place, each in enumerate(scenario.workload):
        found.append(each)
        if (place + 1) * per_cent // 100 > place * per_cent // 100:
            found.append(each.model_copy(update={"number": None}))
    return scenario.model_copy(update={"workload": tuple(found)})


MOST_POINTS: Final = 1_000_000


class Point(msgspec.Struct, frozen=True):
    """One play of the scenario."""

    number: int
    """From 0; it does not depend on where or when the point is played."""
    settings: Mapping[str, str]
    """Key of an axis → value."""
    seed: int


def grid(axes: Sequence[Axis], seeds: Sequence[int]) -> list[Point]:
    """Every combination, the last axis fastest, with one seed after the other.

    Raises:
        ConfigError: There are too many.
    """
    count = len(seeds)
    for axis in axes:
        count *= len(axis.values)
    if count > MOST_POINTS:
        raise ConfigError([Problem(f"{count} points are more than {MOST_POINTS}", key="--vary", hint="--sample 200")])
    combinations = product(*(axis.values for axis in axes))
    keys = [axis.key for axis in axes]
    return numbered([dict(zip(keys, values, strict=True)) for values in combinations], seeds)


def numbered(combinations: Sequence[dict[str, str]], seeds: Sequence[int]) -> list[Point]:
    """Every combination with one seed, then with the next: numbers stay when there are more seeds."""
    pairs = product(seeds, combinations)
    return [Point(number, settings, seed) for number, (seed, settings) in enumerate(pairs)]


def varied(scenario: Scenario, settings: Mapping[str, str], seed: int | None = None) -> Scenario:
    """The scenario of a point; its expectations are not judged.

    Raises:
        ConfigError: A key or value cannot be.
    """
    policy = settings.get(POLICY)
    found = scenario if policy is None else carried_over(scenario, policy).scenario
    if NODES in settings:
        found = with_nodes(found, int(settings[NODES]))
    found = strained(found, settings)
    others = [f"{key}={value}" for key, value in settings.items() if key not in (POLICY, NODES, LOST_RACKS, GROWTH)]
    if others:
        found = changed(found, others)
    return found.model_copy(update={"expectations": (), **({} if seed is None else {"seed": seed})})


def with_nodes(scenario: Scenario, count: int) -> Scenario:
    """The scenario with so many nodes: those of its largest counted group come or go at the end, names stay.

    Raises:
        ConfigError: No group is counted, the others alone have as many nodes, or a fault or act is on a node that went.
    """
    cluster = scenario.cluster
    counted = [place for place, group in enumerate(cluster.groups) if group.count]
    if not counted:
        raise ConfigError(
            [Problem("names its nodes one by one, so that their number cannot vary", scenario.name, key=NODES)]
        )
    largest = max(counted, key=lambda place: cluster.groups[place].count)
    others = len(cluster.nodes) + sum(
        len(group.nodes()) for place, group in enumerate(cluster.groups) if place != largest
    )
    if not others < count <= MAX_NODES:
        words = f"cannot be {count}: {others} are there besides the group that varies, and {MAX_NODES} at most"
        raise ConfigError([Problem(words, scenario.name, key=NODES)])
    group = cluster.groups[largest]
    digits = group.digits or len(str(group.first + group.count - 1))
    group = group.model_copy(update={"count": count - others, "digits": digits})
    groups = tuple(group if place == largest else each for place, each in enumerate(cluster.groups))
    found = scenario.model_copy(update={"cluster": cluster.model_copy(update={"groups": groups})})
    left = {name for node in found.cluster.all_nodes() for name in (node.host, node.id)}
    gone = {name for node in cluster.all_nodes() for name in (node.host, node.id)} - left
    for each in (*scenario.faults, *scenario.script):
        node = getattr(each, "node", None)
        if node in gone:
            words = f"{each.do} {node}: with {count} nodes it is not there"
            raise ConfigError([Problem(words, scenario.name, key=NODES)])
    return found
