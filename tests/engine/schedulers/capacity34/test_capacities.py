"""Capacities of the capacity scheduler of 3.4: vectors, calculators, ideal shares, sorted nodes."""

from collections.abc import Mapping

import pytest

from engine.control_plane.protocol import NodeHeartbeat, Pass
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError
from engine.model.decision import Allocated, Killed, Reserved
from engine.schedulers.capacity.space import Amount
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from tests.build import START_MS, ask, fetch, heartbeat, resource_manager, submit

CAPACITY = "yarn.scheduler.capacity."


def _guarantees(capacities: Mapping[str, str], maximums: Mapping[str, str] | None = None) -> dict[str, Amount]:
    settings = {
        f"{CAPACITY}legacy-queue-mode.enabled": "false",
        f"{CAPACITY}root.queues": ",".join(capacities),
        **{f"{CAPACITY}root.{name}.capacity": text for name, text in capacities.items()},
        **{f"{CAPACITY}root.{name}.maximum-capacity": text for name, text in (maximums or {}).items()},
    }
    scheduler = resource_manager("capacity-3.4", nodes=2, settings=settings).scheduler.policy
    assert isinstance(scheduler, CapacityScheduler34), "of this release"
    return {queue.name: queue.share("").effective_minimum for queue in scheduler.tree.root.children}


def test_absolute_amounts_come_first_then_percentages_of_the_rest_then_weights() -> None:
    """Of 16 GB, 4 GB are fixed, half of the other 12 is 6, and two weights share what is left."""
    found = _guarantees({"a": "[memory=4096,vcores=4]", "b": "50", "c": "1w", "d": "2w"})

    assert found == {"a": (4096, 4), "b": (6144, 6), "c": (2048, 2), "d": (4096, 4)}


def test_absolute_amounts_shrink_where_the_parent_has_less() -> None:
    found = _guarantees({"a": "[memory=16384,vcores=8]", "b": "[memory=8192,vcores=4]"})

    assert found == {"a": (10922, 8), "b": (5461, 4)}


def test_a_guarantee_is_no_more_than_the_maximum() -> None:
    found = _guarantees({"a": "75", "b": "25"}, {"a": "[memory=4096,vcores=16]"})

    assert found["a"] == (4096, 12)


def test_percentages_need_not_add_up() -> None:
    """The last queue gets what the others have left, and not what it says."""
    found = _guarantees({"a": "75", "b": "50"})

    assert found == {"a": (12288, 12), "b": (4096, 4)}


# How much queues should have, and what a tick of preemption makes of it.

MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."
PREEMPTS = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    f"{MONITOR}total_preemption_per_round": "1.0",
    f"{MONITOR}natural_termination_factor": "1.0",
    f"{MONITOR}max_wait_before_kill": "15000",
    f"{CAPACITY}root.queues": "a,b",
    f"{CAPACITY}root.a.capacity": "50",
    f"{CAPACITY}root.b.capacity": "50",
    f"{CAPACITY}root.a.user-limit-factor": "2",
    f"{CAPACITY}maximum-am-resource-percent": "1",
    f"{CAPACITY}per-node-heartbeat.maximum-offswitch-assignments": "100",
}


def _full_of_a(settings: Mapping[str, str] = PREEMPTS) -> tuple[ResourceManager, int]:
    """One node of eight containers, all of which queue a has, and an application of b that wants four."""
    rm = resource_manager("capacity-3.4", nodes=1, settings=settings)
    first, second = submit(rm, "a"), submit(rm, "b", user="bob")
    ask(rm, first, 8)
    heartbeat(rm)
    fetch(rm, first)
    ask(rm, second, 4)
    return rm, first


def _tick(rm: ResourceManager, after_ms: int) -> list[object]:
    return list(rm.run_pass("preempt", START_MS + after_ms).decisions)


def test_a_lazy_scheduler_ends_containers_only_for_somebody_who_takes_their_place() -> None:
    rm, _ = _full_of_a({**PREEMPTS, f"{CAPACITY}lazy-preemption-enabled": "true"})
    _tick(rm, 0)
    assert _tick(rm, 15_000) == []

    decisions = heartbeat(rm, now_ms=START_MS + 16_000).decisions

    assert sum(isinstance(each, Killed) for each in decisions) == 4


# Multi-node placement: which node of a partition an application is given something on.

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
