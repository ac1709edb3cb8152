"""Attempts as containers: what a JobTracker's launches and reports are in the words that all control planes share.

An attempt is a container of (job, attempt number, code); the code counts tasks, their kinds and cleanup attempts. Its
size is its slots: (map slots, reduce slots).

Source: JobTracker.RecoveryManager, Hadoop 1.2.1.

Source: JobTracker#getSetupAndCleanupTasks, #getTasksToKill, #getTasksToSave, Hadoop 1.2.1.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from engine.control_plane.recovery import ServerState
from engine.grouping import grouped
from engine.model.decision import Allocated, Completed, ContainerId, Decision, Killed
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import PRIORITIES
from engine.model.mr1.tracker import (
    CHORE,
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    MAP,
    REDUCE,
    SUCCEEDED,
    AttemptId,
    Launch,
    TaskReport,
    TaskTracker,
    TrackerReport,
)
from engine.settings.mapreduce1 import JOB_RECOVERS, JOB_TRACKER, RESTART_RECOVERS
from engine.state import State

LOCALITIES: Final = ("NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH")
CLEANUP: Final = 1
KINDS: Final = 2


def container_of(attempt: AttemptId, *, is_cleanup: bool = False) -> ContainerId:
    """The container that stands for an attempt.

    >>> container_of((3, 1, 5, 0)), container_of((3, 1, 5, 0), is_cleanup=True)
    ((3, 1, 22), (3, 1, 23))
    """
    job, kind, task, number = attempt
    return job, number + 1, (task * KINDS + kind) * 2 + (CLEANUP if is_cleanup else 0)


def attempt_of(container: ContainerId) -> AttemptId:
    """The attempt that a container stands for, or cleans up after.

    >>> attempt_of((3, 1, 23))
    (3, 1, 5, 0)
    """
    job, number, code = container
    return job, code // 2 % KINDS, code // 2 // KINDS, number - 1


def container_named(name: str) -> ContainerId:
    """The container of an attempt by the name that users know.

    >>> container_named("attempt_0003_r_000005_0"), container_named("attempt_0003_r_000005_0c")
    ((3, 1, 22), (3, 1, 23))
    """
    job, kind, task, number = name.removeprefix("attempt_").split("_")
    attempt = (int(job), "mr".index(kind), int(task), int(number.removesuffix("c")))
    return container_of(attempt, is_cleanup=number.endswith("c"))


def is_cleanup(container: ContainerId) -> bool:
    return container[2] % 2 == CLEANUP


def size_of(kind: int, slots: int) -> tuple[int, int]:
    """So many slots of a kind as (map slots, reduce slots)."""
    return (slots, 0) if kind == MAP else (0, slots)


class LiveAttempt(NamedTuple):
    """An attempt on a tracker that has not been reported ended."""

    node: str
    kind: int
    slots: int
    launched_ms: int


class AttemptContainers(metaclass=State):
    """The attempts that run as far as the JobTracker knows."""

    live: dict[ContainerId, LiveAttempt] = {}
    by_user: set[AttemptId] = set()  # Attempts that a user wants ended
    held: Counter[int] = Counter()  # Job → how many of them it has
    unmet_since_ms: dict[int, int] = {}  # Job with a task to launch → since when

    def note_pending(
        self, jobs: Iterable[int], cluster: MapReduceCluster, pending: Callable[[JobInProgress], int]
    ) -> None:
        """Note which of some jobs are live and have a task to launch."""
        for number in dict.fromkeys(jobs):
            if (job := cluster.live.get(number)) is None or not pending(job):
                self.unmet_since_ms.pop(number, None)
            else:
                self.unmet_since_ms.setdefault(number, cluster.now_ms)

    def slots_by_job(self) -> dict[int, list[tuple[int, int]]]:
        """Job → (map slots, reduce slots) of each of its attempts."""
        return grouped((container[0], size_of(each.kind, each.slots)) for container, each in self.live.items())

    def _remove(self, container: ContainerId) -> LiveAttempt | None:
        live = self.live.pop(container, None)
        if live is not None:
            job = container[0]
            self.held[job] -= 1
            if not self.held[job]:
                del self.held[job]
        return live

    def launched(
        self, launches: Iterable[Launch], node: str, now_ms: int, *, are_chores: bool = False
    ) -> Iterator[Decision]:
        """Attempts are to start, with the priority their job asked for; `are_chores` are setup and cleanup."""
        for launch in launches:
            kind = launch.attempt[1]
            container = container_of(launch.attempt, is_cleanup=launch.is_cleanup)
            self.live[container] = LiveAttempt(node, kind, launch.slots, now_ms)
            self.held[container[0]] += 1
            locality = LOCALITIES[2 if launch.level is None else launch.level]
            yield Allocated(container, node, CHORE if are_chores else kind, *size_of(kind, launch.slots), locality)

    def reported(self, attempts: Iterable[TaskReport], cluster: MapReduceCluster) -> Iterator[Decision]:
        """A tracker reports; what it says ended is a container no longer. Asked before the report is taken over."""
        for each in attempts:
            if each.occupies_slots or each.state == "COMMIT_PENDING":
                continue
            container = container_of(each.attempt, is_cleanup=each.in_cleanup)
            live = self._remove(container)
            if live is None:
                continue
            if each.in_cleanup or each.state in (SUCCEEDED, FAILED, FAILED_UNCLEAN):
                is_failure = not each.in_cleanup and each.state != SUCCEEDED
                yield Completed(container, live.node, int(is_failure))
            else:
                yield Killed(container, live.node, self._cause(each.attempt, cluster))
            self.by_user.discard(each.attempt)

    def _cause(self, attempt: AttemptId, cluster: MapReduceCluster) -> str:
        job = cluster.jobs.get(attempt[0])
        if job is None or job.is_ended or job.is_killed or job.is_failing:
            return "APPLICATION_ENDED"
        if attempt in self.by_user:
            return "KILLED_BY_USER"
        task = cluster.attempts.tasks.get(attempt)
        return "RELEASED" if task is not None and task.is_complete else "PREEMPTED"

    def expired(self, attempt: AttemptId) -> Iterator[Decision]:
        for is_cleaning in (False, True):
            container = container_of(attempt, is_cleanup=is_cleaning)
            live = self._remove(container)
            if live is not None:
                yield Killed(container, live.node, "LAUNCH_EXPIRED")

    def lost(self, node: str) -> Iterator[Decision]:
        for container in [name for name, live in self.live.items() if live.node == node]:
            self._remove(container)
            yield Killed(container, node, "LOST")


# Builds what a heartbeat's answer holds beside the scheduler's tasks: chores first, kills, tasks to commit.

CHORES = (JobInProgress.obtain_cleanup, JobInProgress.obtain_task_cleanup, JobInProgress.obtain_setup)
"""In their order; each is looked for in all jobs before the next."""


def setup_or_cleanup(cluster: MapReduceCluster, tracker: TaskTracker) -> Launch | None:
    """The one setup or cleanup task that goes before all others; a map slot is tried before a reduce slot."""
    jobs = cluster.jobs_with_chores() if cluster.changed_jobs else []
    kinds = [kind for kind in (MAP, REDUCE) if tracker.free(kind) > 0] if jobs else []
    for kind, obtain, job in product(kinds, CHORES, jobs):
        launch = obtain(job, tracker, kind)
        if launch is not None:
            return launch
    return None


def kills(cluster: MapReduceCluster, tracker: TaskTracker) -> tuple[AttemptId, ...]:
    attempts = cluster.attempts
    if tracker.name not in attempts.changed:
        return ()
    found = tuple(
        attempt
        for attempt in attempts.take_changed(tracker.name)
        if (task := attempts.tasks.get(attempt)) is not None and task.should_close(attempt) and not task.job.is_ended
    )
    # What a user or the scheduler wants ended is told with each answer, until its end is reported.
    if found:
        attempts.changed[tracker.name] = dict.fromkeys(found)
    return found


def commits(cluster: MapReduceCluster, report: TrackerReport) -> tuple[AttemptId, ...]:
    tasks = cluster.attempts.tasks
    return tuple(
        each.attempt
        for each in report.attempts
        if each.state == COMMIT_PENDING
        and (task := tasks.get(each.attempt)) is not None
        and task.should_commit(each.attempt)
    )


# Recovery of the JobTracker: nothing outlives a restart, or the jobs whose files its system directory holds.
#
# State is in memory alone. With `mapred.jobtracker.restart.recover` jobs are submitted again and run from their
# beginning, attempts numbered from 0 again, in order of their numbers; priorities changed meanwhile are not in the
# files. Without it the directory is wiped. Trackers it does not know have to drop everything and start over.


class JobTrackerRecovery(ServerState):
    """Tells whether a JobTracker is there, and which trackers have not returned since it stopped."""

    is_enabled: bool
    expiry_ms: int

    def __init__(self, settings: Mapping[str, str], expiry_ms: int, now_ms: int) -> None:
        super().__init__(now_ms)
        self.is_enabled = JOB_TRACKER.value(settings, RESTART_RECOVERS)
        self.expiry_ms = expiry_ms

    def start(self, now_ms: int) -> None:
        self.move("START", now_ms)
        self.gives_up_ms = now_ms + self.expiry_ms
        self.look(now_ms)

    def look(self, now_ms: int) -> None:
        """Recovery ends when every tracker is back, or the missing ones have been silent for the expiry interval."""
        if self.state == "RECOVERING" and (not self.missing or now_ms >= self.gives_up_ms):
            self.move("RECOVERED", now_ms)

    def recovers(self, job: JobInProgress) -> bool:
        return self.is_enabled and JOB_TRACKER.value(job.description.settings, JOB_RECOVERS)


# Names of nodes and priorities that all control planes share, as a JobTracker has them.


def node_of(tracker: str) -> str:
    return tracker.removeprefix("tracker_")


def tracker_of(node: str) -> str:
    return f"tracker_{node}"


def priority_named(priority: int) -> str:
    """The job priority of a number, the higher the sooner.

    >>> priority_named(0), priority_named(2), priority_named(9)
    ('VERY_LOW', 'NORMAL', 'VERY_HIGH')
    """
    return PRIORITIES[max(0, len(PRIORITIES) - 1 - priority)]
