"""Which map or reduce a tracker gets: failed ones, then near ones, then far ones, then those that lag."""

import pytest

from engine.model.mr1.job import JobInProgress
from engine.model.mr1.job_description import InputSplit
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, NON_LOCAL, RACK_LEVEL
from engine.model.mr1.tracker import FAILED, MAP, REDUCE, SUCCEEDED
from tests.engine.model.mr1.build import cluster_of, map_on, on, reduce_on, running_job, say

MINUTE_MS = 60_000


def maps_for(job: JobInProgress, host: str, level: int = ANY_LEVEL) -> list[int]:
    """The numbers of all maps that the tracker on a host gets at a level, in order."""
    tracker = on(job.cluster, host)
    return [launch.attempt[2] for launch in iter(lambda: job.obtain_map(tracker, level), None)]


def reduces_for(job: JobInProgress, host: str) -> list[int]:
    tracker = on(job.cluster, host)
    return [launch.attempt[2] for launch in iter(lambda: job.obtain_reduce(tracker), None)]


def spread(*, speculates: bool = False) -> JobInProgress:
    """Maps with data on c, b, a, nowhere, and a once more; racks are a and b, c and d."""
    maps = ["c", "b", "a", InputSplit(), "a"]
    return running_job(cluster_of("a", "b", "c", "d"), maps, speculates=(speculates, speculates))


@pytest.mark.parametrize(
    ("host", "level", "numbers"),
    [
        ("a", 0, []),
        ("a", HOST_LEVEL, [2, 4]),
        ("a", RACK_LEVEL, [2, 4, 1]),
        ("a", ANY_LEVEL, [2, 4, 1, 0, 3]),
        ("a", NON_LOCAL, [0, 3]),
        ("b", ANY_LEVEL, [1, 2, 4, 0, 3]),
        ("d", RACK_LEVEL, [0]),
        ("d", NON_LOCAL, [1, 2, 4, 3]),
    ],
)
def test_maps_go_by_distance_then_by_number(host: str, level: int, numbers: list[int]) -> None:
    """The host's, the rack's, those of other racks, those with data nowhere; at most as far as the level says."""
    assert maps_for(spread(), host, level) == numbers


def test_a_failed_map_goes_first_at_any_level() -> None:
    """Not where it failed, as long as it has not failed on every host."""
    job = spread()
    far = on(job.cluster, "c")
    attempt = map_on(job, far)
    assert attempt[2] == 0
    say(job, attempt, far, FAILED)

    assert maps_for(job, "c", HOST_LEVEL) == []
    assert maps_for(job, "a", HOST_LEVEL) == [0, 2, 4]


@pytest.mark.parametrize(("available", "numbers"), [(80, [1, 2]), (79, [])])
def test_a_tracker_needs_room_for_what_a_map_may_write(available: int, numbers: list[int]) -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, [InputSplit((), 9)] * 3)
    tracker = on(cluster, "a")
    say(job, map_on(job, tracker), tracker, SUCCEEDED, output_bytes=40)
    tracker.available_bytes = available

    assert maps_for(job, "a") == numbers


@pytest.mark.parametrize(
    ("speculates", "age_ms", "average", "numbers"),
    [
        (True, MINUTE_MS, 0.5, [0]),
        (False, MINUTE_MS, 0.5, []),
        (True, MINUTE_MS - 1, 0.5, []),
        (True, MINUTE_MS, 0.1, []),
    ],
)
def test_a_reduce_that_lags_gets_another_attempt_elsewhere(
    speculates: bool, age_ms: int, average: float, numbers: list[int]
) -> None:
    """When no other is left and the job lets it; the tracker it runs on gets none."""
    cluster = cluster_of("a", "b")
    job = running_job(cluster, 0, 1, speculates=(not speculates, speculates))
    reduce_on(job, on(cluster, "a"))
    cluster.now_ms += age_ms
    job.progress[REDUCE] = average

    assert reduces_for(job, "a") == []
    assert reduces_for(job, "b") == numbers


def lagging(*, speculates: bool = True) -> JobInProgress:
    """Maps with data on c, b, a, nowhere and a, all of which run on d and lag."""
    job = spread(speculates=speculates)
    job.speculates = (speculates, not speculates)
    tracker = on(job.cluster, "d")
    while job.obtain_map(tracker, ANY_LEVEL) is not None:
        pass
    job.cluster.now_ms += MINUTE_MS
    job.progress[MAP] = 0.5
    return job


@pytest.mark.parametrize(
    ("host", "level", "numbers"),
    [
        ("a", ANY_LEVEL, [2, 4, 1, 0, 3]),
        ("a", NON_LOCAL, [2, 4, 1, 0, 3]),
        ("c", ANY_LEVEL, [0, 1, 2, 4, 3]),
        ("a", RACK_LEVEL, []),
        ("d", ANY_LEVEL, []),
    ],
)
def test_maps_that_lag_go_by_distance_then_by_launch(host: str, level: int, numbers: list[int]) -> None:
    assert maps_for(lagging(), host, level) == numbers
