"""The whole of a MapReduce 1 cluster: totals of trackers, the rhythm of heartbeats, and the end of a job."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_values import float32
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.tracker import FAILED, MAP, REDUCE, RUNNING, SUCCEEDED, TaskReport, TrackerReport
from tests.engine.model.mr1.build import (
    NOW_MS,
    cluster_of,
    running_job,
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
