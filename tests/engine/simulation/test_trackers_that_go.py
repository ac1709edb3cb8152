"""What a JobTracker's world does of itself: exclusion, its clock over a restart, what is to come, idleness."""

import pytest

from engine.control_plane.job_tracker_events import JobTrackerStarted, JobTrackerStopped
from engine.control_plane.protocol import Answer, NodeLost
from engine.model.decision import Killed
from engine.scenario.acts import DrainNode, LoseNode, ResizeNode, RestartJobTracker
from engine.simulation.events import JOB_TRACKER_STARTS, NODE_EXPIRES, OUTSIDE_ACTION
from engine.simulation.records import Acted, EventRefused
from engine.simulation.simulation import Simulation
from tests.engine.simulation.test_job_tracker_world import MINUTE_MS, Recorder, job, played, run_on

QUIET = {"mapred.tasktracker.expiry.interval": 60_000}


def since(recorder: Recorder, begin: int) -> list[object]:
    """The records from one place on, without the acts."""
    return [record for _, record in recorder.kept[begin:] if not isinstance(record, Acted)]


def kinds(simulation: Simulation) -> list[int]:
    """The kinds of the events on the clock."""
    return [event[3] for event in simulation.world.clock.heap]


def test_only_a_tracker_that_is_up_and_known_is_excluded() -> None:
    """One that is silent, and one that is excluded already, stay as they are."""
    simulation, recorder = played("mr1-fifo", job(maps=1, reduces=0))
    run_on(simulation, MINUTE_MS)
    simulation.act(LoseNode("node2:8041"))
    begin, nodes = len(recorder.kept), simulation.world.nodes
    assert (nodes[1].up, nodes[1].member) == (False, True)

    for name in ("node1:8041", "node2:8041", "node1:8041"):
        assert simulation.act(DrainNode(name)) == Answer()

    assert since(recorder, begin) == [NodeLost("node1:8041", "DECOMMISSIONED")]
    assert [(node.up, node.member) for node in nodes[:3]] == [(False, False), (False, True), (True, True)]


def test_a_tracker_that_a_new_job_tracker_does_not_know_yet_is_not_excluded() -> None:
    """Before its first heartbeat it is nobody's."""
    simulation, recorder = played("mr1-fifo", job(maps=1, reduces=0))
    run_on(simulation, MINUTE_MS)
    simulation.act(RestartJobTracker(5_000))
    refused = simulation.act(DrainNode("node1:8041"))
    while not simulation.control_plane.answers:
        simulation.step()
    begin, node = len(recorder.kept), simulation.world.nodes[0]
    assert (node.up, node.member) == (True, False)

    answer = simulation.act(DrainNode("node1:8041"))

    assert (refused.rejected, refused.detail) == ("ConnectException", "no JobTracker answers")
    assert (answer, since(recorder, begin), node.up) == (Answer(), [], True)


@pytest.mark.parametrize(("down_ms", "waits_ms"), [(0, 1), (1, 1), (2, 2), (5_000, 5_000)])
def test_a_restart_drops_what_the_job_tracker_waited_for(down_ms: int, waits_ms: int) -> None:
    """It starts once, after the time said and at least a millisecond; no tracker is known meanwhile."""
    simulation, recorder = played("mr1-fifo", job(maps=1, reduces=0))
    run_on(simulation, MINUTE_MS)
    simulation.act(LoseNode("node2:8041"))
    assert NODE_EXPIRES in kinds(simulation)
    begin, now_ms = len(recorder.kept), simulation.now_ms

    simulation.act(RestartJobTracker(70_000))
    simulation.act(RestartJobTracker(down_ms))

    assert NODE_EXPIRES not in kinds(simulation)
    assert [event for event in simulation.world.clock.heap if event[3] == JOB_TRACKER_STARTS] == [
        (now_ms + waits_ms, OUTSIDE_ACTION, 0, JOB_TRACKER_STARTS)
    ]
    assert [node.member for node in simulation.world.nodes] == [False] * 4
    run_on(simulation, waits_ms - 1)
    assert since(recorder, begin) == [JobTrackerStopped()]
    run_on(simulation, 1)
    assert since(recorder, begin) == [JobTrackerStopped(), JobTrackerStarted()]
    assert simulation.world.since_ms == now_ms + waits_ms


def test_an_act_that_no_tracker_knows_is_refused_by_name() -> None:
    """Its slots are fixed."""
    simulation, recorder = played("mr1-fifo", job(maps=1, reduces=0))
    answer = simulation.act(ResizeNode("node1:8041", 1, 1))
    assert answer == Answer(rejected="UnsupportedOperationException", detail="a TaskTracker knows no ResizeNode")
    assert recorder.of(EventRefused) == [EventRefused("ResizeNode", answer.rejected, answer.detail)]


def test_there_is_news_while_any_attempt_ends_by_itself() -> None:
    """Of one of several trackers; none before the job and none after it."""
    simulation, _ = played("mr1-fifo", job(maps=1, reduces=0, at_ms=5_000, map_duration_ms=(20_000, 20_000)))
    run_on(simulation, 4_000)
    before = simulation.world.has_news()
    run_on(simulation, 16_000)
    assert (before, simulation.world.has_news()) == (False, True)
    run_on(simulation, MINUTE_MS)
    assert not simulation.world.has_news()


def test_a_live_job_has_its_specification() -> None:
    """Before it comes and after it has ended there is none."""
    simulation, _ = played("mr1-fifo", job(name="one", maps=1, reduces=0))
    run_on(simulation, 6_000)
    spec = simulation.world.specification_of(1)
    assert spec is not None
    assert (spec.name, simulation.world.specification_of(2)) == ("one", None)
    run_on(simulation, MINUTE_MS)
    assert simulation.world.specification_of(1) is None


def test_a_lost_tracker_s_attempts_are_killed_when_it_expires() -> None:
    """At its last heartbeat and the expiry interval, not a millisecond before."""
    simulation, recorder = played("mr1-fifo", job(map_duration_ms=(200_000, 200_000)), settings=QUIET)
    run_on(simulation, 20_000)
    simulation.act(LoseNode("node1:8041"))
    due = simulation.world.nodes[0].silent_ms + 60_000
    simulation.run_until(due - 1)
    assert recorder.of(Killed) == []
    simulation.run_until(due)
    assert {(record.node, record.cause) for record in recorder.of(Killed)} == {("node1:8041", "LOST")}
    assert recorder.of(NodeLost) == [NodeLost("node1:8041", "LOST")]


@pytest.mark.parametrize("scheduler", ["mr1-fifo", "mr1-fair"])
def test_the_clock_stands_at_the_last_heartbeat_or_pass_that_was_skipped(scheduler: str) -> None:
    """As if all up to the next event had been played."""
    jobs = (job(maps=1, reduces=0), job(name="late", maps=1, reduces=0, at_ms=2 * MINUTE_MS))
    one, _ = played(scheduler, *jobs)
    other, _ = played(scheduler, *jobs, naive=True)
    until_ms = one.now_ms + 4 * MINUTE_MS
    for each in (one, other):
        each.run_until(one.now_ms + MINUTE_MS if each is one else one.now_ms)
    steps = 0
    while one.run_events(1, until_ms):
        while other.world.clock.heap[0] < min(one.world.clock.heap):
            other.step()
        assert other.world.clock.position == one.world.clock.position
        assert other.now_ms == one.now_ms == one.world.clock.position[0]
        assert other.world.heartbeats == one.world.heartbeats
        steps += 1
    assert steps > 20
