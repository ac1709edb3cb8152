"""Builds what a heartbeat's answer holds beside the scheduler's tasks: chores first, kills, tasks to commit.

Source: JobTracker#getSetupAndCleanupTasks, #getTasksToKill, #getTasksToSave, Hadoop 1.2.1.
"""

from itertools import product

from engine.model.mr1.attempt import COMMIT_PENDING, MAP, REDUCE, AttemptId, Launch
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job_in_progress import JobInProgress
from engine.model.mr1.task_tracker import TaskTracker, TrackerReport

CHORES = (JobInProgress.obtain_cleanup, JobInProgress.obtain_task_cleanup, JobInProgress.obtain_setup)
"""In their order; each is looked for in all jobs before the next."""


def setup_or_cleanup(cluster: MapReduceCluster, tracker: TaskTracker) -> Launch | None:
    """The one setup or cleanup task that goes before all others; a map slot is tried before a reduce slot."""
    live = list(cluster.live.values())
    kinds = [kind for kind in (MAP, REDUCE) if tracker.free(kind) > 0]
    for kind, obtain, job in product(kinds, CHORES, live):
        launch = obtain(job, tracker, kind)
        if launch is not None:
            return launch
    return None


def kills(cluster: MapReduceCluster, tracker: TaskTracker) -> tuple[AttemptId, ...]:
    """Attempts of a tracker that are to end."""
    attempts = cluster.attempts
    return tuple(
        attempt
        for attempt in attempts.of_tracker(tracker.name)
        if (task := attempts.tasks.get(attempt)) is not None and task.should_close(attempt) and not task.job.is_ended
    )


def commits(cluster: MapReduceCluster, report: TrackerReport) -> tuple[AttemptId, ...]:
    """Attempts of a tracker that may commit."""
    tasks = cluster.attempts.tasks
    return tuple(
        each.attempt
        for each in report.attempts
        if each.state == COMMIT_PENDING
        and (task := tasks.get(each.attempt)) is not None
        and task.should_commit(each.attempt)
    )
