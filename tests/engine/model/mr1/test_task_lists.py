"""The lists in which a job looks for its next task, against their plain definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.mr1.task_in_progress import TaskInProgress
from engine.model.mr1.task_search import IdleTasks, RunningTasks
from engine.model.mr1.tracker import MAP
from tests.engine.model.mr1.build import NOW_MS, cluster_of, job_of

HOSTS = "ab"
LATER_MS = NOW_MS + 60_000
"""When a task may lag."""


def tasks_of(count: int) -> list[TaskInProgress]:
    return job_of(cluster_of(), count).tasks[MAP]


def busy(task: TaskInProgress, tracker: str = "t") -> TaskInProgress:
    task.launch(tracker)
    return task


def test_a_task_is_appended_unless_it_is_the_last_already() -> None:
    idle = IdleTasks([1])
    for number in (1, 2, 2, 1):
        idle.append(number)

    assert list(idle.numbers) == [1, 2, 1]
    assert (bool(idle), bool(IdleTasks())) == (True, False)


def test_the_first_task_is_appended() -> None:
    idle = IdleTasks()
    idle.append(0)

    assert list(idle.numbers) == [0]


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
