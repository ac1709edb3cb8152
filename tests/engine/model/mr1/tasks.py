"""A task of a job, with no cluster behind it."""

from typing import Any

from engine.model.mr1.task_in_progress import TaskInProgress
from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    RUNNING,
    SUCCEEDED,
    AttemptId,
    AttemptStatus,
    TaskReport,
)
from tests.engine.model.mr1.build import cluster_of, job_of

FIRST: AttemptId = (1, MAP, 7, 0)
TRACKER = "tracker_a:1"
EVERY_STATE = (RUNNING, SUCCEEDED, FAILED, KILLED, COMMIT_PENDING, FAILED_UNCLEAN, KILLED_UNCLEAN)


def task_of(
    kind: int = MAP, *, role: str = "", state: str = RUNNING, attempts: tuple[int, int] = (4, 4)
) -> TaskInProgress:
    """Task 7 of a job in a state."""
    job = job_of(cluster_of(), settings={"max_attempts": attempts})
    job.state = state
    return TaskInProgress(job, kind, 7, 2, role=role, hosts=["a", "b"], input_bytes=5)


def say(task: TaskInProgress, attempt: AttemptId, state: str, progress: float = 0.0, **more: Any) -> bool:
    """Report an attempt from a tracker on host `a`; whether its state changed."""
    report = TaskReport(attempt, state, progress, 2, 100, **more)
    return task.update_status(AttemptStatus(report, TRACKER))


def started(kind: int = MAP, **more: Any) -> TaskInProgress:
    """A task with one attempt that was reported as running."""
    task = task_of(kind, **more)
    task.launch(TRACKER)
    say(task, (1, kind, 7, 0), RUNNING)
    return task
