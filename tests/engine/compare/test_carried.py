"""A scenario carried over to another policy."""

import pytest

from engine.compare import ConvertedScenario, carried_over
from engine.errors import ConfigError
from engine.formats.scenario_toml import load, loads
from engine.scenario import QueueSpec, Scenario
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


def test_nested_queues_are_named_as_each_release_knows_them() -> None:
    """2.7 knows queues by their last name, 3.4 by the path, and FIFO has one."""
    before = load("prod-dev-fair")
    queues = {policy: {spec.queue for spec in carried_over(before, policy).scenario.workload} for policy in POLICIES}
    assert all("." not in (queue or "") for queue in queues["capacity-2.7"])
    assert "root.dev.eng" in queues["capacity-3.4"]
    assert queues["fifo"] == {spec.queue for spec in before.workload}


POLICIES = ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4", "capacity-2.7", "capacity-3.4")


@pytest.mark.parametrize("name", ["prod-dev-fair", "node-labels-capacity-3.4", "lifespans-session"])
def test_every_policy_of_yarn_takes_it(name: str) -> None:
    before = load(name)
    for policy in POLICIES:
        _ = build_simulation(carried_over(before, policy).scenario)


def test_an_unknown_policy_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no policy capcity-3.4.*did you mean capacity-3.4"):
        carried_over(load("fair-order"), "capcity-3.4")


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


def queues_of(carried: ConvertedScenario) -> list[str | None]:
    scenario = carried.scenario
    specs = [*scenario.workload, *(each.application for each in scenario.running)]
    return [getattr(each, "queue", None) for each in specs]


def test_weights_are_capacities_in_thousandths_of_a_per_cent() -> None:
    """Rounded, the last child taking the rest; one user may have all of a queue; a largest share is a limit."""
    found = carried_over(fair(), "capacity-2.7").scenario.settings

    prefix = "yarn.scheduler.capacity."
    assert {key.removeprefix(prefix): value for key, value in found.items()} == {
        "maximum-am-resource-percent": "0.5",
        "root.queues": "a,b,default,new",
        "root.a.capacity": "50",
        "root.a.user-limit-factor": "2",
        "root.b.capacity": "16.667",
        "root.b.user-limit-factor": "6",
        "root.b.maximum-capacity": "25",
        "root.default.capacity": "16.667",
        "root.default.user-limit-factor": "6",
        "root.new.capacity": "16.666",
        "root.new.user-limit-factor": "7",
        "root.a.queues": "x,y",
        "root.a.x.capacity": "33.333",
        "root.a.x.user-limit-factor": "7",
        "root.a.y.capacity": "66.667",
        "root.a.y.user-limit-factor": "3",
    }


def test_a_largest_share_above_the_cluster_is_all_of_it() -> None:
    text = '[[queues]]\nname = "a"\nmax_resources = "9000 mb, 1 vcores"\n'
    settings = carried_over(scene("fair-2.7", {}, text, "a", "b"), "capacity-2.7").scenario.settings

    assert settings["yarn.scheduler.capacity.root.a.maximum-capacity"] == "100"


def test_without_a_switch_for_preemption_none_is_set() -> None:
    carried = carried_over(fair(), "capacity-3.4")

    assert "yarn.resourcemanager.scheduler.monitor.enable" not in carried.scenario.settings
    assert len(carried.mapped) == 1


def test_capacities_are_weights_and_largest_capacities_limits() -> None:
    """Weights in gigabytes that are guaranteed; limits are parts of the cluster; a queue in order is a FIFO pool."""
    carried = carried_over(capacity(), "fair-3.4")

    assert carried.scenario.queues == (
        QueueSpec(name="a", weight=6.0),
        QueueSpec(name="a.x", weight=3.0, max_resources="4915 mb, 5 vcores", policy="fifo"),
        QueueSpec(name="a.y", weight=3.0),
        QueueSpec(name="b", weight=2.0, policy="fifo"),
    )
    assert queues_of(carried) == ["a.x", "b", "a.y"]
    assert carried.mapped == ("3 queues: weights by capacity, largest capacities as limits",)
    assert carried.dropped == ("limits of users and of application masters: FairScheduler's own hold",)


def test_the_monitor_of_a_capacity_scheduler_is_the_preemption_of_a_fair_one() -> None:
    """A limit on masters is dropped by its key, what configures queues is not named one by one."""
    settings = {
        "yarn.resourcemanager.scheduler.monitor.enable": "true",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "0.3",
    }
    carried = carried_over(capacity(**settings), "fair-2.7")

    assert carried.scenario.settings["yarn.scheduler.fair.preemption"] == "true"
    assert carried.mapped[0] == "yarn.resourcemanager.scheduler.monitor.enable is yarn.scheduler.fair.preemption"
    assert carried.dropped[0] == "yarn.scheduler.capacity.maximum-am-resource-percent = 0.3"
    assert len(carried.dropped) == 2


def test_the_same_policy_is_the_same_scenario() -> None:
    before = fair()
    assert carried_over(before, "fair-2.7") == ConvertedScenario(before)
    assert carried_over(before, "fair-3.4") == ConvertedScenario(before.model_copy(update={"scheduler": "fair-3.4"}))
    judged = load("fair-order")
    assert carried_over(judged, "fair-2.7").scenario.expectations == judged.expectations
    assert carried_over(judged, "fair-3.4").scenario.expectations == ()
