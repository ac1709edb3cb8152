"""Which attempts of a task must end, how they do, and when another one runs beside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.mr1.task_in_progress import SETUP, TaskInProgress
from engine.model.mr1.task_search import IdleTasks, RunningTasks
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
from tests.engine.model.mr1.build import NOW_MS, cluster_of, job_of
from tests.engine.model.mr1.tasks import EVERY_STATE, FIRST, say, started, task_of


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
