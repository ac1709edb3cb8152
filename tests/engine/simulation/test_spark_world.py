"""A Spark Master's world: workers that report at once, drivers that use what they are given."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.control_plane.spark_master import SparkMaster
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario import Scenario
from engine.scenario.acts import (
    DrainNode,
    KillContainer,
    LoseNode,
    ResizeNode,
    ReturnNode,
    SetHealth,
    SetPreemption,
    SetSetting,
    SubmitApplication,
)
from engine.simulation.build import build_simulation
from engine.simulation.records import Acted, Draining, DriverQueued, EventRefused, Record, Started, Submitted
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld

START_MS = 1_704_099_600_000


class Tape:
    """A listener that keeps everything, with seconds after the start."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, Record]] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.heard += [((time_ms - START_MS) / 1000, record) for record in records]

    def times(self, kind: type) -> list[float]:
        return [second for second, record in self.heard if isinstance(record, kind)]

    def states(self, application: int) -> list[tuple[float, str]]:
        return [
            (second, record.state)
            for second, record in self.heard
            if isinstance(record, ApplicationTransitioned) and record.application == application
        ]


def scenario(*workload: dict[str, Any], workers: int = 2, **more: Any) -> Scenario:
    """Workers of 4 cores and 4 GB, two seconds from order to start."""
    nodes = [{"host": f"w{number}", "port": 7078, "memory_mb": 4096, "vcores": 4} for number in range(1, workers + 1)]
    return Scenario.model_validate(
        {
            "name": "spark",
            "start": datetime(2024, 1, 1, 9, tzinfo=UTC),
            "scheduler": "spark",
            "settings": {"spark.deploy.spreadOutDrivers": "false"},
            "cluster": {"nodes": nodes, "launch_delay_ms": 2_000, "register_delay_ms": 1_000},
            "workload": [{"type": "spark-standalone", "user": "u", **spec} for spec in workload],
        }
        | more
    )


def running(*workload: dict[str, Any], workers: int = 2, **more: Any) -> tuple[Simulation, Tape]:
    log = Tape()
    return build_simulation(scenario(*workload, workers=workers, **more), [log]), log


def master_of(simulation: Simulation) -> SparkMaster:
    assert isinstance(simulation.control_plane, SparkMaster)
    return simulation.control_plane


JOB = {"cores_max": 8, "executor_cores": 2, "stages": [{"tasks": 16, "duration_ms": (10_000, 10_000)}]}
SHELL = {"cores_max": 4, "executor_cores": 2}
CLUSTER_MODE = SHELL | {"driver": {"memory_mb": 1024, "vcores": 1}, "supervise": True}


def test_an_application_runs_its_tasks_and_ends() -> None:
    """Executors start two seconds after the order; two waves of eight tasks take twenty."""
    simulation, log = running(JOB)

    simulation.run_until(START_MS + 3_000)
    assert isinstance(simulation.world, SparkWorld)
    busy = simulation.world.busy_cores()
    simulation.run_until(START_MS + 60_000)

    assert busy == {(1, executor): 2 for executor in range(4)}
    assert log.times(Started) == [2.0] * 4
    assert log.states(1) == [(0.0, "WAITING"), (0.0, "RUNNING"), (22.0, "FINISHED")]


def test_a_lost_workers_tasks_are_done_again() -> None:
    """The Master knows the next ms; half the cores take four waves for what is left of sixteen tasks."""
    simulation, log = running(JOB, faults=[{"do": "lose", "node": "w1", "at_ms": 5_000}])

    simulation.run_until(START_MS + 60_000)

    lost = [second for second, record in log.heard if isinstance(record, Killed) and record.cause == "LOST"]
    assert lost == [5.001, 5.001]
    assert log.states(1)[-1] == (42.0, "FINISHED")


def test_a_returned_worker_serves_those_who_wait() -> None:
    """It registers anew, empty, and the pass comes with that; returning when up is nothing."""
    simulation, log = running(SHELL | {"cores_max": 8})
    simulation.run_until(START_MS + 3_000)
    for action in (LoseNode("w1:7078"), LoseNode("w1:7078"), ReturnNode("w1:7078"), ReturnNode("w1:7078")):
        simulation.act(action)
    simulation.run_until(START_MS + 9_000)

    assert log.times(Allocated) == [0.0] * 4 + [3.0] * 2
    assert [worker.state for worker in master_of(simulation).cluster.workers] == ["ALIVE", "ALIVE"]


def test_a_drained_worker_is_decommissioned() -> None:
    """Its executors go, no pass comes of it, and it comes back as a new worker."""
    simulation, log = running(SHELL, workers=1)
    simulation.run_until(START_MS + 3_000)

    simulation.act(DrainNode("w1"))
    simulation.act(DrainNode("w1"))
    simulation.run_until(START_MS + 9_000)
    states = [worker.state for worker in master_of(simulation).cluster.workers]
    simulation.act(ReturnNode("w1"))

    assert states == ["DECOMMISSIONED"]
    assert log.times(Killed) == [3.0, 3.0]
    assert log.times(Allocated) == [0.0, 0.0, 9.0, 9.0]


@pytest.mark.parametrize(
    ("delay_ms", "exits_after_ms", "started", "completed", "count", "ends"),
    [
        (0, 0, [], [0.1, 0.1, 0.2, 0.2], 10, (0.5, "FAILED")),
        (2_000, 0, [], [2.0, 2.0, 4.0, 4.0], 10, (10.0, "FAILED")),
        (0, 1_000, [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0], 118, (0.0, "RUNNING")),
        (2_000, 5_000, [2.0, 2.0, 9.0, 9.0], [7.0, 7.0, 14.0, 14.0], 16, (0.0, "RUNNING")),
    ],
)
def test_executors_that_exit_are_started_anew_and_fail_their_application_where_none_ever_runs(
    delay_ms: int,
    exits_after_ms: int,
    started: list[float],
    completed: list[float],
    count: int,
    ends: tuple[float, str],
) -> None:
    """One that never runs is found out a tenth of a second after its order at the earliest."""
    nodes = [{"host": "w1", "port": 7078, "memory_mb": 4096, "vcores": 4}]
    cluster = {"nodes": nodes, "launch_delay_ms": delay_ms, "register_delay_ms": 1_000}
    simulation, log = running(SHELL | {"exits_after_ms": (exits_after_ms,) * 2}, cluster=cluster)

    simulation.run_until(START_MS + 59_500)

    assert (log.times(Started)[:4], log.times(Completed)[:4]) == (started, completed)
    assert (len(log.times(Completed)), log.states(1)[-1]) == (count, ends)


def test_a_driver_in_cluster_mode_registers_when_it_has_come_up() -> None:
    """Launched after two seconds, registered after one more; when its application ends, so does its process."""
    simulation, log = running(CLUSTER_MODE | JOB | {"cores_max": 4})

    simulation.run_until(START_MS + 60_000)

    assert log.times(Submitted) == [3.0]
    assert log.states(1)[-1] == (45.0, "FINISHED")
    assert [(second, record.container) for second, record in log.heard if isinstance(record, Completed)] == [
        (45.0, (0, 0, 0))
    ]


def test_a_supervised_driver_starts_anew_when_its_worker_is_lost() -> None:
    simulation, log = running(CLUSTER_MODE)
    simulation.run_until(START_MS + 10_000)

    simulation.act(LoseNode("w1"))
    simulation.run_until(START_MS + 20_000)

    assert log.states(1)[-1] == (10.001, "FINISHED")
    assert log.states(2)[0] == (13.001, "WAITING")


def test_a_driver_may_be_killed_before_and_after_it_registered() -> None:
    """Killed while it comes up it never registers; killed later its application ends with it."""
    simulation, log = running(CLUSTER_MODE, CLUSTER_MODE | {"at_ms": 1_000})
    simulation.run_until(START_MS + 2_500)
    simulation.act(KillContainer((0, 0, 0)))
    simulation.act(KillContainer((9, 0, 0)))
    simulation.run_until(START_MS + 10_000)
    simulation.act(KillContainer((1, 0, 0)))
    simulation.run_until(START_MS + 20_000)

    assert log.times(Submitted) == [4.0]
    assert log.states(1)[-1] == (10.0, "FINISHED")
    assert len(log.times(EventRefused)) == 1


def test_dynamic_allocation_follows_the_work() -> None:
    dynamic = {"initial": 1, "idle_ms": 5_000}
    stages = [{"tasks": 8, "duration_ms": (10_000, 10_000)}, {"tasks": 1, "duration_ms": (30_000, 30_000)}]
    simulation, log = running({"executor_cores": 1, "stages": stages, "dynamic": dynamic})

    simulation.run_until(START_MS + 90_000)

    released = [record for _, record in log.heard if isinstance(record, Killed) and record.cause == "RELEASED"]
    assert len(released) >= 3
    assert log.states(1)[-1][1] == "FINISHED"


def test_toggling_spread_out_holds_from_the_next_pass() -> None:
    """The next application is packed; a setting the Master does not know is refused."""
    simulation, _ = running(SHELL, workers=3)
    simulation.run_until(START_MS + 1_000)

    simulation.act(SetSetting("spark.deploy.spreadOutApps", "false"))
    answer = simulation.act(SubmitApplication({"type": "spark-standalone", "user": "u", **SHELL}))
    refused = simulation.act(SetPreemption(on=True))

    nodes = [each.node for each in answer.decisions if isinstance(each, Allocated)]
    assert len(set(nodes)) == 1
    assert refused.rejected == "ConfigError"


def test_what_spark_does_not_have_is_refused() -> None:
    """Workers are not resized and report no health; other kinds of applications do not run."""
    simulation, _ = running(SHELL)

    answers = [
        simulation.act(action)
        for action in (
            ResizeNode("w1:7078", 1, 1),
            SetHealth("w1:7078", healthy=False),
            SubmitApplication({"type": "scripted", "user": "u"}),
        )
    ]

    assert [answer.rejected for answer in answers] == [
        "UnsupportedOperationException",
        "UnsupportedOperationException",
        "UnsupportedApplication",
    ]


# Whole journals of small Spark runs: two seconds from order to start, one more until a driver registers.

W1, W2 = "w1:7078", "w2:7078"
JOURNAL_JOB = SHELL | {"name": "job", "stages": [{"tasks": 4, "duration_ms": (5_000, 5_000)}]}
DRIVER = {"driver": {"memory_mb": 1024, "vcores": 1}}


def world_of(simulation: Simulation) -> SparkWorld:
    assert isinstance(simulation.world, SparkWorld)
    return simulation.world


def told(tape: Tape, since: float = 0.0) -> list[tuple[float, Any]]:
    """What was recorded from an instant on, but for acts and nodes that join at the start."""
    return [
        (second, record)
        for second, record in tape.heard
        if second >= since and not isinstance(record, Acted) and (second, type(record)) != (0.0, NodeJoined)
    ]


def executor(application: int, number: int, node: str) -> Allocated:
    return Allocated((application, 1, number), node, 0, 1024, 2, "OFF_SWITCH")


def driver(number: int, node: str) -> Allocated:
    return Allocated((number, 0, 0), node, 0, 1024, 1, "OFF_SWITCH")


def moved(application: int, state: str) -> ApplicationTransitioned:
    return ApplicationTransitioned(application, state, "")


def test_a_job_whose_driver_runs_on_a_worker() -> None:
    """It registers a second after its driver has started; its tasks take five; the driver ends with it."""
    simulation, tape = running(JOURNAL_JOB | DRIVER)
    simulation.run_until(START_MS + 60_000)
    assert told(tape) == [
        (0.0, DriverQueued(0, "job", "u", 1024, 1)),
        (0.0, driver(0, W1)),
        (2.0, Started((0, 0, 0), W1)),
        (3.0, Submitted(1, "job", "u", "", "SPARK")),
        (3.0, moved(1, "WAITING")),
        (3.0, moved(1, "RUNNING")),
        (3.0, executor(1, 0, W2)),
        (3.0, executor(1, 1, W1)),
        (5.0, Started((1, 1, 1), W1)),
        (5.0, Started((1, 1, 0), W2)),
        (10.0, Killed((1, 1, 0), W2, "APPLICATION_ENDED")),
        (10.0, Killed((1, 1, 1), W1, "APPLICATION_ENDED")),
        (10.0, moved(1, "FINISHED")),
        (10.0, Completed((0, 0, 0), W1, 0)),
    ]
    assert all(not node.running and not node.launching for node in simulation.world.nodes)
    assert all(not node.completed for node in simulation.world.nodes)


def test_a_supervised_driver_is_started_on_another_worker() -> None:
    """The Master knows the next ms; the application of the driver that died is over then, and a new one registers."""
    simulation, tape = running(SHELL | DRIVER | {"supervise": True})
    simulation.run_until(START_MS + 5_000)
    world = world_of(simulation)
    spec = world.specification_of(1)
    assert (spec, world.specification(0), world.specification(1)) == (world.submitted[0], spec, None)

    simulation.act(LoseNode(W1))
    simulation.run_until(START_MS + 20_000)
    assert told(tape, 5.001) == [
        (5.001, NodeLost(W1)),
        (5.001, Killed((1, 1, 1), W1, "LOST")),
        (5.001, Killed((0, 0, 0), W1, "LOST")),
        (5.001, executor(1, 2, W2)),
        (5.001, Killed((1, 1, 0), W2, "APPLICATION_ENDED")),
        (5.001, Killed((1, 1, 2), W2, "APPLICATION_ENDED")),
        (5.001, moved(1, "FINISHED")),
        (5.001, driver(1, W2)),
        (7.001, Started((1, 0, 0), W2)),
        (8.001, Submitted(2, "", "u", "", "SPARK")),
        (8.001, moved(2, "WAITING")),
        (8.001, moved(2, "RUNNING")),
        (8.001, executor(2, 0, W2)),
        (10.001, Started((2, 1, 0), W2)),
    ]
    assert (world.specification_of(1), world.specification_of(2), world.specification(1)) == (None, spec, spec)


def test_a_worker_is_decommissioned_once_and_comes_back_new() -> None:
    """What ran on it is lost, and is given anew when it registers; a worker that is up has nowhere to return from."""
    simulation, tape = running(SHELL, workers=1)
    simulation.run_until(START_MS + 4_000)
    for act in (DrainNode("w1"), DrainNode("w1"), ReturnNode("w1"), ReturnNode("w1")):
        assert simulation.act(act).rejected == ""
    simulation.run_until(START_MS + 9_000)
    assert told(tape, 4.0) == [
        (4.0, Draining(W1)),
        (4.0, Killed((1, 1, 0), W1, "LOST")),
        (4.0, Killed((1, 1, 1), W1, "LOST")),
        (4.0, NodeLost(W1)),
        (4.0, NodeJoined(W1, "/default-rack", 4096, 4, "")),
        (4.0, executor(1, 2, W1)),
        (4.0, executor(1, 3, W1)),
        (6.0, Started((1, 1, 2), W1)),
        (6.0, Started((1, 1, 3), W1)),
    ]
