"""ResourceManagers that go and come back, and what nodes, masters and clients do meanwhile."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.protocol import NodeRegisteredAgain, ResourceManagerStarted, ResourceManagerStopped
from engine.control_plane.resource_manager import ResourceManager
from engine.model.cluster import Cluster
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.model.identity import epoch_and_count
from engine.observe.snapshots import snapshot_of_simulation
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
from engine.simulation.records import AskChanged
from engine.simulation.simulation import Simulation
from engine.simulation.world import MASTER_EXPIRES
from tests.build import EVERY_SCHEDULER, SCHEDULERS
from tests.engine.model.invariants import violations
from tests.engine.simulation.scenes import Log, played, scenario

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


# Application masters that are refused, crash, leave or hang, and those that need no container.

TEXT = """
{settings}
[[workload]]
type = "scripted"
user = "ann"
name = "job"
queue = "default"
phase = 0.3
{more}
asks = [{{ memory = "1g", count = 2, duration = {duration} }}]
"""


def going_scene(more: str = "", duration: str = "20", settings: str = "", **cluster: object) -> Scenario:
    """One node, whose heartbeat comes at 0.7 s of each second, and one application, whose calls come at 0.3 s."""
    made = scenario(TEXT.format(more=more, duration=duration, settings=settings), count=1)
    (node,) = made.cluster.all_nodes()
    only = {"groups": (), "nodes": (node.model_copy(update={"phase_ms": 700}),), **cluster}
    return made.model_copy(update={"scheduler": "fifo", "cluster": made.cluster.model_copy(update=only)})


def states(one: Scenario, log: Log) -> list[tuple[int, str]]:
    return [(at - one.start_ms, each.state) for at, each in log.entries if isinstance(each, ApplicationTransitioned)]


def test_a_life_in_calls_and_heartbeats() -> None:
    """Given at a heartbeat, reported at the next, it registers at its own next call, and ends with one."""
    one = going_scene()
    simulation, log = played(one, 60)
    assert states(one, log) == [(0, "ACCEPTED"), (2_300, "RUNNING"), (25_300, "FINISHED")]
    assert [time_ms - one.start_ms for time_ms in log.at(Allocated)] == [700, 3_700, 3_700]
    assert [time_ms - one.start_ms for time_ms in log.at(AskChanged)] == [3_300]
    assert [time_ms - one.start_ms for time_ms in log.at(Completed)] == [24_700, 24_700]
    assert simulation.world.masters == {}


@pytest.mark.parametrize("managed", [True, False])
def test_a_crash_is_followed_by_another_attempt(managed: bool) -> None:
    """Whose number is one more; an unmanaged one is noticed when it is silent."""
    am = "" if managed else '\nam = "unmanaged"'
    quick = '[settings]\n"yarn.am.liveness-monitor.expiry-interval-ms" = "3000"'
    one = going_scene(f'ends_after = 3\noutcome = "CRASHED"\nmax_attempts = 2{am}', "100", quick)
    simulation, log = played(one, 4)
    assert simulation.world.masters[1].attempt == 1
    simulation.run_until(one.start_ms + 60_000)
    found = [state for _, state in states(one, log)]
    assert found[:4] == ["ACCEPTED", "RUNNING", "ACCEPTED", "RUNNING"] if managed else found[:2]
    assert {each.container[1] for each in log.of(Allocated)} == ({1, 2} if managed else {1})


def test_a_master_that_hangs_is_looked_for_every_third_of_its_time() -> None:
    """It expires at the first look after it has been silent for all of it, counted from its last call."""
    quick = '[settings]\n"yarn.am.liveness-monitor.expiry-interval-ms" = "9000"'
    one = going_scene(settings=quick, duration='"forever"')
    for second, expires_ms in ((10, 21_000), (11, 21_000), (12, 21_000), (13, 24_000)):
        simulation, log = played(one, second)
        simulation.act(LoseMaster("job", hangs=True))
        due = [event for event in simulation.world.clock.heap if event[3] == MASTER_EXPIRES]
        assert [(event[0] - one.start_ms, event[2], event[4]) for event in due] == [(expires_ms, 1, 1)]
        assert simulation.world.masters[1].silent_ms == one.start_ms + (second - 1) * 1000 + 300
        simulation.run_until(one.start_ms + expires_ms)
        assert states(one, log)[-1] == (expires_ms, "ACCEPTED")


# Containers that outlive a failed attempt of their application, and the next attempt, which has them.

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


@EVERY_SCHEDULER
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


@EVERY_SCHEDULER
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


# Sessions and services in a simulation: their laws, and what a snapshot says of them.

LIVES = """
[[workload]]
type = "tez"
name = "hive"
user = "ann"
queue = "a"
at = 2
held = 1
session_timeout = "3m"
dags = [{ repeat = { times = 3, every = "1m" }, stages = [
    { tasks = 30, duration = ["4s", "12s"] }, { tasks = 3, duration = "5s" },
] }]
[[workload]]
type = "spark"
name = "shell"
user = "bob"
queue = "b"
executor = { memory = "4g", vcores = 2 }
dynamic = { idle = "15s", shuffle = "tracking", cached_idle = "1m" }
jobs = [
    { stages = [{ tasks = 40, duration = ["5s", "9s"] }, { tasks = 4, duration = "20s", caches = true }] },
    { at = "2m", stages = [{ tasks = 10, duration = "9s" }] },
]
[[workload]]
type = "service"
name = "llap"
user = "eve"
queue = "b"
at = 5
instances = 1
each_node = true
instance = { memory = "2g", vcores = 1 }
tasks_each = 2
jobs = [{ at = "20s", stages = [{ tasks = 20, duration = "7s" }] }]
[[faults]]
do = "lose"
node = "n2"
at = "70s"
"""


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "fifo", "capacity-2.7"])
def test_leaving_out_quiet_calls_changes_nothing(scheduler: str) -> None:
    """The journal is the same, byte for byte, when every heartbeat and every call is made."""
    queues = "" if not scheduler.startswith("capacity") else CAPACITY
    scene = scenario(queues + LIVES, top=f'scheduler = "{scheduler}"\nseed = 4')

    assert played(scene, 300)[1].journal == played(scene, 300, naive=True)[1].journal


CAPACITY = """
[settings]
"yarn.scheduler.capacity.root.queues" = "a,b"
"yarn.scheduler.capacity.root.a.capacity" = 50
"yarn.scheduler.capacity.root.b.capacity" = 50
"""


def test_a_snapshot_says_what_sessions_and_services_are_at() -> None:
    """Jobs done, idle since when, and with how many containers; of others it says nothing."""
    simulation, _ = played(scenario(LIVES), 60)
    rows = {row.name: row for row in snapshot_of_simulation(simulation).applications()}

    assert {name: row.lifespan for name, row in rows.items()} == {
        "hive": "session",
        "shell": "session",
        "llap": "service",
    }
    assert (rows["hive"].jobs, rows["hive"].jobs_done) == (3, 1)
    assert rows["hive"].idle_since_ms is not None
    assert (rows["llap"].jobs_done, rows["llap"].idle_containers) == (1, 4)

    simulation.act(LoseMaster(str(rows["llap"].number)))
    lost = next(row for row in snapshot_of_simulation(simulation).applications() if row.name == "llap")
    assert (lost.jobs_done, lost.idle_since_ms, lost.idle_containers) == (1, None, 0)
