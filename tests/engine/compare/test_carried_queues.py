"""What queues become under a policy of another family, to the last setting."""

import pytest

from engine.compare import Carried, carried_over
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


def queues_of(carried: Carried) -> list[str | None]:
    """The queues that its applications name."""
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
    """By memory alone."""
    text = '[[queues]]\nname = "a"\nmax_resources = "9000 mb, 1 vcores"\n'
    settings = carried_over(scene("fair-2.7", {}, text, "a", "b"), "capacity-2.7").scenario.settings

    assert settings["yarn.scheduler.capacity.root.a.maximum-capacity"] == "100"


def test_a_tiny_queue_has_a_user_limit_factor_of_a_thousand_at_most() -> None:
    """As for a part of one in a thousand."""
    text = '[[queues]]\nname = "a"\nweight = 1.0\n[[queues]]\nname = "b"\nweight = 9999.0\n'
    settings = carried_over(scene("fair-2.7", {}, text, "a", "b"), "capacity-2.7").scenario.settings

    assert settings["yarn.scheduler.capacity.root.a.capacity"] == "0.01"
    assert settings["yarn.scheduler.capacity.root.a.user-limit-factor"] == "1000"
    assert settings["yarn.scheduler.capacity.root.b.user-limit-factor"] == "2"


@pytest.mark.parametrize(
    ("policy", "queues"),
    [
        ("capacity-2.7", ["x", "default", "new", "b"]),
        ("capacity-3.4", ["root.a.x", "root.default", "root.new", "root.b"]),
        ("fair-3.4", ["root.a.x", None, "new", "b"]),
        ("fifo", ["root.a.x", None, "new", "b"]),
    ],
)
def test_applications_name_their_queues_as_the_policy_knows_them(policy: str, queues: list[str | None]) -> None:
    """Its last name in 2.7, its path in 3.4, and as before where nothing is made anew."""
    assert queues_of(carried_over(fair(), policy)) == queues


def test_what_a_capacity_scheduler_does_not_have_is_dropped() -> None:
    """Settings of fair schedulers, minimum shares, sharing among applications, and placement without a name."""
    settings = {
        "yarn.scheduler.fair.preemption": "true",
        "yarn.scheduler.fair.assignmultiple": "true",
        "yarn.scheduler.minimum-allocation-mb": "512",
        "schedlab.reservation.rule": "off",
    }
    carried = carried_over(fair(**settings), "capacity-3.4")

    assert carried.mapped == (
        "yarn.scheduler.fair.preemption is yarn.resourcemanager.scheduler.monitor.enable",
        "5 queues: capacities by weight, a user may have all of a queue, masters half of it",
    )
    assert carried.dropped == (
        "yarn.scheduler.fair.assignmultiple = true",
        "schedlab.reservation.rule = off",
        "minimum shares of root.a",
        "sharing among the applications of root.a.x, root.b: a queue of CapacityScheduler serves in order",
        "placement rules: applications that name no queue go to root.default",
    )
    assert carried.scenario.settings["yarn.resourcemanager.scheduler.monitor.enable"] == "true"
    assert "schedlab.reservation.rule" not in carried.scenario.settings


def test_without_a_switch_for_preemption_none_is_set() -> None:
    """And nothing is said about it."""
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


def test_fifo_has_one_queue_and_drops_the_others() -> None:
    """Whichever family they are of; their number is said."""
    assert carried_over(capacity(), "fifo-3.4").dropped == (
        "3 queues: FIFO has one, and serves in order of submission",
    )
    one = scene("fair-2.7", {"yarn.scheduler.fair.preemption": "true"}, "", "root.a")
    assert carried_over(one, "fifo").dropped == (
        "yarn.scheduler.fair.preemption = true",
        "1 queue: FIFO has one, and serves in order of submission",
    )


def test_from_fifo_the_queues_are_those_that_applications_name() -> None:
    """Equal capacities; a fair scheduler makes them itself, so that there is nothing to say."""
    plain = scene("fifo", {}, "", "x", "root.b")
    carried = carried_over(plain, "capacity-3.4")
    settings = carried.scenario.settings

    assert settings["yarn.scheduler.capacity.root.queues"] == "x,b"
    assert [settings[f"yarn.scheduler.capacity.root.{name}.capacity"] for name in "xb"] == ["50", "50"]
    assert not any("maximum-capacity" in key for key in settings)
    assert (queues_of(carried), carried.dropped) == (["root.x", "root.b"], ())
    made_anew = carried_over(plain, "fair-3.4")
    assert (made_anew.mapped, made_anew.dropped, queues_of(made_anew)) == ((), (), ["x", "root.b"])
    assert carried_over(plain, "fifo-3.4").dropped == ()


def test_queues_that_the_other_family_finds_configured_hold() -> None:
    """Applications name their queues as before; it is said, also of a file of allocations."""
    words = "the scenario configures {} queues, too: those hold"
    both = scene("fair-2.7", CAPACITY, FAIR, "root.a.x")
    assert carried_over(both, "capacity-3.4").mapped == (words.format("capacity"),)
    assert queues_of(carried_over(both, "capacity-3.4")) == ["root.a.x"]

    other = scene("capacity-3.4", CAPACITY, FAIR, "x")
    assert carried_over(other, "fair-3.4").mapped == (words.format("fair"),)
    text = 'allocations = "<allocations><queue name=\\"a\\"/></allocations>"\n'
    named = loads(text + 'duration = "1m"\nscheduler = "fifo"\n' + CLUSTER, "named")
    assert carried_over(named, "fair-3.4").mapped == (words.format("fair"),)


def test_the_same_policy_is_the_same_scenario() -> None:
    """Of another one the expectations are not judged."""
    before = fair()
    assert carried_over(before, "fair-2.7") == Carried(before)
    assert carried_over(before, "fair-3.4") == Carried(before.model_copy(update={"scheduler": "fair-3.4"}))
    judged = load("fair-order")
    assert carried_over(judged, "fair-2.7").scenario.expectations == judged.expectations
    assert carried_over(judged, "fair-3.4").scenario.expectations == ()
