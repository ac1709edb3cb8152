"""A task and its attempts: which may be launched, what their reports count, and how far it is."""

import pytest

from engine.model.mr1.attempt import (
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
    Launch,
    TaskReport,
)
from engine.model.mr1.task_in_progress import CLEANUP, SETUP
from tests.engine.model.mr1.build import NOW_MS
from tests.engine.model.mr1.tasks import EVERY_STATE, FIRST, TRACKER, say, started, task_of


def test_a_task_begins_without_attempts() -> None:
    """It may make as many as its job allows tasks of its kind."""
    task = task_of(REDUCE, attempts=(2, 3))

    assert (task.kind, task.number, task.slots, task.role) == (REDUCE, 7, 2, "")
    assert (task.hosts, task.input_bytes, task.created_ms, task.max_attempts) == (("a", "b"), 5, NOW_MS, 3)
    assert (task.progress, task.is_runnable, task.is_running()) == (0.0, True, False)
    assert task_of(MAP, attempts=(2, 3)).max_attempts == 2


@pytest.mark.parametrize(
    ("kind", "role", "is_user_map"), [(MAP, "", True), (REDUCE, "", False), (MAP, SETUP, False), (MAP, CLEANUP, False)]
)
def test_a_map_of_the_jobs_own_is_no_setup_or_cleanup(kind: int, role: str, is_user_map: bool) -> None:
    """Though these take map slots."""
    assert task_of(kind, role=role).is_user_map is is_user_map


def test_attempts_are_numbered_and_bounded() -> None:
    """One more than may fail, and one for each that was killed."""
    task = task_of(attempts=(2, 4))

    launched = [task.launch(f"t{number}") for number in range(4)]
    assert launched == [(1, MAP, 7, 0), (1, MAP, 7, 1), (1, MAP, 7, 2), None]
    assert task.active == {(1, MAP, 7, number): f"t{number}" for number in range(3)}
    assert task.attempts == set(task.active)

    say(task, FIRST, KILLED)
    task.attempt_ended_badly(FIRST)
    assert task.launch("t") == (1, MAP, 7, 3)
    assert task.launch("t") is None


def test_a_cleanup_attempt_has_the_name_of_the_one_it_follows() -> None:
    """It takes one slot, and runs."""
    task = task_of()

    assert task.launch_cleanup(FIRST, "t") == Launch(FIRST, 1, is_cleanup=True)
    assert (task.cleanup_attempts, task.active, task.attempts) == ({FIRST: "t"}, {FIRST: "t"}, {FIRST})


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


def test_the_first_report_of_an_attempt_is_a_change() -> None:
    """Also one that says it runs."""
    assert say(task_of(), FIRST, RUNNING)


def test_a_cleanup_attempts_report_goes_into_the_status_of_its_attempt() -> None:
    """Start and tracker stay those of the attempt."""
    task = started()
    say(task, FIRST, FAILED_UNCLEAN, finish_ms=300)
    task.launch_cleanup(FIRST, "other")

    later = AttemptStatus(TaskReport(FIRST, FAILED, 1.0, 1, 400, 500, True), "other")

    assert task.update_status(later)
    status = task.statuses[FIRST]
    assert (status.state, status.tracker, status.start_ms, status.finish_ms) == (FAILED, TRACKER, 100, 500)


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


def test_a_failed_task_has_no_progress_and_a_complete_one_all() -> None:
    """Whatever its attempts say."""
    task = started()
    say(task, FIRST, RUNNING, 0.5)
    task.kill()
    assert (task.is_failed, task.is_runnable, task.progress) == (True, False, 0.0)

    task = started()
    task.complete(FIRST)
    task.kill()
    assert (task.is_failed, task.is_complete, task.is_runnable, task.progress) == (False, True, False, 1.0)
    assert (task.successful, task.statuses[FIRST].state, task.active) == (FIRST, SUCCEEDED, {})
