"""Whole journals of small Spark runs: two seconds from order to start, one more until a driver registers."""

from typing import Any

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario.acts import DrainNode, LoseNode, ReturnNode
from engine.simulation.records import Acted, Draining, DriverQueued, Started, Submitted
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from tests.engine.simulation.test_spark_world import SHELL, START_MS, Tape, running

W1, W2 = "w1:7078", "w2:7078"
JOB = SHELL | {"name": "job", "stages": [{"tasks": 4, "duration_ms": (5_000, 5_000)}]}
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
    simulation, tape = running(JOB | DRIVER)
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
