"""Nodes of one cluster by what asks call them, under FairScheduler 3.4."""

import pytest

from engine.control_plane.protocol import NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.model.cluster import hash_map_order, node_id_hash
from engine.schedulers.fair34.scheduler import FairScheduler34
from tests.build import START_MS, resource_manager


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
