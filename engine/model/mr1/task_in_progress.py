"""A task of a job: a map or a reduce, or the setup or cleanup of the whole job, and its attempts.

Source: TaskInProgress, Hadoop 1.2.1. Differs: a task that fails on a bad record is
never run again without that record (`mapred.skip.mode`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    RUNNING,
    SUCCEEDED,
    UNCLEAN,
    AttemptId,
    AttemptStatus,
    Launch,
    TaskReport,
    host_of,
)
from engine.state import State

PRIORITIES: Final = ("VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW")  # Job priorities, highest first

NO_LIMIT: Final = -1


class InputSplit(msgspec.Struct, frozen=True):
    hosts: tuple[str, ...] = ()
    bytes: int = 0


class JobDescription(msgspec.Struct, frozen=True):
    name: str
    user: str
    maps: tuple[InputSplit, ...] = ()
    reduces: int = 0
    queue: str = "default"
    priority: str = "NORMAL"
    speculates: tuple[bool, bool] = (True, True)  # Whether maps, and reduces, that lag get a speculative attempt
    memory_mb: tuple[int, int] = (NO_LIMIT, NO_LIMIT)  # What a map and a reduce need; -1 for whatever a slot has
    settings: Mapping[str, str] = {}  # Properties of the job, Hadoop names and values


class JobSettings(msgspec.Struct, frozen=True):
    """The settings of a job, read from its properties (see `engine.settings.mapreduce1`); pairs: maps, reduces."""

    max_attempts: tuple[int, int]
    max_tracker_failures: int
    failure_percents: tuple[int, int]
    locality_wait: float
    slow_start: float
    reduce_input_limit: int


SPECULATIVE_LAG_MS: Final = 60_000
"""A task younger than this is not speculated. Source: TaskInProgress.SPECULATIVE_LAG."""

SPECULATIVE_GAP: Final = 0.2
"""How far a speculated task lags behind the average. Source: TaskInProgress.SPECULATIVE_GAP."""

EXTRA_ATTEMPTS: Final = 1  # Speculative attempts beside the first. Source: TaskInProgress.MAX_TASK_EXECS.

SETUP: Final = "setup"
CLEANUP: Final = "cleanup"

_NOT_AGAIN: Final = (FAILED, KILLED, FAILED_UNCLEAN, KILLED_UNCLEAN, SUCCEEDED, COMMIT_PENDING)
"""States from which no attempt returns to RUNNING."""

_REPORTED_AGAIN: Final = (RUNNING, COMMIT_PENDING, *UNCLEAN)
"""States whose reports count although the state is the same."""

_UNSUCCESSFUL: Final = (FAILED, KILLED, *UNCLEAN)


class TasksJob(Protocol):
    """A job as its tasks see it."""

    number: int
    state: str
    settings: JobSettings

    @property
    def is_ended(self) -> bool:
        """Tell whether it succeeded, failed or was killed."""

    @property
    def now_ms(self) -> int:
        """The time."""

    def note_work(self, task: "TaskInProgress") -> None:
        """Note that an attempt of a task has begun or ended."""

    def task_changed(self, attempts: Iterable[AttemptId]) -> None:
        """Note that attempts of a task may have to end."""


class TaskInProgress(metaclass=State):
    job: TasksJob
    kind: int
    number: int
    slots: int
    role: str
    hosts: tuple[str, ...]
    input_bytes: int
    created_ms: int
    max_attempts: int
    failures: int = 0
    killed_attempts: int = 0
    progress: float = 0.0
    is_complete: bool = False
    is_failed: bool = False
    next_attempt: int = 0
    successful: AttemptId | None = None
    to_commit: AttemptId | None = None
    active: dict[AttemptId, str] = {}  # Attempt → its tracker
    attempts: set[AttemptId] = set()
    statuses: dict[AttemptId, AttemptStatus] = {}
    cleanup_attempts: dict[AttemptId, str] = {}  # Attempt whose cleanup was launched → the tracker it went to
    failed_hosts: set[str] = set()
    reported_closed: set[AttemptId] = set()
    to_kill: dict[AttemptId, bool] = {}
    """Attempt a user or the scheduler wants ended → whether it shall count as failed."""

    def __init__(
        self,
        job: TasksJob,
        kind: int,
        number: int,
        slots: int,
        *,
        role: str = "",
        hosts: Sequence[str] = (),
        input_bytes: int = 0,
    ) -> None:
        """A task that has no attempt yet.

        `number` counts the tasks of its kind, `role` is `SETUP`, `CLEANUP` or empty; `hosts` and `input_bytes` are
        those of a map's split.
        """
        self.job = job
        self.kind = kind
        self.number = number
        self.slots = slots
        self.role = role
        self.hosts = tuple(hosts)
        self.input_bytes = input_bytes
        self.created_ms = job.now_ms
        self.max_attempts = job.settings.max_attempts[kind]

    @property
    def is_user_map(self) -> bool:
        return self.kind == MAP and not self.role

    @property
    def is_runnable(self) -> bool:
        return not self.is_failed and not self.is_complete

    def has_commit_pending(self) -> bool:
        """Tell whether any attempt waits to commit. Source: TaskInProgress#isOnlyCommitPending."""
        return any(status.state == COMMIT_PENDING for status in self.statuses.values())

    def should_commit(self, attempt: AttemptId) -> bool:
        status = self.statuses.get(attempt)
        is_pending = status is not None and status.state == COMMIT_PENDING
        return is_pending and not self.is_complete and self.to_commit == attempt

    def should_close(self, attempt: AttemptId) -> bool:
        """Tell whether a tracker is to end this attempt; most reasons hold once.

        Source: TaskInProgress#shouldClose; the attempt by which a reduce, setup or cleanup succeeded is ended so, too.
        """
        status = self.statuses.get(attempt)
        if status is not None and (self.is_failed or self.job.is_ended):
            is_superfluous = True
        elif self.is_complete:
            is_superfluous = attempt != self.successful or not self.is_user_map
        else:
            is_superfluous = status is not None and status.state == COMMIT_PENDING and attempt != self.to_commit
        if is_superfluous and attempt not in self.reported_closed:
            self.reported_closed.add(attempt)
            return True
        return attempt in self.to_kill

    def has_run_on(self, host: str, tracker: str) -> bool:
        """Tell whether an attempt runs on this tracker or failed on this host."""
        return tracker in self.active.values() or host in self.failed_hosts

    def may_be_speculated(self, now_ms: int, average: float) -> bool:
        """Tell whether it lags so far that another attempt may run beside it. Source: #hasSpeculativeTask."""
        return (
            average - self.progress >= SPECULATIVE_GAP
            and len(self.active) <= EXTRA_ATTEMPTS
            and now_ms - self.created_ms >= SPECULATIVE_LAG_MS
            and not self.is_complete
            and not self.has_commit_pending()
        )

    # What happens to it.

    def launch(self, tracker: str) -> AttemptId | None:
        """A new attempt on a tracker; None when as many as may be were made. Source: #getTaskToRun."""
        if self.next_attempt >= EXTRA_ATTEMPTS + self.max_attempts + self.killed_attempts:
            return None
        attempt = (self.job.number, self.kind, self.number, self.next_attempt)
        self.next_attempt += 1
        self._add_running(attempt, tracker)
        return attempt

    def launch_cleanup(self, attempt: AttemptId, tracker: str) -> Launch:
        """A cleanup attempt on a tracker; it takes one slot whatever the task takes."""
        self.cleanup_attempts[attempt] = tracker
        self._add_running(attempt, tracker)
        return Launch(attempt, 1, is_cleanup=True)

    def _add_running(self, attempt: AttemptId, tracker: str) -> None:
        self.active[attempt] = tracker
        self.job.note_work(self)
        self.attempts.add(attempt)

    def goes_on(self, report: TaskReport) -> bool:
        """Take over a report that says nothing new of the only attempt but how far it is; whether it was one."""
        attempt, statuses = report.attempt, self.statuses
        if len(statuses) != 1 or self.is_complete or self.is_failed or attempt in self.cleanup_attempts:
            return False
        old = statuses.get(attempt)
        if old is None or old.state != RUNNING or report.state != RUNNING:
            return False
        old.start_ms, old.progress = report.start_ms, report.progress
        self.progress = max(0.0, report.progress)
        return True

    def update_status(self, status: AttemptStatus) -> bool:
        """Take over what was reported; whether that changed the attempt's state. Source: #updateStatus."""
        attempt, old = status.attempt, self.statuses.get(status.attempt)
        self.job.task_changed(self.attempts)
        changed = True
        if old is not None:
            if status.state == old.state and status.state not in _REPORTED_AGAIN:
                return False
            if status.state == RUNNING and old.state in _NOT_AGAIN:
                return False
            if old.state in (FAILED, KILLED):
                self.to_kill[attempt] = True
                return False
            changed = old.state != status.state
        if attempt in self.cleanup_attempts:
            self.statuses[attempt].update(status)
        else:
            self.statuses[attempt] = status
        self.recompute_progress()
        return changed

    def recompute_progress(self) -> None:
        """Its progress is that of its best attempt that runs. Source: #recomputeProgress."""
        if self.is_complete:
            self.progress = 1.0
            return
        best = 0.0
        for attempt in self._in_order() if not self.is_failed else ():
            status = self.statuses[attempt]
            if status.state == SUCCEEDED:
                best = 1.0
                break
            if status.state == COMMIT_PENDING:
                best = self.progress
            elif status.state == RUNNING:
                best = max(best, status.progress)
        self.progress = best

    def _in_order(self) -> Iterable[AttemptId]:
        return sorted(self.statuses) if len(self.statuses) > 1 else self.statuses

    def attempt_ended_badly(self, attempt: AttemptId) -> None:
        """An attempt failed or was killed, or now needs a cleanup attempt. Source: #incompleteSubTask."""
        state, status = FAILED, self.statuses.get(attempt)
        if status is not None:
            state = self._end_state(attempt, status)
            if status.finish_ms == 0:
                status.finish_ms = self.job.now_ms
        self.active.pop(attempt, None)
        self.job.note_work(self)
        if self.is_user_map and self.is_complete and attempt == self.successful and self.job.state != SUCCEEDED:
            self.is_complete = False
            self.successful = None
        if attempt in self.attempts:
            if state == FAILED:
                self.failures += 1
                if status is not None:
                    self.failed_hosts.add(host_of(status.tracker))
            elif state == KILLED:
                self.killed_attempts += 1
        if self.failures >= self.max_attempts:
            self.kill()

    def _end_state(self, attempt: AttemptId, status: AttemptStatus) -> str:
        counts = self.to_kill.pop(attempt, None)
        if counts is not None:
            is_clean = status.state in (FAILED, KILLED)
            status.state = (
                (FAILED if is_clean else FAILED_UNCLEAN) if counts else (KILLED if is_clean else KILLED_UNCLEAN)
            )
        if status.state not in _UNSUCCESSFUL:
            status.state = FAILED
        return status.state

    def complete(self, attempt: AttemptId) -> None:
        self.statuses[attempt].state = SUCCEEDED
        self.active.pop(attempt, None)
        self.job.note_work(self)
        self.successful = attempt
        self.is_complete = True
        self.recompute_progress()

    def kill(self) -> None:
        if self.is_complete or self.is_failed:
            return
        self.is_failed = True
        self.job.task_changed(self.attempts)
        self.recompute_progress()

    def ask_to_kill(self, attempt: AttemptId, *, counts: bool) -> bool:
        """End an attempt with its tracker's next heartbeat; whether the word was taken. Source: #killTask."""
        status = self.statuses.get(attempt)
        if status is None or not (status.state in (RUNNING, COMMIT_PENDING) or status.is_cleaning):
            return False
        is_new = attempt not in self.to_kill
        self.to_kill[attempt] = counts
        self.job.task_changed(self.attempts)
        return is_new
