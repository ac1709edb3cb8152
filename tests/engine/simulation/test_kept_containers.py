"""Containers that outlive a failed attempt of their application, and the next attempt, which has them."""

import pytest

from engine.model.decision import Allocated, ApplicationTransitioned, Killed
from engine.scenario.acts import KillApplication, KillContainer, LoseMaster, LoseNode, RestartResourceManager
from engine.simulation.simulation import Simulation
from tests.engine.model.invariants import violations
from tests.engine.simulation.scenes import Log, played
from tests.engine.simulation.test_outages import QUICK, SCHEDULERS, cluster_of, scene

SERVICE = """
[[workload]]
type = "service"
name = "store"
user = "ann"
queue = "default"
instances = 4
instance = { memory = "1g" }
am = { memory = "1g" }
"""
KEEPS = SERVICE + "keep_containers_across_application_attempts = true\n"


def lost(work: str, scheduler: str = "fifo", until_s: int = 90) -> tuple[Simulation, Log]:
    simulation, log = played(scene(scheduler=scheduler, work=work), 60)
    simulation.act(LoseMaster("store"))
    simulation.run_until(simulation.now_ms + (until_s - 60) * 1000)
    return simulation, log


def instances(simulation: Simulation) -> set[tuple[int, int, int]]:
    attempt = cluster_of(simulation).applications[1].attempt
    assert attempt is not None
    return {each.id for each in attempt.live.values() if not each.is_am}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_kept_containers_go_to_the_next_attempt(scheduler: str) -> None:
    """None of them ends, none is allocated again, the ledgers hold, and the next master runs beside them."""
    simulation, log = lost(KEEPS, scheduler)
    attempt = cluster_of(simulation).applications[1].attempt

    assert log.of(Killed) == []
    assert len(log.of(Allocated)) == 1 + 4 + 1
    assert attempt is not None
    assert (attempt.number, attempt.used_memory_mb) == (2, 5 * 1024)
    assert {number for _, number, _ in instances(simulation)} == {1}
    assert not list(violations(cluster_of(simulation)))
    simulation.act(KillApplication(1))
    simulation.run_until(simulation.now_ms + 5_000)
    assert cluster_of(simulation).used_memory_mb == 0
    assert len(log.of(Killed)) == 5


def test_without_the_word_containers_end_with_their_attempt() -> None:
    simulation, log = lost(SERVICE)

    assert [each.cause for each in log.of(Killed)] == ["APPLICATION_ENDED"] * 4
    assert {number for _, number, _ in instances(simulation)} == {2}


def test_an_instance_lost_while_there_is_no_master_is_asked_for_again() -> None:
    simulation, log = played(scene(work=KEEPS), 60)
    simulation.act(LoseMaster("store"))
    gone = min(instances(simulation))
    simulation.run_until(simulation.now_ms + 1_000)
    simulation.act(KillContainer(gone))
    simulation.run_until(simulation.now_ms + 30_000)

    assert len(instances(simulation)) == 4
    assert gone not in instances(simulation)
    assert len(log.of(Allocated)) == 1 + 4 + 1 + 1


@pytest.mark.parametrize(("validity_s", "state"), [(20, "RUNNING"), (40, "FAILED")])
def test_old_failures_count_no_longer(validity_s: int, state: str) -> None:
    """A second failure thirty seconds after the first ends it only where the first one still counts."""
    simulation, log = lost(f'{KEEPS}attempt_failures_validity_interval = "{validity_s}s"\n')
    simulation.act(LoseMaster("store"))
    simulation.run_until(simulation.now_ms + 20_000)

    assert log.of(ApplicationTransitioned)[-1].state == state


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_kept_containers_outlive_a_restart_of_the_resource_manager(scheduler: str) -> None:
    """Nodes bring back those of the first attempt as well, under their old ids."""
    simulation, log = lost(KEEPS, scheduler)
    before = instances(simulation)
    simulation.act(RestartResourceManager(5_000))
    simulation.run_until(simulation.now_ms + 60_000)

    assert instances(simulation) == before
    assert log.of(Killed) == []
    assert not list(violations(cluster_of(simulation)))
    application = cluster_of(simulation).applications[1]
    assert (application.may_be_last, application.keeps_containers, len(application.failed_ms)) == (True, True, 1)


def test_a_master_lost_with_its_node_costs_no_attempt_and_no_container_elsewhere() -> None:
    """The loss of a node is no failure, so that all others are kept although the next failure would be the last."""
    expiry = QUICK + '"yarn.nm.liveness-monitor.expiry-interval-ms" = 5000\n'
    simulation, log = played(scene(expiry, work=KEEPS), 60)
    simulation.act(LoseMaster("store"))
    simulation.run_until(simulation.now_ms + 10_000)
    attempt = cluster_of(simulation).applications[1].attempt
    assert attempt is not None
    master = next(each for each in attempt.live.values() if each.is_am)
    simulation.act(LoseNode(master.node.id))
    simulation.run_until(simulation.now_ms + 60_000)

    assert cluster_of(simulation).applications[1].state == "RUNNING"
    assert {each.cause for each in log.of(Killed)} == {"LOST"}
    assert len(instances(simulation)) == 4
