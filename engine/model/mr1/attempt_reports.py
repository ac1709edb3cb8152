"""Applies the reports of attempts to a job: completions, failures, the job's own states and its end.

Source: JobInProgress#updateTaskStatus, #completedTask, #failedTask, #terminate, #garbageCollect, Hadoop 1.2.1.
"""

from typing import Final

from engine.model.java_values import float32
from engine.model.mr1.job import PREP, JobInProgress
from engine.model.mr1.task_in_progress import CLEANUP, SETUP, TaskInProgress
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
    UNCLEAN,
    AttemptId,
    AttemptStatus,
    TaskReport,
    TaskTracker,
    host_of,
)

MAX_FETCH_FAILURES: Final = 3
MAX_FETCH_FAILURE_SHARE: Final = 0.5
"""Source: JobInProgress.MAX_FETCH_FAILURES_NOTIFICATIONS, .MAX_ALLOWED_FETCH_FAILURES_PERCENT."""

_CLEAN: Final = {FAILED_UNCLEAN: FAILED, KILLED_UNCLEAN: KILLED}


def take_report(job: JobInProgress, task: TaskInProgress, report: TaskReport, tracker: str) -> None:
    before = task.progress
    if task.goes_on(report):
        _advance(job, task, before)
    else:
        update_status(job, task, AttemptStatus(report, tracker))


def update_status(job: JobInProgress, task: TaskInProgress, status: AttemptStatus) -> None:
    """Apply what is known anew of an attempt. Source: JobInProgress#updateTaskStatus.

    `status` may be the object that the task holds already: then nothing counts as changed, as in Hadoop.
    """
    before = task.progress
    was_complete, had_pending = task.is_complete, task.has_commit_pending()
    was_running, attempt_ran = bool(task.active), status.attempt in task.active
    attempt = status.attempt
    if (was_complete or attempt in task.to_kill) and status.state == SUCCEEDED:
        status.state = KILLED
    if (job.is_ended or job.is_failing or job.is_killed) and attempt not in task.cleanup_attempts:
        status.state = _CLEAN.get(status.state, status.state)
    if task.update_status(status):
        if status.state == COMMIT_PENDING:
            if not was_complete and not had_pending:
                task.to_commit = attempt
            return
        if status.state in UNCLEAN:
            task.attempt_ended_badly(attempt)
            job.cleanup_waiting[task.kind].append(attempt)
            job.cluster.attempts.remove(attempt)
        elif status.state in (FAILED, KILLED):
            _attempt_failed(job, task, status, was_running, was_complete, attempt_ran)
        elif status.state == SUCCEEDED:
            _attempt_succeeded(job, task, status)
    _advance(job, task, before)


def _advance(job: JobInProgress, task: TaskInProgress, before: float) -> None:
    """Count what a task has come on since its progress was so much `before`."""
    if not task.role:
        share = (task.progress - before) / len(job.tasks[task.kind])
        job.progress[task.kind] = float32(min(1.0, max(0.0, float32(job.progress[task.kind] + share))))


def attempt_lost(
    job: JobInProgress, task: TaskInProgress, attempt: AttemptId, state: str, tracker: TaskTracker
) -> None:
    """An attempt ended because its tracker is gone, or could not be launched. Source: the public #failedTask."""
    old = task.statuses.get(attempt)
    now_ms = job.cluster.now_ms
    report = TaskReport(attempt, state, 0.0, task.slots, now_ms if old is None else old.start_ms, now_ms)
    update_status(job, task, AttemptStatus(report, tracker.name))


def fetch_failed(job: JobInProgress, task: TaskInProgress, attempt: AttemptId) -> None:
    """A reduce did not get a map's output: the third time the map fails, if half of the reduces say so."""
    failures = job.fetch_failures[attempt] = job.fetch_failures.get(attempt, 0) + 1
    tracker = job.cluster.trackers.get(job.cluster.attempts.trackers.get(attempt, ""))
    is_faulty = failures >= MAX_FETCH_FAILURE_SHARE * job.running[REDUCE]
    if failures >= MAX_FETCH_FAILURES and is_faulty and tracker is not None:
        del job.fetch_failures[attempt]
        attempt_lost(job, task, attempt, FAILED, tracker)


def _meter(job: JobInProgress, task: TaskInProgress, status: AttemptStatus) -> None:
    """Count slot time; a failed attempt counts with its cleanup attempt's own time only. Source: #meterTaskAttempt."""
    job.slot_ms[task.kind] += task.slots * (status.finish_ms - status.start_ms)


def _attempt_succeeded(job: JobInProgress, task: TaskInProgress, status: AttemptStatus) -> None:
    """Source: #completedTask; a task is complete once, for `update_status` has others killed."""
    attempt = status.attempt
    attempts_before = len(task.active)
    _meter(job, task, status)
    task.complete(attempt)
    job.estimator.task_completed(task, status)
    if task.role == SETUP:
        job.setup[REDUCE - task.kind].kill()
        if job.state == PREP:
            job.state = RUNNING
    elif task.role == CLEANUP:
        job.cleanup[REDUCE - task.kind].kill()
        if job.is_failing:
            _end(job, FAILED)
        _end(job, KILLED if job.is_killed else SUCCEEDED)
        job.cluster.attempts.mark(status.tracker, attempt)
    else:
        _task_completed(job, task, attempts_before)


def _task_completed(job: JobInProgress, task: TaskInProgress, attempts_before: int) -> None:
    kind = task.kind
    job.running[kind] -= 1
    if attempts_before > 1:
        job.speculative[kind] -= attempts_before - len(task.active)
    job.finished[kind] += 1
    job.search.stopped(task)
    if job.finished[kind] + job.failed_tasks[kind] == job.wanted(kind):
        job.progress[kind] = 1.0


def _attempt_failed(
    job: JobInProgress,
    task: TaskInProgress,
    status: AttemptStatus,
    was_running: bool,
    was_complete: bool,
    attempt_ran: bool,
) -> None:
    """Source: the private #failedTask."""
    attempt, kind = status.attempt, task.kind
    had_failed = task.is_failed
    task.attempt_ended_badly(attempt)
    if attempt_ran:
        if not task.role and not job.is_ended:
            job.running[kind] -= 1
        _meter(job, task, status)
    if was_running and not task.active:
        _task_stopped(job, task)
    if was_complete and not task.is_complete and kind == MAP:
        job.search.failed(task)
        job.finished[kind] -= 1
    if not task.role:
        job.failed_attempts[kind] += 1
    if status.state == FAILED:
        ran_on = task.statuses[attempt].tracker
        job.note_tracker_failure(host_of(ran_on), job.cluster.trackers.get(ran_on))
    job.cluster.attempts.mark(status.tracker, attempt)
    if not had_failed and task.is_failed:
        _task_failed(job, task)


def _task_stopped(job: JobInProgress, task: TaskInProgress) -> None:
    if task.role == CLEANUP:
        job.has_launched_cleanup = False
    elif task.role == SETUP:
        job.has_launched_setup = False
    elif not task.is_complete:
        job.search.stopped(task)
        job.search.failed(task)


def _task_failed(job: JobInProgress, task: TaskInProgress) -> None:
    """A task has failed for good; more of them than the job allows end it."""
    kind = task.kind
    if not task.role:
        job.failed_tasks[kind] += 1
        if job.failed_tasks[kind] * 100 <= job.settings.failure_percents[kind] * job.wanted(kind):
            return
    if task.role == CLEANUP:
        job.cleanup[REDUCE - kind].kill()
        _end(job, FAILED)
        return
    if task.role == SETUP:
        job.setup[REDUCE - kind].kill()
    terminate(job, FAILED)


def terminate(job: JobInProgress, state: str) -> None:
    """Fail or kill a job: at once when it is not initialized, else by way of its cleanup task. Source: #terminate."""
    if not job.is_initialized:
        _end(job, state)
        return
    if job.is_ended or (job.is_failing if state == FAILED else job.is_killed):
        return
    if state == FAILED:
        job.is_failing = True
    else:
        job.is_killed = True
    job.changed()
    for kind in (MAP, REDUCE):
        waiting = job.cleanup_waiting[kind]
        while waiting:
            attempt = waiting.pop(0)
            task = job.tasks[kind][attempt[2]]
            update_status(job, task, task.statuses[attempt])
    for task in (*job.setup, *job.tasks[MAP], *job.tasks[REDUCE]):
        task.kill()


def _end(job: JobInProgress, state: str) -> None:
    """The job's last state; a job that ended before keeps its own. Source: #jobComplete, #terminateJob."""
    if job.is_ended or (state == SUCCEEDED and job.state != RUNNING):
        return
    job.finish_ms = job.cluster.now_ms
    if state != SUCCEEDED:
        job.progress = [1.0, 1.0]
    for kind in (MAP, REDUCE):
        if not job.wanted(kind):
            job.progress[kind] = 1.0
    job.state = state
    for kind in (MAP, REDUCE):
        for name in list(job.reserved[kind]):
            tracker = job.cluster.trackers.get(name)
            if tracker is None:
                job.unreserve(name, kind)
            else:
                tracker.unreserve(kind)
    job.cluster.job_ended(job)
    job.search.close()
