"""Recovery of the JobTracker: nothing outlives a restart, or the jobs whose files its system directory holds.

State is in memory alone. With `mapred.jobtracker.restart.recover` jobs are submitted again and run from their
beginning, attempts numbered from 0 again, in order of their numbers; priorities changed meanwhile are not in the files.
Without it the directory is wiped. Trackers it does not know have to drop everything and start over.

Source: JobTracker.RecoveryManager, #submitJob, Hadoop 1.2.1. Differs: ids keep the first identifier and numbers of jobs
go on; the real ones begin again at 1 under a new identifier.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from engine.control_plane.attempt_containers import AttemptContainers
from engine.control_plane.job_tracker_events import JobSubmitted, JobTrackerStarted, JobTrackerStopped
from engine.control_plane.protocol import NOTHING, Answer
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned, Decision, Killed
from engine.model.lifecycle import CONTROL_PLANE, move
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job_in_progress import JobInProgress
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.mr1.interface import TaskScheduler
from engine.settings.mapreduce1 import JOB_RECOVERS, JOB_TRACKER, RESTART_RECOVERS
from engine.state import State

ORPHANED: Final = "ORPHANED"
"""Why an attempt ends that no job of this JobTracker owns."""


class JobTrackerRecovery(metaclass=State):
    """Tells whether a JobTracker is there, and which trackers have not returned since it stopped."""

    is_enabled: bool
    expiry_ms: int
    state: str = "ACTIVE"
    since_ms: int
    """Since when it is in that state [epoch ms]."""
    missing: dict[str, None] = {}
    """Trackers it knew when it stopped that have not reported since."""
    trackers_known: int = 0
    """How many it knew then."""
    gives_up_ms: int
    """When it no longer counts on those [epoch ms]."""

    def __init__(self, settings: Mapping[str, str], expiry_ms: int, now_ms: int) -> None:
        self.is_enabled = JOB_TRACKER.value(settings, RESTART_RECOVERS)
        self.expiry_ms = expiry_ms
        self.since_ms = now_ms
        self.gives_up_ms = now_ms

    @property
    def answers(self) -> bool:
        """Tell whether there is a JobTracker that answers."""
        return self.state != "DOWN"

    def stop(self, trackers: Iterable[str], now_ms: int) -> None:
        """The JobTracker is gone."""
        if self.state == "ACTIVE":
            self.missing = {}
        self.missing |= dict.fromkeys(trackers)
        self.trackers_known = len(self.missing)
        self._move("STOP", now_ms)

    def start(self, now_ms: int) -> None:
        """It is there again."""
        self._move("START", now_ms)
        self.gives_up_ms = now_ms + self.expiry_ms
        self.look(now_ms)

    def came_back(self, tracker: str, now_ms: int) -> None:
        """A tracker has started over."""
        self.missing.pop(tracker, None)
        self.look(now_ms)

    def look(self, now_ms: int) -> None:
        """Recovery ends when every tracker is back, or the missing ones have been silent for the expiry interval."""
        if self.state == "RECOVERING" and (not self.missing or now_ms >= self.gives_up_ms):
            self._move("RECOVERED", now_ms)

    def recovers(self, job: JobInProgress) -> bool:
        """Tell whether a job is submitted again."""
        return self.is_enabled and JOB_TRACKER.value(job.description.settings, JOB_RECOVERS)

    def _move(self, happening: str, now_ms: int) -> None:
        self.state = move(CONTROL_PLANE, self.state, happening)
        self.since_ms = now_ms


class RecoveringTracker(Protocol):
    """The JobTracker as its stop and start see it."""

    cluster: MapReduceCluster
    containers: AttemptContainers
    decisions: list[Decision]
    recovery: JobTrackerRecovery
    scheduler: TaskScheduler

    def begin_life(self, cluster: MapReduceCluster, allocations: PoolAllocations) -> None:
        """Begin anew with a cluster without trackers and jobs."""

    def submit(self, event: JobSubmitted) -> Answer:
        """Enter a job."""


def stopped(jt: RecoveringTracker, event: JobTrackerStopped) -> Answer:
    """Stop; what it believed stays to be looked at, and nothing of it is decided on."""
    jt.recovery.stop(jt.cluster.trackers, jt.cluster.now_ms)
    return NOTHING


def started(jt: RecoveringTracker, event: JobTrackerStarted) -> Answer:
    """Nothing is known but the settings; recovered jobs are submitted again, all others are lost.

    Raises:
        RefusedError: There is a JobTracker already.
    """
    if jt.recovery.answers:
        raise RefusedError("IllegalStateException", "a JobTracker is there already")
    decisions: list[Decision] = [Killed(name, live.node, ORPHANED) for name, live in jt.containers.live.items()]
    jobs = sorted(jt.cluster.live.values(), key=lambda job: job.number)
    jt.begin_life(jt.cluster.after_restart(), jt.scheduler.after_restart())
    jt.recovery.start(jt.cluster.now_ms)
    jt.decisions += decisions
    for job in jobs:
        if jt.recovery.recovers(job):
            try:
                jt.submit(JobSubmitted(job.description, job.number))
            except RefusedError as error:
                jt.decisions.append(_lost(job, f"cannot be recovered: {error}"))
        else:
            key = JOB_RECOVERS if jt.recovery.is_enabled else RESTART_RECOVERS
            jt.decisions.append(_lost(job, f"lost with the JobTracker: {key} is not true"))
    return Answer()


def _lost(job: JobInProgress, detail: str) -> Decision:
    return ApplicationTransitioned(job.number, "FAILED", job.description.queue, detail)
