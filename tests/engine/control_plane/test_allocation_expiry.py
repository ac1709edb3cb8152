"""Containers that were fetched and never ran are taken back."""

import pytest

from engine.control_plane.applications import EXPIRE_ALLOCATIONS
from engine.control_plane.protocol import NodeHeartbeat
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import Killed
from tests.build import START_MS, ask, fetch, heartbeat, resource_manager, submit, update

EXPIRY_MS = 600_000


def cluster(scheduler: str = "fair-2.7", expiry_ms: int = EXPIRY_MS) -> tuple[ResourceManager, int]:
    """A ResourceManager with one node, and an application that has been allocated one container."""
    key = "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"
    rm = resource_manager(scheduler, nodes=1, settings={key: str(expiry_ms)})
    number = submit(rm)
    ask(rm, number, 1)
    update(rm)
    heartbeat(rm)
    assert rm.cluster.live == 1
    return rm, number


@pytest.mark.parametrize("scheduler", ["fifo", "fifo-3.4", "fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4"])
def test_a_fetched_container_expires_only_after_the_interval(scheduler: str) -> None:
    """At the interval itself it still waits; a millisecond later it is taken back and its space is free."""
    rm, number = cluster(scheduler)
    fetch(rm, number)

    at_the_interval = rm.run_pass(EXPIRE_ALLOCATIONS, START_MS + EXPIRY_MS)
    later = rm.run_pass(EXPIRE_ALLOCATIONS, START_MS + EXPIRY_MS + 1)

    assert at_the_interval.decisions == ()
    assert later.decisions == (Killed((number, 1, 1), "n1:1", "EXPIRED"),)
    assert [order.container for order in later.cleanups] == [(number, 1, 1)]
    assert (rm.cluster.live, rm.cluster.used_memory_mb) == (0, 0)


def test_a_container_that_runs_is_no_longer_watched() -> None:
    rm, number = cluster()
    fetch(rm, number)
    rm.handle(NodeHeartbeat("n1:1", ((number, 1, 1),)), START_MS + 1000)

    answer = rm.run_pass(EXPIRE_ALLOCATIONS, START_MS + 10 * EXPIRY_MS)

    assert (answer.decisions, rm.cluster.live) == ((), 1)
    assert rm.pass_rests(EXPIRE_ALLOCATIONS)
