"""What a job gives to a tracker that asks: maps, reduces, its setup and cleanup, and cleanup attempts."""

from collections.abc import Callable

import pytest

from engine.model.mr1.attempt import FAILED, FAILED_UNCLEAN, KILLED, MAP, REDUCE, RUNNING, SUCCEEDED, Launch
from engine.model.mr1.job_description import InputSplit
from engine.model.mr1.job_in_progress import PREP, JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, NON_LOCAL
from tests.engine.model.mr1.build import (
    cluster_of,
    job_of,
    joined,
    map_on,
    on,
    reduce_on,
    running_job,
    say,
    succeed,
)


def test_a_launched_map_is_known_to_the_cluster_and_counted_by_its_distance() -> None:
    """0 on the host of its data, 1 in the rack, 2 elsewhere."""
    cluster = cluster_of("a")
    job = running_job(cluster, ["a", "b", "c", InputSplit()])
    tracker = on(cluster, "a")

    launches = [job.obtain_map(tracker, ANY_LEVEL) for _ in range(5)]

    assert launches == [*(Launch((1, MAP, n, 0), 1, level=level) for n, level in enumerate((0, 1, 2, 2))), None]
    assert (job.launched_maps, job.local_maps, job.running) == (4, [1, 1], [4, 0])
    assert cluster.attempts.of_tracker(tracker.name)[:4] == [(1, MAP, number, 0) for number in range(4)]
    assert cluster.attempts.tasks[1, MAP, 2, 0] is job.tasks[MAP][2]


def test_a_launched_reduce_is_counted() -> None:
    """It has no distance."""
    cluster = cluster_of("a")
    job = running_job(cluster, 0, 1)

    assert job.obtain_reduce(on(cluster, "a")) == Launch((1, REDUCE, 0, 0), 1)
    assert (job.running, job.speculative, job.launched_maps) == ([0, 1], [0, 0], 0)


@pytest.mark.parametrize(("level", "opportunities"), [(HOST_LEVEL, 0), (ANY_LEVEL, 0), (NON_LOCAL, 3)])
def test_opportunities_begin_anew_with_a_map(level: int, opportunities: int) -> None:
    """Unless it was looked for only away from its data, or there was none."""
    cluster = cluster_of("a", "c")
    job = running_job(cluster, ["a", "c"])
    job.opportunities = 3

    assert job.obtain_map(on(cluster, "a"), level) is not None
    assert job.opportunities == opportunities

    job.opportunities = 3
    while job.obtain_map(on(cluster, "a"), level) is not None:
        job.opportunities = 3
    assert job.opportunities == 3


def test_a_second_attempt_is_speculative() -> None:
    """Counted beside what runs."""
    cluster = cluster_of("a", "b")
    job = running_job(cluster, 1, speculates=(True, True))
    map_on(job, on(cluster, "a"))
    cluster.now_ms += 60_000
    job.progress[MAP] = 0.5

    assert job.obtain_map(on(cluster, "b"), ANY_LEVEL) == Launch((1, MAP, 0, 1), 1, level=2)
    assert (job.running, job.speculative, job.pending(MAP)) == ([2, 0], [1, 0], 0)


def test_a_task_that_has_made_all_its_attempts_is_launched_no_more() -> None:
    """Nothing is counted then."""
    cluster = cluster_of("a")
    job = running_job(cluster, 1, 1)
    for kind in (MAP, REDUCE):
        job.tasks[kind][0].next_attempt = 5

    assert job.obtain_map(on(cluster, "a"), ANY_LEVEL) is None
    assert job.obtain_reduce(on(cluster, "a")) is None
    assert (job.running, job.launched_maps) == ([0, 0], 0)


@pytest.mark.parametrize("state", [PREP, SUCCEEDED, FAILED, KILLED])
def test_reduces_are_launched_while_the_job_runs(state: str) -> None:
    """In no other state."""
    cluster = cluster_of("a")
    job = running_job(cluster, 0, 1)
    job.state = state

    assert job.obtain_reduce(on(cluster, "a")) is None


def test_reduces_are_launched_once_enough_maps_have_ended() -> None:
    """Not before."""
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 1, settings={"slow_start": 0.5})
    tracker = on(cluster, "a")
    assert job.obtain_reduce(tracker) is None

    say(job, map_on(job, tracker), tracker, SUCCEEDED)
    assert job.obtain_reduce(tracker) is not None


@pytest.mark.parametrize(("limit", "fails"), [(40, False), (39, True), (0, False), (-1, False), (1, True)])
def test_a_job_whose_reduces_would_read_too_much_fails(limit: int, fails: bool) -> None:
    """Two maps that write 40 bytes each, for two reduces; a limit below 1 is none."""
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 2, settings={"reduce_input_limit": limit})
    job.estimator.completed, job.estimator.input_bytes, job.estimator.output_bytes = 2, 2, 80
    tracker = on(cluster, "a")

    launch = job.obtain_reduce(tracker)

    assert (launch is None, job.is_failing) == (fails, fails)


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
    assert job.chores() == 0 or why == "it is not initialized"


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


def test_a_map_is_launched_only_of_a_job_that_is_initialized() -> None:
    """Its setup need not have succeeded; who asks looks at that."""
    cluster = cluster_of("a")
    job = job_of(cluster, 1)
    job.is_initialized = False
    assert job.obtain_map(on(cluster, "a"), ANY_LEVEL) is None

    job.is_initialized = True
    assert job.obtain_map(on(cluster, "a"), ANY_LEVEL) is not None


def test_a_tracker_that_joins_later_gets_tasks_as_well() -> None:
    """It counts as one of the cluster's."""
    cluster = cluster_of("a")
    job = running_job(cluster, 1)
    tracker = joined(cluster, "b")

    succeed(job, job.obtain_map(tracker, ANY_LEVEL), tracker)

    assert (job.cluster_size, job.finished[MAP]) == (2, 1)
