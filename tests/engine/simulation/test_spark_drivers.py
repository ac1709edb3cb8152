"""What the drivers of a Spark Master notice of executors and workers, and what becomes of drivers that wait."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.model.decision import Killed
from engine.scenario.acts import DrainNode, KillContainer, LoseNode, ReturnNode
from engine.simulation.records import Draining, Submitted
from tests.engine.simulation.test_spark_world import CLUSTER_MODE, JOB, SHELL, START_MS, Tape, running


def since(log: Tape, begin: int) -> list[Any]:
    return [record for _, record in log.heard[begin:]]


def test_tasks_of_a_killed_executor_go_to_an_idle_one_at_once() -> None:
    """Of two tasks on three executors the one that is begun anew three seconds later ends last."""
    simulation, log = running(JOB | {"cores_max": 6, "stages": [{"tasks": 2, "duration_ms": (10_000, 10_000)}]})
    simulation.run_until(START_MS + 5_000)
    busy = [executor for (_, executor), cores in simulation.world.busy_cores().items() if cores]

    simulation.act(KillContainer((1, 1, busy[0])))
    simulation.run_until(START_MS + 60_000)

    assert len(busy) == 2
    assert log.states(1)[-1] == (15.0, "FINISHED")


def test_a_worker_is_decommissioned_once_and_only_while_it_is_up() -> None:
    simulation, log = running(workers=2)
    simulation.run_until(START_MS + 1_000)
    simulation.act(DrainNode("w1"))
    simulation.act(DrainNode("w1"))
    simulation.act(LoseNode("w2"))
    simulation.act(DrainNode("w2"))
    assert [record for record in since(log, 0) if isinstance(record, Draining)] == [Draining("w1:7078")]
    assert [node.draining for node in simulation.world.nodes] == [True, False]


@pytest.mark.parametrize("act", [LoseNode("w1"), DrainNode("w1")])
def test_a_worker_that_returns_is_lost_first_and_joins_anew(act: LoseNode | DrainNode) -> None:
    """In that order, in the instant of its return; one that is up and not drained only stays."""
    simulation, log = running(SHELL, workers=1)
    simulation.run_until(START_MS + 3_000)
    begin = len(log.heard)
    simulation.act(ReturnNode("w1"))
    assert len(log.heard) == begin + 1

    simulation.act(act)
    begin = len(log.heard)
    simulation.act(ReturnNode("w1"))

    told = [type(record) for record in since(log, begin) if isinstance(record, NodeLost | NodeJoined)]
    assert told == [NodeLost, NodeJoined]
    node = simulation.world.nodes[0]
    assert (node.up, node.member, node.draining) == (True, True, False)


def test_executors_of_an_application_start_as_often_as_it_says() -> None:
    simulation, log = running(CLUSTER_MODE | {"exits_after_ms": (4_000, 4_000)})
    simulation.run_until(START_MS + 12_000)
    number = next(record.application for record in since(log, 0) if isinstance(record, Submitted))
    assert number == 1
    assert [record for record in since(log, 0) if isinstance(record, Killed)] == []
    assert (0, 0, 0) in simulation.world.nodes[0].running
