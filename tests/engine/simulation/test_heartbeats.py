"""Node heartbeats, nodes that fall silent, sicken, drain and return."""

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeRegisteredAgain, NodeResized
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario import Scenario
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    KillContainer,
    LoseMaster,
    LoseNode,
    RestartNodeManager,
    RestartResourceManager,
    ReturnNode,
    SetHealth,
    SetPreemption,
    SubmitApplication,
)
from engine.simulation.build import build_simulation
from engine.simulation.records import AskChanged, Draining, EventRefused, Started
from tests.build import EVERY_SCHEDULER
from tests.engine.simulation.scenes import SPARK, Log, played, scenario

HELD = SPARK.replace("duration = 60", 'duration = "forever"')
PHASED = """
[[cluster.nodes]]
host = "p1"
memory = "16g"
vcores = 8
phase = 0.25
[[cluster.nodes]]
host = "p2"
memory = "16g"
vcores = 8
phase = 0.75
"""


def test_nodes_beat_at_their_phase() -> None:
    scene = scenario(PHASED + SPARK)
    _, log = played(scene, 60)
    phases = {record.node: time_ms % 1000 for time_ms, record in log.entries if isinstance(record, Allocated | Started)}

    assert {"p1:8041": 250, "p2:8041": 750}.items() >= {
        node: phase for node, phase in phases.items() if node.startswith("p")
    }.items()
    assert {"p1:8041", "p2:8041"} & set(phases)


def test_a_container_is_reported_at_the_heartbeat_after_its_start_and_after_its_end() -> None:
    scene = scenario(
        '[[workload]]\ntype = "scripted"\nuser = "ann"\nasks = [{ memory = "1g", duration = 10.5 }]\n', count=1
    )
    _, log = played(scene, 60)
    started = [time_ms for time_ms, record in log.entries if isinstance(record, Started)]
    completed = log.at(Completed)

    assert len(completed) == 1
    assert (completed[0] - started[-1]) % 1000 == 0
    assert 10_500 <= completed[0] - started[-1] + 1000 <= 12_500


def test_a_silent_node_is_believed_alive_until_it_expires() -> None:
    scene = scenario(HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(LoseNode("n1:8041"))
    simulation.run_until(scene.start_ms + 659_000)
    before = log.of(NodeLost)
    simulation.run_until(scene.start_ms + 661_000)

    assert before == []
    assert log.of(NodeLost) == [NodeLost("n1:8041")]
    assert 658_000 < log.at(NodeLost)[0] - scene.start_ms <= 660_000
    assert {record.cause for record in log.of(Killed)} == {"LOST"}


def test_the_expiry_interval_is_a_setting() -> None:
    scene = scenario('[settings]\n"yarn.nm.liveness-monitor.expiry-interval-ms" = "5000"\n')
    simulation, log = played(scene, 60)

    simulation.act(LoseNode("n1:8041"))
    simulation.run_until(scene.start_ms + 66_000)

    assert log.of(NodeLost) == [NodeLost("n1:8041")]


def test_a_node_that_returns_in_time_does_not_expire() -> None:
    """A node registering anew ends what ran on it and is not given up later."""
    scene = scenario(HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(LoseNode("n1:8041"))
    simulation.run_until(scene.start_ms + 120_000)
    simulation.act(ReturnNode("n1:8041"))
    simulation.run_until(scene.start_ms + 1200_000)

    assert log.at(NodeLost) == [scene.start_ms + 120_000]
    assert len(log.of(NodeJoined)) == 2
    assert log.at(Allocated)[-1] > scene.start_ms + 120_000


def test_a_sick_node_says_so_at_its_heartbeat_and_comes_back() -> None:
    """The control plane counts it out and in again, at the node's own rhythm."""
    scene = scenario(HELD, count=1)
    simulation, log = played(scene, 60)
    phase_ms = simulation.world.nodes[0].phase_ms % 1000

    simulation.act(SetHealth("n1:8041", healthy=False))
    simulation.run_until(scene.start_ms + 90_000)
    simulation.act(SetHealth("n1:8041", healthy=True))
    simulation.run_until(scene.start_ms + 120_000)

    assert log.of(NodeLost) == [NodeLost("n1:8041", "UNHEALTHY")]
    assert [time_ms % 1000 for time_ms in (log.at(NodeLost)[0], log.at(NodeJoined)[-1])] == [phase_ms] * 2
    assert simulation.world.nodes[0].member


def test_a_draining_node_gets_nothing_new_and_leaves_when_it_is_empty() -> None:
    scene = scenario(SPARK, count=1)
    simulation, log = played(scene, 30)

    simulation.act(DrainNode("n1:8041"))
    simulation.act(DrainNode("n1:8041"))
    simulation.run_until(scene.start_ms + 200_000)

    assert log.of(Draining) == [Draining("n1:8041")]
    assert log.of(NodeResized)[0] == NodeResized("n1:8041", 7168, 4)
    assert log.of(NodeLost) == [NodeLost("n1:8041", "DECOMMISSIONED")]
    assert {record.cause for record in log.of(Killed)} == {"APPLICATION_ENDED"}


def test_draining_can_be_taken_back() -> None:
    scene = scenario(HELD, count=1)
    simulation, log = played(scene, 30)

    simulation.act(DrainNode("n1:8041"))
    simulation.act(ReturnNode("n1:8041"))
    simulation.run_until(scene.start_ms + 100_000)

    assert log.of(NodeResized)[-1] == NodeResized("n1:8041", 16384, 16)
    assert log.of(NodeLost) == []


def test_a_node_that_is_up_has_nowhere_to_return_from() -> None:
    scene = scenario()
    simulation, log = played(scene, 10)

    simulation.act(ReturnNode("n1:8041"))
    simulation.act(LoseNode("n2:8041"))
    simulation.act(LoseNode("n2:8041"))

    assert len(log.of(NodeJoined)) == 4
    assert log.of(EventRefused) == []


def test_a_continuous_pass_rests_until_something_changes() -> None:
    """Two hundred passes a second are not played while they would find nothing; then they go on in their rhythm."""
    scene = scenario('[settings]\n"yarn.scheduler.fair.continuous-scheduling-enabled" = "true"\n' + HELD)
    simulation, log = played(scene, 60)
    resting = [simulation.world.pass_names[order] for order in simulation.world.resting]

    simulation.act(KillContainer((1, 1, 3)))
    simulation.run_until(scene.start_ms + 90_000)

    assert ("continuous", 5) in resting
    assert (log.at(Allocated)[-1] - scene.start_ms) % 5 == 0
    assert len(log.of(Allocated)) == 5


# Which heartbeats and passes are played: those that change something, and no others.

ONE = """
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
am = "unmanaged"
at = 2
phase = 0.1
asks = [{{ memory = "1g", count = {count}, duration = {seconds} }}]
"""


def scene(count: int = 1, seconds: float = 3.5, nodes: int = 3, scheduler: str = "fifo") -> Scenario:
    """Some nodes, and an application that asks for containers at 3.1 s."""
    made = scenario(ONE.format(count=count, seconds=seconds), count=1).model_copy(update={"scheduler": scheduler})
    node = made.cluster.all_nodes()[0]
    spread = tuple(
        node.model_copy(update={"host": f"n{number}", "phase_ms": 200 * number}) for number in range(1, nodes + 1)
    )
    cluster = made.cluster.model_copy(update={"groups": (), "nodes": spread})
    return made.model_copy(update={"cluster": cluster})


@EVERY_SCHEDULER
def test_skipping_leaves_out_nothing_that_is_recorded(scheduler: str) -> None:
    """Acts at any moment of a small cluster, and a policy that moves what it gives."""
    acts: tuple[tuple[int, Act], ...] = (
        (4_000, SetHealth("n1:8041", healthy=False)),
        (4_700, SubmitApplication.of(scene().workload[0])),
        (6_000, LoseNode("n2:8041")),
        (6_300, SetHealth("n1:8041", healthy=True)),
        (9_999, ReturnNode("n2:8041")),
        (12_000, RestartResourceManager(3_000)),
        (40_000, RestartNodeManager("n3:8041", 2_000)),
        (47_400, SubmitApplication.of(scene(count=9).workload[0])),
        (52_000, KillApplication(3)),
        (60_000, SetPreemption(on=True)),
    )
    one = scene(count=5, seconds=7, scheduler=scheduler)
    settings = {
        "yarn.resourcemanager.recovery.enabled": "true",
        "yarn.resourcemanager.connect.retry-interval.ms": "1000",
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
    }
    one = one.model_copy(update={"settings": settings})
    logs = []
    for naive in (False, True):
        log = Log()
        simulation = build_simulation(one, [log], naive=naive)
        for time_ms, act in acts:
            simulation.run_before(one.start_ms + time_ms)
            simulation.act(act)
        simulation.run_until(one.start_ms + 90_000)
        logs.append(log)
    assert logs[0].journal == logs[1].journal
    assert logs[0].of(NodeRegisteredAgain)
    assert "FINISHED" in {each.state for each in logs[0].of(ApplicationTransitioned)}


# Node managers that stop and start again.

NODE_RESTARTS_HELD = """
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
asks = [{ memory = "2g", count = 3, duration = "forever" }]
"""
RECOVERS = '[settings]\n"yarn.nodemanager.recovery.enabled" = "true"\n'


def killed(log: Log) -> list[str]:
    return [record.cause for record in log.of(Killed)]


def test_without_recovery_what_ran_is_lost_when_the_node_registers_again() -> None:
    """The node is removed and added in one go; its containers end as lost, and it is never given up."""
    scene = scenario(NODE_RESTARTS_HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(RestartNodeManager("n1:8041", 10_000))
    simulation.run_until(scene.start_ms + 69_999)
    before = killed(log)
    simulation.run_until(scene.start_ms + 1_000_000)

    assert before == []
    assert log.at(NodeRegisteredAgain) == [scene.start_ms + 70_000]
    assert killed(log) == ["LOST"] * 4
    assert log.of(NodeLost) == []
    assert len(log.of(Allocated)) == 8


def test_with_recovery_nothing_changes_for_the_scheduler() -> None:
    scene = scenario(RECOVERS + NODE_RESTARTS_HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(RestartNodeManager("n1:8041", 10_000))
    simulation.run_until(scene.start_ms + 1_000_000)

    assert killed(log) == []
    assert [len(record.containers) for record in log.of(NodeRegisteredAgain)] == [4]
    assert len(log.of(Allocated)) == 4


def test_with_recovery_what_ended_meanwhile_is_reported_when_it_registers() -> None:
    """A container that ends while the node manager is away keeps its exit status."""
    scene = scenario(RECOVERS + NODE_RESTARTS_HELD.replace('"forever"', '"75s"'), count=1)
    simulation, log = played(scene, 60)

    simulation.act(RestartNodeManager("n1:8041", 60_000))
    simulation.run_until(scene.start_ms + 121_000)

    assert set(log.at(Completed)[:3]) == {scene.start_ms + 120_000}
    assert {record.exit_status for record in log.of(Completed)} == {0}


@pytest.mark.parametrize("scheduler", ["fifo", "capacity-2.7", "fair-3.4"])
def test_a_container_brought_to_a_node_that_is_away_is_taken_back(scheduler: str) -> None:
    """It was fetched and never runs: after ten minutes, at the next look, it ends as expired and is asked for anew."""
    file = (
        '"yarn.scheduler.capacity.root.queues" = "default"\n"yarn.scheduler.capacity.root.default.capacity" = "100"\n'
    )
    scene = scenario(
        "[cluster]\nam_heartbeat = 20\n" + RECOVERS + file + NODE_RESTARTS_HELD,
        count=1,
        top=f'scheduler = "{scheduler}"',
    )
    simulation, log = played(scene, 0)
    while len(log.of(Allocated)) < 4:
        assert simulation.step()
    simulation.act(RestartNodeManager("n1:8041", 60_000))
    fetched_after_ms = simulation.now_ms
    simulation.run_until(scene.start_ms + 1_000_000)

    assert killed(log) == ["EXPIRED"] * 3
    assert [time_ms - scene.start_ms for time_ms in log.at(Killed)] == [800_000] * 3
    assert fetched_after_ms - scene.start_ms < 200_000


# Application masters' heartbeats, from registration to the end.


def states(log: Log) -> list[str]:
    return [record.state for record in log.of(ApplicationTransitioned)]


def test_a_master_registers_after_its_node_has_reported_it() -> None:
    scene = scenario(SPARK, count=1)
    late = scene.model_copy(update={"cluster": scene.cluster.model_copy(update={"register_delay_ms": 7000})})
    _, log = played(scene, 60)
    _, late_log = played(late, 60)

    def registered(log: Log) -> int:
        running = [time_ms for time_ms, record in log.entries if getattr(record, "state", "") == "RUNNING"]
        return running[0] - log.at(Started)[0]

    assert 0 < registered(log) <= 1000
    assert 7000 <= registered(late_log) < 8000


def own_rhythm(text: str, **times_ms: int) -> Scenario:
    """A scene of one node whose masters have a rhythm of their own."""
    scene = scenario(text, count=1)
    return scene.model_copy(update={"cluster": scene.cluster.model_copy(update={"am_own_rhythm": True, **times_ms})})


def at_state(log: Log, state: str) -> int:
    return next(time_ms for time_ms, record in log.entries if getattr(record, "state", "") == state)


def test_with_its_own_rhythm_a_master_registers_so_long_after_its_start() -> None:
    """Neither its node's report nor a phase matters; an application may have a delay of its own."""
    _, log = played(own_rhythm(SPARK, register_delay_ms=350), 60)
    _, own = played(own_rhythm(SPARK + "register_delay = 0.2\n", register_delay_ms=350), 60)

    assert at_state(log, "RUNNING") - log.at(Allocated)[0] == 350
    assert at_state(own, "RUNNING") - own.at(Allocated)[0] == 200
    assert log.at(AskChanged)[0] - at_state(log, "RUNNING") == 1000


@pytest.mark.parametrize("exit_delay_ms", [0, 400])
def test_with_its_own_rhythm_the_end_of_a_master_is_seen_at_its_nodes_heartbeat(exit_delay_ms: int) -> None:
    """Its application ends with the first heartbeat after its process, and its container has ended by itself."""
    simulation, log = played(own_rhythm(SPARK, register_delay_ms=350, exit_delay_ms=exit_delay_ms), 120)
    node = simulation.world.nodes[0]
    last_call_ms = at_state(log, "RUNNING") + 62_000

    ended_ms = at_state(log, "FINISHED")

    assert (ended_ms - node.phase_ms) % 1000 == 0
    assert 0 < ended_ms - last_call_ms - exit_delay_ms <= 1000
    assert log.of(Completed)[-1].container == (1, 1, 1)


def test_a_master_that_crashes_is_followed_by_another_attempt() -> None:
    """Its container ends with an error, and only the last attempt's crash fails the application."""
    crash = """
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
ends_after = 5
outcome = "CRASHED"
max_attempts = 2
asks = [{ memory = "1g", duration = "forever" }]
"""
    _, log = played(scenario(crash, count=1), 60)

    assert states(log) == ["ACCEPTED", "RUNNING", "ACCEPTED", "RUNNING", "FAILED"]
    assert [ended.exit_status for ended in log.of(Completed)] == [1, 1]


def test_the_process_of_a_master_that_is_killed_stops_at_once() -> None:
    """The launcher stops it; its executors run until their node's heartbeat brings the order."""
    simulation, _ = played(scenario(HELD, count=1), 20)
    node = simulation.world.nodes[0]

    simulation.act(KillApplication(1))

    assert [container[2] for container, _ in node.completed] == [1]
    assert len(node.running) == 3


def test_what_a_heartbeat_orders_on_its_own_node_is_obeyed_at_the_next() -> None:
    """The master's end kills its executors on the same node, which learns of it a heartbeat later."""
    simulation, log = played(scenario(HELD, count=1), 15)
    node = simulation.world.nodes[0]
    simulation.act(LoseMaster("1"))
    while len(log.of(Killed)) < 3:
        simulation.step()
    before = len(node.running)
    simulation.run_until(simulation.now_ms + 1000)

    assert (before, len(node.running)) == (3, 1)


def test_a_killed_master_is_tried_again_and_the_second_fails_the_application() -> None:
    scene = scenario(HELD)
    simulation, log = played(scene, 60)

    simulation.act(KillContainer((1, 1, 1)))
    simulation.run_until(scene.start_ms + 90_000)

    assert states(log) == ["ACCEPTED", "RUNNING", "ACCEPTED", "RUNNING"]
    assert {record.container[1] for record in log.of(Allocated)[4:]} == {2}
    assert simulation.world.masters[1].attempt == 2

    simulation.act(KillContainer((1, 2, 1)))

    assert states(log)[-1] == "FAILED"
    assert simulation.world.masters == {}


def test_a_master_on_a_silent_node_says_nothing_until_another_attempt_runs() -> None:
    """Its process is dead at once; the control plane notices when the node expires."""
    scene = scenario(HELD)
    simulation, log = played(scene, 60)

    simulation.act(LoseNode(simulation.world.nodes[simulation.world.masters[1].node].id))
    stage = simulation.world.masters[1].stage
    simulation.run_until(scene.start_ms + 700_000)

    assert stage == "GONE"
    assert states(log) == ["ACCEPTED", "RUNNING", "ACCEPTED", "RUNNING"]
    assert "LOST" in {record.cause for record in log.of(Killed)}


def test_a_master_that_dies_while_it_is_launched_never_calls() -> None:
    scene = scenario(HELD, count=1)
    slow = scene.model_copy(update={"cluster": scene.cluster.model_copy(update={"launch_delay_ms": 5000})})
    simulation, log = played(slow, 8)
    assert simulation.world.masters[1].stage == "LAUNCHED"

    simulation.act(LoseNode("n1:8041"))
    simulation.run_until(scene.start_ms + 300_000)

    assert (simulation.world.masters[1].stage, log.of(Started)) == ("GONE", [])


@pytest.mark.parametrize("naive", [False, True])
def test_a_master_that_waits_for_time_comes_back_by_itself(*, naive: bool) -> None:
    """Work that ends by the clock ends at the first call after it, however few calls are played."""
    scene = scenario(SPARK, count=2)
    _, log = played(scene, 120, naive=naive)
    started = log.at(Started)[-1]
    finished = [time_ms for time_ms, record in log.entries if getattr(record, "state", "") == "FINISHED"][-1]

    assert 58_000 < finished - started < 62_000
