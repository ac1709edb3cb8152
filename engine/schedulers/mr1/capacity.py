"""CapacityTaskScheduler of MapReduce 1: flat queues with guaranteed slots, user limits, and memory of slots.

Source: CapacityTaskScheduler, MemoryMatcher, JobQueuesManager, JobInitializationPoller, Hadoop 1.2.1 contrib.
"""

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.errors import ConfigError, RefusedError
from engine.model.identity import java_hash_order
from engine.model.java_number import float32
from engine.model.mr1.attempt import MAP, REDUCE, RUNNING, Launch
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job_description import NO_LIMIT
from engine.model.mr1.job_in_progress import MANY_OPPORTUNITIES, PREP, JobInProgress
from engine.model.mr1.task_search import NON_LOCAL, RACK_LEVEL
from engine.model.mr1.task_tracker import TaskTracker
from engine.schedulers.mr1.capacity_queues import CapacityTaskQueue
from engine.schedulers.mr1.capacity_settings import CapacityTaskSettings, capacity_task_settings
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.mr1.live_settings import setting_keys, with_queue_properties
from engine.settings.mapreduce1_capacity import CAPACITY_TASKS
from engine.state import State

POLL: Final = "poll"


class Found(NamedTuple):
    """The result of a look through the queues. Source: TaskLookupResult."""

    launch: Launch | None = None
    is_off_switch: bool = False
    """Whether it is a map far from its data."""
    ends_round: bool = False
    """Whether nothing else of the kind goes to this tracker now: its slots are reserved."""


NOTHING_FOUND: Final = Found()
RESERVED: Final = Found(ends_round=True)


class CapacityTaskScheduler(metaclass=State):
    """Queues and their jobs."""

    cluster: MapReduceCluster
    settings: CapacityTaskSettings
    passes: tuple[tuple[str, int], ...]
    queues: dict[str, CapacityTaskQueue]
    names: tuple[str, ...]
    """Queues in the order in which Hadoop's map hands them out; ties of fullness go by it at first."""
    order: list[CapacityTaskQueue]
    """For maps; sorted by fullness, ties stay as they were."""
    reduce_order: list[CapacityTaskQueue]
    initialized: dict[int, JobInProgress] = {}
    """Jobs that were initialized and have not got a task yet."""

    def __init__(self, cluster: MapReduceCluster) -> None:
        """Queues without jobs.

        Raises:
            ConfigError: The settings cannot be.
        """
        self.cluster = cluster
        self.settings = capacity_task_settings(cluster.settings)
        self.passes = ((POLL, self.settings.poll_interval_ms),)
        self.queues = {name: CapacityTaskQueue(name, settings) for name, settings in self.settings.queues.items()}
        self.names = tuple(java_hash_order(self.queues))
        self.order = [self.queues[name] for name in self.names]
        self.reduce_order = list(self.order)

    # Jobs.

    def after_restart(self) -> PoolAllocations:
        """It has no file of pools."""
        return PoolAllocations()

    def file_changed(self, allocations: PoolAllocations) -> None:
        """Refused."""
        raise RefusedError("UnsupportedOperationException", "mr1-capacity has no file of pools")

    def setting_keys(self) -> tuple[str, ...]:
        """Properties of queues."""
        return setting_keys(CAPACITY_TASKS.live)

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Read properties of queues again, as `mradmin -refreshQueues` does. Source: #refresh, #initialize."""
        self.refresh(with_queue_properties(self.cluster.settings, values))

    def refresh(self, properties: Mapping[str, str]) -> None:
        """Read its settings anew among a JobTracker's properties.

        Raises:
            RefusedError: They cannot be, or name other queues; nothing has changed then.
        """
        try:
            settings = capacity_task_settings(properties)
        except ConfigError as error:
            raise RefusedError("IOException", str(error)) from error
        if settings.queues.keys() != self.queues.keys():
            raise RefusedError("IOException", f"there are queues {', '.join(self.queues)} and no others")
        self.settings = settings
        self.cluster.settings = dict(properties)
        for name, queue in self.queues.items():
            queue.settings = replace(self.settings.queues[name], supports_priority=queue.settings.supports_priority)
        self.order = [self.queues[name] for name in self.names]
        self.reduce_order = list(self.order)

    def check_submission(self, job: JobInProgress) -> None:
        """Refuse a job of a queue that does not exist.

        Raises:
            RefusedError: With the queues there are.
        """
        queue = job.description.queue
        if queue not in self.queues:
            raise RefusedError("IOException", f"queue {queue} does not exist; there are {', '.join(self.queues)}")

    def _queue(self, job: JobInProgress) -> CapacityTaskQueue:
        return self.queues[job.description.queue]

    def job_added(self, job: JobInProgress) -> None:
        """It waits in its queue; its tasks need as many slots as their memory is worth.

        Raises:
            RefusedError: Queue or user have too many jobs.
        """
        self._queue(job).add_waiting(job)
        for kind in (MAP, REDUCE):
            memory_mb, slot_mb = job.description.memory_mb[kind], self.settings.slot_mb[kind]
            if NO_LIMIT not in (memory_mb, slot_mb):
                job.slots_per_task[kind] = math.ceil(float32(memory_mb / slot_mb))

    def priority_changed(self, job: JobInProgress, before: int) -> None:
        """It moves in its queue."""
        self._queue(job).move(job, before)

    def state_changed(self, job: JobInProgress) -> None:
        """It runs now, or has ended."""
        queue = self._queue(job)
        if job.is_ended:
            queue.remove(queue.place(job, job.priority))
        elif job.state == RUNNING:
            queue.add_running(job)

    def run_pass(self, name: str) -> None:
        """Initialize waiting jobs as far as the limits allow. Source: JobInitializationPoller."""
        for job in list(self.initialized.values()):
            if job.is_ended or (
                job.state == RUNNING and any(job.pending(kind) < job.wanted(kind) for kind in (MAP, REDUCE))
            ):
                del self.initialized[job.number]
        selected = [job for name in self.names for job in self._select(self.queues[name])]
        for job in selected:
            job.initialize()

    def _select(self, queue: CapacityTaskQueue) -> list[JobInProgress]:
        """A queue's jobs to initialize: a limit of the queue ends the search, one of a user skips the user's jobs."""
        selected: list[JobInProgress] = []
        users_at_limit: set[str] = set()
        for job in queue.waiting_jobs():
            if job.number in self.initialized:
                continue
            # The queue's limit holds for everyone after this job, too.
            if not queue.may_initialize(job):
                break
            if job.description.user in users_at_limit:
                continue
            if not queue.user_may_initialize(job):
                users_at_limit.add(job.description.user)
            elif job.state == PREP:
                self.initialized[job.number] = job
                selected.append(job)
                queue.add_initializing(job)
        return selected

    # Heartbeats.

    @property
    def is_idle(self) -> bool:
        """As of `TaskScheduler`; `JobTracker` sees whether jobs live."""
        return not self.initialized

    def heartbeat_skipped(self, time_ms: int) -> None:
        """It has no clock."""

    def passes_skipped(self, count: int, last_ms: int) -> None:
        """It has no clock."""

    def assign(self, tracker: TaskTracker) -> list[Launch]:
        """Maps for all free slots, then one reduce; what queues use is counted anew before. Source: #assignTasks."""
        for queue in self.queues.values():
            queue.count(self.cluster.slots)
        launches = self._maps(tracker)
        if tracker.free(REDUCE) > 0:
            self.reduce_order.sort(key=lambda queue: queue.usage[REDUCE].fullness())
            # One reduce a heartbeat, so that reduces spread over the trackers.
            found = self._find(tracker, REDUCE, tracker.free(REDUCE), may_go_far=True)
            launches += [found.launch] if found.launch is not None else []
        return launches

    def _maps(self, tracker: TaskTracker) -> list[Launch]:
        """Source: #addMapTasks."""
        launches: list[Launch] = []
        free, far_left = tracker.free(MAP), self.settings.tasks_after_off_switch
        may_go_far = True
        while free > 0:
            self.order.sort(key=lambda queue: queue.usage[MAP].fullness())
            found = self._find(tracker, MAP, free, may_go_far=may_go_far)
            if found.launch is None:
                break
            launches.append(found.launch)
            if len(launches) >= self.settings.tasks_per_heartbeat:
                break
            may_go_far = may_go_far and not found.is_off_switch
            if not may_go_far:
                if far_left == 0:
                    break
                # After a far map only near ones go to this tracker, and few of them.
                far_left -= 1
            free -= found.launch.slots
            job = self.cluster.jobs[found.launch.attempt[0]]
            self._queue(job).usage[MAP].add(job, MAP, 1, found.launch.slots)
        return launches

    def _find(self, tracker: TaskTracker, kind: int, free: int, *, may_go_far: bool) -> Found:
        """The next task: of the job the slots are reserved for, else of the emptiest queue that has one."""
        # A tracker that is reserved is given to nobody else until the task fits.
        job = self.cluster.reserving(tracker, kind)
        if job is not None:
            return self._find_reserved(tracker, kind, free, job)
        for queue in self.order if kind == MAP else self.reduce_order:
            if queue.usage[kind].has_room(1):
                found = self._find_in(queue, tracker, kind, free, may_go_far=may_go_far)
                if found is not NOTHING_FOUND:
                    return found
        return NOTHING_FOUND

    def _find_reserved(self, tracker: TaskTracker, kind: int, free: int, job: JobInProgress) -> Found:
        if free < job.slots_per_task[kind]:
            tracker.reserve(kind, job, free)
            return RESERVED
        tracker.unreserve(kind)
        if kind == MAP:
            # It has waited long enough: any map will do here.
            job.opportunities = MANY_OPPORTUNITIES
        return self._obtain(job, tracker, kind, may_go_far=True)

    def _find_in(
        self, queue: CapacityTaskQueue, tracker: TaskTracker, kind: int, free: int, *, may_go_far: bool
    ) -> Found:
        """Source: #getTaskFromQueue."""
        for job in queue.running_jobs():
            if not queue.allows(job, kind):
                continue
            if self._fits(job, kind, free):
                found = self._obtain(job, tracker, kind, may_go_far=may_go_far)
                if found.launch is not None:
                    return found
            # Smaller tasks of other jobs would take each slot as it comes free, and this job would wait for ever.
            elif self._reserves(job, tracker, kind):
                tracker.reserve(kind, job, tracker.free(kind))
                return RESERVED
        return NOTHING_FOUND

    def _fits(self, job: JobInProgress, kind: int, free: int) -> bool:
        """Tell whether the memory of the free slots is enough for a task. Source: MemoryMatcher."""
        slot_mb = self.settings.slot_mb[kind]
        return slot_mb == NO_LIMIT or job.description.memory_mb[kind] <= slot_mb * free

    @staticmethod
    def _reserves(job: JobInProgress, tracker: TaskTracker, kind: int) -> bool:
        """Tell whether a job whose task does not fit gets a tracker: it needs it, and an empty one is large enough."""
        pending = job.pending(kind)
        needs_more = pending != 0 and len(job.reserved[kind]) < pending
        return needs_more and job.slots_per_task[kind] <= tracker.slots[kind]

    def _obtain(self, job: JobInProgress, tracker: TaskTracker, kind: int, *, may_go_far: bool) -> Found:
        """A job's next task; a map goes far from its data only after enough looks. Source: #obtainNewTask."""
        if kind == REDUCE:
            return Found(job.obtain_reduce(tracker))
        job.opportunities += 1
        launch = job.obtain_map(tracker, RACK_LEVEL)
        if launch is not None:
            return Found(launch)
        if job.slots_per_task[MAP] > 1 or (may_go_far and job.may_go_off_rack(self.cluster.active_trackers)):
            return Found(job.obtain_map(tracker, NON_LOCAL), is_off_switch=True)
        return NOTHING_FOUND
