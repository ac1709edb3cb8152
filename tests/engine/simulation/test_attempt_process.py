"""What a TaskTracker reports of an attempt as time passes."""

from typing import Any

import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_events import JobSubmitted
from engine.model.java_number import float32
from engine.model.mr1.attempt import (
    COMMIT_PENDING,
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
from engine.model.mr1.job_description import InputSplit, JobDescription
from engine.model.mr1.job_in_progress import JobInProgress
from engine.simulation.tracker_process import FETCH_REPORT_MS, AttemptPlan, AttemptProcess

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


def test_an_attempt_that_fails_does_so_half_way() -> None:
    """A user's leaves something to clean up, a setup or cleanup task nothing; the end was then, whenever it is told."""
    for is_user, state in ((True, FAILED_UNCLEAN), (False, FAILED)):
        process = attempt(fails=True, is_user=is_user)
        assert seen(process, 499, 700) == [(RUNNING, float32(0.499), 0), (state, 0.0, 500)]
        assert process.is_over
    assert seen(attempt(fails=True), 500) == [(FAILED_UNCLEAN, 0.0, 500)]


def test_an_attempt_that_hangs_is_failed_after_its_silence() -> None:
    """Its progress stays at a half; it fails with the first report after that, and that is its end."""
    process = attempt(silent_ms=300)
    assert seen(process, 499, 500, 700, 800, 850) == [
        (RUNNING, float32(0.499), 0),
        (RUNNING, 0.5, 0),
        (RUNNING, 0.5, 0),
        (RUNNING, 0.5, 0),
        (FAILED_UNCLEAN, 0.0, 850),
    ]


def test_an_attempt_that_commits_waits_for_the_order() -> None:
    """It is done then, but occupies no slot; its end is when it commits."""
    process = attempt(commits=True)
    assert seen(process, 1_000, 1_100) == [(COMMIT_PENDING, 1.0, 0)] * 2
    assert not process.is_over
    process.may_commit = True
    assert seen(process, 1_200) == [(SUCCEEDED, 1.0, 1_200)]


def test_an_attempt_that_is_killed_ends_with_its_next_report() -> None:
    for is_user, state in ((True, KILLED_UNCLEAN), (False, KILLED)):
        process = attempt(is_user=is_user)
        process.is_killed = True
        assert seen(process, 250) == [(state, 0.25, 250)]
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


def reduce_seen(process: AttemptProcess, job: JobInProgress, after_ms: int) -> tuple[str, float, int]:
    """(state, progress, end after its start) of a reduce's report."""
    one = process.report({1: job}, START_MS + after_ms)
    return one.state, one.progress, one.finish_ms and one.finish_ms - START_MS


def test_a_reduce_waits_for_the_maps() -> None:
    """Their share is a third of its progress; its own time counts from the report that finds them all ended."""
    process = attempt(REDUCE_ATTEMPT)
    assert reduce_seen(process, running_job(0), 100) == (RUNNING, 0.0, 0)
    assert reduce_seen(process, running_job(1), 200) == (RUNNING, float32(1 / 9), 0)
    ended = [process.ends_by_itself]
    assert reduce_seen(process, running_job(2), 9_000) == (RUNNING, float32(2 / 9), 0)
    assert reduce_seen(process, running_job(3), 10_000) == (RUNNING, float32(1 / 3), 0)
    ended.append(process.ends_by_itself)
    assert ended == [False, True]
    assert reduce_seen(process, running_job(3), 10_500) == (RUNNING, float32(1 / 3 + 1 / 3), 0)
    assert reduce_seen(process, running_job(3), 10_999) == (RUNNING, float32(1 / 3 + 0.999 * 2 / 3), 0)
    assert reduce_seen(process, running_job(3), 11_200) == (SUCCEEDED, 1.0, 11_000)


def test_a_reduce_that_starts_after_the_maps_counts_from_its_start() -> None:
    process = attempt(REDUCE_ATTEMPT)
    _ = process.report({1: running_job(3)}, START_MS - 2)
    assert process.ready_ms == START_MS


def test_a_reduce_that_has_all_maps_is_not_stopped_by_lost_output() -> None:
    process = attempt(REDUCE_ATTEMPT)
    _ = reduce_seen(process, running_job(3), 0)
    one = process.report({1: running_job(2)}, START_MS + 1_000, lambda job: (MAP_ATTEMPT,))
    assert (one.state, one.failed_fetches) == (SUCCEEDED, ())


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


def test_a_reduce_may_be_stuck_from_the_first_instant_of_all() -> None:
    process = AttemptProcess(Launch(REDUCE_ATTEMPT, 1), AttemptPlan(9, is_user=True), 0)
    found = [process.report({1: running_job(3)}, each, lambda job: (MAP_ATTEMPT,)) for each in (0, FETCH_REPORT_MS)]
    assert [one.failed_fetches for one in found] == [(), (MAP_ATTEMPT,)]
