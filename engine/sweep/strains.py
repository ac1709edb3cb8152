"""What a size has to withstand: a rack lost from the start, more work."""

from collections.abc import Mapping
from typing import Final

from engine.errors import ConfigError, Problem
from engine.scenario import Scenario
from engine.scenario.acts import LoseNode
from engine.scenario.timed_acts import timed

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
        words = f"has {len(racks)} rack{'s' * (len(racks) != 1)}; a lost rack leaves no node"
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
