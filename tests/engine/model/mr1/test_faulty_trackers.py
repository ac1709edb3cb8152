"""Hosts whose health script failed, or on which many jobs had failures."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.model.mr1.cluster import MINUTE_MS, FaultyTrackers, MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.tracker import KILLED, KILLED_UNCLEAN, MAP, REDUCE, RUNNING, SUCCEEDED
from tests.engine.model.mr1.build import (
    LIMITS,
    cluster_of,
    map_on,
    name_on,
    on,
    reduce_on,
    running_job,
    say,
)


class Trackers:
    """A cluster that has trackers on hosts, and keeps what it is told of capacity."""

    def __init__(self, **hosts: int) -> None:
        self.hosts = hosts
        self.now_ms = 0
        self.active_trackers = sum(hosts.values())
        self.told: list[tuple[str, str]] = []

    def trackers_on(self, host: str) -> int:
        return self.hosts.get(host, 0)

    def add_capacity(self, host: str) -> None:
        self.told.append(("add", host))

    def remove_capacity(self, host: str) -> None:
        self.told.append(("remove", host))


def faulty_of(cluster: Trackers, **limits: Any) -> FaultyTrackers:
    """Lists by the limits that hold unless said otherwise, of which one is that two faults are many."""
    return FaultyTrackers(cluster, replace(LIMITS, **{"blacklists": 2} | limits))


@pytest.mark.parametrize(
    ("window", "bucket", "buckets", "bucket_minutes"),
    [(180, 15, 12, 15), (181, 15, 13, 15), (15, 15, 1, 15), (0, 15, 1, 15), (7, 0, 7, 1), (7, 2, 4, 2)],
)
def test_the_window_is_cut_into_whole_buckets(window: int, bucket: int, buckets: int, bucket_minutes: int) -> None:
    faulty = faulty_of(Trackers(), fault_window_minutes=window, fault_bucket_minutes=bucket)

    assert (faulty.buckets, faulty.bucket_ms) == (buckets, bucket_minutes * MINUTE_MS)
    assert MINUTE_MS == 60_000


def test_a_host_turns_gray_at_the_threshold() -> None:
    cluster = Trackers(a=2, b=2, c=2, d=2)
    faulty = faulty_of(cluster)
    assert (faulty.is_graylisted("a"), faulty.has_listed) == (False, False)

    faulty.add_fault("a")
    assert (faulty.is_graylisted("a"), faulty.graylisted, faulty.has_listed) == (False, 0, False)

    faulty.add_fault("a")
    faulty.add_fault("a")
    assert (faulty.is_graylisted("a"), faulty.graylisted, faulty.has_listed) == (True, 2, True)
    assert (faulty.is_blacklisted("a"), faulty.is_graylisted("b"), cluster.told) == (False, False, [])


@pytest.mark.parametrize(("others", "is_gray"), [(0, True), (1, True), (2, False)])
def test_a_gray_host_has_many_more_faults_than_the_average(others: int, is_gray: bool) -> None:
    """Of 2 trackers: 4 of 4, 5 or 6 faults; the average of 2 is exceeded by half, that of 3 is not (4 - 3 < 1.5)."""
    faulty = faulty_of(Trackers(a=1, b=1), blacklists=4)
    for _ in range(others):
        faulty.add_fault("b")
    for _ in range(4):
        faulty.add_fault("a")

    assert faulty.is_graylisted("a") is is_gray


@pytest.mark.parametrize(("share", "is_gray"), [(0.99, True), (1.0, False)])
def test_the_average_is_to_be_exceeded_by_more_than_its_part(share: float, is_gray: bool) -> None:
    """4 faults on one of 2 trackers are 2 above the average of 2."""
    faulty = faulty_of(Trackers(a=1, b=1), blacklists=4, average_blacklists=share)
    for _ in range(4):
        faulty.add_fault("a")

    assert faulty.is_graylisted("a") is is_gray


@pytest.mark.parametrize(
    ("active", "blacklisted", "is_gray"), [(3, 0, True), (2, 0, False), (2, 1, True), (1, 1, False)]
)
def test_no_more_than_half_of_the_cluster_turns_gray(active: int, blacklisted: int, is_gray: bool) -> None:
    """Blacklisted trackers are part of the cluster; with one gray tracker of two no other becomes gray."""
    cluster = Trackers(a=1, b=1)
    cluster.active_trackers = active
    faulty = faulty_of(cluster, average_blacklists=-1.0)
    faulty.blacklisted = blacklisted
    faulty.graylisted = 1

    faulty.add_fault("a")
    faulty.add_fault("a")

    assert faulty.is_graylisted("a") is is_gray


def gray(cluster: Trackers) -> FaultyTrackers:
    """Host `a` is gray by two faults at the beginning."""
    faulty = faulty_of(cluster)
    faulty.add_fault("a")
    faulty.add_fault("a")
    return faulty


def test_a_host_leaves_the_gray_list_when_its_faults_are_old() -> None:
    cluster = Trackers(a=2, b=2, c=2)
    faulty = gray(cluster)

    cluster.now_ms = 180 * MINUTE_MS
    faulty.check_timeout("a")
    assert (faulty.is_graylisted("a"), faulty.graylisted) == (True, 2)

    cluster.now_ms += 1
    faulty.check_timeout("b")
    faulty.check_timeout("a")
    assert (faulty.is_graylisted("a"), faulty.graylisted, faulty.hosts) == (False, 0, {})


# What is lost with a tracker, and what its cluster then knows of it.


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
