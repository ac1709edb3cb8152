"""Reads a JobTracker's cluster for observers.

Trackers are nodes, jobs are applications, attempts are containers, pools or queues are queues; amounts are (map slots,
reduce slots). What has no meaning here is `UNKNOWN`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.control_plane.cluster_view import (
    ApplicationSummary,
    ClusterFigures,
    ClusterModes,
    ClusterView,
    RecoveryFigures,
)
from engine.control_plane.job_tracker_parts import AttemptContainers, JobTrackerRecovery
from engine.grouping import grouped
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import PREP, JobInProgress
from engine.model.mr1.task_in_progress import SPECULATIVE_LAG_MS
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING
from engine.schedulers.interface import UNKNOWN, PolicyView, QueueRow, Unknown
from engine.schedulers.mr1.capacity_view import TaskSchedulerView, amounts
from engine.schedulers.mr1.interface import TaskScheduler
from engine.schedulers.mr1.settings import PoolAllocations

HEARTBEATS: Final = 10  # When so many of each tracker have had no effect, further ones have none either


class JobTrackerPolicyView(PolicyView):
    """Implements `PolicyView`: pools, queues, or the one queue."""

    queue_row = QueueRow

    def __init__(
        self,
        cluster: MapReduceCluster,
        scheduler: TaskScheduler,
        task_scheduler: TaskSchedulerView,
        containers: AttemptContainers,
    ) -> None:
        self._cluster = cluster
        self._task_scheduler = task_scheduler
        self._containers = containers
        self._keys = scheduler.setting_keys

    def settings(self) -> tuple[str, ...]:
        """A JobTracker reads all others when it starts."""
        return self._keys()

    def allocation(self) -> PoolAllocations | None:
        return self._task_scheduler.allocation()

    def queues(self) -> Sequence[QueueRow]:
        by_queue = grouped((self._task_scheduler.queue_of(job), job) for job in self._cluster.live.values())
        return self._task_scheduler.queues(by_queue, self._containers.slots_by_job())


class JobTrackerView(ClusterView):
    kind = "mr1"

    def __init__(
        self,
        cluster: MapReduceCluster,
        scheduler: TaskScheduler,
        policy: TaskSchedulerView,
        containers: AttemptContainers,
        recovery: JobTrackerRecovery,
    ) -> None:
        self._recovery = recovery
        self.cluster = cluster
        self.scheduler = scheduler
        self.task_scheduler = policy
        self.policy = JobTrackerPolicyView(cluster, scheduler, policy, containers)
        self.containers = containers

    def figures(self) -> ClusterFigures:
        cluster, live = self.cluster, self.containers.live.values()
        reserved = [[one for one in cluster.trackers.values() if one.reserved_for[kind]] for kind in (MAP, REDUCE)]
        return ClusterFigures(
            total=amounts(cluster.slots),
            used=amounts([sum(each.slots for each in live if each.kind == kind) for kind in (MAP, REDUCE)]),
            reserved=amounts([sum(one.free(kind) for one in reserved[kind]) for kind in (MAP, REDUCE)]),
            nodes=cluster.active_trackers,
            nodes_down=cluster.faulty.blacklisted,
            nodes_reserved=sum(map(len, reserved)),
            applications=len(cluster.live),
            containers=len(self.containers.live),
            containers_pending=sum(self.pending(job) for job in cluster.live.values()),
        )

    def pending(self, job: JobInProgress) -> int:
        """Tasks a job waits to launch: setup and cleanup tasks that are due, maps and, past its slow start, reduces."""
        if job.state == PREP or job.is_killed or job.is_failing:
            return job.chores()
        reduces = job.unlaunched(REDUCE) if job.may_start_reduces() else 0
        return job.chores() + job.unlaunched(MAP) + reduces

    def modes(self) -> ClusterModes:
        preempts = self.task_scheduler.preemption()
        return ClusterModes(preempts, "", UNKNOWN, "applications" if self._recovery.is_enabled else "nothing")

    @property
    def answers(self) -> bool:
        return self._recovery.answers

    def recovery(self) -> RecoveryFigures | None:
        recovery = self._recovery
        if recovery.state == "ACTIVE":
            return None
        back = recovery.nodes_known - len(recovery.missing)
        return RecoveryFigures(not recovery.answers, recovery.since_ms, back, recovery.nodes_known, 0, -1)

    def applications(self) -> list[ApplicationSummary]:
        return [self._summary(job) for job in self.cluster.live.values()]

    def application(self, number: int) -> ApplicationSummary | None:
        job = self.cluster.live.get(number)
        return None if job is None else self._summary(job)

    def _summary(self, job: JobInProgress) -> ApplicationSummary:
        waits = self.pending(job) > 0
        since_ms = self.containers.unmet_since_ms.get(job.number) if waits else None
        description = job.description
        queue = self.task_scheduler.queue_of(job)
        about = (job.number, description.name, description.user, queue, job.start_ms)
        return ApplicationSummary(*about, since_ms, waits, any(job.running), since_ms)

    def service_fields(self, number: int) -> tuple[str, int | Unknown, int | None, int] | None:
        job = self.cluster.live.get(number)
        if job is None:
            return None
        since_ms = self.containers.unmet_since_ms.get(number)
        return job.state, self.pending(job), since_ms, self.containers.held[number]

    def numbers_running(self) -> list[int]:
        return [job.number for job in self.cluster.live.values() if job.state == RUNNING]

    def ended(self) -> Iterator[tuple[int, int]]:
        return ((job.number, job.start_ms) for job in self.cluster.jobs.values() if job.is_ended)

    def somebody_waits(self) -> bool:
        return bool(self.containers.unmet_since_ms) and any(self.pending(job) > 0 for job in self.cluster.live.values())

    def application_id(self, number: int) -> str:
        return f"job_{number:04d}"

    def container_id(self, container: tuple[int, int, int]) -> str:
        """`attempt_<job>_<m or r>_<task>_<attempt>`; cleanup attempts end with `c`."""
        job, attempt, code = container
        return f"attempt_{job:04d}_{'mr'[code // 2 % 2]}_{code // 4:06d}_{attempt - 1}{'c' if code % 2 else ''}"

    def take_apart(self) -> None:
        self.cluster.jobs.clear()
        self.cluster.live.clear()

    def longest_timer_ms(self) -> int:
        passes_ms = max((interval_ms for _, interval_ms in self.scheduler.passes), default=0)
        timers_ms = SPECULATIVE_LAG_MS + HEARTBEATS * self.cluster.heartbeat_ms() + passes_ms
        return timers_ms + self.task_scheduler.longest_timer_ms()

    def delay_offers(self, now_ms: int) -> int:
        """Heartbeats that the capacity scheduler lets pass before a map leaves its rack; others go by time."""
        return self.task_scheduler.delay_offers(len(self.cluster.trackers), list(self.cluster.live.values()))

    def has_room_ever(self, memory_mb: int, vcores: int) -> bool:
        trackers = self.cluster.trackers.values()
        return not trackers or any(memory_mb <= one.slots[MAP] and vcores <= one.slots[REDUCE] for one in trackers)
