"""The picture of a cluster as a JobTracker believes it.

Trackers are nodes, jobs are applications, attempts are containers, pools or queues are queues. Amounts are (map slots,
reduce slots).
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from engine.control_plane.attempt_containers import attempt_of, is_cleanup, size_of
from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_requests import node_of
from engine.control_plane.job_tracker_view import STATES, JobTrackerView
from engine.model.decision import ContainerId
from engine.model.mr1.attempt import MAP, REDUCE
from engine.model.mr1.job_description import PRIORITIES
from engine.model.mr1.job_in_progress import JobInProgress
from engine.model.mr1.task_tracker import TaskTracker
from engine.observe.mr1_obstacle import job_obstacle
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    ApplicationRow,
    AskRow,
    ContainerRow,
    ExecutorRow,
    NodeRow,
    QueueRow,
    ReservationRow,
    UserRow,
    header_of,
)
from engine.observe.users import users_of

ENDED_SHOWN: Final = 1_000
"""Ended jobs that are shown, the latest ones."""


def attempt_words(container: ContainerId) -> str:
    """Name an attempt beside its job.

    >>> attempt_words((3, 1, 22)), attempt_words((3, 2, 20)), attempt_words((3, 1, 23))
    ('reduce 5', 'map 5, try 2', 'cleanup of reduce 5')
    """
    _, kind, task, number = attempt_of(container)
    words = f"{'reduce' if kind else 'map'} {task}{f', try {number + 1}' if number else ''}"
    return f"cleanup of {words}" if is_cleanup(container) else words


class JobRow(ApplicationRow, frozen=True, kw_only=True):
    """One job, and what only a JobTracker tells of it."""

    priority: str
    maps: tuple[int, int, int]
    """Running, finished, all."""
    reduces: tuple[int, int, int]
    failed_attempts: int
    """Killed ones included."""
    local_maps: tuple[int, int, int]
    """Maps launched on a host with their data, in its rack, and all."""


class TrackerRow(NodeRow, frozen=True, kw_only=True):
    """One tracker, and what only a JobTracker tells of it."""

    is_graylisted: bool
    """True if many jobs had failures on its host."""
    flaky_for: int
    """Live jobs for which its host is flaky."""


class JobTrackerSnapshot:
    """A picture at one instant; sections are built when asked for. Implements `Snapshot`."""

    dialect = JobTrackerView.kind
    sections: Mapping[str, type[msgspec.Struct]] = {
        **{name: row for name, row in SECTIONS.items() if name != "executors"},
        "applications": JobRow,
        "nodes": TrackerRow,
    }

    def __init__(self, jt: JobTracker, now_ms: int) -> None:
        """Look at the cluster as a whole."""
        self._cluster = jt.cluster
        self._version = jt.cluster.version
        self._view = jt.view()
        self.header = header_of(jt, now_ms)

    def version(self, section: str) -> int:
        """Changes with every event."""
        return self._version

    def queues(self) -> Sequence[QueueRow]:
        """Pools, queues, or the one queue."""
        return self._view.policy.queues()

    def nodes(self) -> Sequence[TrackerRow]:
        """Trackers in the order in which they reported first."""
        return tuple(self._node_row(tracker) for tracker in self._cluster.trackers.values())

    def _node_row(self, tracker: TaskTracker) -> TrackerRow:
        cluster, node = self._cluster, node_of(tracker.name)
        used = [0, 0]
        here = [live for live in self._view.containers.live.values() if live.node == node]
        for live in here:
            used[live.kind] += live.slots
        owner = tracker.reserved_for[MAP] or tracker.reserved_for[REDUCE]
        held = tuple(tracker.free(kind) if tracker.reserved_for[kind] else 0 for kind in (MAP, REDUCE))
        return TrackerRow(
            id=node,
            host=tracker.host,
            rack=cluster.racks.rack_of(tracker.host),
            state="UNHEALTHY" if cluster.faulty.is_blacklisted(tracker.host) else "RUNNING",
            partition="",
            total=tracker.slots,
            used=(used[MAP], used[REDUCE]),
            free=(tracker.slots[MAP] - used[MAP], tracker.slots[REDUCE] - used[REDUCE]),
            containers=len(here),
            reserved_by=None if owner is None else self._view.application_id(owner.number),
            reserved=None if owner is None else held,
            last_heartbeat_ms=tracker.last_seen_ms,
            is_graylisted=cluster.faulty.is_graylisted(tracker.host),
            flaky_for=sum(tracker.host in job.flaky_hosts() for job in cluster.live.values()),
        )

    def applications(self, *, why: bool = True) -> Sequence[JobRow]:
        """Live jobs by number, then ended ones, latest first."""
        live = [self._job_row(job, why=why) for job in self._cluster.live.values()]
        ended = [job for job in reversed(self._cluster.jobs.values()) if job.is_ended][:ENDED_SHOWN]
        return (*live, *(self._job_row(job, why=False) for job in ended))

    def _job_row(self, job: JobInProgress, *, why: bool) -> JobRow:
        view, containers = self._view, self._view.containers
        is_live = not job.is_ended
        pending = view.pending(job) if is_live else 0
        found = job_obstacle(job, view) if is_live and why else None
        return JobRow(
            id=view.application_id(job.number),
            number=job.number,
            name=job.description.name,
            user=job.description.user,
            queue=view.task_scheduler.queue_of(job),
            type="MAPREDUCE",
            state=STATES[job.state],
            submitted_ms=job.start_ms,
            waiting_since_ms=containers.unmet_since_ms.get(job.number) if pending else None,
            finished_ms=job.finish_ms or None,
            used=(job.running[MAP] * job.slots_per_task[MAP], job.running[REDUCE] * job.slots_per_task[REDUCE])
            if is_live
            else (0, 0),
            containers=containers.held[job.number],
            reserved=(
                sum(slots for _, slots in job.reserved[MAP].values()),
                sum(slots for _, slots in job.reserved[REDUCE].values()),
            ),
            reservations=len(job.reserved[MAP]) + len(job.reserved[REDUCE]),
            asks=self._asks(job) if is_live else (),
            pending_containers=pending,
            obstacle=None if found is None else found.summary(),
            priority=PRIORITIES[job.priority],
            maps=(job.running[MAP], job.finished[MAP], job.wanted(MAP)),
            reduces=(job.running[REDUCE], job.finished[REDUCE], job.wanted(REDUCE)),
            failed_attempts=sum(job.failed_attempts),
            local_maps=(job.local_maps[0], job.local_maps[1], job.launched_maps),
        )

    @staticmethod
    def _asks(job: JobInProgress) -> tuple[AskRow, ...]:
        """Tasks still to be launched, maps and reduces."""
        return tuple(
            AskRow(kind, job.pending(kind), size_of(kind, job.slots_per_task[kind]))
            for kind in (MAP, REDUCE)
            if job.pending(kind) > 0
        )

    def reservations(self) -> Sequence[ReservationRow]:
        """Trackers whose free slots are kept for a job that needs more of them."""
        return tuple(
            ReservationRow(
                node=node_of(tracker.name),
                application=self._view.application_id(job.number),
                queue=self._view.task_scheduler.queue_of(job),
                size=size_of(kind, job.slots_per_task[kind]),
                free=size_of(kind, tracker.free(kind)),
                short_by=size_of(kind, max(0, job.slots_per_task[kind] - tracker.free(kind))),
                since_ms=job.reserved[kind][tracker.name][0],
            )
            for tracker in self._cluster.trackers.values()
            for kind in (MAP, REDUCE)
            if (job := self._cluster.reserving(tracker, kind)) is not None
        )

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """Attempts that run, cleanup attempts included, by tracker."""
        view = self._view
        rows = []
        for container, live in sorted(view.containers.live.items(), key=lambda pair: (pair[1].node, pair[0])):
            id, job = view.application_id(container[0]), self._cluster.jobs[container[0]]
            if application in ("", id) and node in ("", live.node):
                size = size_of(live.kind, live.slots)
                rows.append(
                    ContainerRow(
                        view.container_id(container),
                        id,
                        live.node,
                        view.task_scheduler.queue_of(job),
                        job.description.user,
                        job.priority,
                        size,
                        "RUNNING",
                        live.launched_ms,
                        is_am=False,
                        marked_ms=UNKNOWN,
                    )
                )
        return tuple(rows)

    def users(self) -> Sequence[UserRow]:
        """Everybody with a live job, by name."""
        return users_of(self.applications(why=False), self.header.total)

    def executors(self) -> Sequence[ExecutorRow]:
        """None: what runs here are attempts."""
        return ()
