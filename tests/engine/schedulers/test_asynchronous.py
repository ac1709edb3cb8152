"""Asynchronous scheduling of the capacity schedulers: rounds over all nodes, heartbeats that only report."""

import pytest

from engine.control_plane.protocol import NodeHeartbeat, Pass
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import Allocated
from tests.build import START_MS, ask, fetch, heartbeat, resource_manager, submit

CAPACITY = "yarn.scheduler.capacity."
ASYNCHRONOUS = {
    f"{CAPACITY}schedule-asynchronously.enable": "true",
    f"{CAPACITY}schedule-asynchronously.scheduling-interval-ms": "100",
    f"{CAPACITY}schedule-asynchronously.maximum-threads": "4",
    f"{CAPACITY}maximum-am-resource-percent": "1",
    f"{CAPACITY}root.default.user-limit-factor": "4",
}


def _waiting(scheduler: str, containers: int) -> tuple[ResourceManager, int]:
    """Three nodes that were heard of now, and an application that wants containers."""
    rm = resource_manager(scheduler, nodes=3, settings=ASYNCHRONOUS)
    number = submit(rm)
    ask(rm, number, containers)
    return rm, number


def _round(rm: ResourceManager, after_ms: int = 0) -> list[str]:
    decisions = rm.run_pass("schedule", START_MS + after_ms).decisions
    return [each.node for each in decisions if isinstance(each, Allocated)]


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_a_heartbeat_gives_nothing(scheduler: str) -> None:
    rm, number = _waiting(scheduler, 1)

    assert heartbeat(rm).decisions == ()
    assert _round(rm) == ["n1:1"]
    [granted] = fetch(rm, number).granted
    rm.handle(NodeHeartbeat("n1:1", (granted.container,)), START_MS)
    rm.handle(NodeHeartbeat("n1:1", (), ((granted.container, 0),)), START_MS)
    assert rm.cluster.nodes["n1:1"].containers == {}


@pytest.mark.parametrize(
    ("scheduler", "interval_ms"),
    [("capacity-2.7", 100), ("capacity-3.4", 25)],
)
def test_threads_make_rounds_come_more_often(scheduler: str, interval_ms: int) -> None:
    rm, _ = _waiting(scheduler, 1)

    assert Pass("schedule", interval_ms) in rm.passes()


def test_a_round_begins_one_node_after_the_former_and_comes_back_to_it() -> None:
    """In 3.4.1 each node is offered once, and the first one again at the end."""
    rm, _ = _waiting("capacity-3.4", 8)

    assert _round(rm) == ["n1:1", "n2:1", "n3:1", "n1:1"]
    assert _round(rm) == ["n2:1", "n3:1", "n1:1", "n2:1"]


def test_a_round_of_2_7_2_ends_with_all_nodes() -> None:
    rm, _ = _waiting("capacity-2.7", 20)

    assert _round(rm) == ["n1:1", "n2:1", "n3:1", "n1:1", "n2:1", "n3:1"]


def test_a_silent_node_is_passed_by() -> None:
    """3.4.1 offers no node that missed two heartbeats; 2000 ms are still no silence."""
    rm, _ = _waiting("capacity-3.4", 8)
    rm.handle(NodeHeartbeat("n2:1"), START_MS + 1)

    assert _round(rm, 2000)[:3] == ["n1:1", "n2:1", "n3:1"]
    assert _round(rm, 2001) == ["n2:1", "n2:1"]


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_rounds_rest_when_nobody_wants_anything(scheduler: str) -> None:
    """Once a round came to nothing, the next one need not be run before something changes."""
    rm, _ = _waiting(scheduler, 1)
    _round(rm)
    _round(rm)
    _round(rm)

    assert rm.pass_rests("schedule")


def test_heartbeats_are_heard_even_if_nothing_happens() -> None:
    """3.4.1 tells by them who is alive, so none of them may be left out."""
    rm, _ = _waiting("capacity-3.4", 1)
    _round(rm)
    _round(rm)

    assert not rm.heartbeat_is_idle("n1:1")
    assert not rm.is_quiet()
