"""Setup and cleanup of a job, and cleanup attempts after its attempts."""

from collections.abc import Callable

import pytest

from engine.model.mr1.job import PREP, JobInProgress
from engine.model.mr1.tracker import FAILED, FAILED_UNCLEAN, MAP, REDUCE, RUNNING, Launch
from tests.engine.model.mr1.build import (
    cluster_of,
    job_of,
    map_on,
    on,
    reduce_on,
    running_job,
    say,
)

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
    cluster = cluster_of("a")
    job = job_of(cluster)

    NOT_DUE[why](job)

    assert job.obtain_setup(on(cluster, "a"), MAP) is None


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
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 1)
    job.finished, job.failed_tasks = finished, failed

    assert job.chores() == int(is_due)
    assert (job.obtain_cleanup(on(cluster, "a"), MAP) is not None) is is_due


@pytest.mark.parametrize("how", ["is_killed", "is_failing"])
def test_a_job_that_is_ended_before_its_tasks_cleans_up_at_once(how: str) -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 1)
    setattr(job, how, True)
    assert (job.chores(), job.obtain_cleanup(on(cluster, "a"), MAP) is not None) == (1, True)

    fresh = job_of(cluster, 2, 1, number=2)
    setattr(fresh, how, True)
    assert (fresh.chores(), fresh.obtain_cleanup(on(cluster, "a"), MAP)) == (0, None)
    fresh.setup[REDUCE].kill()
    assert (fresh.chores(), fresh.obtain_cleanup(on(cluster, "a"), MAP) is not None) == (1, True)


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


@pytest.mark.parametrize(("slot", "value"), [("state", PREP), ("is_failing", True), ("is_killed", True)])
def test_only_a_job_that_runs_cleans_up_after_its_attempts(slot: str, value: object) -> None:
    job = unclean()
    setattr(job, slot, value)
    cluster = job.cluster

    assert job.obtain_task_cleanup(on(cluster, "b"), MAP) is None
    assert job.cleanup_waiting[MAP] == [(1, MAP, 0, 0)]
    assert job.chores() == int(slot != "state")
