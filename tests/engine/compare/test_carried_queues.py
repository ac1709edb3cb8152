"""What queues become under a policy of another family, to the last setting."""

from engine.compare import ConvertedScenario, carried_over
from engine.formats.scenario_toml import load, loads
from engine.scenario import QueueSpec, Scenario

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
CAPACITY = {
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
    return scene("capacity-3.4", {**CAPACITY, **settings}, PLACED, "x", "root.b")


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
