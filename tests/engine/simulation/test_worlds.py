"""What a world does of itself: numbers of applications, tries while nobody answers, masters without containers."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeRegisteredAgain
from engine.model.decision import Completed, Killed
from engine.scenario.acts import (
    FailOverResourceManager,
    KillContainer,
    LoseMaster,
    LoseNode,
    LoseResourceManager,
    RestartResourceManager,
)
from engine.simulation.heartbeats import draw, retry_ms
from engine.simulation.outages import failover_ms
from engine.simulation.records import AskChanged
from engine.simulation.world import NODE_RECONNECTS
from engine.workload.master import GONE, HUNG, REGISTERED
from tests.engine.simulation.scenes import played
from tests.engine.simulation.test_masters_that_go import scene, states

STORE = '"yarn.resourcemanager.recovery.enabled" = "true"\n'
QUICK = '"yarn.resourcemanager.connect.retry-interval.ms" = "1000"\n'
PAIR = '"yarn.resourcemanager.ha.enabled" = "true"\n"yarn.resourcemanager.zk-timeout-ms" = "9000"\n'


def of(text: str = "", **fields: Any) -> Any:
    """The scenes of masters, with a store and quick tries."""
    return scene(duration='"forever"', settings=f"[settings]\n{STORE}{QUICK}{text}", **fields)


@pytest.mark.parametrize(("hangs", "attempt"), [(False, 2), (True, 2), (None, 1)])
def test_an_unmanaged_master_that_is_gone_starts_again_with_the_resource_manager(
    hangs: bool | None, attempt: int
) -> None:
    """It registers at its next call, and asks at the one after; one that lives goes on."""
    one = of(more='am = "unmanaged"')
    simulation, log = played(one, 10)
    master = simulation.world.masters[1]
    if hangs is not None:
        simulation.act(LoseMaster("job", hangs=hangs))
        assert (master.stage, master.attempt) == (HUNG if hangs else GONE, 1)
    simulation.act(RestartResourceManager(2_000))
    simulation.run_until(one.start_ms + 20_000)
    assert (master.stage, master.attempt) == (REGISTERED, attempt)
    assert states(one, log)[-2:] == [(12_000, "ACCEPTED"), (12_300, "RUNNING")]
    assert [at - one.start_ms for at in log.at(AskChanged)] == [1_300, 13_300]


def test_tries_of_one_resource_manager_come_at_an_interval() -> None:
    simulation, _ = played(of(), 1)
    assert {retry_ms(simulation.world, who, number) for who in ("node", "master", "client") for number in range(5)} == {
        1_000
    }


def test_tries_of_a_pair_are_drawn_around_the_interval() -> None:
    """From half of it to one and a half, by who tries and when; never less than a millisecond."""
    simulation, _ = played(of(PAIR), 1)
    world = simulation.world
    drawn = [retry_ms(world, "node", number) for number in range(200)]
    assert drawn == [int(1_000 * (0.5 + draw(world, "node", number, world.clock.now_ms))) for number in range(200)]
    assert 500 <= min(drawn) < 550
    assert 1_450 < max(drawn) < 1_500
    assert retry_ms(world, "master", 3) != retry_ms(world, "node", 3)


def test_a_failover_is_drawn_between_its_bounds() -> None:
    """Of the session timeout after a crash, of its own after an orderly stop."""
    simulation, _ = played(of(PAIR), 1)
    world = simulation.world
    share = draw(world, "failover", world.clock.now_ms)
    assert failover_ms(world, orderly=True) == 400 + int(900 * share)
    assert failover_ms(world, orderly=False) == 6_000 + int(3_900 * share)


@pytest.mark.parametrize("down_ms", [0, 700, 5_000])
def test_a_failover_may_be_given_its_time(down_ms: int) -> None:
    one = of(PAIR)
    simulation, _ = played(one, 10)
    simulation.act(FailOverResourceManager(down_ms=down_ms))
    simulation.run_until(one.start_ms + 10_000 + max(down_ms, 1) - 1)
    assert not simulation.control_plane.answers
    simulation.run_until(one.start_ms + 10_000 + max(down_ms, 1))
    assert simulation.control_plane.answers


def test_nodes_and_masters_notice_at_their_next_call_and_try_again() -> None:
    """At 10.7 s the node does, and tries each second; at 13.7 s it reaches the new one."""
    one = of()
    simulation, log = played(one, 10)
    simulation.act(RestartResourceManager(3_000))
    node = simulation.world.nodes[0]
    assert (node.member, node.adrift, node.retry_ms - one.start_ms) == (False, True, 10_700)
    tries = [event[0] - one.start_ms for event in simulation.world.clock.heap if event[3] == NODE_RECONNECTS]
    assert tries == [10_700]
    simulation.run_until(one.start_ms + 10_700)
    assert node.retry_ms - one.start_ms == 11_700
    simulation.run_until(one.start_ms + 13_699)
    assert log.of(NodeRegisteredAgain) == []
    simulation.run_until(one.start_ms + 13_700)
    (again,) = log.of(NodeRegisteredAgain)
    assert [each.container for each in again.containers] == [(1, 1, 1), (1, 1, 2), (1, 1, 3)]
    assert (node.member, node.adrift) == (True, False)


def test_orders_that_a_node_had_not_got_are_repeated_by_their_master() -> None:
    one = of()
    simulation, _ = played(one, 10)
    simulation.act(KillContainer((1, 1, 2)))
    node, master = simulation.world.nodes[0], simulation.world.masters[1]
    assert node.orders == [(1, 1, 2)]
    simulation.act(LoseResourceManager())
    assert (node.orders, (1, 1, 2) in master.releases) == ([], True)


def test_orders_of_a_former_attempt_are_not_repeated() -> None:
    one = of()
    simulation, _ = played(one, 10)
    node, master = simulation.world.nodes[0], simulation.world.masters[1]
    node.orders = [(1, 2, 2), (9, 1, 2), (1, 1, 3)]
    simulation.act(LoseResourceManager())
    assert master.releases == [(1, 1, 3)]


def test_a_master_that_may_not_come_back_ends_with_an_error() -> None:
    one = scene(duration='"forever"', settings=f"[settings]\n{QUICK}")
    simulation, log = played(one, 10)
    simulation.act(RestartResourceManager(1_000))
    simulation.run_until(one.start_ms + 40_000)
    ended = [(each.container, each.exit_status) for each in log.of(Completed)]
    assert [status for _, status in ended if status == 0] == []
    assert simulation.control_plane.answers


def test_a_lost_node_s_master_is_gone_until_its_node_expires() -> None:
    one = of('"yarn.nm.liveness-monitor.expiry-interval-ms" = "5000"\n')
    simulation, log = played(one, 10)
    simulation.act(LoseNode("n1"))
    assert simulation.world.masters[1].stage == GONE
    simulation.run_until(one.start_ms + 14_699)
    assert log.of(Killed) == []
    simulation.run_until(one.start_ms + 14_700)
    assert {each.cause for each in log.of(Killed)} == {"LOST"}
    assert states(one, log)[-1] == (14_700, "ACCEPTED")
