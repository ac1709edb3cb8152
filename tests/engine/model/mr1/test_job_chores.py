"""Setup and cleanup of a job, and cleanup attempts after its attempts."""

from collections.abc import Callable

import pytest

from engine.model.mr1.attempt import FAILED, FAILED_UNCLEAN, KILLED, MAP, REDUCE, RUNNING, SUCCEEDED, Launch
from engine.model.mr1.job_in_progress import PREP, JobInProgress
from tests.engine.model.mr1.build import (
    cluster_of,
    job_of,
    map_on,
    on,
    reduce_on,
    running_job,
    say,
)


def test_a_job_has_one_setup_task() -> None:
    """Taken once, in a slot of either kind; reduces come one number behind cleanup."""
    cluster = cluster_of("a")
    tracker = on(cluster, "a")
    job, other = job_of(cluster, 3, 2), job_of(cluster, 3, 2, number=2)

    assert job.obtain_setup(tracker, MAP) == Launch((1, MAP, 4, 0), 1)
    assert other.obtain_setup(tracker, REDUCE) == Launch((2, REDUCE, 3, 0), 1)
    assert [each.obtain_setup(tracker, kind) for each in (job, other) for kind in (MAP, REDUCE)] == [None] * 4
    assert (job.has_launched_setup, job.running, job.launched_maps) == (True, [0, 0], 0)


Change = Callable[[JobInProgress], object]

NOT_DUE: dict[str, Change] = {
    "it is not initialized": lambda job: setattr(job, "is_initialized", False),
    "it runs": lambda job: setattr(job, "state", RUNNING),
    "it is killed": lambda job: setattr(job, "is_killed", True),
    "it fails": lambda job: setattr(job, "is_failing", True),
    "it was launched": lambda job: setattr(job, "has_launched_setup", True),
}


@pytest.mark.parametrize("why", NOT_DUE)
def test_setup_is_not_due(why: str) -> None:
    """Any one of these is enough."""
    cluster = cluster_of("a")
    job = job_of(cluster)

    NOT_DUE[why](job)

    assert job.obtain_setup(on(cluster, "a"), MAP) is None


@pytest.mark.parametrize(
    ("change", "chores"), [(None, 1), ("has_launched_setup", 0), ("is_killed", 0), ("is_failing", 0)]
)
def test_a_setup_that_is_due_is_a_chore(change: str | None, chores: int) -> None:
    """One that was launched is none, nor is that of a job that is being ended."""
    job = job_of(cluster_of("a"))
    if change is not None:
        setattr(job, change, True)

    assert job.chores() == chores


def done(maps: int = 1, reduces: int = 0) -> JobInProgress:
    """A job whose tasks have all succeeded on the tracker of host `a`."""
    cluster = cluster_of("a")
    job, tracker = running_job(cluster, maps, reduces), on(cluster, "a")
    for _ in range(maps):
        say(job, map_on(job, tracker), tracker, SUCCEEDED)
    for _ in range(reduces):
        say(job, reduce_on(job, tracker), tracker, SUCCEEDED)
    return job


def test_a_job_has_one_cleanup_task() -> None:
    """When all its tasks have ended, in a slot of either kind."""
    for kind, expected in ((MAP, (1, MAP, 1, 0)), (REDUCE, (1, REDUCE, 1, 0))):
        job = done(1, 1)
        tracker = on(job.cluster, "a")
        assert job.chores() == 1

        assert job.obtain_cleanup(tracker, kind) == Launch(expected, 1)
        assert [job.obtain_cleanup(tracker, each) for each in (MAP, REDUCE)] == [None, None]
        assert (job.has_launched_cleanup, job.chores()) == (True, 0)


@pytest.mark.parametrize(
    ("finished", "failed", "is_due"),
    [
        ([2, 1], [0, 0], True),
        ([1, 1], [1, 0], True),
        ([1, 1], [0, 0], False),
        ([2, 0], [0, 0], False),
        ([2, 0], [0, 1], True),
    ],
)
def test_cleanup_is_due_when_all_tasks_have_ended(finished: list[int], failed: list[int], is_due: bool) -> None:
    """Succeeded or failed, of both kinds."""
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 1)
    job.finished, job.failed_tasks = finished, failed

    assert job.chores() == int(is_due)
    assert (job.obtain_cleanup(on(cluster, "a"), MAP) is not None) is is_due


@pytest.mark.parametrize("how", ["is_killed", "is_failing"])
def test_a_job_that_is_ended_before_its_tasks_cleans_up_at_once(how: str) -> None:
    """Tasks that have not ended are not waited for, its setup is."""
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 1)
    setattr(job, how, True)
    assert (job.chores(), job.obtain_cleanup(on(cluster, "a"), MAP) is not None) == (1, True)

    fresh = job_of(cluster, 2, 1, number=2)
    setattr(fresh, how, True)
    assert (fresh.chores(), fresh.obtain_cleanup(on(cluster, "a"), MAP)) == (0, None)
    fresh.setup[REDUCE].kill()
    assert (fresh.chores(), fresh.obtain_cleanup(on(cluster, "a"), MAP) is not None) == (1, True)


@pytest.mark.parametrize("change", ["is_initialized", "state"])
def test_cleanup_is_not_due(change: str) -> None:
    """Of a job that has ended or was never initialized."""
    job = done()
    setattr(job, change, {"is_initialized": False, "state": KILLED}[change])

    assert job.obtain_cleanup(on(job.cluster, "a"), MAP) is None


def test_the_setup_task_goes_to_a_host_where_it_has_not_failed() -> None:
    """While there is one; it makes one attempt at a time; a flaky tracker gets none."""
    cluster = cluster_of("a", "b", "c", "d")
    job = job_of(cluster, settings={"max_attempts": (2, 2)})
    tracker = on(cluster, "a")
    say(job, job.obtain_setup(tracker, MAP).attempt, tracker, FAILED)  # type: ignore[union-attr]  # there is one

    assert (job.has_launched_setup, job.obtain_setup(tracker, MAP)) == (False, None)
    job.tracker_failures["b"] = 4
    assert job.obtain_setup(on(cluster, "b"), MAP) is None

    job.setup[MAP].failed_hosts = {"a", "b", "c", "d"}
    assert job.obtain_setup(tracker, MAP) == Launch((1, MAP, 2, 1), 1)
    job.has_launched_setup = False
    assert job.obtain_setup(on(cluster, "c"), MAP) is None


def unclean(*, kinds: int = 1) -> JobInProgress:
    """A job whose first map, and first reduce where there are two kinds, has an unclean attempt."""
    cluster = cluster_of("a", "b")
    job, tracker = running_job(cluster, 2, 2), on(cluster, "a")
    for attempt in (map_on(job, tracker), reduce_on(job, tracker))[:kinds]:
        say(job, attempt, tracker, FAILED_UNCLEAN)
    return job


def test_an_unclean_attempt_is_followed_by_a_cleanup_attempt() -> None:
    """The first that waits, in a slot of its kind, on any tracker."""
    job = unclean(kinds=2)
    tracker, attempts = on(job.cluster, "b"), job.cluster.attempts
    assert job.chores() == 2
    assert attempts.tasks.get((1, MAP, 0, 0)) is None

    assert job.obtain_task_cleanup(tracker, MAP) == Launch((1, MAP, 0, 0), 1, is_cleanup=True)
    assert (job.obtain_task_cleanup(tracker, MAP), job.chores()) == (None, 1)
    assert attempts.of_tracker(tracker.name) == [(1, MAP, 0, 0)]
    assert attempts.tasks[1, MAP, 0, 0] is job.tasks[MAP][0]

    assert job.obtain_task_cleanup(tracker, REDUCE) == Launch((1, REDUCE, 0, 0), 1, is_cleanup=True)
    assert job.chores() == 0


@pytest.mark.parametrize(("slot", "value"), [("state", PREP), ("is_failing", True), ("is_killed", True)])
def test_only_a_job_that_runs_cleans_up_after_its_attempts(slot: str, value: object) -> None:
    """One that is being ended does not."""
    job = unclean()
    setattr(job, slot, value)
    cluster = job.cluster

    assert job.obtain_task_cleanup(on(cluster, "b"), MAP) is None
    assert job.cleanup_waiting[MAP] == [(1, MAP, 0, 0)]
    assert job.chores() == int(slot != "state")


def test_a_flaky_tracker_cleans_up_after_nobody() -> None:
    """By the size the cluster had when the job last looked."""
    job = unclean()
    job.cluster_size, job.tracker_failures = 8, {"b": 4}

    assert job.obtain_task_cleanup(on(job.cluster, "b"), MAP) is None
