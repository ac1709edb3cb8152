"""A scenario carried over to another policy."""

import pytest

from engine.compare import ConvertedScenario, carried_over
from engine.errors import ConfigError
from engine.formats.scenario_toml import load, loads
from engine.scenario import Scenario
from engine.simulation.build import build_simulation

CAPACITY = "yarn.scheduler.capacity.root"


def capacities(scenario: Scenario) -> dict[str, float]:
    ends = {key: value for key, value in scenario.settings.items() if key.endswith(".capacity")}
    return {key.removeprefix(f"{CAPACITY}.").removesuffix(".capacity"): float(value) for key, value in ends.items()}


def test_weights_become_capacities() -> None:
    """Children share all of their parent by weight; the pool nobody uses is left out."""
    carried = carried_over(load("reservation-deadlock"), "capacity-3.4")
    found = capacities(carried.scenario)
    assert found == {"adhoc": 14.286, "etl": 42.857, "mining": 28.571, "reports": 14.286}
    assert any(each.startswith("minimum shares of root.etl") for each in carried.dropped)
    assert any("4 queues" in each for each in carried.mapped)


def test_capacities_become_weights_and_largest_capacities_limits() -> None:
    carried = carried_over(load("three-schedulers-capacity"), "fair-3.4")
    long, short = sorted(carried.scenario.queues, key=lambda each: each.name)
    assert (long.name, short.name) == ("long", "short")
    assert long.weight == pytest.approx(4 * (short.weight or 0))
    assert long.max_resources == "81920 mb, 80 vcores"
    assert short.max_resources is None


def test_a_release_keeps_all_but_the_rule_of_reservations() -> None:
    before = load("reservation-deadlock")
    carried = carried_over(before, "fair-3.4")
    assert carried.scenario.queues == before.queues
    assert "schedlab.reservation.rule" not in carried.scenario.settings
    assert len(carried.dropped) == 1


def test_preemption_goes_with_the_family() -> None:
    carried = carried_over(load("preemption-minshare"), "capacity-2.7")
    assert carried.scenario.settings["yarn.resourcemanager.scheduler.monitor.enable"] == "true"


def test_queues_of_the_other_family_hold_where_the_scenario_has_them() -> None:
    before = load("three-schedulers-fifo")
    carried = carried_over(before, "capacity-3.4")
    assert carried.scenario.settings == before.settings
    assert carried.scenario.workload == before.workload


POLICIES = ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4", "capacity-2.7", "capacity-3.4")


@pytest.mark.parametrize("name", ["prod-dev-fair", "node-labels-capacity-3.4", "lifespans-session"])
def test_every_policy_of_yarn_takes_it(name: str) -> None:
    before = load(name)
    for policy in POLICIES:
        _ = build_simulation(carried_over(before, policy).scenario)


def test_other_control_planes_are_not_compared() -> None:
    with pytest.raises(ConfigError, match="do not run the same applications"):
        carried_over(load("fair-order"), "spark")
    with pytest.raises(ConfigError, match="do not run the same applications"):
        carried_over(load("mr1-slots-of-the-wrong-kind"), "fair-2.7")


# What queues become under a policy of another family, to the last setting.

CLUSTER = '[cluster]\nnodes = [{ host = "n1", memory = "8g", vcores = 8 }]\n'
FAIR = """
[[queues]]
name = "a"
weight = 3.0
min_resources = "1024 mb, 0 vcores"
[[queues]]
name = "a.x"
[[queues]]
name = "a.y"
weight = 2.0
policy = "fifo"
[[queues]]
name = "b"
max_resources = "2048 mb, 2 vcores"
"""
PLACED = """
[[running]]
placed = [{ node = "n1", memory = "1g", vcores = 1 }]
[running.application]
type = "scripted"
name = "old"
user = "eve"
queue = "root.a.y"
am = "unmanaged"
waits = true
asks = [{ memory = "1g", vcores = 1 }]
"""
CARRIED_QUEUES_CAPACITY = {
    "yarn.scheduler.capacity.root.queues": "a,b",
    "yarn.scheduler.capacity.root.a.capacity": "75",
    "yarn.scheduler.capacity.root.a.queues": "x,y",
    "yarn.scheduler.capacity.root.a.x.capacity": "50",
    "yarn.scheduler.capacity.root.a.x.maximum-capacity": "60",
    "yarn.scheduler.capacity.root.a.y.capacity": "50",
    "yarn.scheduler.capacity.root.a.y.ordering-policy": "fair",
    "yarn.scheduler.capacity.root.b.capacity": "25",
}


def scene(scheduler: str, settings: dict[str, str], text: str, *queues: str | None) -> Scenario:
    """A node, these settings, and an application for each of the queues."""
    head = f'duration = "10m"\nscheduler = "{scheduler}"\n[settings]\n'
    rows = "".join(f'"{key}" = "{value}"\n' for key, value in settings.items())
    work = "".join(
        '[[workload]]\ntype = "scripted"\nname = "one"\nuser = "ann"\nasks = [{ memory = "1g" }]\n'
        + ("" if queue is None else f'queue = "{queue}"\n')
        for queue in queues
    )
    return loads(head + rows + CLUSTER + text + work, "scene")


def fair(**settings: str) -> Scenario:
    """Two pools below one, one beside it; applications of three of them, of a new one and of none."""
    return scene("fair-2.7", settings, FAIR, "root.a.x", None, "new", "b")


def capacity(**settings: str) -> Scenario:
    """Two queues below one, one beside it, with an application that runs at the start."""
    return scene("capacity-3.4", {**CARRIED_QUEUES_CAPACITY, **settings}, PLACED, "x", "root.b")


def test_the_same_policy_is_the_same_scenario() -> None:
    before = fair()
    assert carried_over(before, "fair-2.7") == ConvertedScenario(before)
    assert carried_over(before, "fair-3.4") == ConvertedScenario(before.model_copy(update={"scheduler": "fair-3.4"}))
    judged = load("fair-order")
    assert carried_over(judged, "fair-2.7").scenario.expectations == judged.expectations
    assert carried_over(judged, "fair-3.4").scenario.expectations == ()
