"""How a job ends: by its setup, its tasks, its cleanup, or because somebody ends it."""

from typing import Any

import pytest

from engine.model.mr1.attempt_reports import terminate
from engine.model.mr1.job import PREP, JobInProgress
from engine.model.mr1.tracker import (
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    MAP,
    REDUCE,
    RUNNING,
    SUCCEEDED,
    AttemptId,
    TaskTracker,
)
from tests.engine.model.mr1.build import (
    NOW_MS,
    attempt_of,
    cluster_of,
    job_of,
    map_on,
    on,
    reduce_on,
    running_job,
    say,
    succeed,
)


def fail(job: JobInProgress, attempt: AttemptId, tracker: TaskTracker) -> None:
    say(job, attempt, tracker, FAILED)


def ended(kind: int = MAP, **changes: Any) -> JobInProgress:
    """A job without tasks whose cleanup succeeds 50 ms later."""
    cluster = cluster_of("a")
    job, tracker = running_job(cluster, 0), on(cluster, "a")
    launch = job.obtain_cleanup(tracker, kind)
    for slot, value in changes.items():
        setattr(job, slot, value)
    cluster.now_ms += 50
    succeed(job, launch, tracker)
    return job


@pytest.mark.parametrize(
    ("changes", "state"), [({}, SUCCEEDED), ({"is_failing": True}, FAILED), ({"is_killed": True}, KILLED)]
)
@pytest.mark.parametrize("kind", [MAP, REDUCE])
def test_a_job_ends_with_its_cleanup(kind: int, changes: dict[str, bool], state: str) -> None:
    """As it was to end; the cleanup task of the other kind of slot is not launched; its attempt is forgotten soon."""
    job = ended(kind, **changes)

    assert (job.state, job.finish_ms, job.progress, job.search.is_closed) == (state, NOW_MS + 50, [1.0, 1.0], True)
    assert (job.cleanup[kind].is_complete, job.cleanup[REDUCE - kind].is_failed) == (True, True)
    attempt = (1, kind, 0, 0)
    assert attempt in job.cluster.attempts.marked[on(job.cluster, "a").name]


@pytest.mark.parametrize(("state", "flags"), [(FAILED, (True, False)), (KILLED, (False, True))])
def test_a_job_is_ended_by_way_of_its_cleanup(state: str, flags: tuple[bool, bool]) -> None:
    """No task makes another attempt, and what waits to be cleaned up counts as clean."""
    cluster = cluster_of("a")
    job, tracker = running_job(cluster, 2, 1), on(cluster, "a")
    attempts = [map_on(job, tracker), map_on(job, tracker), reduce_on(job, tracker)][1:]
    for attempt in attempts:
        say(job, attempt, tracker, FAILED_UNCLEAN)

    terminate(job, state)

    assert (job.state, (job.is_failing, job.is_killed)) == (RUNNING, flags)
    assert (job.cleanup_waiting, [job.tasks[each[1]][each[2]].statuses[each].state for each in attempts]) == (
        [[], []],
        [FAILED, FAILED],
    )
    assert all(task.is_failed for task in (*job.tasks[MAP], *job.tasks[REDUCE]))
    assert [task.is_failed or task.is_complete for task in (*job.setup, *job.cleanup)] == [True, True, False, False]
    assert job.chores() == 1


@pytest.mark.parametrize(
    ("first", "second", "flags"),
    [(FAILED, FAILED, (True, False)), (KILLED, KILLED, (False, True)), (FAILED, KILLED, (True, True))],
)
def test_a_job_may_fail_and_be_killed_once_each(first: str, second: str, flags: tuple[bool, bool]) -> None:
    job = running_job(cluster_of("a"), 1)
    terminate(job, first)
    task = job.tasks[MAP][0]
    task.is_failed = False

    terminate(job, second)

    assert ((job.is_failing, job.is_killed), task.is_failed) == (flags, first != second)


@pytest.mark.parametrize(("percent", "fails_at"), [(0, 1), (49, 2), (50, 3), (99, 4), (100, None)])
def test_more_failed_maps_than_allowed_fail_the_job(percent: int, fails_at: int | None) -> None:
    cluster = cluster_of("a")
    options = {"failure_percents": (percent, 0), "max_attempts": (1, 1), "max_tracker_failures": 99}
    job, tracker = running_job(cluster, 4, 0, settings=options), on(cluster, "a")
    for count in range(1, 5):
        fail(job, map_on(job, tracker), tracker)
        if fails_at is not None and count == fails_at:
            assert (job.is_failing, job.failed_tasks) == (True, [count, 0])
            return
        assert (job.is_failing, job.failed_tasks) == (False, [count, 0])
    assert fails_at is None


def test_a_job_whose_setup_failed_for_good_fails() -> None:
    """By way of its cleanup; the setup task of the other kind of slot makes no attempt."""
    cluster = cluster_of("a")
    job, tracker = job_of(cluster, settings={"max_attempts": (1, 1)}), on(cluster, "a")
    fail(job, attempt_of(job.obtain_setup(tracker, MAP)), tracker)

    assert (job.state, job.is_failing, job.setup[REDUCE].is_failed) == (PREP, True, True)
    assert (job.has_launched_setup, job.failed_tasks, job.failed_attempts) == (False, [0, 0], [0, 0])

    succeed(job, job.obtain_cleanup(tracker, MAP), tracker)
    assert job.state == FAILED


@pytest.mark.parametrize("kind", [MAP, REDUCE])
def test_a_job_whose_cleanup_failed_for_good_has_failed(kind: int) -> None:
    cluster = cluster_of("a")
    job, tracker = running_job(cluster, 0, settings={"max_attempts": (2, 2)}), on(cluster, "a")

    fail(job, attempt_of(job.obtain_cleanup(tracker, kind)), tracker)
    assert (job.state, job.has_launched_cleanup) == (RUNNING, False)

    fail(job, attempt_of(job.obtain_cleanup(tracker, kind)), tracker)
    assert (job.state, job.cleanup[REDUCE - kind].is_failed) == (FAILED, True)
