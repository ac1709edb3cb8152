"""Which heartbeats and passes are played: those that change something, and no others."""

import pytest

from engine.control_plane.protocol import NodeRegisteredAgain
from engine.model.decision import Allocated, ApplicationTransitioned, Completed
from engine.scenario import Scenario
from engine.scenario.acts import (
    Act,
    KillApplication,
    LoseNode,
    RestartNodeManager,
    RestartResourceManager,
    ReturnNode,
    SetHealth,
    SetPreemption,
    SubmitApplication,
)
from engine.simulation.build import build_simulation
from engine.simulation.records import Started
from tests.engine.simulation.scenes import Log, played, scenario

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
SCHEDULERS = ("fifo", "fifo-3.4", "fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4")


def scene(count: int = 1, seconds: float = 3.5, nodes: int = 3, scheduler: str = "fifo") -> Scenario:
    """Some nodes, and an application that asks for containers at 3.1 s."""
    made = scenario(ONE.format(count=count, seconds=seconds), count=1).model_copy(update={"scheduler": scheduler})
    node = made.cluster.all_nodes()[0]
    spread = tuple(
        node.model_copy(update={"host": f"n{number}", "phase_ms": 200 * number}) for number in range(1, nodes + 1)
    )
    cluster = made.cluster.model_copy(update={"groups": (), "nodes": spread})
    return made.model_copy(update={"cluster": cluster})


def at(one: Scenario, log: Log, kind: type) -> list[int]:
    """When records of one kind came [ms after the start]."""
    return [time_ms - one.start_ms for time_ms in log.at(kind)]


def test_a_container_takes_three_heartbeats() -> None:
    """One gives it, one reports it started, one reports it ended; the nodes without it say nothing."""
    one = scene()
    simulation, log = played(one, 3)
    before = simulation.world.heartbeats
    simulation.run_until(one.start_ms + 60_000)
    assert (at(one, log, Allocated), at(one, log, Started), at(one, log, Completed)) == ([3_200], [4_200], [8_200])
    assert simulation.world.heartbeats == before + 3


@pytest.mark.parametrize("scheduler", SCHEDULERS)
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


@pytest.mark.parametrize("down_ms", [0, 1, 5])
def test_what_is_stopped_is_down_for_a_millisecond_at_least(down_ms: int) -> None:
    one = scene()
    simulation, _ = played(one, 1)
    simulation.act(RestartResourceManager(down_ms))
    simulation.act(RestartNodeManager("n1", down_ms))
    node = simulation.world.nodes[0]
    for _ in range(max(down_ms, 1)):
        assert (simulation.control_plane.answers, node.up) == (False, False)
        simulation.run_until(simulation.now_ms + 1)
    assert (simulation.control_plane.answers, node.up) == (True, True)
