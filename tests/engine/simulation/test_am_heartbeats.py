"""Application masters' heartbeats, from registration to the end."""

import pytest

from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication, KillContainer, LoseMaster, LoseNode
from engine.simulation.outages import rest
from engine.simulation.records import AskChanged, Started
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import SPARK, Log, played, scenario

HELD = SPARK.replace("duration = 60", 'duration = "forever"')


def states(log: Log) -> list[str]:
    return [record.state for record in log.of(ApplicationTransitioned)]


def node_of_master(simulation: Simulation) -> str:
    return simulation.world.nodes[simulation.world.masters[1].node].id


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


def test_a_killed_master_is_tried_again() -> None:
    scene = scenario(HELD)
    simulation, log = played(scene, 60)

    simulation.act(KillContainer((1, 1, 1)))
    simulation.run_until(scene.start_ms + 90_000)

    assert states(log) == ["ACCEPTED", "RUNNING", "ACCEPTED", "RUNNING"]
    assert {record.container[1] for record in log.of(Allocated)[4:]} == {2}
    assert simulation.world.masters[1].attempt == 2


def test_too_many_killed_masters_fail_the_application() -> None:
    scene = scenario(HELD)
    simulation, log = played(scene, 60)

    simulation.act(KillContainer((1, 1, 1)))
    simulation.run_until(scene.start_ms + 90_000)
    simulation.act(KillContainer((1, 2, 1)))

    assert states(log)[-1] == "FAILED"
    assert simulation.world.masters == {}


def test_a_master_on_a_silent_node_says_nothing_until_another_attempt_runs() -> None:
    """Its process is dead at once; the control plane notices when the node expires."""
    scene = scenario(HELD)
    simulation, log = played(scene, 60)

    simulation.act(LoseNode(node_of_master(simulation)))
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


@pytest.mark.parametrize(
    ("changes", "is_due"),
    [
        ({}, False),
        ({"changed": {(1, "*"): None}}, True),
        ({"inbox": [((1, 1, 2), "COMPLETED")]}, True),
        ({"releases": [(1, 1, 2)]}, True),
    ],
)
def test_a_master_with_something_to_send_schedules_a_heartbeat(changes: dict[str, object], *, is_due: bool) -> None:
    """An ask, an ended container or a container to give back each are enough; without any, none is scheduled."""
    simulation, _ = played(scenario(HELD), 60)
    master = simulation.world.masters[1]
    assert (master.beat_ms, master.wake_ms) == (0, 0)
    for name, value in changes.items():
        setattr(master, name, value)

    rest(simulation.world, master)

    assert (master.beat_ms > simulation.now_ms) is is_due
