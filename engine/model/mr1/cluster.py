"""The whole of a MapReduce 1 cluster: trackers, totals, jobs, and what trackers have yet to hear.

Source: the state of JobTracker, Hadoop 1.2.1.

A blacklisted host gets no tasks and its slots do not count; a graylisted one is only shown as such. Source:
JobTracker.FaultyTrackersInfo and FaultInfo, Hadoop 1.2.1.
"""

from collections.abc import Mapping
from typing import Final

from engine.model.java_values import float32
from engine.model.mr1.attempt_reports import attempt_lost, terminate
from engine.model.mr1.job import AttemptIndex, JobInProgress
from engine.model.mr1.task_in_progress import TaskInProgress
from engine.model.mr1.tracker import (
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    REDUCE,
    RUNNING,
    SUCCEEDED,
    UNCLEAN,
    JobTrackerSettings,
    Racks,
    TaskTracker,
    TrackerReport,
)
from engine.state import State

# Hosts whose health script failed (blacklisted) or on which many jobs had failures (graylisted).

MINUTE_MS: Final = 60_000
MAX_GRAY_SHARE: Final = 0.5  # No more of the cluster is graylisted. Source: JobTracker.MAX_BLACKLIST_FRACTION.


class HostFaults(metaclass=State):
    """Faults of a host in the last hours, in buckets of time."""

    faults: list[int]
    bucket_ms: int
    rotated_ms: int
    is_black: bool = False
    is_gray: bool = False

    def __init__(self, now_ms: int, buckets: int, bucket_ms: int) -> None:
        self.faults = [0] * buckets
        self.bucket_ms = bucket_ms
        self.rotated_ms = now_ms // bucket_ms * bucket_ms

    def add(self, now_ms: int) -> None:
        self._rotate(now_ms)
        self.faults[now_ms // self.bucket_ms % len(self.faults)] += 1

    def count(self, now_ms: int) -> int:
        self._rotate(now_ms)
        return sum(self.faults)

    def _rotate(self, now_ms: int) -> None:
        while now_ms - self.rotated_ms > self.bucket_ms:
            self.rotated_ms += self.bucket_ms
            self.faults[self.rotated_ms // self.bucket_ms % len(self.faults)] = 0


class FaultyTrackers(metaclass=State):
    cluster: "MapReduceCluster"
    hosts: dict[str, HostFaults] = {}
    blacklisted: int = 0  # Trackers that are
    graylisted: int = 0

    def __init__(self, cluster: "MapReduceCluster") -> None:
        self.cluster = cluster

    def is_blacklisted(self, host: str) -> bool:
        faults = self.hosts.get(host)
        return faults is not None and faults.is_black

    def is_graylisted(self, host: str) -> bool:
        faults = self.hosts.get(host)
        return faults is not None and faults.is_gray

    @property
    def has_listed(self) -> bool:
        return any(each.is_black or each.is_gray for each in self.hosts.values())

    def _faults(self, host: str) -> HostFaults:
        if host not in self.hosts:
            minutes = max(1, self.cluster.limits.fault_bucket_minutes)
            buckets = max(1, -(-self.cluster.limits.fault_window_minutes // minutes))
            self.hosts[host] = HostFaults(self.cluster.now_ms, buckets, minutes * MINUTE_MS)
        return self.hosts[host]

    def add_fault(self, host: str) -> None:
        """A job succeeded for which the host was flaky. Source: #incrementFaults."""
        faults = self._faults(host)
        faults.add(self.cluster.now_ms)
        if self._exceeds(faults) and not faults.is_gray:
            self.graylisted += self.cluster.trackers_on(host)
            faults.is_gray = True

    def _exceeds(self, faults: HostFaults) -> bool:
        now_ms, limits = self.cluster.now_ms, self.cluster.limits
        count = faults.count(now_ms)
        trackers = self.cluster.active_trackers
        if count < limits.blacklists:
            return False
        total = sum(each.count(now_ms) for each in self.hosts.values())
        average = total / trackers if trackers else float("inf")
        return (
            count - average > limits.average_blacklists * average
            and self.graylisted < (trackers + self.blacklisted) * MAX_GRAY_SHARE
        )

    def check_timeout(self, host: str) -> None:
        """A host leaves the gray list when its faults are old. Source: #checkTrackerFaultTimeout."""
        faults = self.hosts.get(host)
        least = self.cluster.limits.blacklists
        if faults is None or not faults.is_gray or faults.count(self.cluster.now_ms) >= least:
            return
        self.graylisted -= self.cluster.trackers_on(host)
        faults.is_gray = False
        self._drop_faultless(host, faults)

    def _drop_faultless(self, host: str, faults: HostFaults) -> None:
        if faults.count(self.cluster.now_ms) == 0:
            del self.hosts[host]

    def set_health(self, host: str, *, is_healthy: bool) -> None:
        """Set what the host's health script says. Source: #setNodeHealthStatus."""
        if is_healthy:
            faults = self.hosts.get(host)
            if faults is not None and faults.is_black:
                self._give_back(host)
                faults.is_black = False
                self._drop_faultless(host, faults)
            return
        faults = self._faults(host)
        if not faults.is_black:
            self.cluster.remove_capacity(host)
            self.blacklisted += self.cluster.trackers_on(host)
            faults.is_black = True

    def forget(self, host: str) -> None:
        """A tracker on the host was started anew. Source: #markTrackerHealthy."""
        faults = self.hosts.pop(host, None)
        if faults is None:
            return
        if faults.is_gray:
            self.graylisted -= self.cluster.trackers_on(host)
        if faults.is_black:
            self._give_back(host)

    def _give_back(self, host: str) -> None:
        self.cluster.add_capacity(host)
        self.blacklisted -= self.cluster.trackers_on(host)


MIN_HEARTBEAT_MS: Final = 300  # Source: MRConstants.HEARTBEAT_INTERVAL_MIN

MIN_SCALING: Final = float32(0.01)
"""A smaller factor of the heartbeat interval means 1. Source: JobTracker.MIN_HEARTBEATS_SCALING_FACTOR."""

_STILL_THERE: Final = ("RUNNING", "COMMIT_PENDING")


class MapReduceCluster(metaclass=State):
    """Everything the JobTracker keeps, and the changes that keep it consistent."""

    settings: Mapping[str, str]  # The settings that were given, as text
    limits: JobTrackerSettings
    heartbeats_per_second: int
    heartbeat_factor: float
    now_ms: int
    version: int = 0
    racks: Racks
    trackers: dict[str, TaskTracker] = {}
    hosts: dict[str, int] = {}  # Host that counts → its trackers
    running: list[int] = [0, 0]  # Maps and reduces that run by the last reports
    slots: list[int] = [0, 0]  # Map and reduce slots of trackers that are not blacklisted
    jobs: dict[int, JobInProgress] = {}
    live: dict[int, JobInProgress] = {}  # Jobs that have not ended, in the order of their numbers
    changed_jobs: dict[int, None] = {}  # Numbers of jobs of which a setup or cleanup task may be due; no other's is
    jobs_to_end: dict[str, dict[int, None]] = {}  # Tracker → ended jobs its next answer names
    attempts: AttemptIndex
    faulty: FaultyTrackers

    def __init__(
        self, settings: Mapping[str, str], limits: JobTrackerSettings, racks: Mapping[str, str], now_ms: int = 0
    ) -> None:
        """A cluster without trackers; `racks` has hosts → racks. The caller sets `now_ms` before each event."""
        self.settings = settings
        self.limits = limits
        per_second, factor = limits.heartbeats_per_second, limits.heartbeat_scaling
        self.heartbeats_per_second = per_second if per_second >= 1 else 100
        self.heartbeat_factor = float32(1000 * (factor if factor >= MIN_SCALING else 1.0))
        self.now_ms = now_ms
        self.racks = Racks(racks)
        self.attempts = AttemptIndex()
        self.faulty = FaultyTrackers(self)

    def after_restart(self) -> "MapReduceCluster":
        cluster = MapReduceCluster(self.settings, self.limits, self.racks.racks, self.now_ms)
        cluster.version = self.version
        return cluster

    @property
    def active_trackers(self) -> int:
        return len(self.trackers) - self.faulty.blacklisted

    def _on(self, host: str) -> list[TaskTracker]:
        return [tracker for tracker in self.trackers.values() if tracker.host == host]

    def reserving(self, tracker: TaskTracker, kind: int) -> JobInProgress | None:
        """The job for which a tracker keeps its free slots of a kind."""
        owner = tracker.reserved_for[kind]
        return None if owner is None else self.jobs[owner.number]

    def trackers_on(self, host: str) -> int:
        return len(self._on(host))

    # Trackers.

    def update_tracker(self, report: TrackerReport) -> bool:
        """Take over a report; whether the tracker was known. Source: #updateTaskTrackerStatus."""
        tracker = self.trackers.get(report.tracker)
        if tracker is not None:
            running, slots = tracker.running, tracker.slots
            tracker.take(report)
            if (running, slots) != (tracker.running, tracker.slots):
                self._count(tracker.host, running, slots, -1)
                self._count(tracker.host, tracker.running, tracker.slots, 1)
            return True
        tracker = self.trackers[report.tracker] = TaskTracker(report)
        self._count(tracker.host, tracker.running, tracker.slots, 1)
        self.hosts[tracker.host] = self.hosts.get(tracker.host, 0) + 1
        return False

    def _count(self, host: str, running: tuple[int, int], slots: tuple[int, int], sign: int) -> None:
        counts = not self.faulty.is_blacklisted(host)
        for kind in (MAP, REDUCE):
            self.running[kind] += sign * running[kind]
            if counts:
                self.slots[kind] += sign * slots[kind]

    def drop_tracker(self, name: str) -> None:
        tracker = self.trackers[name]
        self._count(tracker.host, tracker.running, tracker.slots, -1)
        del self.trackers[name]
        if tracker.host in self.hosts:
            self.hosts[tracker.host] -= 1
            if self.hosts[tracker.host] <= 0:
                del self.hosts[tracker.host]

    def remove_capacity(self, host: str) -> None:
        """The host was blacklisted. Source: #removeHostCapacity."""
        for tracker in self._on(host):
            tracker.unreserve_all()
            for kind in (MAP, REDUCE):
                self.slots[kind] -= tracker.slots[kind]
        self.hosts.pop(host, None)

    def add_capacity(self, host: str) -> None:
        """The host is blacklisted no longer. Source: #addHostCapacity."""
        there = self._on(host)
        for tracker in there:
            for kind in (MAP, REDUCE):
                self.slots[kind] += tracker.slots[kind]
        self.hosts[host] = len(there)

    def lose_attempts(self, tracker: TaskTracker) -> None:
        """Lose what ran on a tracker, and outputs of maps that reduces need. Source: #lostTaskTracker."""
        self.jobs_to_end.pop(tracker.name, None)
        lost = self.attempts.drop_tracker(tracker.name)
        if lost is None:
            return
        hit: dict[int, JobInProgress] = {}
        for attempt in lost:
            task = self.attempts.tasks[attempt]
            job = self.jobs[attempt[0]]
            if task.is_complete and not (task.is_user_map and job.description.reduces):
                self.attempts.mark(tracker.name, attempt)
            elif not job.is_ended:
                status = task.statuses.get(attempt)
                is_unclean = status is not None and status.state == RUNNING and not task.role
                attempt_lost(job, task, attempt, KILLED_UNCLEAN if is_unclean else KILLED, tracker)
                hit[job.number] = job
        for job in hit.values():
            job.note_tracker_failure(tracker.host, tracker)
        tracker.unreserve_all()
        self.attempts.forget_marked(tracker.name)

    def remove_tracker(self, tracker: TaskTracker) -> None:
        """A tracker is gone: it expired or was excluded. Source: #removeTracker."""
        self.lose_attempts(tracker)
        if self.faulty.is_blacklisted(tracker.host):
            self.faulty.blacklisted -= 1
        if self.faulty.is_graylisted(tracker.host):
            self.faulty.graylisted -= 1
        self.drop_tracker(tracker.name)

    def heartbeat_ms(self) -> int:
        """Return when a tracker is to report again. Source: JobTracker#getNextHeartbeatInterval."""
        return max(int(self.heartbeat_factor * (self.active_trackers / self.heartbeats_per_second)), MIN_HEARTBEAT_MS)

    # Jobs.

    def add_job(self, job: JobInProgress) -> None:
        self.jobs[job.number] = job
        self.live[job.number] = job

    def jobs_with_chores(self) -> list[JobInProgress]:
        """Live jobs of which a setup or cleanup task is due, in the order of their numbers."""
        changed = [self.live[number] for number in sorted(self.changed_jobs) if number in self.live]
        found = [job for job in changed if job.chores()]
        self.changed_jobs = {job.number: None for job in found}
        return found

    def fail_job(self, job: JobInProgress) -> None:
        terminate(job, "FAILED")

    def job_ended(self, job: JobInProgress) -> None:
        """Its attempts are forgotten soon, every tracker is told, its flaky hosts get a fault. Source: #finalizeJob."""
        self.live.pop(job.number, None)
        for task in job.setup:
            self._mark_ended(task, _STILL_THERE)
        for tasks in job.tasks:
            for task in tasks:
                self._mark_ended(task, (*_STILL_THERE, *UNCLEAN))
        for tracker in self.trackers:
            self.jobs_to_end.setdefault(tracker, {})[job.number] = None
        if job.state == SUCCEEDED and job.flaky_trackers > 0:
            for host in job.flaky_hosts():
                self.faulty.add_fault(host)

    def _mark_ended(self, task: TaskInProgress, still_there: tuple[str, ...]) -> None:
        for status in task.statuses.values():
            if status.state not in still_there:
                self.attempts.mark(status.tracker, status.attempt)
