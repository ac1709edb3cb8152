"""What was taken back on a node, and for whom: who keeps it until the node is offered."""

import pytest

from engine.control_plane.protocol import NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.model.cluster import hash_map_order, node_id_hash
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.fair34.node_promises import NodePromises
from engine.schedulers.fair34.scheduler import FairScheduler34
from tests.build import START_MS, heartbeat, resource_manager
from tests.engine.schedulers.fair34.build import attempt, scheduler, tick
from tests.engine.schedulers.fair34.test_preemption import HOG, LATE, full

TOTAL = (8192, 8)


def _promised() -> tuple[ResourceManager, NodePromises, FairAttempt]:
    """A cluster in which two containers of one node are picked for the late application, and it alone."""
    rm = full()
    tick(rm, START_MS + 1000)
    late = attempt(rm, LATE)
    late.starved_memory_mb, late.starved_vcores = 1, 0
    late.min_starved_memory_mb = late.min_starved_vcores = 0
    late.used_memory_mb, late.fair_memory_mb = 4095, 4096
    return rm, scheduler(rm).promises, late


def test_a_starved_application_keeps_what_is_promised_to_it() -> None:
    rm, promises, late = _promised()

    assert promises.still_promised(rm.cluster.nodes["n1:1"], TOTAL) == [(late, (2048, 2))]
    assert promises.count == 1


def test_an_application_of_no_starvation_loses_it() -> None:
    """Although it is below its fair share at this moment: its starvation was not counted."""
    rm, promises, late = _promised()
    late.starved_memory_mb = 0

    assert promises.still_promised(rm.cluster.nodes["n1:1"], TOTAL) == []
    assert promises.count == 0


def test_an_application_that_reached_its_fair_share_loses_it() -> None:
    rm, promises, late = _promised()
    late.used_memory_mb = 4096

    assert promises.still_promised(rm.cluster.nodes["n1:1"], TOTAL) == []
    assert promises.count == 0


def test_starvation_of_the_queues_minimum_keeps_it_above_the_fair_share() -> None:
    rm, promises, late = _promised()
    late.used_memory_mb = 4096
    late.starved_memory_mb = 0
    late.min_starved_vcores = 1

    assert promises.still_promised(rm.cluster.nodes["n1:1"], TOTAL) == [(late, (2048, 2))]


def test_an_application_that_ended_loses_it() -> None:
    rm, promises, late = _promised()
    late.stopped = True

    assert promises.still_promised(rm.cluster.nodes["n1:1"], TOTAL) == []
    assert promises.count == 0


@pytest.mark.parametrize(("starved_mb", "kept"), [(1, 1), (0, 0)])
def test_an_offer_drops_what_is_not_promised_any_more(starved_mb: int, kept: int) -> None:
    rm, promises, late = _promised()
    late.starved_memory_mb = starved_mb
    assert not rm.heartbeat_is_idle("n1:1")

    heartbeat(rm, 1)

    assert promises.count == kept
    assert attempt(rm, HOG).used_memory_mb == 8192


# Nodes of one cluster by what asks call them, under FairScheduler 3.4.


def named(rm: ResourceManager, name: str) -> list[str]:
    policy = rm.scheduler.policy
    assert isinstance(policy, FairScheduler34)
    return [node.id for node in policy.nodes.named(name)]


def join(rm: ResourceManager, node: str, rack: str) -> None:
    rm.handle(NodeJoined(node, rack, 8192, 8), START_MS)


@pytest.mark.parametrize("count", [1, 5, 12, 13, 30])
def test_any_means_all_in_the_order_of_a_hash_map(count: int) -> None:
    rm = resource_manager("fair-3.4", nodes=1)
    for number in range(2, count + 1):
        join(rm, f"n{number}:1", "/r1")
        ids = [f"n{each}:1" for each in range(1, number + 1)]
        hashes = [node_id_hash(f"n{each}", 1) for each in range(1, number + 1)]
        assert named(rm, "*") == hash_map_order(ids, hashes, number)
