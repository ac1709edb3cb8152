"""Which attempts of a task must end, how they do, and when another one runs beside them."""

import pytest

from engine.model.mr1.task_in_progress import SETUP
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
)
from tests.engine.model.mr1.build import NOW_MS
from tests.engine.model.mr1.tasks import FIRST, SECOND, say, started, task_of


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
    ("failed", "state", "closes"), [(False, RUNNING, False), (True, RUNNING, True), (False, KILLED, True)]
)
def test_reported_attempts_end_with_their_task_or_job(failed: bool, state: str, closes: bool) -> None:
    task = started(state=state)
    task.is_failed = failed

    assert (task.should_close(SECOND), task.should_close(FIRST)) == (False, closes)


@pytest.mark.parametrize(
    ("state", "in_cleanup", "taken"),
    [
        (RUNNING, False, True),
        (COMMIT_PENDING, False, True),
        (FAILED_UNCLEAN, True, True),
        (KILLED_UNCLEAN, True, True),
        (FAILED_UNCLEAN, False, False),
        *((state, cleans, False) for state in (SUCCEEDED, FAILED, KILLED) for cleans in (False, True)),
    ],
)
def test_what_is_under_way_can_be_ended(state: str, in_cleanup: bool, taken: bool) -> None:
    task = task_of()
    say(task, FIRST, state, in_cleanup=in_cleanup)

    assert task.ask_to_kill(FIRST, counts=False) is taken
    assert not task.ask_to_kill(FIRST, counts=True)
    assert not task.ask_to_kill(SECOND, counts=True)
    assert task.to_kill == ({FIRST: True} if taken else {})


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


@pytest.mark.parametrize(("host", "tracker", "ran"), [("a", "x", True), ("b", "t", True), ("b", "x", False)])
def test_a_task_has_run_where_it_runs_or_has_failed(host: str, tracker: str, ran: bool) -> None:
    task = task_of()
    task.active = {FIRST: "t"}
    task.failed_hosts = {"a"}

    assert task.has_run_on(host, tracker) is ran


@pytest.mark.parametrize(
    ("progress", "average", "lags"),
    [(0.0, 0.2, True), (0.0, 0.19, False), (0.5, 0.75, True), (0.5, 0.6875, False), (0.75, 0.5, False)],
)
def test_a_task_lags_when_it_is_a_fifth_behind_the_average(progress: float, average: float, lags: bool) -> None:
    task = started()
    task.progress = progress

    assert task.may_be_speculated(NOW_MS + 60_000, average) is lags


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
