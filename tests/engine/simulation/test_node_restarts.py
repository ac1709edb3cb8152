"""Node managers that stop and start again."""

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeRegisteredAgain
from engine.model.decision import Allocated, Completed, Killed
from engine.scenario.acts import LoseNode, RestartNodeManager, SetHealth
from tests.engine.simulation.scenes import Log, played, scenario

HELD = """
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
    scene = scenario(HELD, count=1)
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
    scene = scenario(RECOVERS + HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(RestartNodeManager("n1:8041", 10_000))
    simulation.run_until(scene.start_ms + 1_000_000)

    assert killed(log) == []
    assert [len(record.containers) for record in log.of(NodeRegisteredAgain)] == [4]
    assert len(log.of(Allocated)) == 4


def test_with_recovery_what_ended_meanwhile_is_reported_when_it_registers() -> None:
    """A container that ends while the node manager is away keeps its exit status."""
    scene = scenario(RECOVERS + HELD.replace('"forever"', '"75s"'), count=1)
    simulation, log = played(scene, 60)

    simulation.act(RestartNodeManager("n1:8041", 60_000))
    simulation.run_until(scene.start_ms + 121_000)

    assert set(log.at(Completed)[:3]) == {scene.start_ms + 120_000}
    assert {record.exit_status for record in log.of(Completed)} == {0}


def test_one_that_comes_back_after_it_was_given_up_joins_empty() -> None:
    """After the expiry interval the containers are lost, whether the node manager recovers them or not."""
    scene = scenario(RECOVERS + HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(RestartNodeManager("n1:8041", 700_000))
    simulation.run_until(scene.start_ms + 800_000)

    assert len(log.of(NodeLost)) == 1
    assert log.of(NodeRegisteredAgain) == []
    assert log.at(NodeJoined)[-1] == scene.start_ms + 760_000
    assert simulation.world.nodes[0].load()[0] > 0


def test_a_stop_of_a_node_that_is_down_changes_nothing() -> None:
    scene = scenario(HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(LoseNode("n1:8041"))
    simulation.act(RestartNodeManager("n1:8041", 10_000))
    simulation.run_until(scene.start_ms + 200_000)

    assert log.of(NodeRegisteredAgain) == []


def test_a_second_stop_counts_from_itself() -> None:
    """The expiry that the first stop began does not end the node's next life."""
    scene = scenario(RECOVERS + HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(RestartNodeManager("n1:8041", 100_000))
    simulation.run_until(scene.start_ms + 400_000)
    simulation.act(RestartNodeManager("n1:8041", 550_000))
    simulation.run_until(scene.start_ms + 700_000)

    assert log.of(NodeLost) == []
    assert len(log.of(NodeRegisteredAgain)) == 1


@pytest.mark.parametrize("scheduler", ["fifo", "capacity-2.7", "fair-3.4"])
def test_a_container_brought_to_a_node_that_is_away_is_taken_back(scheduler: str) -> None:
    """It was fetched and never runs: after ten minutes, at the next look, it ends as expired and is asked for anew."""
    file = (
        '"yarn.scheduler.capacity.root.queues" = "default"\n"yarn.scheduler.capacity.root.default.capacity" = "100"\n'
    )
    scene = scenario(
        "[cluster]\nam_heartbeat = 20\n" + RECOVERS + file + HELD, count=1, top=f'scheduler = "{scheduler}"'
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


def test_an_unhealthy_node_that_starts_again_reports_that_it_is_unhealthy() -> None:
    """Registering takes it in as healthy; its first heartbeat after that takes it out."""
    scene = scenario(HELD, count=1)
    simulation, log = played(scene, 60)

    simulation.act(SetHealth("n1:8041", healthy=False))
    simulation.run_until(scene.start_ms + 65_000)
    simulation.act(RestartNodeManager("n1:8041", 10_000))
    simulation.run_until(scene.start_ms + 100_000)

    joined = [at_ms for at_ms in log.at(NodeJoined) if at_ms > scene.start_ms + 60_000]
    assert joined == [scene.start_ms + 75_000]
    assert [record.state for record in log.of(NodeLost)] == ["UNHEALTHY", "UNHEALTHY"]
