"""Figures of capacity queues in answers, worked out from their applications, and numbers in the servers' form."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.model.ledger import Attempt
from engine.model.resource import Resource
from engine.schedulers.capacity34.capacity_vector import ABSOLUTE, PERCENTAGE, WEIGHT, Measure, Vector, kinds
from engine.schedulers.capacity34.share import Share
from engine.serve.scheduler_capacity import capped, mode_of, most, percent, vector_document
from tests.engine.serve.asked import Asked, asked
from tests.engine.serve.test_app_fields import AT_MS, scene

SCHEDULERS = ("capacity-2.7", "capacity-3.4")
BOTH = [(name, at_ms) for name in SCHEDULERS for at_ms in AT_MS]


NO_WEIGHT = -1.0


@pytest.mark.parametrize(
    ("vector", "weight", "mode", "is_absolute"),
    [
        ((Measure(5.0, PERCENTAGE), Measure(5.0, PERCENTAGE)), NO_WEIGHT, "percentage", False),
        ((Measure(5.0, ABSOLUTE), Measure(5.0, ABSOLUTE)), NO_WEIGHT, "absolute", True),
        ((Measure(5.0, PERCENTAGE), Measure(5.0, ABSOLUTE)), NO_WEIGHT, "mixed", False),
        ((Measure(5.0, WEIGHT), Measure(5.0, WEIGHT)), 0.0, "weight", False),
        ((Measure(5.0, PERCENTAGE), Measure(5.0, ABSOLUTE)), 2.0, "weight", False),
    ],
)
def test_a_queue_names_the_way_its_capacity_is_given(
    vector: Vector, weight: float, mode: str, is_absolute: bool
) -> None:
    """A weight counts first; two kinds are mixed."""
    share = Share()
    share.weight = weight
    assert (mode_of(share, vector), kinds(vector) == {ABSOLUTE}) == (mode, is_absolute)


def test_a_vector_names_each_resource() -> None:
    """With the sign of its kind."""
    found = vector_document((Measure(12.5, PERCENTAGE), Measure(3.0, WEIGHT)))

    assert found == {
        "configuredCapacityVector": "[memory-mb=12.5%,vcores=3.0w]",
        "capacityVectorEntries": [
            {"resourceName": "memory-mb", "resourceValue": "12.5%"},
            {"resourceName": "vcores", "resourceValue": "3.0w"},
        ],
    }


@pytest.mark.parametrize(
    ("fraction", "as_percent", "as_part", "as_most"),
    [
        (0.0, 0.0, 0.0, 100.0),
        (5e-9, 5e-7, 5e-7, 100.0),
        (2e-8, 2e-6, 2e-6, 2e-6),
        (1 / 3, 33.333332, 33.333332, 33.333332),
        (0.5, 50.0, 50.0, 50.0),
        (1.0, 100.0, 100.0, 100.0),
        (1.5, 150.0, 100.0, 100.0),
        (-0.5, -50.0, 0.0, 100.0),
    ],
)
def test_fractions_are_written_as_per_cents(fraction: float, as_percent: float, as_part: float, as_most: float) -> None:
    """As floats; a part of a partition is from none to all of it, a maximum that is none is all."""
    assert (percent(fraction), capped(fraction), most(fraction)) == pytest.approx((as_percent, as_part, as_most))


def queues(one: Asked) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every queue below the root by its path."""
    left = list(one.json("/scheduler")["scheduler"]["schedulerInfo"]["queues"]["queue"])
    while left:
        queue = left.pop()
        yield queue["queuePath"], queue
        left += (queue.get("queues") or {}).get("queue", [])


def attempts(one: Asked, path: str, user: str = "") -> list[Attempt]:
    """Those that live in a queue or below it."""
    return [
        app.attempt
        for app in one.served.cluster.applications.values()
        if app.attempt is not None and f"{app.queue}.".startswith(f"{path}.") and user in {"", app.user}
    ]


def masters_of(attempts: list[Attempt]) -> tuple[int, int]:
    """What masters need, whether they have it yet or not: the least container where one is unmanaged."""
    sizes = [each.application.am or Resource(1024, 1) for each in attempts]
    return sum(each.memory_mb for each in sizes), sum(each.vcores for each in sizes)


@pytest.mark.parametrize(("scheduler", "at_ms"), BOTH)
def test_queues_add_up_their_applications(scheduler: str, at_ms: int) -> None:
    """What is used, how many there are, and their containers."""
    one = scene(scheduler, at_ms)
    for path, queue in queues(one):
        mine = attempts(one, path)
        assert queue["numApplications"] == len(mine)
        used = (sum(each.used_memory_mb for each in mine), sum(each.used_vcores for each in mine))
        assert (queue["resourcesUsed"]["memory"], queue["resourcesUsed"]["vCores"]) == used
        counts = [sum(len(each.live) for each in mine), sum(len(each.reserved) for each in mine)]
        assert queue["numContainers"] == sum(counts)
        assert queue["numActiveApplications"] + queue["numPendingApplications"] == len(mine)
        if scheduler == "capacity-3.4":
            pending = sum(each.pending for each in mine)
            names = ("allocatedContainers", "reservedContainers", "pendingContainers")
            assert [queue[name] for name in names] == [*counts, pending]
        for user in queue["users"].get("user", ()):
            own = attempts(one, path, user["username"])
            held = (user["resourcesUsed"]["memory"], user["resourcesUsed"]["vCores"])
            assert held == (sum(each.used_memory_mb for each in own), sum(each.used_vcores for each in own))
            assert user["AMResourceUsed"]["memory"] == masters_of(own)[0]
            assert user["numActiveApplications"] + user["numPendingApplications"] == len(own)


@pytest.mark.parametrize("at_ms", AT_MS)
def test_usage_of_the_default_partition_is_that_of_the_queue(at_ms: int) -> None:
    """With what its applications ask for, hold as masters and have reserved; leaves say limits, too."""
    one = scene("capacity-3.4", at_ms)
    for path, queue in queues(one):
        mine = attempts(one, path)
        (usage,) = queue["resources"]["resourceUsagesByPartition"]
        asks = [group.anywhere for each in mine for group in each.groups.values() if group.anywhere is not None]
        pending = (sum(each.memory_mb * each.count for each in asks), sum(each.vcores * each.count for each in asks))
        amounts = {
            "used": (sum(each.used_memory_mb for each in mine), sum(each.used_vcores for each in mine)),
            "reserved": (sum(each.reserved_memory_mb for each in mine), sum(each.reserved_vcores for each in mine)),
            "pending": pending,
            "amUsed": masters_of(mine),
        }
        assert {name: (usage[name]["memory"], usage[name]["vCores"]) for name in amounts} == amounts
        assert queue["usedAMResource"] == usage["amUsed"]
        assert queue["AMResourceLimit"] == usage["amLimit"]
        (capacity,) = queue["capacities"]["queueCapacitiesByPartition"]
        for name in ("capacity", "usedCapacity", "maxCapacity", "absoluteCapacity", "absoluteUsedCapacity"):
            assert capacity[name] == queue[name]
        assert queue["absoluteUsedCapacity"] == pytest.approx(amounts["used"][0] * 100 / 12_288, rel=1e-6)
        guaranteed_mb = queue["minEffectiveCapacity"]["memory"]
        assert queue["usedCapacity"] == pytest.approx(amounts["used"][0] * 100 / guaranteed_mb, rel=1e-6)


def test_the_health_of_the_last_run_is_nothing() -> None:
    """At this instant, by kind of operation."""
    one = scene("capacity-3.4", AT_MS[0])
    health = one.json("/scheduler")["scheduler"]["schedulerInfo"]["health"]

    assert health["lastrun"] == one.served.now_ms
    assert [(each["operation"], each["count"]) for each in health["lastRunDetails"]] == [
        ("releases", 0),
        ("allocations", 0),
        ("reservations", 0),
    ]
    assert {each["resources"]["memory"] for each in health["lastRunDetails"]} == {0}
    assert [each["operation"] for each in health["operationsInfo"]] == [
        "last-allocation",
        "last-release",
        "last-preemption",
        "last-reservation",
    ]
    assert {each["nodeId"] for each in health["operationsInfo"]} == {"N/A"}


@pytest.mark.parametrize("at_ms", AT_MS)
def test_labelled_queues_list_their_partitions(at_ms: int) -> None:
    """The default one first, with what nodes of each have."""
    one = asked("node-labels-capacity-3.4", at_ms)
    for _, queue in queues(one):
        names = [each["partitionName"] for each in queue["capacities"]["queueCapacitiesByPartition"]]
        assert names == ["", *sorted(names[1:])]
        assert names == [each["partitionName"] for each in queue["resources"]["resourceUsagesByPartition"]]
