"""Tells why a job of a JobTracker gets no slot now: limits of its pool or queue first, then the slots themselves.

A map slot never runs a reduce and a reduce slot never a map, so slots of the wrong kind stand idle; a reduce that
waits for maps of its job keeps its slot. Source: JobQueueTaskScheduler, FairScheduler, CapacityTaskScheduler,
Hadoop 1.2.1.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.model.mr1.attempt import CHORE, MAP, REDUCE
from engine.model.mr1.job_in_progress import PREP, JobInProgress
from engine.observe.snapshot import ObstacleSummary
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.task_scheduler_view import WORDS
from engine.schedulers.scheduler_view import Setting
from engine.settings.mapreduce1 import SLOTS, SLOW_START
from engine.units import plural

BELOW_MINIMUM: Final = "minimum share not reached"
RESERVED: Final = "reserved for high memory"
WRONG_KIND: Final = "slots of the wrong kind"
HOARDED: Final = "reduces hoard slots"


class JobObstacle(NamedTuple):
    """The reason a job's tasks wait."""

    reason: Reason
    sentence: str
    setting: Setting | None = None
    """The setting that decides it; None when none does."""
    subject: str = ""
    """The pool, queue or user it is about; empty when none."""
    pattern: str = ""
    """The pattern it belongs to; empty for none."""

    def summary(self) -> ObstacleSummary:
        """Return the obstacle as a row of a snapshot has it."""
        return ObstacleSummary(self.reason.name, self.sentence)


def job_obstacle(job: JobInProgress, view: JobTrackerView) -> JobObstacle | None:
    """Return the first reason why a job's tasks wait; None when none of them does."""
    due = due_asks(job)
    return ask_obstacle(job, view, first_of(due)) if due else None


def due_asks(job: JobInProgress) -> tuple[int, ...]:
    """Return what a job may be given now: `MAP`, `REDUCE` past its slow start, `CHORE`; nothing once it has ended."""
    if job.is_ended:
        return ()
    chores = (CHORE,) if job.chores() else ()
    if job.state == PREP or job.is_killed or job.is_failing:
        return chores
    maps = (MAP,) if job.pending(MAP) > 0 else ()
    return (*maps, *((REDUCE,) if job.pending(REDUCE) > 0 and job.may_start_reduces() else ()), *chores)


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
    if all(view.cluster.faulty.is_blacklisted(tracker.host) for tracker in view.cluster.trackers.values()):
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
    sentence = f"{found.sentence}; the job is not initialized yet"
    return JobObstacle(found.reason, sentence, found.setting, found.subject)


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
    """A setup or cleanup task takes a slot of either kind, before all other tasks."""
    chore = f"its {'setup' if job.state == PREP else 'cleanup'} task"
    if any(_free_slots(view)):
        return JobObstacle(Reason.OTHER_FIRST, f"{chore} goes to the next tracker that reports")
    maps, reduces = view.cluster.slots
    sentence = f"{chore} waits: all {maps} map slots and {reduces} reduce slots are taken"
    return JobObstacle(Reason.DOES_NOT_FIT, sentence)


def _free_slots(view: JobTrackerView) -> list[int]:
    """Map slots and reduce slots that no reported attempt occupies."""
    trackers = view.cluster.trackers.values()
    return [sum(max(0, one.free(kind)) for one in trackers) for kind in (MAP, REDUCE)]


def _limits(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    found = view.task_scheduler.limit(job, kind)
    if found is None:
        return
    if found.reason is not Reason.DOES_NOT_FIT:
        yield JobObstacle(found.reason, found.sentence, found.setting, found.subject)
        return
    slots = next(_no_free_slot(view, kind), None)
    sentence = found.sentence if slots is None else f"{found.sentence}; {slots.sentence}"
    setting = found.setting if slots is None else slots.setting
    yield JobObstacle(found.reason, sentence, setting, found.subject, BELOW_MINIMUM)


def _too_few_slots(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    """A task takes more slots than any tracker has."""
    most, need = _most_slots(view, kind), job.slots_per_task[kind]
    if need > most:
        sentence = f"a {WORDS[kind]} takes {plural(need, 'slot')}; no tracker has more than {most}"
        yield JobObstacle(Reason.NODE_TOO_SMALL, sentence, _slots_setting(view, kind))


def _most_slots(view: JobTrackerView, kind: int) -> int:
    return max(tracker.slots[kind] for tracker in view.cluster.trackers.values())


def _slots_setting(view: JobTrackerView, kind: int) -> Setting:
    return Setting(str(SLOTS[kind]), str(_most_slots(view, kind)))


def _reservations(job: JobInProgress, view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    free = [tracker for tracker in view.cluster.trackers.values() if tracker.free(kind) > 0]
    others = {other.number for one in free if (other := one.reserved_for[kind]) is not None and other is not job}
    if free and len([one for one in free if one.reserved_for[kind] in (None, job)]) == 0:
        names = ", ".join(view.application_id(number) for number in sorted(others))
        sentence = f"every tracker with free {WORDS[kind]} slots is reserved, for {names}"
        yield JobObstacle(Reason.NODE_RESERVED, sentence, pattern=RESERVED)


def hoarded_by(job: JobInProgress) -> int:
    """Return how many reduces of a job run while it still has maps to end."""
    return job.running[REDUCE] if job.pending(MAP) > 0 or job.running[MAP] else 0


def _no_free_slot(view: JobTrackerView, kind: int) -> Iterator[JobObstacle]:
    cluster, free = view.cluster, _free_slots(view)
    if free[kind] > 0:
        return
    sentence, pattern = f"all {cluster.slots[kind]} {WORDS[kind]} slots are taken", ""
    if (idle := free[1 - kind]) > 0:
        verbs = "slot is idle and runs" if idle == 1 else "slots are idle and run"
        sentence += f"; {idle} {WORDS[1 - kind]} {verbs} no {WORDS[kind]}s"
        pattern = WRONG_KIND
    hoarded = sum(map(hoarded_by, cluster.live.values()))
    if kind == REDUCE and hoarded:
        sentence += f"; {hoarded} {'is' if hoarded == 1 else 'are'} held by reduces that wait for maps of their jobs"
        pattern = HOARDED
    yield JobObstacle(Reason.DOES_NOT_FIT, sentence, _slots_setting(view, kind), pattern=pattern)
