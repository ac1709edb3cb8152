"""CapacityScheduler of 2.7.2, of which nothing was recorded, beside the scheduler's own view; preemption."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.serve.asked import asked

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
