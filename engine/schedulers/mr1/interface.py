"""The interface a JobTracker needs of its scheduler.

Source: TaskScheduler, JobInProgressListener, Hadoop 1.2.1.
"""

from collections.abc import Mapping

from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.tracker import MAP, Launch, TaskTracker
from engine.schedulers.mr1.settings import PoolAllocations
from engine.state import State

JobOrder = tuple[int, int, int]
"""(priority, start, number) of a job: it sorts jobs as FIFO does, and stays as it was when the job was entered."""


def job_order(job: JobInProgress) -> JobOrder:
    """Return a job's place in a queue by priority. Source: JobQueueJobInProgressListener.FIFO_JOB_QUEUE_COMPARATOR."""
    return job.priority, job.start_ms, job.number


def waits_for_place(cluster: MapReduceCluster) -> bool:
    """Tell whether slots may stay free for maps whose data is elsewhere."""
    has_room = any(tracker.free(MAP) > 0 for tracker in cluster.trackers.values())
    return has_room and any(job.pending(MAP) > 0 and job.search.idle_by_place for job in cluster.live.values())


class TaskScheduler(metaclass=State):
    """A policy; it keeps its own queues and asks jobs for tasks."""

    cluster: MapReduceCluster
    passes: tuple[tuple[str, int], ...] = ()  # Background passes: name and interval [ms]

    def after_restart(self) -> PoolAllocations:
        """Return the allocations a new scheduler reads from the file of pools; empty where it has none."""
        return PoolAllocations()

    def check_submission(self, job: JobInProgress) -> None:
        """Refuse a job before it is added. Raises RefusedError if the job's pool or queue is not one it may use."""

    def job_added(self, job: JobInProgress) -> None:
        """A job was submitted. Raises RefusedError if the queue accepts no more; the job fails."""
        raise NotImplementedError

    def priority_changed(self, job: JobInProgress, before: int) -> None:
        """A job has another priority."""

    def state_changed(self, job: JobInProgress) -> None:
        """A job runs now, or has ended."""

    def assign(self, tracker: TaskTracker) -> list[Launch]:
        raise NotImplementedError

    def file_changed(self, allocations: PoolAllocations) -> None:
        """The file of pools was changed; the next look reads it. Raises RefusedError if there is no such file."""
        raise NotImplementedError

    def setting_keys(self) -> tuple[str, ...]:
        return ()

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Change some of those, all or none. Raises RefusedError if a key or value that cannot be."""
        raise NotImplementedError

    def run_pass(self, name: str) -> None:
        """Run a background pass."""

    @property
    def is_idle(self) -> bool:
        """Tell whether it has no job, so that heartbeats and passes change nothing but its clocks."""
        raise NotImplementedError

    @property
    def is_quiet(self) -> bool:
        """Tell whether no job waits for time to pass, or for a tracker with its data."""
        return True

    def heartbeats_skipped(self, tracker: TaskTracker, count: int, last_ms: int) -> None:
        """Set its state as if a tracker had asked so often in vain, the last time then."""

    def passes_skipped(self, count: int, last_ms: int) -> None:
        """Set its clocks as if its pass had run so many times, the last time then, in vain."""
