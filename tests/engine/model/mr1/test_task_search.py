"""Which map or reduce a tracker gets: failed ones, then near ones, then far ones, then those that lag."""

import pytest

from engine.model.mr1.attempt import FAILED, MAP, REDUCE, SUCCEEDED
from engine.model.mr1.job_description import InputSplit
from engine.model.mr1.job_in_progress import JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, NON_LOCAL, RACK_LEVEL
from tests.engine.model.mr1.build import cluster_of, job_of, map_on, on, reduce_on, running_job, say

MINUTE_MS = 60_000


def maps_for(job: JobInProgress, host: str, level: int = ANY_LEVEL) -> list[int]:
    """The numbers of all maps that the tracker on a host gets at a level, in order."""
    tracker = on(job.cluster, host)
    return [launch.attempt[2] for launch in iter(lambda: job.obtain_map(tracker, level), None)]


def reduces_for(job: JobInProgress, host: str) -> list[int]:
    """The numbers of all reduces that it gets."""
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


def test_maps_are_listed_at_their_hosts_and_racks() -> None:
    """Once in a rack that has two of its hosts; racks join in the order in which maps name them."""
    cluster = cluster_of()
    search = job_of(cluster, [InputSplit(("c",)), InputSplit(("a", "b")), InputSplit()], 3).search

    assert {place: list(idle.numbers) for place, idle in search.idle_by_place.items()} == {
        "/r2/c": [0],
        "/r2": [0],
        "/r1/a": [1],
        "/r1": [1],
        "/r1/b": [1],
    }
    assert (list(search.idle_anywhere.numbers), list(search.idle_reduces.numbers)) == ([2], [0, 1, 2])
    assert list(cluster.racks.joined) == ["/r2", "/r1"]
    assert search.fill() == {"a", "b", "c"}


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
    """Twice the 40 bytes that the map before wrote."""
    cluster = cluster_of("a")
    job = running_job(cluster, [InputSplit((), 9)] * 3)
    tracker = on(cluster, "a")
    say(job, map_on(job, tracker), tracker, SUCCEEDED, output_bytes=40)
    tracker.available_bytes = available

    assert maps_for(job, "a") == numbers


def test_a_flaky_tracker_gets_no_task() -> None:
    """Neither map nor reduce."""
    cluster = cluster_of("a", "b", "c", "d")
    job = running_job(cluster, 1, 1)
    job.tracker_failures["a"] = 4

    assert (maps_for(job, "a"), reduces_for(job, "a")) == ([], [])
    assert (maps_for(job, "b"), reduces_for(job, "b")) == ([0], [0])


def test_a_job_has_tasks_only_of_the_kinds_it_has() -> None:
    """Nothing is found where nothing is."""
    cluster = cluster_of("a")

    assert maps_for(running_job(cluster, 0, 1), "a") == []
    assert reduces_for(running_job(cluster, 1, 0, number=2), "a") == []


def test_reduces_go_by_number_and_failed_ones_first() -> None:
    """A failed one goes to another host."""
    cluster = cluster_of("a", "b")
    job = running_job(cluster, 0, 3)
    tracker = on(cluster, "a")
    attempt = reduce_on(job, tracker)
    second = reduce_on(job, tracker)
    assert (attempt[2], second[2]) == (0, 1)
    say(job, second, tracker, FAILED)

    assert reduces_for(job, "a") == [2]
    assert reduces_for(job, "b") == [1]


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
    """Where a map may come from anywhere; none goes where it runs."""
    assert maps_for(lagging(), host, level) == numbers


def test_maps_get_no_second_attempt_where_the_job_does_not_want_it() -> None:
    """Reduces may."""
    assert maps_for(lagging(speculates=False), "a") == []


def test_a_map_that_lags_leaves_the_list_of_its_host_only() -> None:
    """An empty list goes; that of the rack keeps it."""
    job = lagging()
    assert maps_for(job, "c")[0] == 0

    lists = {place: list(running.numbers) for place, running in job.search.running_by_place.items()}
    assert lists["/r2"] == [0]
    assert lists["/r1"] == [1, 2, 4]
    assert set(lists) >= {"/r1", "/r2", "/r1/a", "/r1/b"}


def test_running_tasks_are_listed_until_they_stop() -> None:
    """Each once, though at several hosts and racks; those with data nowhere first."""
    cluster = cluster_of("a")
    job = running_job(cluster, [InputSplit(("a", "b", "c")), InputSplit()], 2)
    search, (maps, reduces) = job.search, job.tasks
    for task in (*maps, *reduces):
        search.started(task)
    assert [task.number for task in search.running_tasks(MAP)] == [1, 0]
    assert [task.number for task in search.running_tasks(REDUCE)] == [0, 1]
    assert set(search.running_by_place) == {"/r1/a", "/r1/b", "/r1", "/r2/c", "/r2"}

    for task in (*maps, reduces[0]):
        search.stopped(task)
    assert (search.running_tasks(MAP), search.running_by_place) == ([], {})
    assert search.running_tasks(REDUCE) == [reduces[1]]

    search.stopped(maps[0])
    assert search.running_by_place == {}


def test_a_map_that_stops_leaves_others_of_its_hosts_running() -> None:
    """Their list stays."""
    cluster = cluster_of("a")
    job = running_job(cluster, ["a", "a"])
    for task in job.tasks[MAP]:
        job.search.started(task)

    job.search.stopped(job.tasks[MAP][0])

    assert job.search.running_tasks(MAP) == [job.tasks[MAP][1]]
    assert set(job.search.running_by_place) == {"/r1/a", "/r1"}


def test_a_job_that_has_ended_has_no_lists() -> None:
    """What still happens to its tasks changes them no more; only a failed map is entered, as in Hadoop."""
    cluster = cluster_of("a")
    job = running_job(cluster, ["a", InputSplit()], 2)
    search = job.search
    search.started(job.tasks[MAP][0])
    search.started(job.tasks[REDUCE][0])
    search.failed(job.tasks[MAP][1])

    search.close()
    assert search.is_closed
    assert (search.idle_by_place, search.running_by_place) == ({}, {})
    assert [bool(each) for each in (search.failed_maps, search.idle_reduces)] == [False, False]
    assert search.running_tasks(REDUCE) == []

    for task in (*job.tasks[MAP], *job.tasks[REDUCE]):
        search.started(task)
        search.failed(task)
        search.stopped(task)
    assert (search.running_by_place, search.running_tasks(MAP), search.running_tasks(REDUCE)) == ({}, [], [])
    assert (list(search.failed_maps.numbers), bool(search.idle_reduces)) == ([0, 1], False)


def test_a_map_that_failed_on_all_hosts_may_run_there_again() -> None:
    """There is one."""
    cluster = cluster_of("a")
    job = running_job(cluster, 1)
    tracker = on(cluster, "a")
    say(job, map_on(job, tracker), tracker, FAILED)

    assert maps_for(job, "a", HOST_LEVEL) == [0]
