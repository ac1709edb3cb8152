"""What nodes and masters keep, lose and try while a ResourceManager is away: the waits, and what reaching it does."""

import pytest

from engine.scenario.acts import Act, LoseNode, LoseResourceManager, RestartResourceManager
from engine.simulation.heartbeats import draw, retry_ms
from engine.simulation.outages import expect_master_expiry, resync
from engine.simulation.simulation import Simulation
from engine.simulation.world import (
    LONE_HEARTBEAT,
    MASTER_EXPIRES,
    NODE_EXPIRES,
    NODE_RECONNECTS,
    RECOVERY_DUE,
    ROUND,
    Event,
    World,
)
from engine.workload.master import ADRIFT, GONE, REGISTERED
from tests.engine.simulation.scenes import played, scenario

HELD = """
[settings]
"yarn.resourcemanager.recovery.enabled" = "true"
"yarn.am.liveness-monitor.expiry-interval-ms" = "21000"
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
asks = [{ memory = "2g", count = 3, duration = "forever" }]
"""


def running(*, seconds: int = 20, session_timeout_ms: int = 0, interval_ms: int = 1_000) -> Simulation:
    """One application of four containers on three nodes, with another wait between tries."""
    simulation, _ = played(scenario(HELD, count=3), seconds)
    world = simulation.world
    world.ground = world.ground._replace(retry_ms=interval_ms, session_timeout_ms=session_timeout_ms)
    return simulation


def events(world: World, *kinds: int) -> list[Event]:
    """The events of some kinds on the clock, in order."""
    return sorted(event for event in world.clock.heap if event[3] in kinds)


def test_of_a_pair_each_wait_is_drawn_around_the_interval() -> None:
    """Between half of it and one and a half; another one for each who, each number and each instant."""
    world = running(session_timeout_ms=10_000).world
    waits = [retry_ms(world, who, number) for who in ("node", "master") for number in range(200)]
    drawn = [draw(world, who, number, world.clock.now_ms) for who in ("node", "master") for number in range(200)]
    assert waits == [int(1_000 * (0.5 + each)) for each in drawn]
    assert 500 <= min(waits) < 510
    assert 1_490 < max(waits) < 1_500
    before = retry_ms(world, "node", 1)
    world.clock.now_ms += 1
    assert retry_ms(world, "node", 1) != before


@pytest.mark.parametrize("act", [RestartResourceManager(5_000), LoseResourceManager()])
def test_what_a_resource_manager_was_to_do_goes_with_it(act: Act) -> None:
    """No round, no expiry of a node or master, no wait of a recovery is left; nodes notice at their heartbeats."""
    simulation = running()
    world, interval_ms = simulation.world, simulation.world.ground.heartbeat_ms
    simulation.act(LoseNode("n3"))
    expect_master_expiry(world, 1, 1, world.clock.now_ms)
    world.clock.schedule((world.clock.now_ms + 9, 2, 0, RECOVERY_DUE))
    own = (ROUND, LONE_HEARTBEAT, NODE_EXPIRES, MASTER_EXPIRES, RECOVERY_DUE)
    assert {event[3] for event in events(world, *own)} >= {NODE_EXPIRES, MASTER_EXPIRES, RECOVERY_DUE}
    now_ms = world.clock.now_ms

    simulation.act(act)

    assert events(world, *own) == []
    assert (world.reporting, [node.member for node in world.nodes]) == ({}, [False] * 3)
    assert [(node.adrift, node.orders, node.expected_ms) for node in world.nodes] == [(True, [], -1)] * 3
    tries = {event[2]: event[0] for event in events(world, NODE_RECONNECTS)}
    assert tries == {node.index: node.retry_ms for node in world.nodes[:2]}
    assert all(now_ms < due <= now_ms + interval_ms for due in tries.values())


@pytest.mark.parametrize("is_known", [True, False])
def test_a_master_registers_again_only_where_it_is_known(is_known: bool) -> None:
    """One that may not ends its process with status 1, and its node is to report that."""
    simulation = running(interval_ms=60_000)
    simulation.act(RestartResourceManager(5_000))
    simulation.run_until(simulation.now_ms + 6_000)
    world, master = simulation.world, simulation.world.masters[1]
    assert (world.control_plane.answers, master.stage) == (True, ADRIFT)
    node, container = world.nodes[master.node], master.container
    assert container in node.running
    node.adrift = False
    master.number = 1 if is_known else 77

    resync(world, master)

    assert master.stage == (REGISTERED if is_known else GONE)
    assert (container in node.running) is is_known
    assert node.completed == ([] if is_known else [(container, 1)])
    assert list(world.reporting) == ([] if is_known else [node.index])
