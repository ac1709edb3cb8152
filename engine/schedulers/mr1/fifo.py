"""JobQueueTaskScheduler: jobs by priority and start, work spread evenly over the trackers.

Source: JobQueueTaskScheduler, JobQueueJobInProgressListener, EagerTaskInitializationListener, Hadoop 1.2.1.
"""

import math
from bisect import insort
from collections.abc import Mapping
from typing import Final

from engine.errors import RefusedError
from engine.model.java_values import float32
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_search import NON_LOCAL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING, Launch, TaskTracker
from engine.schedulers.mr1.interface import JobOrder, TaskScheduler, job_order
from engine.schedulers.mr1.settings import PoolAllocations
from engine.settings.mapreduce1 import JOB_TRACKER, PADDING

UNPADDED_TRACKERS: Final = 3
"""Up to so many trackers nothing is held back. Source: JobQueueTaskScheduler.MIN_CLUSTER_SIZE_FOR_PADDING."""


class FifoTaskScheduler(TaskScheduler):
    """One queue of jobs."""

    padding: float
    order: list[JobOrder] = []
    jobs: dict[JobOrder, JobInProgress] = {}

    def __init__(self, cluster: MapReduceCluster) -> None:
        self.cluster = cluster
        self.padding = JOB_TRACKER.value(cluster.settings, PADDING)

    def job_added(self, job: JobInProgress) -> None:
        self._enter(job)
        job.initialize()

    def _enter(self, job: JobInProgress) -> None:
        place = job_order(job)
        self.jobs[place] = job
        insort(self.order, place)

    def _leave(self, place: JobOrder) -> None:
        if self.jobs.pop(place, None) is not None:
            self.order.remove(place)

    def priority_changed(self, job: JobInProgress, before: int) -> None:
        self._leave((before, job.start_ms, job.number))
        if not job.is_ended:
            self._enter(job)

    def state_changed(self, job: JobInProgress) -> None:
        if job.is_ended:
            self._leave(job_order(job))

    def file_changed(self, allocations: PoolAllocations) -> None:
        raise RefusedError("UnsupportedOperationException", "mr1-fifo has no file of pools")

    def change_settings(self, values: Mapping[str, str]) -> None:
        raise RefusedError("UnsupportedOperationException", "JobQueueTaskScheduler reads its settings when it starts")

    def running_jobs(self) -> list[JobInProgress]:
        return [job for place in self.order if (job := self.jobs[place]).state == RUNNING]

    @property
    def is_idle(self) -> bool:
        return not self.jobs

    def assign(self, tracker: TaskTracker) -> list[Launch]:
        jobs = self.running_jobs()
        maps = sum(job.wanted(MAP) - job.finished[MAP] for job in jobs)
        reduces = sum(job.wanted(REDUCE) - job.finished[REDUCE] for job in jobs if job.may_start_reduces())
        launches = self._maps(tracker, jobs, self._available(tracker, MAP, maps))
        if self._available(tracker, REDUCE, reduces) > 0:
            reduce = self._reduce(tracker, jobs)
            launches += [reduce] if reduce is not None else []
        return launches

    def _available(self, tracker: TaskTracker, kind: int, remaining: int) -> int:
        """Slots it may fill: its part of what remains to be done in the cluster, less what runs there."""
        slots = self.cluster.slots[kind]
        # A tracker takes its part of the work only, so that the last tasks of a job do not crowd on the first trackers.
        load = remaining / slots if slots > 0 else 0.0
        return min(math.ceil(load * tracker.slots[kind]), tracker.slots[kind]) - tracker.running[kind]

    def _maps(self, tracker: TaskTracker, jobs: list[JobInProgress], slots: int) -> list[Launch]:
        launches: list[Launch] = []
        exceeded = slots > 0 and self._exceeds_padding(tracker, jobs, MAP)
        for _ in range(slots):
            launch, is_last = self._map(tracker, jobs)
            if launch is not None:
                launches.append(launch)
            # While slots are held back a tracker gets one map at a time.
            if is_last or (exceeded and launch is not None):
                break
        return launches

    def _map(self, tracker: TaskTracker, jobs: list[JobInProgress]) -> tuple[Launch | None, bool]:
        """The next map, and whether it ends the round: a far one does, and finding none."""
        for job in jobs:
            launch = job.obtain_map(tracker, RACK_LEVEL)
            if launch is not None:
                return launch, False
            # One map far from its data is enough for a heartbeat: the next tracker may hold the data of others.
            launch = job.obtain_map(tracker, NON_LOCAL)
            if launch is not None:
                return launch, True
        return None, False

    def _reduce(self, tracker: TaskTracker, jobs: list[JobInProgress]) -> Launch | None:
        exceeded = self._exceeds_padding(tracker, jobs, REDUCE)
        for job in jobs:
            if not job.description.reduces:
                continue
            launch = job.obtain_reduce(tracker)
            if launch is not None or exceeded:
                return launch
        return None

    def _exceeds_padding(self, tracker: TaskTracker, jobs: list[JobInProgress], kind: int) -> bool:
        """Whether slots are held back for failures and speculation; only jobs with reduces count."""
        needed = 0
        for job in jobs:
            if not job.description.reduces:
                continue
            needed += job.wanted(kind)
            padding = 0
            if self.cluster.active_trackers > UNPADDED_TRACKERS:
                padding = min(tracker.slots[kind], int(float32(needed * self.padding)))
            if self.cluster.running[kind] + padding >= self.cluster.slots[kind]:
                return True
        return False
