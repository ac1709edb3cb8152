"""One heartbeat of one node: when it is played, what it says, and how a node falls silent or starts again."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeRegisteredAgain, NodeResized
from engine.simulation.events import NODE_EXPIRES, NODE_HEARTBEAT, POSTED
from engine.simulation.node_heartbeats import beat, go_silent, node_comes_alone, node_expires, show
from engine.simulation.node_restarts import node_manager_starts
from engine.simulation.world import World
from tests.engine.simulation.scenes import played, scenario

HELD = """
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
asks = [{ memory = "2g", count = 3, duration = "forever" }]
"""


def running() -> World:
    """One node with a master and its three containers, between two heartbeats, with nothing told to listeners."""
    world = played(scenario(HELD, count=1), 20)[0].world
    world.records.clear()
    return world


@pytest.mark.parametrize(
    ("changes", "beats"),
    [({}, 1), ({"up": False}, 0), ({"adrift": True}, 0), ({"member": False, "healthy": False}, 0)],
)
def test_a_node_beats_once_in_an_instant_while_it_is_up_and_known(changes: dict[str, Any], beats: int) -> None:
    """One that tries to reach a ResourceManager, or that is sick and has said so, does not."""
    world = running()
    (node,) = world.nodes
    before = world.heartbeats
    for name, value in changes.items():
        setattr(node, name, value)
    beat(world, node)
    beat(world, node)
    assert world.heartbeats - before == beats
    if beats:
        assert node.last_beat_ms == world.clock.now_ms


def test_a_heartbeat_takes_in_or_out_a_node_whose_health_has_changed() -> None:
    """A sick one is out and reports nothing more; a healthy one is in and reports at once."""
    world = running()
    (node,) = world.nodes
    before, node.healthy = world.heartbeats, False
    beat(world, node)
    lost = [each for each in world.records if isinstance(each, NodeLost)]
    assert (lost, node.member, world.heartbeats - before) == ([NodeLost("n1:8041", "UNHEALTHY")], False, 0)

    world.clock.now_ms += 1_000
    node.healthy = True
    beat(world, node)
    assert [each.node for each in world.records if isinstance(each, NodeJoined)] == ["n1:8041"]
    assert (node.member, world.heartbeats - before) == (True, 1)


def test_a_node_that_drains_leaves_without_a_last_report() -> None:
    """While anything runs it reports and shrinks to that; empty, it is decommissioned and says nothing."""
    world = running()
    (node,) = world.nodes
    before, load, node.draining = world.heartbeats, node.load(), True
    beat(world, node)
    assert (world.heartbeats - before, node.shown, node.up) == (1, load, True)
    assert [each for each in world.records if isinstance(each, NodeResized)] == [NodeResized("n1:8041", *load)]

    node.running.clear()
    world.clock.now_ms += 1_000
    beat(world, node)
    assert (world.heartbeats - before, node.up, node.member, node.draining) == (1, False, False, False)
    assert [each for each in world.records if isinstance(each, NodeLost)] == [NodeLost("n1:8041", "DECOMMISSIONED")]


@pytest.mark.parametrize("asleep", [True, False])
def test_a_node_comes_alone_only_while_the_cursor_sleeps(asleep: bool) -> None:
    """Else the cursor comes to it."""
    world = running()
    world.asleep, before = asleep, world.heartbeats
    node_comes_alone(world, (world.clock.now_ms, NODE_HEARTBEAT, 0))
    assert world.heartbeats - before == int(asleep)


@pytest.mark.parametrize(("expiry_ms", "is_member"), [(0, True), (5_000, True), (5_000, False)])
def test_a_silent_node_expires_an_interval_after_its_last_heartbeat(expiry_ms: int, is_member: bool) -> None:
    """At the earliest in the next millisecond; one that nobody counts never does."""
    world = running()
    (node,) = world.nodes
    world.ground = world.ground._replace(expiry_ms=expiry_ms)
    last = world.clock.last_beat_ms(node.phase_ms, world.ground.heartbeat_ms, NODE_HEARTBEAT, 0)
    node.member = is_member
    go_silent(world, node)
    due = max(last + expiry_ms, world.clock.now_ms + 1)
    assert (node.up, node.silent_ms) == (False, last)
    expiries = [event for event in world.clock.heap if event[3] == NODE_EXPIRES]
    assert expiries == ([(due, POSTED, 0, NODE_EXPIRES, node.life)] if is_member else [])


@pytest.mark.parametrize(
    ("changes", "later", "is_lost"),
    [({}, 0, True), ({"up": True}, 0, False), ({"member": False}, 0, False), ({}, 1, False)],
)
def test_an_expiry_takes_out_a_node_of_that_life_that_is_still_silent(
    changes: dict[str, bool], later: int, is_lost: bool
) -> None:
    """One that came back, that is out already, or that died anew is left alone."""
    world = running()
    (node,) = world.nodes
    node.up = False
    for name, value in changes.items():
        setattr(node, name, value)
    node_expires(world, (world.clock.now_ms, POSTED, 0, NODE_EXPIRES, node.life - later))
    lost = [each for each in world.records if isinstance(each, NodeLost)]
    assert lost == ([NodeLost("n1:8041", "LOST")] if is_lost else [])


def test_a_size_is_told_once_and_only_of_a_member() -> None:
    """Either part of it may have changed."""
    world = running()
    (node,) = world.nodes
    memory_mb, vcores = node.shown
    for size in ((memory_mb, vcores), (memory_mb - 1, vcores), (memory_mb - 1, vcores), (memory_mb - 1, vcores + 1)):
        show(world, node, *size)
    node.member = False
    show(world, node, 1, 1)
    told = [each for each in world.records if isinstance(each, NodeResized)]
    assert told == [NodeResized("n1:8041", memory_mb - 1, vcores), NodeResized("n1:8041", memory_mb - 1, vcores + 1)]
    assert node.shown == (memory_mb - 1, vcores + 1)


@pytest.mark.parametrize("is_member", [True, False])
def test_a_node_manager_that_starts_keeps_what_runs_where_it_is_still_counted(is_member: bool) -> None:
    """It names that when it registers again; one that was lost joins empty."""
    world = running()
    (node,) = world.nodes
    held = list(node.running)
    node.member = is_member
    node_manager_starts(world, node)
    again = [each for each in world.records if isinstance(each, NodeRegisteredAgain)]
    joined = [each for each in world.records if isinstance(each, NodeJoined)]
    assert (len(again), len(joined)) == ((1, 0) if is_member else (0, 1))
    assert list(node.running) == (held if is_member else [])
    assert [each.container for one in again for each in one.containers] == (held if is_member else [])
