"""Figures of capacity queues in answers, worked out from their applications, and numbers in the servers' form."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.model.ledger import Attempt
from engine.model.request import Resource
from tests.engine.serve.asked import Asked
from tests.engine.serve.test_app_fields import AT_MS, scene


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
