"""CapacityScheduler of 2.7.2, of which nothing was recorded, beside the scheduler's own view; preemption."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.model.ledger import Attempt
from engine.model.request import Resource
from tests.engine.serve.asked import Asked, asked
from tests.engine.serve.test_app_fields import AT_MS, scene

OLD = ("prod-dev-capacity", 60_000)
PREEMPTING = ("prod-dev-capacity-preemption", 180_000)


def leaves(queue: Any) -> Iterator[Any]:  # Any: JSON
    under = queue.get("queues", {}).get("queue", [])
    yield from [queue] if "users" in queue else []
    for each in under:
        yield from leaves(each)


@pytest.mark.parametrize("scenario", [OLD, PREEMPTING])
def test_leaves_say_what_the_scheduler_counts(scenario: tuple[str, int]) -> None:
    """Used, limits of masters, capacities, applications and users."""
    one = asked(*scenario)
    rows = {row.path: row for row in one.served.view.policy.queues() if row.is_leaf}
    found = list(leaves(one.json("/scheduler")["scheduler"]["schedulerInfo"]))

    assert {queue["queuePath"] for queue in found} == rows.keys()
    for queue in found:
        row: Any = rows[queue["queuePath"]]
        assert (queue["resourcesUsed"]["memory"], queue["resourcesUsed"]["vCores"]) == row.used
        assert queue["usedAMResource"]["memory"] == row.am_used[0]
        assert queue["AMResourceLimit"]["memory"] == row.am_limit[0]
        assert queue["usedCapacity"] == pytest.approx(row.used_capacity * 100, rel=1e-6)
        assert queue["numActiveApplications"] + queue["numPendingApplications"] == queue["numApplications"]
        users = queue["users"].get("user", [])
        assert sum(each["resourcesUsed"]["memory"] for each in users) == row.used[0]
        assert isinstance(queue["userLimit"], int)


def test_preempted_containers_are_counted_where_they_were_taken() -> None:
    one = asked(*PREEMPTING)
    apps = one.json("/apps")["apps"]["app"]
    taken = sum(app["numNonAMContainerPreempted"] + app["numAMContainerPreempted"] for app in apps)
    counts = one.served.past.counts.items()

    assert taken > 0
    assert taken == sum(count for (what, _, _), count in counts if what == "AggregateContainersPreempted")
    assert sum(app["preemptedResourceMB"] for app in apps) >= taken


# Figures of capacity queues in answers, worked out from their applications, and numbers in the servers' form.


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
