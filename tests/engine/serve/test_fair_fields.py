"""Every figure of fair queues in answers, and of the cluster as a whole, worked out from applications and nodes."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.model.ledger import Attempt
from engine.schedulers.fair.schedulable import FairLeaf
from tests.engine.serve.asked import Asked
from tests.engine.serve.test_app_fields import AT_MS, SCENES, scene

FAIR = [(name, at_ms) for name in ("fair-2.7", "fair-3.4") for at_ms in AT_MS]


def rows(queue: Any, is_34: bool) -> Iterator[Any]:  # Any: JSON
    """A queue and all below it; of a repeated name 2.7.2's readers keep the last."""
    yield queue
    under: Any = queue.get("childQueues") or []
    children: list[Any] = under["queue"] if is_34 and under else under if isinstance(under, list) else [under]
    for each in children:
        yield from rows(each, is_34)


def attempts(one: Asked, path: str) -> list[Attempt]:
    return [
        app.attempt
        for app in one.served.cluster.applications.values()
        if app.attempt is not None and f"{app.queue}.".startswith(f"{path}.")
    ]


@pytest.mark.parametrize(("scheduler", "at_ms"), FAIR)
def test_leaves_count_who_waits_for_a_first_container(scheduler: str, at_ms: int) -> None:
    """Those that are held back wait, too; all others are active. Only leaves count masters."""
    one = scene(scheduler, at_ms)
    policy, is_34 = one.served.fair, scheduler == "fair-3.4"
    assert policy is not None
    for row in rows(one.json("/scheduler")["scheduler"]["schedulerInfo"]["rootQueue"], is_34):
        queue = policy.tree.queues[row["queueName"]]
        mine = attempts(one, row["queueName"])
        if isinstance(queue, FairLeaf):
            waiting = sum(each.master is None and not each.live for each in mine)
            assert (row["numPendingApps"], row["numActiveApps"]) == (waiting, len(mine) - waiting)
        else:
            assert not {"numPendingApps", "numActiveApps"} & row.keys()
        if is_34:
            assert row["pendingContainers"] == sum(each.pending for each in mine)
            assert row["allocatedContainers"] == sum(len(each.live) for each in mine)
            assert row["reservedContainers"] == sum(len(each.reserved) for each in mine)
            masters = [each.live[each.master] for each in mine if each.master is not None]
            held = sum(each.memory_mb for each in masters) if isinstance(queue, FairLeaf) else 0
            assert row["amUsedResources"]["memory"] == held
            assert row["amMaxResources"]["memory"] == policy.am_most(queue)[0]


@pytest.mark.parametrize("scheduler", SCENES)
@pytest.mark.parametrize("at_ms", AT_MS)
def test_the_cluster_is_summed_up(scheduler: str, at_ms: int) -> None:
    """What is available, allocated, reserved and asked for adds up to what there is."""
    one = scene(scheduler, at_ms)
    found = one.json("/metrics")["clusterMetrics"]
    cluster = one.served.cluster
    living = [app.attempt for app in cluster.applications.values() if app.attempt is not None]
    used = (sum(each.used_memory_mb for each in living), sum(each.used_vcores for each in living))
    reserved = (sum(each.reserved_memory_mb for each in living), sum(each.reserved_vcores for each in living))
    is_capacity = scheduler.startswith("capacity")
    taken = reserved if is_capacity else (0, 0)
    apart = reserved if scheduler == "capacity-2.7" else (0, 0)

    assert (found["allocatedMB"], found["allocatedVirtualCores"]) == used
    assert (found["reservedMB"], found["reservedVirtualCores"]) == reserved
    assert found["availableMB"] == cluster.total_memory_mb - used[0] - taken[0]
    assert found["availableVirtualCores"] == cluster.total_vcores - used[1] - taken[1]
    assert found["totalMB"] == cluster.total_memory_mb - apart[0]
    assert found["totalVirtualCores"] == cluster.total_vcores - apart[1]
    assert found["containersAllocated"] == sum(len(each.live) for each in living)
    assert found["containersReserved"] == sum(len(each.reserved) for each in living)
    assert found["containersPending"] == sum(each.pending for each in living)
    waiting = sum(each.master is None and not each.live for each in living)
    assert (found["appsPending"], found["appsRunning"]) == (waiting, len(living) - waiting)
    assert (found["totalNodes"], found["activeNodes"], found["lostNodes"]) == (2, 2, 0)
    counts = one.served.past.counts
    for field, what in (("appsSubmitted", "AppsSubmitted"), ("appsKilled", "AppsKilled"), ("appsFailed", "AppsFailed")):
        assert found[field] == sum(count for (name, _, _), count in counts.items() if name == what)
