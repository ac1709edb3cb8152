"""Which attempts of a task must end, how they do, and when another one runs beside them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.model.java_values import float32
from engine.model.mr1.attempt_reports import attempt_lost, fetch_failed
from engine.model.mr1.cluster import MINUTE_MS, MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import SETUP, InputSplit, JobDescription, TaskInProgress
from engine.model.mr1.task_search import ANY_LEVEL, IdleTasks, ResourceEstimator
from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
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
from tests.engine.model.mr1.test_job_end import (
    EVERY_STATE,
    FIRST,
    LIMITS,
    cluster_of,
    job_of,
    map_on,
    on,
    reduce_on,
    running_job,
    task_of,
)
from tests.engine.model.mr1.test_job_end import say as report_say
from tests.engine.model.mr1.test_job_end import say as search_say
from tests.engine.model.mr1.test_job_end import task_say as say

# A task and its attempts: which may be launched, what their reports count, and how far it is.


@pytest.mark.parametrize("old", EVERY_STATE)
@pytest.mark.parametrize("new", EVERY_STATE)
def test_a_report_counts_unless_it_is_stale(old: str, new: str) -> None:
    """What has ended or waits to commit runs no more; nobody comes back from failed or killed, and is to be ended.

    The same state counts again for running, waiting and unclean ones only, and is no change.
    """
    task = task_of()
    say(task, FIRST, old, 0.25)

    changed = say(task, FIRST, new, 0.5)

    repeats = old == new and new not in (RUNNING, COMMIT_PENDING, FAILED_UNCLEAN, KILLED_UNCLEAN)
    returns = new == RUNNING and old != RUNNING
    over = old in (FAILED, KILLED)
    is_stale = repeats or returns or over
    assert changed is (not is_stale and old != new)
    assert task.statuses[FIRST].progress == (0.25 if is_stale else 0.5)
    assert task.to_kill == ({FIRST: True} if over and not repeats and not returns else {})


# The lists in which a job looks for its next task, against their plain definition.

HOSTS = "ab"


def tasks_of(count: int) -> list[TaskInProgress]:
    return job_of(cluster_of(), count).tasks[MAP]


def busy(task: TaskInProgress, tracker: str = "t") -> TaskInProgress:
    task.launch(tracker)
    return task


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.lists(st.integers(0, 5), max_size=10))
def test_failed_tasks_stand_by_failures_then_by_number(failures: list[int], numbers: list[int]) -> None:
    tasks = tasks_of(len(failures))
    for task, count in zip(tasks, failures, strict=True):
        task.failures = count
    idle = IdleTasks()
    there = [number % len(tasks) for number in numbers]

    for number in there:
        idle.add_failed(tasks, number)

    assert list(idle.numbers) == sorted(set(there), key=lambda number: (-failures[number], number))


CONDITION = st.tuples(st.sampled_from(("idle", "busy", "complete", "failed")), st.sampled_from(("", "a", "b", "ab")))
"""(what a task does, hosts it failed on)"""


def conditioned(conditions: list[tuple[str, str]]) -> list[TaskInProgress]:
    tasks = tasks_of(len(conditions))
    for task, (doing, failed_on) in zip(tasks, conditions, strict=True):
        task.failed_hosts = set(failed_on)
        task.is_complete, task.is_failed = doing == "complete", doing == "failed"
        if doing == "busy":
            busy(task)
    return tasks


@given(st.lists(CONDITION, min_size=1, max_size=6), st.booleans())
def test_the_first_task_that_may_run_on_a_host_is_taken_out(conditions: list[tuple[str, str]], drops: bool) -> None:
    """Those before it that run or are done leave, those that failed here wait, unless they failed on both hosts."""
    tasks = conditioned(conditions)
    idle = IdleTasks(range(len(tasks)))

    def may_run(number: int) -> bool:
        return conditions[number][0] == "idle" and (conditions[number][1] in ("", "b", "ab"))

    found = next((number for number in range(len(tasks)) if may_run(number)), len(tasks))
    waits = [number for number in range(found) if conditions[number] == ("idle", "a") and not drops]
    task = idle.take(tasks, "a", len(HOSTS), drops_failed_here=drops)

    assert (None if task is None else task.number) == (found if found < len(tasks) else None)
    assert list(idle.numbers) == [*waits, *range(found + 1, len(tasks))]


# What the reports of attempts change in a job: completions, failures, lost outputs.


def job_on(*hosts: str, maps: int = 2, reduces: int = 2, **options: Any) -> JobInProgress:
    """A job that runs on a cluster of these hosts."""
    return running_job(cluster_of(*hosts, slots=(9, 9)), maps, reduces, **options)


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1, width=32)), max_size=8))
def test_a_jobs_progress_is_the_sum_of_what_its_maps_gained(reports: list[tuple[int, float]]) -> None:
    """Each gain is a part of the whole, added as a float32 and kept between none and all."""
    job = job_on("a", maps=3)
    tracker = on(job.cluster, "a")
    attempts = [map_on(job, tracker) for _ in range(3)]
    shares, expected = [0.0] * 3, 0.0
    for number, share in reports:
        report_say(job, attempts[number], tracker, RUNNING, progress=share)
        expected = float32(min(1.0, max(0.0, float32(expected + (share - shares[number]) / 3))))
        shares[number] = share

        assert job.progress == [expected, 0.0]


@pytest.mark.parametrize("slot", ["is_failing", "is_killed", "state"])
@pytest.mark.parametrize(("unclean", "clean"), [(FAILED_UNCLEAN, FAILED), (KILLED_UNCLEAN, KILLED)])
def test_a_job_that_is_being_ended_cleans_up_after_nobody(slot: str, unclean: str, clean: str) -> None:
    """What was left unclean counts as clean, but for a cleanup attempt's own word."""
    job = job_on("a")
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt, other = map_on(job, tracker), map_on(job, tracker)
    setattr(job, slot, KILLED if slot == "state" else True)
    job.tasks[MAP][1].cleanup_attempts[other] = tracker.name

    report_say(job, attempt, tracker, unclean)
    report_say(job, other, tracker, unclean, in_cleanup=True)

    assert (task.statuses[attempt].state, job.tasks[MAP][1].statuses[other].state) == (clean, unclean)
    assert (job.cleanup_waiting[MAP], task.active) == ([other], {})


def test_a_map_whose_output_is_lost_runs_again() -> None:
    """It is finished no longer; what it took stays metered; its progress is gone when the next attempt reports."""
    job = job_on("a", "b")
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt = map_on(job, tracker)
    report_say(job, attempt, tracker, SUCCEEDED, start_ms=100, finish_ms=150)

    attempt_lost(job, task, attempt, KILLED, tracker)

    assert (task.is_complete, task.statuses[attempt].state, task.killed_attempts) == (False, KILLED, 1)
    assert (job.running, job.finished, job.failed_attempts) == ([0, 0], [0, 0], [1, 0])
    assert (job.slot_ms, job.progress) == ([50, 0], [0.5, 0.0])
    assert map_on(job, on(job.cluster, "b")) == (1, MAP, 0, 1)
    assert job.progress == [0.0, 0.0]


def fetching(reduces: int) -> JobInProgress:
    """A job whose first map has succeeded, and so many of whose reduces run."""
    job = job_on("a", "b", maps=2, reduces=9)
    tracker = on(job.cluster, "a")
    report_say(job, map_on(job, tracker), tracker, SUCCEEDED)
    for _ in range(reduces):
        reduce_on(job, on(job.cluster, "b"))
    return job


@pytest.mark.parametrize(
    ("reduces", "told", "fails"),
    [(6, 2, False), (6, 3, True), (7, 3, False), (7, 4, True), (1, 2, False), (0, 3, True)],
)
def test_a_map_fails_when_enough_reduces_cannot_fetch_its_output(reduces: int, told: int, fails: bool) -> None:
    """At the third time, if that is half of the reduces that run; then it is counted anew."""
    job = fetching(reduces)
    task, attempt = job.tasks[MAP][0], (1, MAP, 0, 0)

    for _ in range(told):
        fetch_failed(job, task, attempt)

    assert task.is_complete is not fails
    assert job.fetch_failures == ({} if fails else {attempt: told})
    assert (job.finished[MAP], job.tracker_failures) == ((0, {"a": 1}) if fails else (1, {}))


# Which map or reduce a tracker gets: failed ones, then near ones, then far ones, then those that lag.


def maps_for(job: JobInProgress, host: str, level: int = ANY_LEVEL) -> list[int]:
    """The numbers of all maps that the tracker on a host gets at a level, in order."""
    tracker = on(job.cluster, host)
    return [launch.attempt[2] for launch in iter(lambda: job.obtain_map(tracker, level), None)]


@pytest.mark.parametrize(("available", "numbers"), [(80, [1, 2]), (79, [])])
def test_a_tracker_needs_room_for_what_a_map_may_write(available: int, numbers: list[int]) -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, [InputSplit((), 9)] * 3)
    tracker = on(cluster, "a")
    search_say(job, map_on(job, tracker), tracker, SUCCEEDED, output_bytes=40)
    tracker.available_bytes = available

    assert maps_for(job, "a") == numbers


# The whole of a MapReduce 1 cluster: totals of trackers, the rhythm of heartbeats, and the end of a job.


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


def test_a_host_leaves_the_gray_list_when_its_faults_are_old() -> None:
    cluster = MapReduceCluster({}, replace(LIMITS, blacklists=2), {})
    for number, host in enumerate("aabbcc"):
        cluster.update_tracker(TrackerReport(f"tracker_{host}{number}", host, (2, 2)))
    faulty = cluster.faulty
    faulty.add_fault("a")
    faulty.add_fault("a")

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
