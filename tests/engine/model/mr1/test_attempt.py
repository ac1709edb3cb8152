"""What a tracker says of an attempt, and what the JobTracker keeps of it."""

import pytest

from engine.model.mr1.attempt import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    RUNNING,
    SUCCEEDED,
    AttemptStatus,
    TaskReport,
)

ATTEMPT = (1, 0, 2, 3)
ENDED = (SUCCEEDED, FAILED, KILLED, COMMIT_PENDING)
UNCLEAN_STATES = (FAILED_UNCLEAN, KILLED_UNCLEAN)


def status_of(state: str, *, in_cleanup: bool = False, finish_ms: int = 0) -> AttemptStatus:
    """What is kept of a report from tracker `t`."""
    report = TaskReport(ATTEMPT, state, 0.5, 2, 100, finish_ms, in_cleanup, 9)
    return AttemptStatus(report, "t")


@pytest.mark.parametrize(
    ("state", "in_cleanup", "occupies"),
    [
        (RUNNING, False, True),
        (RUNNING, True, True),
        *((state, False, False) for state in UNCLEAN_STATES),
        *((state, True, True) for state in UNCLEAN_STATES),
        *((state, in_cleanup, False) for state in ENDED for in_cleanup in (False, True)),
    ],
)
def test_an_attempt_occupies_slots_while_it_runs_or_cleans_up(state: str, in_cleanup: bool, occupies: bool) -> None:
    """One that waits to commit does not."""
    assert TaskReport(ATTEMPT, state, 0.0, 1, 0, in_cleanup=in_cleanup).occupies_slots is occupies
    assert status_of(state, in_cleanup=in_cleanup).is_cleaning is (occupies and state != RUNNING)


def test_the_first_report_is_kept_whole() -> None:
    """Together with the tracker it came from."""
    status = status_of(RUNNING, in_cleanup=True, finish_ms=7)

    kept = (status.attempt, status.tracker, status.state, status.progress, status.in_cleanup)
    assert kept == (ATTEMPT, "t", RUNNING, 0.5, True)
    assert (status.start_ms, status.finish_ms, status.output_bytes) == (100, 7, 9)


@pytest.mark.parametrize(("finish_ms", "kept"), [(0, 50), (1, 1)])
def test_a_cleanup_attempts_report_leaves_start_and_tracker(finish_ms: int, kept: int) -> None:
    """State, progress and cleanup are its own; its end, too, when it says one."""
    status = status_of(FAILED_UNCLEAN, finish_ms=50)
    later = AttemptStatus(TaskReport(ATTEMPT, FAILED, 1.0, 1, 400, finish_ms, True, 20), "other")

    status.update(later)

    assert (status.state, status.progress, status.in_cleanup, status.finish_ms) == (FAILED, 1.0, True, kept)
    assert (status.start_ms, status.tracker, status.output_bytes) == (100, "t", 9)
