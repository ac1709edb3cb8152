"""Tells why a job of a JobTracker gets no slot now: limits of its pool or queue first, then the slots themselves.

A map slot never runs a reduce and a reduce slot never a map, so slots of the wrong kind stand idle; a reduce that
waits for maps of its job keeps its slot. Source: JobQueueTaskScheduler, FairScheduler, CapacityTaskScheduler,
Hadoop 1.2.1.
"""

from collections.abc import Iterator

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.model.mr1.attempt import MAP, REDUCE
from engine.model.mr1.job_in_progress import PREP, JobInProgress
from engine.observe.snapshot import ObstacleSummary
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.task_scheduler_view import WORDS


def job_obstacle(job: JobInProgress, view: JobTrackerView) -> ObstacleSummary | None:
    """The first reason why a job's tasks wait; None when none of them does."""
    if job.is_ended or not view.pending(job):
        return None
    if not view.answers:
        return ObstacleSummary(Reason.NO_JOB_TRACKER.name, "no JobTracker answers")
    if not job.is_initialized:
        return ObstacleSummary(Reason.QUEUE_NOT_RUNNING_IT.name, _not_initialized(job, view))
    if not view.cluster.trackers:
        return ObstacleSummary(Reason.NO_NODE.name, "no tracker has reported")
    kind = REDUCE if job.state != PREP and job.pending(MAP) <= 0 else MAP
    return next(_obstacles(job, view, kind))


def _not_initialized(job: JobInProgress, view: JobTrackerView) -> str:
    where = f"{view.task_scheduler.noun} {view.task_scheduler.queue_of(job)}"
    return f"{where} or user {job.description.user} runs as many jobs as it may; the job is not initialized yet"


def _obstacles(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[ObstacleSummary]:
    if job.chores():
        yield _chore_waits(job, view)
    yield from _limits(job, view, kind)
    yield from _reservations(job, view, kind)
    yield from _no_free_slot(view, kind)
    yield from _waits_for_place(job, view, kind)
    sentence = f"{WORDS[kind]} slots are free; a tracker with one has to report, and jobs before it come first"
    yield ObstacleSummary(Reason.OTHER_FIRST.name, sentence)


def _chore_waits(job: JobInProgress, view: JobTrackerView) -> ObstacleSummary:
    """A setup or cleanup task takes a slot of either kind, before all other tasks."""
    chore = f"its {'setup' if job.state == PREP else 'cleanup'} task"
    if any(_free_slots(view)):
        return ObstacleSummary(Reason.OTHER_FIRST.name, f"{chore} goes to the next tracker that reports")
    maps, reduces = view.cluster.slots
    sentence = f"{chore} waits: all {maps} map slots and {reduces} reduce slots are taken"
    return ObstacleSummary(Reason.DOES_NOT_FIT.name, sentence)


def _free_slots(view: JobTrackerView) -> list[int]:
    """Map slots and reduce slots that no reported attempt occupies."""
    trackers = view.cluster.trackers.values()
    return [sum(max(0, one.free(kind)) for one in trackers) for kind in (MAP, REDUCE)]


def _limits(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[ObstacleSummary]:
    found = view.task_scheduler.limit(job, kind)
    if found is not None:
        is_short = found.reason is Reason.DOES_NOT_FIT
        taken = next((f"; {each.sentence}" for each in _no_free_slot(view, kind)), "") if is_short else ""
        yield ObstacleSummary(found.reason.name, found.sentence + taken)


def _reservations(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[ObstacleSummary]:
    free = [tracker for tracker in view.cluster.trackers.values() if tracker.free(kind) > 0]
    others = {other.number for one in free if (other := one.reserved_for[kind]) is not None and other is not job}
    if free and len([one for one in free if one.reserved_for[kind] in (None, job)]) == 0:
        names = ", ".join(view.application_id(number) for number in sorted(others))
        sentence = f"every tracker with free {WORDS[kind]} slots is reserved, for {names}"
        yield ObstacleSummary(Reason.NODE_RESERVED.name, sentence)


def _no_free_slot(view: JobTrackerView, kind: int) -> Iterator[ObstacleSummary]:
    cluster, free = view.cluster, _free_slots(view)
    if free[kind] > 0:
        return
    sentence = f"all {cluster.slots[kind]} {WORDS[kind]} slots are taken"
    if (idle := free[1 - kind]) > 0:
        verbs = "slot is idle and runs" if idle == 1 else "slots are idle and run"
        sentence += f"; {idle} {WORDS[1 - kind]} {verbs} no {WORDS[kind]}s"
    hoarded = sum(job.running[REDUCE] for job in cluster.live.values() if job.pending(MAP) > 0 or job.running[MAP])
    if kind == REDUCE and hoarded:
        sentence += f"; {hoarded} {'is' if hoarded == 1 else 'are'} held by reduces that wait for maps of their jobs"
    yield ObstacleSummary(Reason.DOES_NOT_FIT.name, sentence)


def _waits_for_place(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[ObstacleSummary]:
    waited_ms = view.task_scheduler.waited_ms(job) if kind == MAP else None
    if waited_ms is not None:
        yield ObstacleSummary(
            Reason.DELAY_SCHEDULING.name, f"it has waited {waited_ms} ms for a map slot near its data"
        )
