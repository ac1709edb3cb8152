"""What a world does of itself: numbers of applications, tries while nobody answers, masters without containers."""

from typing import Any

import pytest

from engine.model.decision import Completed
from engine.scenario.acts import (
    FailOverResourceManager,
    KillContainer,
    LoseMaster,
    LoseResourceManager,
    RestartResourceManager,
)
from engine.simulation.records import AskChanged
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


@pytest.mark.parametrize("down_ms", [0, 700, 5_000])
def test_a_failover_may_be_given_its_time(down_ms: int) -> None:
    one = of(PAIR)
    simulation, _ = played(one, 10)
    simulation.act(FailOverResourceManager(down_ms=down_ms))
    simulation.run_until(one.start_ms + 10_000 + max(down_ms, 1) - 1)
    assert not simulation.control_plane.answers
    simulation.run_until(one.start_ms + 10_000 + max(down_ms, 1))
    assert simulation.control_plane.answers


def test_orders_that_a_node_had_not_got_are_repeated_by_their_master() -> None:
    one = of()
    simulation, _ = played(one, 10)
    simulation.act(KillContainer((1, 1, 2)))
    node, master = simulation.world.nodes[0], simulation.world.masters[1]
    assert node.orders == [(1, 1, 2)]
    simulation.act(LoseResourceManager())
    assert (node.orders, (1, 1, 2) in master.releases) == ([], True)


def test_a_master_that_may_not_come_back_ends_with_an_error() -> None:
    one = scene(duration='"forever"', settings=f"[settings]\n{QUICK}")
    simulation, log = played(one, 10)
    simulation.act(RestartResourceManager(1_000))
    simulation.run_until(one.start_ms + 40_000)
    ended = [(each.container, each.exit_status) for each in log.of(Completed)]
    assert [status for _, status in ended if status == 0] == []
    assert simulation.control_plane.answers
