"""ResourceManagers that go and come back, and what nodes, masters and clients do meanwhile."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.protocol import NodeRegisteredAgain, ResourceManagerStarted, ResourceManagerStopped
from engine.control_plane.resource_manager import ResourceManager
from engine.model.cluster import Cluster, epoch_and_count
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario import Scenario
from engine.scenario.acts import (
    Act,
    FailOverResourceManager,
    KillApplication,
    KillContainer,
    LoseMaster,
    LoseNode,
    LoseResourceManager,
    RestartNodeManager,
    RestartResourceManager,
    ReturnNode,
    SetHealth,
)
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.model.invariants import violations
from tests.engine.simulation.scenes import Log, played, scenario

SCHEDULERS = ("fifo", "fifo-3.4", "fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4")
STORE = """
[settings]
"yarn.resourcemanager.recovery.enabled" = "true"
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = "100"
"yarn.scheduler.capacity.maximum-am-resource-percent" = "0.5"
"yarn.scheduler.capacity.root.default.user-limit-factor" = "10"
"""
QUICK = """
"yarn.resourcemanager.connect.retry-interval.ms" = "1000"
"yarn.am.liveness-monitor.expiry-interval-ms" = "21000"
"""
PLAIN = '"yarn.resourcemanager.work-preserving-recovery.enabled" = "false"\n'
PAIR = '"yarn.resourcemanager.ha.enabled" = "true"\n'
WORK = """
[[workload]]
type = "scripted"
name = "held"
user = "ann"
queue = "default"
asks = [{ memory = "2g", count = 3, duration = "forever" }, { at = 62, memory = "1g", count = 2, duration = "30s" }]
[[workload]]
type = "scripted"
name = "later"
user = "ann"
queue = "default"
at = 65
asks = [{ memory = "1g", count = 1, duration = "10s" }]
"""


def scene(more: str = QUICK, scheduler: str = "fifo", work: str = WORK, count: int = 3) -> Scenario:
    """Three nodes, one application that holds containers for ever and asks for more at 62 s, one submitted at 65 s."""
    return scenario(STORE + more + work, count=count, top=f'scheduler = "{scheduler}"')


def restarted(one: Scenario, down_ms: int = 5_000, until_s: int = 200) -> tuple[Simulation, Log]:
    simulation, log = played(one, 60)
    simulation.act(RestartResourceManager(down_ms))
    simulation.run_until(one.start_ms + until_s * 1000)
    return simulation, log


def cluster_of(simulation: Simulation) -> Cluster:
    assert isinstance(simulation.control_plane, ResourceManager)
    return simulation.control_plane.cluster


def since(one: Scenario, times: list[int]) -> list[float]:
    return [(time_ms - one.start_ms) / 1000 for time_ms in times]


def test_containers_run_on_and_nothing_new_starts_before_the_wait_is_over() -> None:
    """All nodes and the master are back within a second and a retry; the first allocation comes after ten seconds."""
    one = scene()
    simulation, log = restarted(one)
    back, allocated = since(one, log.at(NodeRegisteredAgain)), since(one, log.at(Allocated))
    first = next(at for at in allocated if at > 60)

    assert since(one, log.at(ResourceManagerStarted)) == [65.0]
    assert len(back) == 3
    assert all(65 <= at <= 66 for at in back)
    assert 75 < first <= 76
    assert [each for each in log.of(Killed) if each.container[0] == 1] == []
    assert isinstance(simulation.control_plane, ResourceManager)
    assert simulation.control_plane.recovery.state == "ACTIVE"
    assert {epoch_and_count(each.container[2])[0] for each in log.of(Allocated)} == {0, 1}


def test_real_clients_notice_up_to_a_retry_interval_later() -> None:
    one = scene("")
    _, log = restarted(one)
    back = since(one, log.at(NodeRegisteredAgain))

    assert len(back) == 3
    assert all(90 <= at <= 91 for at in back)


def test_a_plain_restart_kills_all_containers_and_costs_no_attempt() -> None:
    """The nodes kill them before they register, and the next attempt's master needs no wait."""
    one = scene(QUICK + PLAIN, work=WORK.replace("at = 62", "at = 150"))
    simulation, log = restarted(one, until_s=75)
    application = cluster_of(simulation).applications[1]

    killed = [each for each in log.of(Completed) if each.exit_status == -106]
    again = next(at for at in since(one, log.at(Allocated)) if at > 60)
    assert len(killed) >= 3
    assert again < 67
    assert application.attempts_made == 2


def test_a_hanging_master_expires_at_the_first_look_after_the_interval() -> None:
    """Looks come every third of it; the attempt counts as failed and another one begins."""
    one = scene()
    simulation, log = played(one, 30)
    simulation.act(LoseMaster("held", hangs=True))
    simulation.run_until(one.start_ms + 64_000)
    retried = [at for at, each in log.entries if isinstance(each, ApplicationTransitioned) and "silent" in each.detail]

    assert since(one, retried) == [56.0]
    assert simulation.world.masters[1].attempt == 2


def test_a_lost_resource_manager_comes_back_only_when_it_is_started() -> None:
    one = scene()
    simulation, log = played(one, 60)
    simulation.act(LoseResourceManager())
    simulation.run_until(one.start_ms + 1_000_000)
    gone = simulation.control_plane.answers
    simulation.act(RestartResourceManager(1_000))
    simulation.run_until(one.start_ms + 1_100_000)

    assert not gone
    assert since(one, log.at(ResourceManagerStarted)) == [1001.0]
    assert [each.cause for each in log.of(ResourceManagerStopped)] == ["LOST"]
    assert len(log.of(NodeRegisteredAgain)) == 3


@pytest.mark.parametrize(("orderly", "least", "most"), [(False, 20 / 3, 11.0), (True, 0.4, 1.3)])
def test_a_failover_takes_as_long_as_zookeeper_does(orderly: bool, least: float, most: float) -> None:
    """A crash is noticed within two thirds and a tenth more of the session timeout, an orderly stop at once."""
    one = scene(QUICK + PAIR)
    simulation, log = played(one, 60)
    simulation.act(FailOverResourceManager(orderly))
    simulation.run_until(one.start_ms + 100_000)

    (started,) = since(one, log.at(ResourceManagerStarted))
    assert least <= started - 60 <= most
    assert len(log.of(NodeRegisteredAgain)) == 3


def test_nobody_fails_over_from_what_is_gone_and_no_stranger_has_a_master() -> None:
    one = scene(QUICK + PAIR)
    simulation, _ = played(one, 60)
    unknown = simulation.act(LoseMaster("nobody")).rejected
    simulation.act(LoseResourceManager())

    assert unknown == "ApplicationNotFoundException"
    assert simulation.act(FailOverResourceManager()).rejected == "IllegalStateException"


ACTS = st.sampled_from(
    (
        RestartResourceManager(4_000),
        RestartResourceManager(12_000),
        FailOverResourceManager(),
        LoseResourceManager(),
        LoseMaster("held"),
        LoseMaster("held", hangs=True),
        LoseMaster("later"),
        RestartNodeManager("n1:8041", 3_000),
        RestartNodeManager("n2:8041", 15_000),
        LoseNode("n3:8041"),
        ReturnNode("n3:8041"),
        SetHealth("n2:8041", healthy=False),
        SetHealth("n2:8041", healthy=True),
        KillApplication(1),
        KillContainer((1, 1, 3)),
    )
)
"""What may happen to a cluster, restarts above all."""

CONDITIONS = st.tuples(
    st.sampled_from(SCHEDULERS),
    st.sampled_from(
        (QUICK, QUICK + PLAIN, QUICK + PAIR, PAIR, QUICK + '"yarn.nodemanager.recovery.enabled" = "true"\n')
    ),
)
"""A policy, and how restarts are to go."""


@pytest.mark.slow
@settings(max_examples=25)
@given(CONDITIONS, st.lists(st.tuples(st.integers(1, 40), ACTS), max_size=8))
def test_faults_at_any_moment_keep_the_laws(conditions: tuple[str, str], acts: list[tuple[int, Act]]) -> None:
    """Ledgers add up, skipped heartbeats would have changed nothing, and a fork amid a recovery goes on alike."""
    scheduler, more = conditions
    one = scene(more, scheduler)
    log, naive_log, fork_log = Log(), Log(), Log()
    simulation, naive = build_simulation(one, [log]), build_simulation(one, [naive_log], naive=True)
    forked, before = simulation.fork(), len(log.entries)

    for steps, action in acts:
        simulation.run_events(steps, simulation.now_ms + 20_000)
        simulation.act(action)
        assert [*violations(cluster_of(simulation))] == []
        position, _ = simulation.acts[-1]
        naive.run_to(position)
        naive.act(action)
        forked, before, fork_log = simulation.fork(), len(log.entries), Log()
    forked.listeners.append(fork_log)
    until_ms = simulation.now_ms + 100_000
    for each in (simulation, naive, forked):
        each.run_until(until_ms)

    assert [*violations(cluster_of(simulation))] == []
    assert log.journal == naive_log.journal
    assert fork_log.entries == log.entries[before:]
