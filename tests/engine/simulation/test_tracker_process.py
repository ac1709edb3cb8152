"""A TaskTracker's heartbeats, and how it obeys the answers."""

from typing import Any

from engine.control_plane.job_tracker_events import HeartbeatResponse, TrackerHeartbeat
from engine.model.mr1.attempt import MAP, Launch
from engine.model.mr1.task_tracker import TrackerReport
from engine.simulation.tracker_process import AttemptPlan, TrackerProcess
from tests.engine.simulation.test_attempt_process import MAP_ATTEMPT, REDUCE_ATTEMPT, START_MS


def tracker() -> TrackerProcess:
    """One of two map slots and one reduce slot."""
    return TrackerProcess("t", "h", (2, 1))


def launched(process: TrackerProcess, *launches: Launch, duration_ms: int = 1_000, **answer: Any) -> None:
    """Have a tracker obey an answer at `START_MS`."""
    response = HeartbeatResponse(launches=launches, **answer)
    process.obey(response, lambda launch: AttemptPlan(duration_ms, is_user=True), START_MS)


def test_a_tracker_asks_for_work_while_a_slot_is_free() -> None:
    """Of either kind; a wide attempt takes several."""
    process = tracker()
    asked = [process.heartbeat({}, START_MS).asks_for_work]
    for launch in (Launch((1, MAP, 0, 0), 1), Launch((1, MAP, 1, 0), 1), Launch(REDUCE_ATTEMPT, 1)):
        launched(process, launch)
        asked.append(process.heartbeat({}, START_MS).asks_for_work)
    assert asked == [True, True, True, False]

    wide = tracker()
    launched(wide, Launch(MAP_ATTEMPT, 2), Launch(REDUCE_ATTEMPT, 1))
    assert not wide.heartbeat({}, START_MS).asks_for_work
    assert wide.heartbeat({}, START_MS + 1_000).asks_for_work


def test_a_heartbeat_says_who_it_is_from() -> None:
    """The first of a process says so; each names the answer to the last."""
    process = tracker()
    report = TrackerReport("t", "h", (2, 1), (), is_healthy=True)
    assert process.heartbeat({}, 0) == TrackerHeartbeat(report, is_first=True, asks_for_work=True, response=0)
    launched(process, response=7)
    assert process.heartbeat({}, 0) == TrackerHeartbeat(report, is_first=False, asks_for_work=True, response=7)


def test_attempts_launched_together_start_one_after_another() -> None:
    """A millisecond apart."""
    process = tracker()
    names = [(1, MAP, number, 0) for number in range(3)]
    launched(process, *(Launch(name, 1) for name in names))
    assert [(name, each.start_ms) for name, each in process.attempts.items()] == [
        (name, START_MS + place) for place, name in enumerate(names)
    ]


def test_a_tracker_forgets_what_it_has_reported_ended() -> None:
    """With the answer to that report."""
    process = tracker()
    launched(process, Launch(MAP_ATTEMPT, 1))
    _ = process.heartbeat({}, START_MS + 1_000)
    assert list(process.attempts) == [MAP_ATTEMPT]
    launched(process)
    assert process.attempts == {}


def test_a_tracker_kills_and_commits_as_it_is_told() -> None:
    """Single attempts, or all of a job that has ended."""
    process = tracker()
    names = [(1, MAP, 0, 0), (1, MAP, 1, 0), (2, MAP, 0, 0), (3, MAP, 0, 0)]
    launched(process, *(Launch(name, 1) for name in names))
    launched(process, kills=(names[0],), ended_jobs=(2,), commits=(names[3],))
    assert {name: (each.is_killed, each.may_commit) for name, each in process.attempts.items()} == {
        names[0]: (True, False),
        names[1]: (False, False),
        names[2]: (True, False),
        names[3]: (False, True),
    }


def test_a_tracker_that_nobody_knows_starts_over() -> None:
    """It drops everything, and its next heartbeat is its first."""
    process = tracker()
    launched(process, Launch(MAP_ATTEMPT, 1), response=7)
    launched(process, response=8, restarts=True)
    assert (process.attempts, process.is_first, process.response) == ({}, True, 0)
