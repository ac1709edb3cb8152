"""What a job gives to a tracker that asks: maps and reduces."""

import pytest

from engine.model.mr1.attempt import FAILED, KILLED, MAP, REDUCE, SUCCEEDED, Launch
from engine.model.mr1.job_description import InputSplit
from engine.model.mr1.job_in_progress import PREP
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, NON_LOCAL
from tests.engine.model.mr1.build import (
    cluster_of,
    job_of,
    joined,
    map_on,
    on,
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
