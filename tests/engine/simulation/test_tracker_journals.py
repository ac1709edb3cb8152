"""Journals of small jobs on trackers, which report every 300 ms; setup and cleanup tasks take a second."""

from typing import Any

import pytest

from engine.control_plane.attempt_containers import container_of
from engine.control_plane.protocol import NodeLost
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario import StandaloneSpec
from engine.scenario.acts import (
    DrainNode,
    LoseNode,
    ResizeNode,
    RestartJobTracker,
    RestartResourceManager,
    ReturnNode,
    SubmitApplication,
)
from engine.simulation.job_tracker_world import CHORE_MS, JobTrackerWorld, slots_of_tracker
from engine.simulation.records import Started, Submitted
from engine.simulation.simulation import Simulation
from tests.engine.simulation.test_job_tracker_world import Recorder, job, played, run_on

BEAT_MS = 300
MAP, REDUCE = (1, 0, 0, 0), (1, 1, 0, 0)


def since_start(simulation: Simulation, recorder: Recorder, kind: type) -> list[tuple[int, Any]]:
    """(ms after the start, record) of one kind."""
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


def test_every_report_counts_once() -> None:
    """Each tracker reports at its phase and every 300 ms from then on."""
    simulation, _ = played("mr1-fifo", job(maps=4, reduces=2), naive=True)
    world = simulation.world
    phases = [node.phase_ms - world.ground.start_ms for node in world.nodes]
    run_on(simulation, 30_000)
    assert world.heartbeats == sum((30_000 - phase) // BEAT_MS + 1 for phase in phases)


def test_a_live_job_has_its_specification() -> None:
    """An ended one, and one that is not there, has none."""
    simulation, _ = played("mr1-fifo", job(maps=1, reduces=0))
    run_on(simulation, 5_000)
    world = simulation.world
    assert isinstance(world, JobTrackerWorld)
    spec = world.specification_of(1)
    assert spec is not None
    assert (spec.name, spec.user, world.specification_of(2)) == ("job", "ann", None)
    run_on(simulation, 30_000)
    assert world.specification_of(1) is None


def test_what_a_tracker_does_not_know_is_refused() -> None:
    """Each in its words; so is an application that is no job."""
    simulation, recorder = played("mr1-fifo", job())
    run_on(simulation, 10)
    for act, name in ((ResizeNode("node1", 1, 1), "ResizeNode"), (RestartResourceManager(), "RestartResourceManager")):
        answer = simulation.act(act)
        words = f"a TaskTracker knows no {name}"
        assert (answer.rejected, answer.detail) == ("UnsupportedOperationException", words)
    answer = simulation.act(SubmitApplication.of(StandaloneSpec(type="spark-standalone", user="u")))
    assert (answer.rejected, answer.detail) == (
        "UnsupportedApplication",
        "type spark-standalone does not run on a JobTracker",
    )
    assert [record.application for record in recorder.of(Submitted)] == [1]


def test_jobs_are_numbered_on() -> None:
    """A number that is given is taken; the next is after the largest."""
    simulation, recorder = played("mr1-fifo", job())
    run_on(simulation, 10)
    for number in (None, 7, None):
        act = SubmitApplication(
            {"type": "mapreduce", "user": "bob", "maps": 1, **({"number": number} if number else {})}
        )
        assert simulation.act(act).rejected == ""
    assert [record.application for record in recorder.of(Submitted)] == [1, 2, 7, 8]


@pytest.mark.parametrize("expiry_ms", [30_000, 45_000])
def test_a_silent_tracker_is_lost_after_the_expiry_interval(expiry_ms: int) -> None:
    """Counted from its last report; what it ran is lost with it."""
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
    """While no JobTracker answers nobody is excluded."""
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


@pytest.mark.parametrize("down_ms", [0, 1, 700])
def test_a_job_tracker_is_down_for_a_millisecond_at_least(down_ms: int) -> None:
    """A second restart counts from itself."""
    simulation, _ = played("mr1-fifo", job())
    run_on(simulation, 5_000)
    simulation.act(RestartJobTracker(90_000))
    simulation.act(RestartJobTracker(down_ms))
    run_on(simulation, max(down_ms, 1) - 1)
    assert not simulation.control_plane.answers
    run_on(simulation, 1)
    assert simulation.control_plane.answers


def test_a_tracker_has_the_slots_of_the_settings() -> None:
    """Two of each kind where nothing is said; they are the size of its node."""
    assert slots_of_tracker({}) == (2, 2)
    settings = {"mapred.tasktracker.map.tasks.maximum": "3", "mapred.tasktracker.reduce.tasks.maximum": "1"}
    assert slots_of_tracker(settings) == (3, 1)
    simulation, _ = played("mr1-fifo", job(), settings=settings)
    assert {(node.memory_mb, node.vcores) for node in simulation.world.nodes} == {(3, 1)}


def test_a_running_attempt_is_news_to_come() -> None:
    """Trackers notice its end when they report; where none runs nothing is to come."""
    simulation, _ = played("mr1-fifo", job(maps=1, reduces=0))
    assert not simulation.world.has_news()
    run_on(simulation, 5_000)
    assert simulation.world.has_news()
    run_on(simulation, 60_000)
    assert not simulation.world.has_news()


def test_a_dead_tracker_is_not_excluded() -> None:
    """It is missed when its time is over, and lost then."""
    settings = {"mapred.tasktracker.expiry.interval": 30_000}
    simulation, recorder = played("mr1-fifo", job(), settings=settings)
    run_on(simulation, 5_000)
    simulation.act(LoseNode("node1"))
    simulation.act(DrainNode("node1"))
    assert recorder.of(NodeLost) == []
    run_on(simulation, 40_000)
    assert recorder.of(NodeLost) == [NodeLost("node1:8041", "LOST")]
    simulation.act(DrainNode("node1"))
    assert len(recorder.of(NodeLost)) == 1


def test_a_new_job_tracker_misses_no_tracker_that_the_former_one_knew() -> None:
    """It knows those alone that have reported to it."""
    settings = {"mapred.tasktracker.expiry.interval": 30_000}
    simulation, recorder = played("mr1-fifo", job(), settings=settings)
    run_on(simulation, 5_000)
    simulation.act(LoseNode("node1"))
    simulation.act(RestartJobTracker(2_000))
    run_on(simulation, 90_000)
    assert recorder.of(NodeLost) == []
    assert [node.member for node in simulation.world.nodes] == [False, True, True, True]
