"""A task and its attempts: which may be launched, what their reports count, and how far it is."""

import pytest

from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    RUNNING,
    SUCCEEDED,
)
from tests.engine.model.mr1.tasks import EVERY_STATE, FIRST, say, task_of


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
