"""The picture of a cluster as a JobTracker believes it.

Trackers are nodes, jobs are applications, attempts are containers, pools or queues are queues. Amounts are (map slots,
reduce slots).

A map slot never runs a reduce and a reduce slot never a map, so slots of the wrong kind stand idle; a reduce that waits
for maps of its job keeps its slot. Source: JobQueueTaskScheduler, FairScheduler, CapacityTaskScheduler, Hadoop 1.2.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import attempt_of, is_cleanup, node_of, size_of
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.model.decision import ContainerId
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import PREP, JobInProgress
from engine.model.mr1.task_in_progress import PRIORITIES
from engine.model.mr1.tracker import CHORE, MAP, REDUCE, TaskTracker
from engine.observe.releases import users_of
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    ApplicationRow,
    AskRow,
    ContainerRow,
    NodeRow,
    ObstacleSummary,
    QueueRow,
    ReservationRow,
    Snapshot,
    UserRow,
    header_of,
    summed,
)
from engine.schedulers.interface import Setting
from engine.schedulers.mr1.capacity_view import WORDS, HeldSlots, JobObstacle
from engine.schedulers.obstacle_texts import Reason
from engine.settings.mapreduce1 import SLOTS, SLOW_START
from engine.units import plural

BELOW_MINIMUM: Final = "minimum share not reached"
RESERVED: Final = "reserved for high memory"
WRONG_KIND: Final = "slots of the wrong kind"
HOARDED: Final = "reduces hoard slots"


def due_asks(job: JobInProgress) -> tuple[int, ...]:
    """Return what a job may be given now: `MAP`, `REDUCE` past its slow start, `CHORE`; nothing once it has ended."""
    if job.is_ended:
        return ()
    chores = (CHORE,) if job.chores() else ()
    if job.state == PREP or job.is_killed or job.is_failing:
        return chores
    maps = (MAP,) if job.unlaunched(MAP) > 0 else ()
    return (*maps, *((REDUCE,) if job.unlaunched(REDUCE) > 0 and job.may_start_reduces() else ()), *chores)


def first_of(asks: Sequence[int]) -> int:
    """Return the ask that is served first: setup and cleanup tasks come before all others, then maps."""
    return CHORE if CHORE in asks else asks[0]


def ask_obstacle(job: JobInProgress, view: JobTrackerView, ask: int) -> JobObstacle:
    """Return the first reason why one of `due_asks`, or reduces before their slow start, wait."""
    if not view.answers:
        return JobObstacle(Reason.NO_JOB_TRACKER, "no JobTracker answers")
    if not job.is_initialized:
        return _not_initialized(job, view)
    if not view.cluster.trackers:
        return JobObstacle(Reason.NO_NODE, "no tracker has reported")
    if not usable_trackers(view.cluster):
        return JobObstacle(Reason.BLACKLISTED, "every tracker is blacklisted, as its node is unhealthy")
    if ask == CHORE:
        return _chore_waits(job, view)
    if ask == REDUCE and not job.may_start_reduces():
        done, needed = job.finished[MAP] + job.failed_tasks[MAP], job.reduces_after
        sentence = f"its reduces come after {needed} of its {job.wanted(MAP)} maps, {done} have ended"
        setting = Setting(str(SLOW_START), job.description.settings.get(str(SLOW_START), ""))
        return JobObstacle(Reason.MAPS_FIRST, sentence, setting)
    return next(_obstacles(job, view, ask))


def _not_initialized(job: JobInProgress, view: JobTrackerView) -> JobObstacle:
    found = view.task_scheduler.limit_of_jobs(job)
    if found is None:
        return JobObstacle(Reason.QUEUE_NOT_RUNNING_IT, "the scheduler has not initialized the job yet")
    return found._replace(sentence=f"{found.sentence}; the job is not initialized yet")


def _obstacles(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    yield from _limits(job, view, kind)
    yield from _too_few_slots(job, view, kind)
    yield from _reservations(job, view, kind)
    yield from _no_free_slot(view, kind)
    waited_ms = view.task_scheduler.waited_ms(job) if kind == MAP else None
    if waited_ms is not None:
        yield JobObstacle(Reason.DELAY_SCHEDULING, f"it has waited {waited_ms} ms for a map slot near its data")
    sentence = f"{WORDS[kind]} slots are free; a tracker with one has to report, and jobs before it come first"
    yield JobObstacle(Reason.OTHER_FIRST, sentence)


def _chore_waits(job: JobInProgress, view: JobTrackerView) -> JobObstacle:
    """Goes before all other tasks: a setup or cleanup task in a slot of either kind, else the cleanup of an attempt."""
    free, waiting = _free_slots(view), job.cleanup_waiting
    kinds = [kind for kind in (MAP, REDUCE) if waiting[kind]]
    if kinds and sum(map(len, waiting)) == job.chores():
        kind = max(kinds, key=lambda kind: free[kind] > 0)
        chore = f"the cleanup of {len(waiting[kind])} of its {WORDS[kind]}s"
        full = next(_no_free_slot(view, kind), None)
    else:
        chore = f"its {'setup' if job.state == PREP else 'cleanup'} task"
        maps, reduces = view.cluster.slots
        taken = f"all {maps} map slots and {reduces} reduce slots are taken"
        full = None if any(free) else JobObstacle(Reason.DOES_NOT_FIT, taken)
    if full is not None:
        return full._replace(sentence=f"{chore} waits: {full.sentence}")
    return JobObstacle(Reason.OTHER_FIRST, f"{chore} goes to the next tracker that reports")


def usable_trackers(cluster: MapReduceCluster) -> list[TaskTracker]:
    """Return the trackers that are given tasks: the ones that are not blacklisted."""
    return [each for each in cluster.trackers.values() if not cluster.faulty.is_blacklisted(each.host)]


def _free_slots(view: JobTrackerView) -> list[int]:
    return [sum(max(0, one.free(kind)) for one in usable_trackers(view.cluster)) for kind in (MAP, REDUCE)]


def _limits(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    found = view.task_scheduler.limit(job, kind)
    if found is None:
        return
    if found.reason is not Reason.DOES_NOT_FIT:
        yield found
        return
    slots = next(_no_free_slot(view, kind), None)
    sentence = found.sentence if slots is None else f"{found.sentence}; {slots.sentence}"
    setting = found.setting if slots is None else slots.setting
    yield JobObstacle(found.reason, sentence, setting, found.subject, BELOW_MINIMUM)


def _too_few_slots(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    most, need = _most_slots(view, kind), job.slots_per_task[kind]
    if need > most:
        sentence = f"a {WORDS[kind]} takes {plural(need, 'slot')}; no tracker has more than {most}"
        yield JobObstacle(Reason.NODE_TOO_SMALL, sentence, _slots_setting(view, kind))


def _most_slots(view: JobTrackerView, kind: int) -> int:
    return max(tracker.slots[kind] for tracker in view.cluster.trackers.values())


def _slots_setting(view: JobTrackerView, kind: int) -> Setting:
    return Setting(str(SLOTS[kind]), str(_most_slots(view, kind)))


def _reservations(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    free = [tracker for tracker in usable_trackers(view.cluster) if tracker.free(kind) > 0]
    others = {other.number for one in free if (other := one.reserved_for[kind]) is not None and other is not job}
    if free and len([one for one in free if one.reserved_for[kind] in (None, job)]) == 0:
        names = ", ".join(view.application_id(number) for number in sorted(others))
        sentence = f"every tracker with free {WORDS[kind]} slots is reserved, for {names}"
        yield JobObstacle(Reason.NODE_RESERVED, sentence, pattern=RESERVED)


def hoarded_by(job: JobInProgress) -> int:
    """Return how many reduces of a job run while it still has maps to end."""
    return job.running[REDUCE] if job.unlaunched(MAP) > 0 or job.running[MAP] else 0


def _no_free_slot(view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    cluster, free = view.cluster, _free_slots(view)
    if free[kind] > 0:
        return
    sentence, pattern = f"all {cluster.slots[kind]} {WORDS[kind]} slots are taken", ""
    if unusable := len(cluster.trackers) - len(usable_trackers(cluster)):
        why = "is blacklisted, as its node is" if unusable == 1 else "are blacklisted, as their nodes are"
        sentence += f", and {plural(unusable, 'tracker')} {why} unhealthy"
    if (idle := free[1 - kind]) > 0:
        verbs = "slot is idle and runs" if idle == 1 else "slots are idle and run"
        sentence += f"; {idle} {WORDS[1 - kind]} {verbs} no {WORDS[kind]}s"
        pattern = WRONG_KIND
    hoarded = sum(map(hoarded_by, cluster.live.values()))
    if kind == REDUCE and hoarded:
        sentence += f"; {hoarded} {'is' if hoarded == 1 else 'are'} held by reduces that wait for maps of their jobs"
        pattern = HOARDED
    yield JobObstacle(Reason.DOES_NOT_FIT, sentence, _slots_setting(view, kind), pattern=pattern)


ENDED_SHOWN: Final = 1_000  # Ended jobs that are shown, the latest ones


def attempt_words(container: ContainerId) -> str:
    """Name an attempt beside its job.

    >>> attempt_words((3, 1, 22)), attempt_words((3, 2, 20)), attempt_words((3, 1, 23))
    ('reduce 5', 'map 5, try 2', 'cleanup of reduce 5')
    """
    _, kind, task, number = attempt_of(container)
    words = f"{'reduce' if kind else 'map'} {task}{f', try {number + 1}' if number else ''}"
    return f"cleanup of {words}" if is_cleanup(container) else words


def _tasks(job: JobInProgress, kind: int) -> tuple[int, int, int]:
    """Running, finished, all.

    Differs: a JobTracker counts an attempt on until another one cleans up after it, for ever where its job ends first.
    """
    running = job.running[kind] - len(job.cleanup_waiting[kind])
    if job.is_killed or job.is_failing:
        running = sum(len(task.active) for task in job.tasks[kind])
    return running, job.finished[kind], job.wanted(kind)


class JobRow(ApplicationRow, frozen=True, kw_only=True):
    """One job, and what only a JobTracker tells of it."""

    priority: str
    maps: tuple[int, int, int]  # Running, finished, all
    reduces: tuple[int, int, int]
    failed_attempts: int  # Killed ones included
    local_maps: tuple[int, int, int]  # Maps launched on a host with their data, in its rack, and all


class TrackerRow(NodeRow, frozen=True, kw_only=True):
    """One tracker, and what only a JobTracker tells of it."""

    is_graylisted: bool  # True if many jobs had failures on its host
    flaky_for: int  # Live jobs for which its host is flaky


class JobTrackerSnapshot(Snapshot):
    """A picture at one instant; sections are built when asked for."""

    dialect = JobTrackerView.kind
    sections: Mapping[str, type[msgspec.Struct]] = {
        **{name: row for name, row in SECTIONS.items() if name != "executors"},
        "applications": JobRow,
        "nodes": TrackerRow,
    }

    def __init__(self, jt: JobTracker, now_ms: int) -> None:
        self._cluster = jt.cluster
        self._version = jt.cluster.version
        self._view = jt.view()
        self.header = header_of(jt, now_ms)

    def version(self, section: str) -> int:
        return self._version

    def queues(self) -> Sequence[QueueRow]:
        return self._view.policy.queues()

    def nodes(self) -> Sequence[TrackerRow]:
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
        held = self._view.containers.slots_by_job()
        live = [self._job_row(job, held, why=why) for job in self._cluster.live.values()]
        ended = [job for job in reversed(self._cluster.jobs.values()) if job.is_ended][:ENDED_SHOWN]
        return (*live, *(self._job_row(job, held, why=False) for job in ended))

    def _job_row(self, job: JobInProgress, held: HeldSlots, *, why: bool) -> JobRow:
        view, containers = self._view, self._view.containers
        is_live = not job.is_ended
        pending = view.pending(job) if is_live else 0
        due = due_asks(job) if is_live and why else ()
        found = ask_obstacle(job, view, first_of(due)) if due else None
        return JobRow(
            id=view.application_id(job.number),
            number=job.number,
            name=job.description.name,
            user=job.description.user,
            queue=view.task_scheduler.queue_of(job),
            type="MAPREDUCE",
            state=job.state,
            submitted_ms=job.start_ms,
            waiting_since_ms=containers.unmet_since_ms.get(job.number) if pending else None,
            finished_ms=job.finish_ms or None,
            used=summed(held.get(job.number, ())),
            containers=containers.held[job.number],
            reserved=(
                sum(slots for _, slots in job.reserved[MAP].values()),
                sum(slots for _, slots in job.reserved[REDUCE].values()),
            ),
            reservations=len(job.reserved[MAP]) + len(job.reserved[REDUCE]),
            asks=self._asks(job),
            pending_containers=pending,
            obstacle=None if found is None else ObstacleSummary(found.reason.name, found.sentence),
            diagnostics=job.failure,
            priority=PRIORITIES[job.priority],
            maps=_tasks(job, MAP),
            reduces=_tasks(job, REDUCE),
            failed_attempts=sum(job.failed_attempts),
            local_maps=(job.local_maps[0], job.local_maps[1], job.launched_maps),
        )

    @staticmethod
    def _asks(job: JobInProgress) -> tuple[AskRow, ...]:
        if job.is_ended or job.is_killed or job.is_failing:
            return ()
        return tuple(
            AskRow(kind, job.unlaunched(kind), size_of(kind, job.slots_per_task[kind]))
            for kind in (MAP, REDUCE)
            if job.unlaunched(kind) > 0
        )

    def reservations(self) -> Sequence[ReservationRow]:
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
        return users_of(self.applications(why=False), self.header.total)
