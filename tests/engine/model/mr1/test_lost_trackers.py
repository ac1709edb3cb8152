"""What is lost with a tracker, and what its cluster then knows of it."""

import pytest

from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.tracker import KILLED, KILLED_UNCLEAN, MAP, REDUCE, RUNNING, SUCCEEDED
from tests.engine.model.mr1.build import (
    cluster_of,
    map_on,
    name_on,
    on,
    reduce_on,
    running_job,
    say,
)


def test_what_runs_on_a_lost_tracker_is_unclean_where_it_was_reported() -> None:
    """What was not reported, and setup, is just killed; the host has one failure of the job."""
    cluster = cluster_of("a", "b")
    job = running_job(cluster, 3, 1)
    tracker = on(cluster, "a")
    reported, reduce = map_on(job, tracker), reduce_on(job, tracker)
    unknown = job.obtain_map(tracker, 3)
    other = map_on(job, on(cluster, "b"))
    tracker.reserve(MAP, job, 2)
    cluster.jobs_to_end = {tracker.name: {9: None}, name_on("b"): {9: None}}

    cluster.lose_attempts(tracker)

    states = [task.statuses[(1, task.kind, task.number, 0)].state for tasks in job.tasks for task in tasks]
    assert states == [KILLED_UNCLEAN, KILLED, RUNNING, KILLED_UNCLEAN]
    assert unknown is not None
    assert (job.cleanup_waiting, job.tracker_failures) == ([[reported], [reduce]], {"a": 1})
    assert tracker.reserved_for == [None, None]
    assert cluster.jobs_to_end == {name_on("b"): {9: None}}
    assert (cluster.attempts.of_tracker(tracker.name), cluster.attempts.marked) == ([], {})
    assert set(cluster.attempts.tasks) == {other}


def finished(reduces: int) -> JobInProgress:
    """A job of which a map and, if there is one, a reduce has succeeded on host `a`."""
    job = running_job(cluster_of("a", "b"), 2, reduces)
    tracker = on(job.cluster, "a")
    say(job, map_on(job, tracker), tracker, SUCCEEDED)
    if reduces:
        say(job, reduce_on(job, tracker), tracker, SUCCEEDED)
    return job


@pytest.mark.parametrize(("reduces", "map_is_lost"), [(0, False), (1, True)])
def test_the_output_of_a_map_is_lost_only_for_reduces(reduces: int, map_is_lost: bool) -> None:
    job = finished(reduces)
    cluster = job.cluster
    assert isinstance(cluster, MapReduceCluster)

    cluster.lose_attempts(on(cluster, "a"))

    assert [task.is_complete for task in (job.tasks[MAP][0], *job.tasks[REDUCE])] == [
        not map_is_lost,
        *[True] * reduces,
    ]
    assert job.tracker_failures == ({"a": 1} if map_is_lost else {})
    assert cluster.attempts.tasks == {}
