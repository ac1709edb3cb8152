"""What a job gives to a tracker that asks: maps and reduces."""

import pytest

from engine.model.mr1.job import PREP
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, NON_LOCAL
from engine.model.mr1.tracker import FAILED, KILLED, MAP, REDUCE, SUCCEEDED
from tests.engine.model.mr1.build import (
    cluster_of,
    map_on,
    on,
    running_job,
    say,
)


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


def test_a_task_that_has_made_all_its_attempts_is_launched_no_more() -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, 1, 1)
    for kind in (MAP, REDUCE):
        job.tasks[kind][0].next_attempt = 5

    assert job.obtain_map(on(cluster, "a"), ANY_LEVEL) is None
    assert job.obtain_reduce(on(cluster, "a")) is None
    assert (job.running, job.launched_maps) == ([0, 0], 0)


@pytest.mark.parametrize("state", [PREP, SUCCEEDED, FAILED, KILLED])
def test_reduces_are_launched_while_the_job_runs(state: str) -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, 0, 1)
    job.state = state

    assert job.obtain_reduce(on(cluster, "a")) is None


def test_reduces_are_launched_once_enough_maps_have_ended() -> None:
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
