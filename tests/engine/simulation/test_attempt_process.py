"""What a TaskTracker reports of an attempt as time passes."""

from typing import Any

import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_events import JobSubmitted
from engine.model.java_values import float32
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.job_description import InputSplit, JobDescription
from engine.model.mr1.tracker import (
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    RUNNING,
    SUCCEEDED,
    AttemptId,
    Launch,
    TaskReport,
)
from engine.simulation.job_tracker_world import FETCH_REPORT_MS, AttemptPlan, AttemptProcess

MAP_ATTEMPT, REDUCE_ATTEMPT = (1, 0, 0, 0), (1, 1, 0, 0)
START_MS = 5_000


def attempt(
    name: AttemptId = MAP_ATTEMPT, duration_ms: int = 1_000, *, cleanup: bool = False, **plan: Any
) -> AttemptProcess:
    made = AttemptPlan(duration_ms, **{"is_user": True, **plan})
    return AttemptProcess(Launch(name, 1, is_cleanup=cleanup), made, START_MS)


def seen(process: AttemptProcess, *after_ms: int) -> list[tuple[str, float, int]]:
    """(state, progress, end after the start) of the reports at some instants after its start."""
    reports = [process.report({}, START_MS + each) for each in after_ms]
    return [(one.state, one.progress, one.finish_ms and one.finish_ms - START_MS) for one in reports]


def test_a_map_goes_on_evenly_and_succeeds() -> None:
    """Its progress is the share of its time that has passed; at its end it has ended then, however late it is told."""
    process = attempt()
    assert seen(process, 0, 100, 999, 1_300) == [
        (RUNNING, 0.0, 0),
        (RUNNING, float32(0.1), 0),
        (RUNNING, float32(0.999), 0),
        (SUCCEEDED, 1.0, 1_000),
    ]
    assert process.is_over


@pytest.mark.parametrize(("before", "after"), [(FAILED_UNCLEAN, FAILED), (KILLED_UNCLEAN, KILLED)])
def test_a_cleanup_attempt_ends_as_what_it_cleans_up(before: str, after: str) -> None:
    """Until then it is in the state of that one; so it is when it is killed."""
    process = attempt(cleanup=True, state=before)
    assert (process.is_over, process.ends_by_itself) == (False, True)
    assert process.report({}, START_MS + 500) == TaskReport(MAP_ATTEMPT, before, 0.5, 1, START_MS, in_cleanup=True)
    assert seen(process, 1_000) == [(after, 0.0, 1_000)]
    assert process.is_over

    killed = attempt(cleanup=True, state=before)
    killed.is_killed = True
    assert seen(killed, 300) == [(after, float32(0.3), 300)]


def running_job(finished: int = 0, *, maps: int = 3, failed: int = 0) -> JobInProgress:
    tracker = JobTracker({}, scheduler="mr1-fifo")
    _ = tracker.handle(JobSubmitted(JobDescription("j", "u", (InputSplit(),) * maps, reduces=2), 1), 0)
    job = tracker.cluster.jobs[1]
    job.finished, job.failed_tasks = [finished, 0], [failed, 0]
    return job


def test_output_that_cannot_be_fetched_is_reported_again_and_again() -> None:
    """Each time after as many tries; until it is there the reduce is stuck."""
    process, job = attempt(REDUCE_ATTEMPT), running_job(3)
    lost = [False]

    def fetched(after_ms: int) -> tuple[AttemptId, ...]:
        one = process.report({1: job}, START_MS + after_ms, lambda job: (MAP_ATTEMPT,) if lost[0] else ())
        return one.failed_fetches

    lost[0] = True
    first = [fetched(each) for each in (0, FETCH_REPORT_MS - 1, FETCH_REPORT_MS)]
    again = [fetched(FETCH_REPORT_MS + each) for each in (1, FETCH_REPORT_MS - 1, FETCH_REPORT_MS)]
    assert first == again == [(), (), (MAP_ATTEMPT,)]
    assert process.ready_ms == -1
    lost[0] = False
    assert fetched(2 * FETCH_REPORT_MS + 1) == ()
    assert (process.stuck_ms, process.ready_ms) == (-1, START_MS + 2 * FETCH_REPORT_MS + 1)
