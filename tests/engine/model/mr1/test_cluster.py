"""The whole of a MapReduce 1 cluster: totals of trackers, the rhythm of heartbeats, and the end of a job."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.model.java_values import float32
from engine.model.mr1.cluster import MINUTE_MS, FaultyTrackers
from engine.model.mr1.job_description import InputSplit, JobDescription
from engine.model.mr1.task_in_progress import SETUP, TaskInProgress
from engine.model.mr1.task_search import ResourceEstimator
from engine.model.mr1.tracker import (
    MAP,
    REDUCE,
    RUNNING,
    SUCCEEDED,
    AttemptStatus,
    TaskReport,
    TrackerReport,
)
from tests.engine.model.mr1.test_job_end import (
    LIMITS,
    cluster_of,
    job_of,
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


def test_only_tasks_in_map_slots_that_say_what_they_wrote_are_learnt_from() -> None:
    estimator = estimator_of(10)
    complete(estimator, -1)
    complete(estimator, 5, kind=REDUCE)
    assert estimator.completed == 0

    complete(estimator, 0, role=SETUP, input_bytes=0)
    assert (estimator.completed, estimator.input_bytes, estimator.output_bytes) == (1, 1, 0)
