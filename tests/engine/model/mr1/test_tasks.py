"""Which attempts of a task must end, how they do, and when another one runs beside them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_values import float32
from engine.model.mr1.attempt_reports import attempt_lost, fetch_failed
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import SETUP, InputSplit, TaskInProgress
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, NON_LOCAL, RACK_LEVEL, IdleTasks, RunningTasks
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
    TaskReport,
)
from tests.engine.model.mr1.build import (
    EVERY_STATE,
    FIRST,
    NOW_MS,
    cluster_of,
    job_of,
    map_on,
    on,
    reduce_on,
    running_job,
    started,
    task_of,
)
from tests.engine.model.mr1.build import say as report_say
from tests.engine.model.mr1.build import say as search_say
from tests.engine.model.mr1.build import task_say as say


@pytest.mark.parametrize(
    ("kind", "role", "expected"),
    [(MAP, "", [False, True]), (REDUCE, "", [True, True]), (MAP, SETUP, [True, True])],
)
def test_attempts_of_a_complete_task_are_ended(kind: int, role: str, expected: list[bool]) -> None:
    """All but the one that a map succeeded by, whose output is still read."""
    task = started(kind, role=role)
    first, second = (1, kind, 7, 0), (1, kind, 7, 1)
    say(task, second, RUNNING)
    task.complete(first)

    assert [task.should_close(first), task.should_close(second)] == expected
    assert [task.should_close(first), task.should_close(second)] == [False, False]


@pytest.mark.parametrize(
    ("counts", "state", "after"),
    [
        (True, FAILED, FAILED),
        (True, KILLED, FAILED),
        (True, KILLED_UNCLEAN, FAILED_UNCLEAN),
        (False, FAILED, KILLED),
        (False, KILLED, KILLED),
        (False, FAILED_UNCLEAN, KILLED_UNCLEAN),
        (None, FAILED, FAILED),
        (None, KILLED, KILLED),
        (None, FAILED_UNCLEAN, FAILED_UNCLEAN),
        (None, KILLED_UNCLEAN, KILLED_UNCLEAN),
        (None, RUNNING, FAILED),
        (None, SUCCEEDED, FAILED),
    ],
)
def test_an_attempt_ends_as_it_was_asked_to(counts: bool | None, state: str, after: str) -> None:
    """Whoever wanted it ended said whether it counts; clean or not is its own; all else is a failure."""
    task = started()
    if counts is not None:
        task.to_kill[FIRST] = counts
    task.statuses[FIRST].state = state

    task.attempt_ended_badly(FIRST)

    assert (task.statuses[FIRST].state, task.to_kill, task.active) == (after, {}, {})
    assert (task.failures, task.killed_attempts) == (int(after == FAILED), int(after == KILLED))
    assert task.failed_hosts == ({"a"} if after == FAILED else set())


@pytest.mark.parametrize(
    ("kind", "role", "state", "lost", "complete"),
    [
        (MAP, "", RUNNING, 0, False),
        (MAP, "", RUNNING, 1, True),
        (MAP, "", SUCCEEDED, 0, True),
        (REDUCE, "", RUNNING, 0, True),
        (MAP, SETUP, RUNNING, 0, True),
    ],
)
def test_a_map_whose_output_is_lost_is_complete_no_more(
    kind: int, role: str, state: str, lost: int, complete: bool
) -> None:
    """Only a map of a job that has not succeeded, and only by the loss of the attempt it succeeded by."""
    task = started(kind, role=role)
    task.complete((1, kind, 7, 0))
    task.job.state = state

    task.attempt_ended_badly((1, kind, 7, lost))

    assert task.is_complete is complete
    assert task.successful == ((1, kind, 7, 0) if complete else None)


@pytest.mark.parametrize(
    ("age_ms", "attempts", "state", "complete", "lags"),
    [
        (60_000, 1, RUNNING, False, True),
        (59_999, 1, RUNNING, False, False),
        (60_000, 2, RUNNING, False, False),
        (60_000, 1, COMMIT_PENDING, False, False),
        (60_000, 1, RUNNING, True, False),
    ],
)
def test_a_task_of_a_minute_gets_one_attempt_more(
    age_ms: int, attempts: int, state: str, complete: bool, lags: bool
) -> None:
    task = task_of()
    task.active = {(1, MAP, 7, number): "t" for number in range(attempts)}
    say(task, FIRST, state)
    task.is_complete = complete

    assert task.may_be_speculated(NOW_MS + age_ms, 0.5) is lags


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


@pytest.mark.parametrize(
    ("reports", "progress"),
    [
        ([(RUNNING, 0.25)], 0.25),
        ([(RUNNING, 0.5), (RUNNING, 0.25)], 0.5),
        ([(RUNNING, 0.25), (RUNNING, 0.5)], 0.5),
        ([(FAILED, 0.9), (RUNNING, 0.25)], 0.25),
        ([(FAILED, 0.9)], 0.0),
        ([(SUCCEEDED, 0.0), (RUNNING, 0.5)], 1.0),
        ([(RUNNING, 0.5), (COMMIT_PENDING, 0.75)], 0.5),
        ([(COMMIT_PENDING, 0.75), (RUNNING, 0.25)], 0.25),
    ],
)
def test_progress_is_that_of_the_best_attempt_that_runs(reports: list[tuple[str, float]], progress: float) -> None:
    """A successful one is all of it; with one that waits to commit it is what it was before."""
    task = task_of()

    for number, (state, share) in enumerate(reports):
        say(task, (1, MAP, 7, number), state, share)

    assert task.progress == progress


# The lists in which a job looks for its next task, against their plain definition.

HOSTS = "ab"
LATER_MS = NOW_MS + 60_000
"""When a task may lag."""


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


@pytest.mark.parametrize(("drops", "left"), [(False, ["fast", "here", "lags", "later"]), (True, ["fast", "later"])])
def test_the_first_task_that_lags_gets_another_attempt_elsewhere(drops: bool, left: list[str]) -> None:
    """Those that ended leave the list; on the host itself those leave, too, that lag or cannot run here."""
    names = ["fast", "done", "stopped", "here", "lags", "later"]
    tasks = tasks_of(len(names))
    for task, name in zip(tasks, names, strict=True):
        if name != "stopped":
            busy(task, "here" if name == "here" else "t")
        task.progress = 0.5 if name == "fast" else 0.0
        task.is_complete = name == "done"
    running = RunningTasks()
    running.numbers = dict.fromkeys(range(len(names)))

    found = running.lagging(tasks, ("a", "here"), 0.5, LATER_MS, drops=drops)

    assert found is tasks[4]
    assert [names[number] for number in running.numbers] == left


@pytest.mark.parametrize(("drops", "left"), [(False, [0, 1]), (True, [0])])
def test_a_task_that_is_fast_but_failed_here_leaves_the_hosts_list(drops: bool, left: list[int]) -> None:
    tasks = [busy(task) for task in tasks_of(2)]
    tasks[1].failed_hosts = {"a"}
    running = RunningTasks()
    running.numbers = {0: None, 1: None}

    assert running.lagging(tasks, ("a", "x"), 0.1, LATER_MS, drops=drops) is None
    assert list(running.numbers) == left


# A tracker as its last heartbeat described it, its reservations, and the racks of hosts.


def running(kind: int, task: int, slots: int, state: str = RUNNING, *, in_cleanup: bool = False) -> TaskReport:
    return TaskReport((1, kind, task, 0), state, 0.0, slots, 0, in_cleanup=in_cleanup)


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


def test_the_second_attempt_to_succeed_is_killed() -> None:
    """It is finished once; the speculative attempt is none any more when the first has succeeded."""
    job = job_on("a", "b", maps=1, speculates=(True, True))
    first = map_on(job, on(job.cluster, "a"))
    job.cluster.now_ms += 60_000
    job.progress[MAP] = 0.5
    second = map_on(job, on(job.cluster, "b"))
    assert (job.running, job.speculative) == ([2, 0], [1, 0])

    report_say(job, second, on(job.cluster, "b"), SUCCEEDED)
    assert (job.running, job.speculative, job.finished) == ([1, 0], [0, 0], [1, 0])

    report_say(job, first, on(job.cluster, "a"), SUCCEEDED)
    assert job.tasks[MAP][0].statuses[first].state == KILLED
    assert (job.running, job.finished, job.failed_attempts) == ([0, 0], [1, 0], [1, 0])
    assert job.tasks[MAP][0].successful == second


def test_an_attempt_that_somebody_wants_ended_cannot_succeed() -> None:
    job = job_on("a", maps=1)
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt = map_on(job, tracker)
    task.ask_to_kill(attempt, counts=False)

    report_say(job, attempt, tracker, SUCCEEDED)

    assert (task.statuses[attempt].state, task.is_complete, task.killed_attempts) == (KILLED, False, 1)
    assert (job.running, job.finished, job.failed_attempts) == ([0, 0], [0, 0], [1, 0])
    assert map_on(job, tracker) == (1, MAP, 0, 1)


@pytest.mark.parametrize(("state", "failures", "killed"), [(FAILED, 1, 0), (KILLED, 0, 1)])
def test_an_attempt_that_ended_badly_is_followed_by_another(state: str, failures: int, killed: int) -> None:
    job = job_on("a", "b")
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt = map_on(job, tracker)

    report_say(job, attempt, tracker, state, start_ms=100, finish_ms=150)

    assert (job.running, job.finished, job.failed_attempts, job.failed_tasks) == ([0, 0], [0, 0], [1, 0], [0, 0])
    assert (job.slot_ms, job.tracker_failures) == ([50, 0], {"a": 1} if failures else {})
    assert (task.failures, task.killed_attempts, task.is_failed) == (failures, killed, False)
    assert job.cluster.attempts.marked[tracker.name][attempt] is None
    assert list(job.search.failed_maps.numbers) == [0]
    assert job.search.running_tasks(MAP) == []
    assert map_on(job, on(job.cluster, "b")) == (1, MAP, 0, 1)


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
    search_say(job, attempt, far, FAILED)

    assert maps_for(job, "c", HOST_LEVEL) == []
    assert maps_for(job, "a", HOST_LEVEL) == [0, 2, 4]


@pytest.mark.parametrize(("available", "numbers"), [(80, [1, 2]), (79, [])])
def test_a_tracker_needs_room_for_what_a_map_may_write(available: int, numbers: list[int]) -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, [InputSplit((), 9)] * 3)
    tracker = on(cluster, "a")
    search_say(job, map_on(job, tracker), tracker, SUCCEEDED, output_bytes=40)
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
