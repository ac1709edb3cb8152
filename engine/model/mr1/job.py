"""A job as the JobTracker keeps it: its tasks, its figures, and the tasks it gives to trackers.

Source: JobInProgress, Hadoop 1.2.1. What reports of attempts change is in `attempt_reports`.

Source: JobTracker#createTaskEntry, #removeTaskEntry, #markCompletedTaskAttempt, #removeMarkedTasks, Hadoop 1.2.1.
"""

import math
from collections.abc import Iterable
from typing import Final, Protocol

from engine.model.java_values import float32
from engine.model.mr1.task_in_progress import CLEANUP, PRIORITIES, SETUP, JobDescription, JobSettings, TaskInProgress
from engine.model.mr1.task_search import NON_LOCAL, ResourceEstimator, TaskSearch
from engine.model.mr1.tracker import (
    FAILED,
    KILLED,
    MAP,
    REDUCE,
    RUNNING,
    SUCCEEDED,
    AttemptId,
    Launch,
    TaskTracker,
    TrackerHosts,
)
from engine.state import State

# Which attempts the JobTracker knows, by tracker and by task.


class AttemptIndex(metaclass=State):
    """Attempts that can still be reported."""

    tasks: dict[AttemptId, TaskInProgress] = {}
    trackers: dict[AttemptId, str] = {}
    on_tracker: dict[str, dict[AttemptId, None]] = {}  # Tracker → its attempts; a tracker that never got one is missing
    marked: dict[str, dict[AttemptId, None]] = {}  # Tracker → ended attempts that are forgotten with its next heartbeat
    changed: dict[str, dict[AttemptId, None]] = {}
    """Tracker → attempts that may have to end: new ones, and those whose tasks have changed, since it was last told."""

    def add(self, attempt: AttemptId, tracker: str, task: TaskInProgress) -> None:
        self.changed.setdefault(tracker, {})[attempt] = None
        self.trackers[attempt] = tracker
        self.on_tracker.setdefault(tracker, {})[attempt] = None
        self.tasks[attempt] = task

    def remove(self, attempt: AttemptId) -> None:
        tracker = self.trackers.pop(attempt, None)
        if tracker is not None and tracker in self.on_tracker:
            self.on_tracker[tracker].pop(attempt, None)
        self.tasks.pop(attempt, None)

    def mark(self, tracker: str, attempt: AttemptId) -> None:
        self.marked.setdefault(tracker, {})[attempt] = None

    def forget_marked(self, tracker: str) -> None:
        for attempt in self.marked.pop(tracker, ()):
            self.remove(attempt)

    def task_changed(self, attempts: Iterable[AttemptId]) -> None:
        for attempt in attempts:
            tracker = self.trackers.get(attempt)
            if tracker is not None:
                self.changed.setdefault(tracker, {})[attempt] = None

    def take_changed(self, tracker: str) -> list[AttemptId]:
        """Its attempts that may have to end, in order, which count as looked at from now on."""
        return sorted(self.changed.pop(tracker, {}).keys() & self.on_tracker.get(tracker, {}).keys())

    def drop_tracker(self, tracker: str) -> list[AttemptId] | None:
        """Its attempts in order, which belong to it no longer; None when it never got one."""
        found = self.on_tracker.pop(tracker, None)
        return None if found is None else sorted(found)


PREP: Final = "PREP"  # Its setup task has not succeeded yet

FLAKY_SHARE: Final = 0.25
"""Below this share of the trackers a job may shun flaky ones. Source: JobInProgress.CLUSTER_BLACKLIST_PERCENT."""

MANY_OPPORTUNITIES: Final = 1_000_000
"""Opportunities with which a job takes a map anywhere. Source: JobInProgress.OVERRIDE."""


class JobCluster(TrackerHosts, Protocol):
    """The cluster as its jobs see it."""

    trackers: dict[str, TaskTracker]
    attempts: AttemptIndex
    changed_jobs: dict[int, None]

    def fail_job(self, job: "JobInProgress") -> None:
        """End a job that cannot succeed."""

    def job_ended(self, job: "JobInProgress") -> None:
        """Tell the trackers that a job has ended."""


class JobInProgress(metaclass=State):
    number: int
    description: JobDescription
    cluster: JobCluster
    start_ms: int
    finish_ms: int = 0
    state: str = PREP
    failure: str = ""  # Why it was not let in
    priority: int
    speculates: tuple[bool, bool]
    settings: JobSettings
    tasks: list[list[TaskInProgress]]
    slots_per_task: list[int] = [1, 1]
    at_work: list[dict[int, None]]  # Numbers of the tasks that have an attempt
    running: list[int] = [0, 0]
    finished: list[int] = [0, 0]
    failed_tasks: list[int] = [0, 0]
    fetch_failures: dict[AttemptId, int] = {}
    """Map attempt → how often reduces said that they could not fetch its output."""
    failed_attempts: list[int] = [0, 0]
    speculative: list[int] = [0, 0]
    progress: list[float] = [0.0, 0.0]
    slot_ms: list[int] = [0, 0]
    fallow_slot_ms: list[int] = [0, 0]
    cleanup_waiting: list[list[AttemptId]]  # Attempts that a cleanup attempt must follow
    reserved: list[dict[str, tuple[int, int]]]  # Tracker whose free slots are reserved → since when, and how many
    setup: list[TaskInProgress] = []
    cleanup: list[TaskInProgress] = []
    is_initialized: bool = False
    is_killed: bool = False
    is_failing: bool = False
    has_launched_setup: bool = False
    has_launched_cleanup: bool = False
    local_maps: list[int] = [0, 0]  # Maps launched on a host, and in a rack, with their data
    launched_maps: int = 0
    reduces_after: int = 0  # Maps that must have ended before reduces are launched
    locality_wait: float = 1.0
    opportunities: int = 0  # Times the job was looked at since a map was launched near its data
    cluster_size: int = 0
    flaky_trackers: int = 0
    tracker_failures: dict[str, int] = {}
    search: TaskSearch
    estimator: ResourceEstimator

    def __init__(self, number: int, description: JobDescription, settings: JobSettings, cluster: JobCluster) -> None:
        self.number = number
        self.description = description
        self.cluster = cluster
        self.start_ms = cluster.now_ms
        self.priority = PRIORITIES.index(description.priority)
        self.speculates = description.speculates
        self.settings = settings
        # Places of these lists: maps, reduces.
        self.tasks = [[], []]
        self.at_work = [{}, {}]
        self.cleanup_waiting = [[], []]
        self.reserved = [{}, {}]
        self.search = TaskSearch(self)
        self.estimator = ResourceEstimator(description)

    @property
    def is_ended(self) -> bool:
        return self.state in (SUCCEEDED, FAILED, KILLED)

    @property
    def now_ms(self) -> int:
        return self.cluster.now_ms

    def changed(self) -> None:
        """Note that a setup or cleanup task may be due."""
        self.cluster.changed_jobs[self.number] = None

    def note_work(self, task: TaskInProgress) -> None:
        if task.active and not task.role:
            self.at_work[task.kind][task.number] = None
        elif not task.role:
            self.at_work[task.kind].pop(task.number, None)

    def task_changed(self, attempts: Iterable[AttemptId]) -> None:
        self.cluster.attempts.task_changed(attempts)
        self.changed()

    def initialize(self) -> None:
        """Make its tasks and look up where their data is. Source: #initTasks."""
        if self.is_initialized or self.is_ended:
            return
        splits, reduces = self.description.maps, self.description.reduces
        maps_slots, reduce_slots = self.slots_per_task
        self.tasks = [
            [
                TaskInProgress(self, MAP, number, maps_slots, hosts=split.hosts, input_bytes=split.bytes)
                for number, split in enumerate(splits)
            ],
            [TaskInProgress(self, REDUCE, number, reduce_slots) for number in range(reduces)],
        ]
        hosts = self.search.fill()
        self.locality_wait = self.settings.locality_wait
        if splits and self.locality_wait == 1.0 and self.cluster.hosts:
            self.locality_wait = min(float32(len(hosts) / len(self.cluster.hosts)), 1.0)
        self.reduces_after = math.ceil(float32(self.settings.slow_start * len(splits)))
        self.estimator.limit_threshold(self.reduces_after)
        first = (len(splits), reduces)
        self.cleanup = [TaskInProgress(self, kind, first[kind], 1, role=CLEANUP) for kind in (MAP, REDUCE)]
        self.setup = [TaskInProgress(self, kind, first[kind] + 1, 1, role=SETUP) for kind in (MAP, REDUCE)]
        self.is_initialized = True
        self.changed()

    # Figures.

    def wanted(self, kind: int) -> int:
        return self.description.reduces if kind else len(self.description.maps)

    def pending(self, kind: int) -> int:
        ended = self.failed_tasks[kind] + self.finished[kind]
        return self.wanted(kind) - self.running[kind] - ended + self.speculative[kind]

    def unlaunched(self, kind: int) -> int:
        """How many tasks wait. Differs: Hadoop (`pending`) counts a task again that lost one of two attempts."""
        if not self.speculative[kind]:
            return max(0, self.pending(kind))
        if self.is_killed or self.is_failing:
            return 0
        tasks = self.tasks[kind]
        at_work = sum([tasks[number].is_runnable for number in self.at_work[kind]])
        return len(tasks) - self.finished[kind] - self.failed_tasks[kind] - at_work

    def may_start_reduces(self) -> bool:
        """Tell whether enough maps have ended. Source: #scheduleReduces."""
        return self.finished[MAP] + self.failed_tasks[MAP] >= self.reduces_after

    def may_go_off_rack(self, trackers: int) -> bool:
        """Tell whether it was looked at often enough to take a map away from its data. Source: #scheduleOffSwitch."""
        required = min(self.wanted(MAP) - self.finished[MAP], trackers)
        return float32(required * self.locality_wait) < float32(self.opportunities)

    def offers_before_off_rack(self, trackers: int) -> int:
        return int(min(self.wanted(MAP), trackers) * self.locality_wait) + 1

    def flaky_hosts(self) -> list[str]:
        most = self.settings.max_tracker_failures
        return sorted(host for host, count in self.tracker_failures.items() if count >= most)

    def serves(self, tracker: TaskTracker) -> bool:
        self.cluster_size = self.cluster.active_trackers
        return self.tolerates(tracker)

    def tolerates(self, tracker: TaskTracker) -> bool:
        """Whether a tracker is not flaky for it, or too many are. Source: #shouldRunOnTaskTracker."""
        return (
            self.flaky_trackers >= self.cluster_size * FLAKY_SHARE
            or self.tracker_failures.get(tracker.host, 0) < self.settings.max_tracker_failures
        )

    def distance(self, task: TaskInProgress, tracker: TaskTracker) -> int:
        """Return how far a tracker is from a map's data: 0 host, 1 rack, 2 elsewhere."""
        racks = self.cluster.racks
        return min((racks.distance(tracker.host, host) for host in task.hosts), default=2)

    # Tasks for trackers.

    def obtain_map(self, tracker: TaskTracker, level: int) -> Launch | None:
        """A map for a tracker, at most this far from its data. Source: #obtainNewMapTaskCommon."""
        task = self.search.find_map(tracker, level) if self.is_initialized else None
        launch = None if task is None else self._launch(task, tracker)
        if launch is not None and level != NON_LOCAL:
            self.opportunities = 0
        return launch

    def obtain_reduce(self, tracker: TaskTracker) -> Launch | None:
        """A reduce for a tracker. Source: #obtainNewReduceTask."""
        if self.state != RUNNING:
            return None
        limit = self.settings.reduce_input_limit
        if 0 < limit < self.estimator.reduce_input_bytes() // 2:
            self.cluster.fail_job(self)
            return None
        task = self.search.find_reduce(tracker) if self.may_start_reduces() else None
        return None if task is None else self._launch(task, tracker)

    def obtain_setup(self, tracker: TaskTracker, kind: int) -> Launch | None:
        """Its setup task, in a slot of this kind, if it is due. Source: #obtainJobSetupTask."""
        is_due = self.state == PREP and not (self.has_launched_setup or self.is_killed or self.is_failing)
        return self._launch_alone(self.setup[kind], tracker) if self.is_initialized and is_due else None

    def obtain_cleanup(self, tracker: TaskTracker, kind: int) -> Launch | None:
        """Its cleanup task, in a slot of this kind, if it is due. Source: #obtainJobCleanupTask."""
        if not self.is_initialized or not self._cleanup_is_due():
            return None
        return self._launch_alone(self.cleanup[kind], tracker)

    def chores(self) -> int:
        """Setup and cleanup tasks that are due: its own, and cleanup attempts after its attempts."""
        if self.state == PREP and not (self.is_killed or self.is_failing):
            return int(not self.has_launched_setup)
        cleans = self.state == RUNNING and not (self.is_failing or self.is_killed)
        return int(self._cleanup_is_due()) + (sum(map(len, self.cleanup_waiting)) if cleans else 0)

    def _cleanup_is_due(self) -> bool:
        if self.is_ended or self.has_launched_cleanup:
            return False
        for kind in () if self.is_killed or self.is_failing else (MAP, REDUCE):
            if self.finished[kind] + self.failed_tasks[kind] != self.wanted(kind):
                return False
        return any(task.is_complete or task.is_failed for task in self.setup)

    def _launch_alone(self, task: TaskInProgress, tracker: TaskTracker) -> Launch | None:
        if not self.serves(tracker) or not task.is_runnable or task.active:
            return None
        if tracker.host in task.failed_hosts and len(task.failed_hosts) < len(self.cluster.hosts):
            return None
        return self._launch(task, tracker)

    def obtain_task_cleanup(self, tracker: TaskTracker, kind: int) -> Launch | None:
        """A cleanup attempt for the first attempt that waits for one. Source: #obtainTaskCleanupTask."""
        waiting = self.cleanup_waiting[kind]
        if not waiting or self.state != RUNNING or self.is_failing or self.is_killed or not self.tolerates(tracker):
            return None
        attempt = waiting.pop(0)
        task = self.tasks[kind][attempt[2]]
        self.cluster.attempts.add(attempt, tracker.name, task)
        return task.launch_cleanup(attempt, tracker.name)

    def _launch(self, task: TaskInProgress, tracker: TaskTracker) -> Launch | None:
        """Source: TaskInProgress#getTaskToRun, JobInProgress#addRunningTaskToTIP."""
        attempt = task.launch(tracker.name)
        if attempt is None:
            return None
        self.cluster.attempts.add(attempt, tracker.name, task)
        if task.role == SETUP:
            self.has_launched_setup = True
        elif task.role == CLEANUP:
            self.has_launched_cleanup = True
        else:
            self.running[task.kind] += 1
            if len(task.active) > 1:
                self.speculative[task.kind] += 1
        if not task.is_user_map:
            return Launch(attempt, task.slots)
        level = self.distance(task, tracker)
        self.launched_maps += 1
        if level < len(self.local_maps):
            self.local_maps[level] += 1
        return Launch(attempt, task.slots, level=level)

    # Trackers.

    def note_tracker_failure(self, host: str, tracker: TaskTracker | None) -> None:
        """An attempt failed on a host, or the tracker was lost; it may turn flaky. Source: #addTrackerTaskFailure."""
        if self.flaky_trackers >= self.cluster_size * FLAKY_SHARE:
            return
        self.tracker_failures[host] = self.tracker_failures.get(host, 0) + 1
        if self.tracker_failures[host] != self.settings.max_tracker_failures:
            return
        self.flaky_trackers += 1
        for kind in (MAP, REDUCE):
            if tracker is not None and tracker.name in self.reserved[kind]:
                tracker.unreserve(kind)

    def reserve(self, tracker: str, kind: int, slots: int) -> None:
        """A tracker's free slots are kept for it. Source: #reserveTaskTracker."""
        now_ms = self.cluster.now_ms
        since_ms, before = self.reserved[kind].get(tracker, (now_ms, slots))
        if before != slots:
            self.fallow_slot_ms[kind] += (now_ms - since_ms) * before
            since_ms = now_ms
        self.reserved[kind][tracker] = (since_ms, slots)

    def unreserve(self, tracker: str, kind: int) -> None:
        """They are kept no longer. Source: #unreserveTaskTracker."""
        found = self.reserved[kind].pop(tracker, None)
        if found is not None:
            self.fallow_slot_ms[kind] += (self.cluster.now_ms - found[0]) * found[1]
