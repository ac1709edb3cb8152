"""What a JobTracker's world does of itself: exclusion, its clock over a restart, what is to come, idleness."""

import pytest

from engine.control_plane.job_tracker_events import JobTrackerStarted, JobTrackerStopped
from engine.scenario.acts import LoseNode, RestartJobTracker
from engine.simulation.records import Acted
from engine.simulation.simulation import Simulation
from engine.simulation.world import JOB_TRACKER_STARTS, NODE_EXPIRES, OUTSIDE_ACTION
from tests.engine.simulation.test_job_tracker_world import MINUTE_MS, Recorder, job, played, run_on


def since(recorder: Recorder, begin: int) -> list[object]:
    return [record for _, record in recorder.kept[begin:] if not isinstance(record, Acted)]


def kinds(simulation: Simulation) -> list[int]:
    return [event[3] for event in simulation.world.clock.heap]


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


@pytest.mark.parametrize("scheduler", ["mr1-fifo", "mr1-fair"])
def test_the_clock_stands_at_the_last_heartbeat_or_pass_that_was_skipped(scheduler: str) -> None:
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
