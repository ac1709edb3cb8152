"""One heartbeat of one node: when it is played, what it says, and how a node falls silent or starts again."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeRegisteredAgain
from engine.simulation.heartbeats import beat, go_silent, node_expires, node_manager_starts
from engine.simulation.world import NODE_EXPIRES, NODE_HEARTBEAT, POSTED, World
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


@pytest.mark.parametrize(("expiry_ms", "is_member"), [(0, True), (5_000, True), (5_000, False)])
def test_a_silent_node_expires_an_interval_after_its_last_heartbeat(expiry_ms: int, is_member: bool) -> None:
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


@pytest.mark.parametrize("is_member", [True, False])
def test_a_node_manager_that_starts_keeps_what_runs_where_it_is_still_counted(is_member: bool) -> None:
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
