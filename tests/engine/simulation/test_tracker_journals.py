"""Journals of small jobs on trackers, which report every 300 ms; setup and cleanup tasks take a second."""

from typing import Any

import pytest

from engine.control_plane.job_tracker_parts import container_of
from engine.control_plane.protocol import NodeLost
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario.acts import (
    DrainNode,
    LoseNode,
    RestartJobTracker,
    ReturnNode,
)
from engine.simulation.job_tracker_world import CHORE_MS
from engine.simulation.records import Started
from engine.simulation.simulation import Simulation
from tests.engine.simulation.test_job_tracker_world import Recorder, job, played, run_on

BEAT_MS = 300
MAP, REDUCE = (1, 0, 0, 0), (1, 1, 0, 0)


def since_start(simulation: Simulation, recorder: Recorder, kind: type) -> list[tuple[int, Any]]:
    start_ms = simulation.world.ground.start_ms
    return [(time_ms - start_ms, record) for time_ms, record in recorder.kept if isinstance(record, kind)]


def next_beat(phase_ms: int, time_ms: int) -> int:
    """The first report of a tracker at or after an instant [ms after the start]."""
    return time_ms + (phase_ms - time_ms) % BEAT_MS


def test_a_job_of_one_map_and_one_reduce() -> None:
    """Each attempt begins with the answer to a report, and is over at the first report after its time."""
    simulation, recorder = played("mr1-fifo", job(maps=1, reduces=1, slow_start=0.0))
    phases = {node.id: node.phase_ms - simulation.world.ground.start_ms for node in simulation.world.nodes}
    run_on(simulation, 60_000)
    begun = {record.container: (at, record.node) for at, record in since_start(simulation, recorder, Allocated)}
    ended = {record.container: at for at, record in since_start(simulation, recorder, Completed)}

    first, *_, last = begun
    assert begun[first][0] == min(phases.values())
    for container, (at, node) in begun.items():
        assert (at - phases[node]) % BEAT_MS == 0
        assert (ended[container] - phases[node]) % BEAT_MS == 0
    for chore in (first, last):
        at, node = begun[chore]
        assert ended[chore] == next_beat(phases[node], at + CHORE_MS)
    a_map, a_reduce = container_of(MAP), container_of(REDUCE)
    assert ended[a_map] == next_beat(phases[begun[a_map][1]], begun[a_map][0] + 10_000)
    reduce_node = begun[a_reduce][1]
    learns = max(begun[a_reduce][0] + BEAT_MS, next_beat(phases[reduce_node], ended[a_map]))
    assert ended[a_reduce] in {next_beat(phases[reduce_node], at + 10_000) for at in (learns, learns + BEAT_MS)}
    assert [(record.container, record.node) for _, record in since_start(simulation, recorder, Started)] == [
        (container, node) for container, (_, node) in begun.items()
    ]
    states = [record.state for _, record in since_start(simulation, recorder, ApplicationTransitioned)]
    assert states == ["ACCEPTED", "RUNNING", "FINISHED"]


@pytest.mark.parametrize("expiry_ms", [30_000, 45_000])
def test_a_silent_tracker_is_lost_after_the_expiry_interval(expiry_ms: int) -> None:
    settings = {"mapred.tasktracker.expiry.interval": expiry_ms}
    simulation, recorder = played("mr1-fifo", job(map_duration_ms=(90_000, 90_000)), settings=settings)
    run_on(simulation, 20_000)
    node = simulation.world.nodes[0]
    last_ms = node.last_beat_ms
    simulation.act(LoseNode("node1"))
    run_on(simulation, expiry_ms + 10_000)
    ((lost_ms, record),) = [each for each in recorder.kept if isinstance(each[1], NodeLost)]
    assert record == NodeLost("node1:8041", "LOST")
    assert last_ms + expiry_ms - 1_000 <= lost_ms <= last_ms + expiry_ms + 1_000
    assert {each.cause for each in recorder.of(Killed)} == {"LOST"}


def test_an_excluded_tracker_is_gone_until_it_returns() -> None:
    simulation, recorder = played("mr1-fifo", job())
    run_on(simulation, 5_000)
    simulation.act(DrainNode("node2"))
    simulation.act(DrainNode("node2"))
    assert recorder.of(NodeLost) == [NodeLost("node2:8041", "DECOMMISSIONED")]
    node = simulation.world.nodes[1]
    assert (node.up, node.member) == (False, False)
    simulation.act(ReturnNode("node2"))
    assert (node.up, node.member) == (True, True)
    simulation.act(RestartJobTracker(5_000))
    answer = simulation.act(DrainNode("node1"))
    assert (answer.rejected, answer.detail) == ("ConnectException", "no JobTracker answers")


def test_a_new_job_tracker_misses_no_tracker_that_the_former_one_knew() -> None:
    settings = {"mapred.tasktracker.expiry.interval": 30_000}
    simulation, recorder = played("mr1-fifo", job(), settings=settings)
    run_on(simulation, 5_000)
    simulation.act(LoseNode("node1"))
    simulation.act(RestartJobTracker(2_000))
    run_on(simulation, 90_000)
    assert recorder.of(NodeLost) == []
    assert [node.member for node in simulation.world.nodes] == [False, True, True, True]
