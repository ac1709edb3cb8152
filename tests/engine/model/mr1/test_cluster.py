"""The whole of a MapReduce 1 cluster: totals of trackers, the rhythm of heartbeats, and the end of a job."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.model.java_values import float32
from engine.model.mr1.cluster import MINUTE_MS, FaultyTrackers, MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import SETUP, InputSplit, JobDescription, TaskInProgress
from engine.model.mr1.task_search import ResourceEstimator
from engine.model.mr1.tracker import (
    FAILED,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    REDUCE,
    RUNNING,
    SUCCEEDED,
    AttemptStatus,
    TaskReport,
    TrackerReport,
)
from tests.engine.model.mr1.build import (
    LIMITS,
    NOW_MS,
    cluster_of,
    job_of,
    map_on,
    name_on,
    on,
    reduce_on,
    running_job,
    say,
)


@pytest.mark.parametrize(
    ("trackers", "per_second", "factor", "interval_ms"),
    [
        (1, 100, 1.0, 300),
        (3, 10, 1.0, 300),
        (4, 10, 1.0, 400),
        (4, 1, 1.0, 4000),
        (4, 0, 1.0, 300),
        (4, -5, 1.0, 300),
        (2, 1, 0.5, 1000),
        (2, 3, 1.0, 666),
        (50, 1, 0.01, 500),
        (50, 1, float32(0.01), 500),
        (50, 1, 0.0099, 50_000),
    ],
)
def test_trackers_report_so_often_that_all_do_in_a_second(
    trackers: int, per_second: int, factor: float, interval_ms: int
) -> None:
    """By the heartbeats a second, at least 300 ms apart; a figure below 1 means 100, a factor below 0.01 means 1."""
    hosts = [f"h{number}" for number in range(trackers)]
    cluster = cluster_of(*hosts, heartbeats_per_second=per_second, heartbeat_scaling=factor)

    assert cluster.heartbeat_ms() == interval_ms


def attempts(maps: int, reduces: int) -> tuple[TaskReport, ...]:
    kinds = [MAP] * maps + [REDUCE] * reduces
    return tuple(TaskReport((1, kind, number, 0), RUNNING, 0.0, 1, 0) for number, kind in enumerate(kinds))


Step = tuple[str, str, int, int, int]
"""(what happens, which host, map slots, maps, reduces)"""

STEP = st.tuples(
    st.sampled_from(("report", "report", "drop", "sick", "well")),
    st.sampled_from(("a", "b")),
    st.integers(0, 4),
    st.integers(0, 2),
    st.integers(0, 2),
)


@given(st.lists(STEP, max_size=12))
def test_totals_are_those_of_the_trackers(steps: list[Step]) -> None:
    """All that run count; slots of blacklisted hosts do not; nor do these hosts."""
    cluster = cluster_of()
    told, sick = dict[str, TrackerReport](), set[str]()
    for what, host, slots, maps, reduces in steps:
        name = f"tracker_{host}:{slots % 2}"
        if what == "report" and host not in sick:
            report = TrackerReport(name, host, (slots, 4 - slots), attempts(maps, reduces))
            assert cluster.update_tracker(report) is (name in told)
            told[name] = report
        elif what == "drop" and name in told and host not in sick:
            cluster.drop_tracker(name)
            del told[name]
        elif what in ("sick", "well"):
            cluster.faulty.set_health(host, is_healthy=what == "well")
            (sick.add if what == "sick" else sick.discard)(host)

        reports = told.values()
        for kind in (MAP, REDUCE):
            ran = sum(each.attempt[1] == kind for report in reports for each in report.attempts)
            assert cluster.running[kind] == ran
            assert cluster.slots[kind] == sum(report.slots[kind] for report in reports if report.host not in sick)
        counts = {host: sum(report.host == host for report in reports) for host in "ab"}
        assert {host: cluster.trackers_on(host) for host in "ab"} == counts
        assert {host: count for host, count in cluster.hosts.items() if count} == {
            host: count for host, count in counts.items() if count and host not in sick
        }
        assert cluster.active_trackers == sum(count for host, count in counts.items() if host not in sick)


def flaky(**changes: Any) -> MapReduceCluster:
    """A cluster with a job for which two of three hosts with failures were flaky, and which has ended."""
    cluster = cluster_of("a", "b", "c")
    job = running_job(cluster)
    job.tracker_failures, job.flaky_trackers, job.state = {"a": 4, "b": 3, "c": 5}, 2, SUCCEEDED
    for slot, value in changes.items():
        setattr(job, slot, value)
    cluster.job_ended(job)
    return cluster


@pytest.mark.parametrize(
    ("changes", "hosts"),
    [({}, ["a", "c"]), ({"flaky_trackers": 0}, []), ({"flaky_trackers": 1}, ["a", "c"]), ({"state": FAILED}, [])],
)
def test_hosts_that_were_flaky_for_a_job_that_succeeded_get_a_fault(changes: dict[str, Any], hosts: list[str]) -> None:
    cluster = flaky(**changes)

    assert {host: each.count(NOW_MS) for host, each in cluster.faulty.hosts.items()} == dict.fromkeys(hosts, 1)


# Hosts whose health script failed, or on which many jobs had failures.


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


# What a job's maps are expected to write, once enough of them have completed.


def estimator_of(maps: int, split_bytes: int = 99, reduces: int = 2) -> ResourceEstimator:
    return ResourceEstimator(JobDescription("etl", "ann", tuple([InputSplit((), split_bytes)] * maps), reduces))


def complete(
    estimator: ResourceEstimator, output_bytes: int, *, kind: int = MAP, role: str = "", input_bytes: int = 99
) -> None:
    task = TaskInProgress(job_of(cluster_of()), kind, 0, 1, role=role, input_bytes=input_bytes)
    report = TaskReport((1, kind, 0, 0), SUCCEEDED, 1.0, 1, 0, 1, output_bytes=output_bytes)
    estimator.task_completed(task, AttemptStatus(report, "t"))


def test_a_map_is_expected_to_write_twice_what_the_completed_ones_wrote() -> None:
    """By their bytes read, and one more for each map: 10 maps of 100 write 20 of 100 each, so 400 are expected."""
    estimator = estimator_of(10)
    assert (estimator.map_output_bytes(), estimator.reduce_input_bytes()) == (0, 0)

    complete(estimator, 20)

    assert (estimator.map_output_bytes(), estimator.reduce_input_bytes()) == (40, 200)


def test_the_estimate_follows_all_completed_maps() -> None:
    """3 maps of 100 read wrote 30, 40 and 50, so that 10 write 400, twice that is expected."""
    estimator = estimator_of(10)
    for output_bytes in (30, 40, 50):
        complete(estimator, output_bytes)

    assert (estimator.completed, estimator.input_bytes, estimator.output_bytes) == (3, 300, 120)
    assert estimator.map_output_bytes() == 80


@pytest.mark.parametrize(("maps", "threshold"), [(9, 0), (10, 1), (19, 1), (20, 2)])
def test_a_tenth_of_the_maps_has_to_complete(maps: int, threshold: int) -> None:
    estimator = estimator_of(maps)
    assert estimator.threshold == threshold

    for _ in range(threshold - 1):
        complete(estimator, 20)
        assert estimator.map_output_bytes() == 0
    complete(estimator, 20)
    assert estimator.map_output_bytes() == 40


def test_only_tasks_in_map_slots_that_say_what_they_wrote_are_learnt_from() -> None:
    estimator = estimator_of(10)
    complete(estimator, -1)
    complete(estimator, 5, kind=REDUCE)
    assert estimator.completed == 0

    complete(estimator, 0, role=SETUP, input_bytes=0)
    assert (estimator.completed, estimator.input_bytes, estimator.output_bytes) == (1, 1, 0)
