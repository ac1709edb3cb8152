"""Multi-node placement: which node of a partition an application is given something on."""

from collections.abc import Mapping

import pytest

from engine.control_plane.protocol import NodeHeartbeat, Pass
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError
from engine.model.decision import Allocated, Reserved
from tests.build import START_MS, ask, heartbeat, resource_manager, submit

CAPACITY = "yarn.scheduler.capacity."
SORTING = f"{CAPACITY}multi-node-sorting.policy"
BY_USE = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
SORTED = {
    f"{CAPACITY}multi-node-placement-enabled": "true",
    f"{CAPACITY}maximum-am-resource-percent": "1",
    f"{CAPACITY}root.default.user-limit-factor": "4",
    SORTING: "default",
    f"{SORTING}.names": "default",
    f"{SORTING}.default.class": BY_USE,
    f"{SORTING}.default.sorting-interval.ms": "0",
}


def _cluster(containers: int, settings: Mapping[str, str] = SORTED, memory_mb: int = 2048) -> ResourceManager:
    """Three nodes of 8 GB, and an application that wants containers."""
    rm = resource_manager("capacity-3.4", nodes=3, settings=settings)
    ask(rm, submit(rm), containers, memory_mb)
    return rm


def _given(rm: ResourceManager, node: int, after_ms: int = 0) -> list[str]:
    decisions = heartbeat(rm, node, START_MS + after_ms).decisions
    return [each.node for each in decisions if isinstance(each, Allocated)]


def test_the_least_used_node_is_taken_whoever_beats() -> None:
    rm = _cluster(4)

    assert [_given(rm, 3) for _ in range(4)] == [["n1:1"], ["n2:1"], ["n3:1"], ["n1:1"]]


def test_a_silent_node_gets_nothing() -> None:
    rm = _cluster(4)
    rm.handle(NodeHeartbeat("n2:1"), START_MS)

    assert _given(rm, 3, 2000) == ["n2:1"]
    assert _given(rm, 3, 2001) == ["n3:1"]


def test_a_queue_without_a_policy_looks_at_one_node() -> None:
    rm = _cluster(8, {key: text for key, text in SORTED.items() if key != SORTING})

    taken = {node for _ in range(6) for node in _given(rm, 3)}

    assert len(taken) == 1


def test_a_reservation_is_made_on_the_last_node_alone() -> None:
    rm = _cluster(4, memory_mb=5120)
    given = [_given(rm, 1) for _ in range(3)]

    decisions = heartbeat(rm, 1).decisions

    assert all(given)
    assert [each.node for each in decisions if isinstance(each, Reserved)] == ["n3:1"]


def test_nodes_sorted_now_and_then_keep_their_order_in_between() -> None:
    """With an interval the use of nodes counts as of the last pass; before the first there is none."""
    rm = _cluster(4, {**SORTED, f"{SORTING}.default.sorting-interval.ms": "700"})
    before = _given(rm, 3)

    rm.run_pass("sort_nodes", START_MS)

    assert Pass("sort_nodes", 700) in rm.passes()
    assert before == []
    assert [_given(rm, 3) for _ in range(2)] == [["n1:1"], ["n1:1"]]
    rm.run_pass("sort_nodes", START_MS)
    assert _given(rm, 3) == ["n2:1"]


def test_an_interval_below_zero_is_refused() -> None:
    with pytest.raises(ConfigError):
        _cluster(1, {**SORTED, f"{SORTING}.default.sorting-interval.ms": "-1"})
    with pytest.raises(ConfigError):
        _cluster(1, {**SORTED, f"{SORTING}.names": "mine"})
