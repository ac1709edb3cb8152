"""Figures of capacity queues in answers, worked out from their applications, and numbers in the servers' form."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.model.ledger import Attempt
from engine.model.resource import Resource
from engine.schedulers.capacity34.capacity_vector import ABSOLUTE, PERCENTAGE, WEIGHT, Measure, Vector, kinds
from engine.schedulers.capacity34.share import Share
from engine.serve.scheduler_capacity import mode_of
from tests.engine.serve.asked import Asked
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
    share = Share()
    share.weight = weight
    assert (mode_of(share, vector), kinds(vector) == {ABSOLUTE}) == (mode, is_absolute)


def queues(one: Asked) -> Iterator[tuple[str, dict[str, Any]]]:
    left = list(one.json("/scheduler")["scheduler"]["schedulerInfo"]["queues"]["queue"])
    while left:
        queue = left.pop()
        yield queue["queuePath"], queue
        left += (queue.get("queues") or {}).get("queue", [])


def attempts(one: Asked, path: str, user: str = "") -> list[Attempt]:
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
