"""What nodes and masters keep, lose and try while a ResourceManager is away: the waits, and what reaching it does."""

import pytest

from engine.scenario.acts import RestartResourceManager
from engine.simulation.heartbeats import draw, retry_ms
from engine.simulation.outages import resync
from engine.simulation.simulation import Simulation
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
