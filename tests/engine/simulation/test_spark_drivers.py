"""What the drivers of a Spark Master notice of executors and workers, and what becomes of drivers that wait."""

from typing import Any, get_args

import pytest

from engine.control_plane.protocol import Answer, NodeJoined, NodeLost
from engine.model.decision import Allocated, Decision, Killed
from engine.scenario.acts import DrainNode, KillApplication, KillContainer, LoseNode, ReturnNode
from engine.simulation.events import END_OF_INSTANT
from engine.simulation.records import Acted, Draining, DriverQueued, Submitted
from engine.simulation.spark_world import SparkWorld
from tests.engine.simulation.test_spark_world import CLUSTER_MODE, JOB, SHELL, START_MS, Tape, master_of, running

DRIVER = {"driver": {"memory_mb": 1024, "vcores": 4}}


def since(log: Tape, begin: int) -> list[Any]:
    """The records from one place of a tape on."""
    return [record for _, record in log.heard[begin:]]


def test_all_decisions_are_counted() -> None:
    """Each that was recorded, once."""
    simulation, log = running(JOB, JOB | {"at_ms": 1_000})
    simulation.run_until(START_MS + 60_000)
    decisions = [record for _, record in log.heard if isinstance(record, get_args(Decision))]
    assert len(decisions) > 8
    assert simulation.world.decided == len(decisions)


def test_tasks_of_a_killed_executor_go_to_an_idle_one_at_once() -> None:
    """Of two tasks on three executors the one that is begun anew three seconds later ends last."""
    simulation, log = running(JOB | {"cores_max": 6, "stages": [{"tasks": 2, "duration_ms": (10_000, 10_000)}]})
    simulation.run_until(START_MS + 5_000)
    busy = [executor for (_, executor), cores in simulation.world.busy_cores().items() if cores]

    simulation.act(KillContainer((1, 1, busy[0])))
    simulation.run_until(START_MS + 60_000)

    assert len(busy) == 2
    assert log.states(1)[-1] == (15.0, "FINISHED")


def test_an_application_whose_driver_dies_ends_the_next_millisecond() -> None:
    """Also where none of its executors ran on that worker."""
    simulation, log = running(SHELL | DRIVER)
    simulation.run_until(START_MS + 10_000)
    assert isinstance(simulation.world, SparkWorld)
    driver = simulation.world.drivers[1]
    host = simulation.world.nodes[driver.node].id
    assert {record.node for record in since(log, 0) if isinstance(record, Allocated)} == {"w1:7078", "w2:7078"}

    simulation.act(LoseNode(host))
    simulation.run_until(START_MS + 10_000)
    before = log.states(1)[-1]
    simulation.run_until(START_MS + 10_001)

    assert before[1] == "RUNNING"
    assert log.states(1)[-1] == (10.001, "FINISHED")


def test_a_driver_that_waits_for_a_worker_is_killed_by_its_number_below_zero() -> None:
    """-1 is the first driver, -2 the second; the other goes on waiting."""
    big = SHELL | {"driver": {"memory_mb": 1024, "vcores": 5}}
    simulation, log = running(big | {"name": "one"}, big | {"name": "two"})
    simulation.run_until(START_MS + 1_000)
    queued = [record for record in since(log, 0) if isinstance(record, DriverQueued)]
    assert queued == [DriverQueued(0, "one", "u", 1024, 5), DriverQueued(1, "two", "u", 1024, 5)]

    answers = [simulation.act(KillApplication(number)).rejected for number in (-2, -2, -3)]

    assert answers[0] == ""
    assert all(answers[1:])
    assert [*master_of(simulation).cluster.drivers] == [0]
    assert simulation.act(KillApplication(-1)).rejected == ""


def test_an_application_that_is_killed_says_so() -> None:
    """Killed again, once it is gone, it is nothing."""
    simulation, log = running(SHELL)
    simulation.run_until(START_MS + 1_000)
    assert simulation.act(KillApplication(1)).rejected == ""
    assert log.states(1)[-1] == (1.0, "KILLED")
    begin = len(log.heard)
    assert simulation.act(KillApplication(1)) == Answer()
    assert since(log, begin) == [Acted(KillApplication(1), (simulation.now_ms, END_OF_INSTANT))]


def test_a_worker_is_decommissioned_once_and_only_while_it_is_up() -> None:
    """A second time, and on one that is down, it is nothing."""
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


def test_a_live_application_has_its_specification_and_an_ended_one_none() -> None:
    """By its number."""
    simulation, _ = running(SHELL | {"name": "shell"})
    simulation.run_until(START_MS + 1_000)
    spec = simulation.world.specification_of(1)
    assert spec is not None
    assert spec.name == "shell"
    assert simulation.world.specification_of(2) is None
    simulation.act(KillApplication(1))
    assert simulation.world.specification_of(1) is None


def test_executors_of_an_application_start_as_often_as_it_says() -> None:
    """A driver in cluster mode lives on whatever its executors do."""
    simulation, log = running(CLUSTER_MODE | {"exits_after_ms": (4_000, 4_000)})
    simulation.run_until(START_MS + 12_000)
    number = next(record.application for record in since(log, 0) if isinstance(record, Submitted))
    assert number == 1
    assert [record for record in since(log, 0) if isinstance(record, Killed)] == []
    assert (0, 0, 0) in simulation.world.nodes[0].running
