"""CapacityTaskScheduler of MapReduce 1: flat queues with guaranteed slots, user limits, and memory of slots.

Source: CapacityTaskScheduler, MemoryMatcher, JobQueuesManager, JobInitializationPoller, CapacitySchedulerQueue, Hadoop
1.2.1 contrib.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.errors import ConfigError, RefusedError
from engine.model.identity import java_hash_order
from engine.model.java_values import float32
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import MANY_OPPORTUNITIES, PREP, JobInProgress
from engine.model.mr1.task_in_progress import NO_LIMIT
from engine.model.mr1.task_search import NON_LOCAL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING, Launch, TaskTracker
from engine.schedulers.mr1.capacity_settings import CapacityTaskSettings, TaskQueueSettings, capacity_task_settings
from engine.schedulers.mr1.interface import JobOrder, TaskScheduler, waits_for_place
from engine.schedulers.mr1.settings import PoolAllocations, setting_keys, with_queue_properties
from engine.settings.mapreduce1 import CAPACITY_TASKS, MOST_MEMORY
from engine.state import State

# A queue of CapacityTaskScheduler: its jobs by stage, its limits, and the slots it uses.


class SlotsUsage(metaclass=State):
    """A queue's slots of one kind, as of the last time a tracker got tasks."""

    capacity: int = 0
    maximum: int = -1  # -1 for none; so does 0, where a small percentage was rounded down
    running: int = 0
    occupied: int = 0  # Slots of running attempts and of reservations
    active_users: set[str] = set()  # Users with tasks still to be launched
    of_user: Counter[str] = Counter()

    def reset(self, capacity: float, maximum: float, slots: int) -> None:
        self.capacity = int(float32(float32(capacity * slots) / 100))
        if maximum > 0:
            self.maximum = int(float32(float32(maximum * slots) / 100))
        self.running = self.occupied = 0
        self.active_users.clear()
        self.of_user.clear()

    def add(self, job: JobInProgress, kind: int, running: int, occupied: int) -> None:
        user = job.description.user
        self.running += running
        self.occupied += occupied
        self.of_user[user] += occupied
        if user not in self.active_users and job.pending(kind) > 0 and (kind == MAP or job.may_start_reduces()):
            self.active_users.add(user)

    def has_room(self, slots: int) -> bool:
        return self.maximum <= 0 or self.occupied + slots <= self.maximum

    def fullness(self) -> float:
        """Return the occupied part of the capacity; a queue without any counts as full."""
        return self.occupied / self.capacity if self.capacity else 1.0


class CapacityTaskQueue(metaclass=State):
    name: str
    settings: TaskQueueSettings
    usage: list[SlotsUsage]
    waiting: dict[JobOrder, JobInProgress] = {}
    initializing: dict[JobOrder, JobInProgress] = {}  # Jobs whose setup is not done yet
    running: dict[JobOrder, JobInProgress] = {}
    active_tasks: int = 0
    active_tasks_of: Counter[str] = Counter()

    def __init__(self, name: str, settings: TaskQueueSettings) -> None:
        self.name = name
        self.settings = settings
        self.usage = [SlotsUsage(), SlotsUsage()]

    def place(self, job: JobInProgress, priority: int) -> JobOrder:
        """Return the place of a job with this priority; queues without priorities go by start alone."""
        return (priority if self.settings.supports_priority else 0), job.start_ms, job.number

    def _of_user(self, jobs: dict[JobOrder, JobInProgress], user: str) -> int:
        return sum(job.description.user == user for job in jobs.values())

    # Stages of a job.

    def add_waiting(self, job: JobInProgress) -> None:
        """A job was submitted. Raises RefusedError if it has too many tasks, or queue or user have too many jobs."""
        self._check_limits(job)
        self.waiting[self.place(job, job.priority)] = job

    def _check_limits(self, job: JobInProgress) -> None:
        """Source: #checkJobSubmissionLimits."""
        limits, user = self.settings, job.description.user
        stages = (self.waiting, self.initializing, self.running)
        if _tasks(job) > limits.max_active_tasks_of_user:
            what = f"the job has {_tasks(job)} tasks, a user may have {limits.max_active_tasks_of_user}"
        elif sum(map(len, stages)) >= limits.max_initialized * limits.accept_factor:
            what = f"queue {self.name} has {limits.max_initialized * limits.accept_factor} jobs and accepts no more"
        elif sum(self._of_user(jobs, user) for jobs in stages) >= limits.max_initialized_of_user * limits.accept_factor:
            most = limits.max_initialized_of_user * limits.accept_factor
            what = f"user {user} has {most} jobs in queue {self.name}, which accepts no more"
        else:
            return
        raise RefusedError("IOException", what)

    def may_initialize(self, job: JobInProgress) -> bool:
        """Tell whether the queue's limits leave room for a job. Source: #initializeJobForQueue."""
        return not self.has_all_jobs() and self.active_tasks + _tasks(job) <= self.settings.max_active_tasks

    def has_all_jobs(self) -> bool:
        return len(self.running) + len(self.initializing) >= self.settings.max_initialized

    def user_may_initialize(self, job: JobInProgress) -> bool:
        """Tell whether its user's limits do. Source: #initializeJobForUser."""
        user = job.description.user
        tasks = self.active_tasks_of[user] + _tasks(job)
        return not self.has_all_jobs_of(user) and tasks <= self.settings.max_active_tasks_of_user

    def has_all_jobs_of(self, user: str) -> bool:
        jobs = self._of_user(self.running, user) + self._of_user(self.initializing, user)
        return jobs >= self.settings.max_initialized_of_user

    def add_initializing(self, job: JobInProgress) -> None:
        """A waiting job is initialized; nothing happens to one that does not wait."""
        place = self.place(job, job.priority)
        if place not in self.waiting or place in self.initializing:
            return
        self.initializing[place] = self.waiting.pop(place)
        self.active_tasks += _tasks(job)
        self.active_tasks_of[job.description.user] += _tasks(job)

    def add_running(self, job: JobInProgress) -> None:
        place = self.place(job, job.priority)
        if place not in self.running:
            self.running[place] = job
            self.initializing.pop(place, None)

    def remove(self, place: JobOrder) -> None:
        self.waiting.pop(place, None)
        self._finish(self.initializing.pop(place, None))
        self._finish(self.running.pop(place, None))

    def _finish(self, job: JobInProgress | None) -> None:
        if job is not None:
            self.active_tasks -= _tasks(job)
            self.active_tasks_of[job.description.user] -= _tasks(job)

    def move(self, job: JobInProgress, before: int) -> None:
        """A job's priority has changed. Source: JobQueuesManager#reorderJobs.

        One that was initializing is forgotten until it runs, and the limits no longer count its tasks.
        """
        place = self.place(job, before)
        if self.waiting.pop(place, None) is not None:
            try:
                self.add_waiting(job)
            except RefusedError:
                return
        dropped = self.initializing.pop(place, None)
        if dropped is not None:
            if job.state != RUNNING:
                self._finish(dropped)
            self.add_initializing(job)
        if self.running.pop(place, None) is not None:
            self._finish(job)
            self.add_running(job)

    def running_jobs(self) -> list[JobInProgress]:
        return [job for _, job in sorted(self.running.items()) if job.state == RUNNING]

    def waiting_jobs(self) -> list[JobInProgress]:
        return [job for _, job in sorted(self.waiting.items())]

    # Slots.

    def count(self, slots: list[int]) -> None:
        """Count what its jobs use; `slots` are the cluster's. Source: #updateAll."""
        for kind in (MAP, REDUCE):
            self.usage[kind].reset(self.settings.capacity, self.settings.maximum, slots[kind])
        for job in self.running_jobs():
            for kind in (MAP, REDUCE):
                attempts = job.running[kind]
                occupied = (attempts + len(job.reserved[kind])) * job.slots_per_task[kind]
                self.usage[kind].add(job, kind, attempts, occupied)

    def allows(self, job: JobInProgress, kind: int, user_slots: int) -> bool:
        """Tell whether the queue's maximum and the user's limit allow one more task. Source: #assignSlotsToJob."""
        usage, need = self.usage[kind], job.slots_per_task[kind]
        return usage.has_room(need) and usage.of_user[job.description.user] + need <= user_slots

    def user_slots(self, job: JobInProgress, kind: int) -> int:
        """The most slots its user may have; the same for all jobs whose tasks need as many."""
        return min(self._user_limits(job, kind))

    def is_factor_least(self, job: JobInProgress, kind: int) -> bool:
        part, by_factor = self._user_limits(job, kind)
        return by_factor <= part

    def _user_limits(self, job: JobInProgress, kind: int) -> tuple[int, int]:
        usage, need = self.usage[kind], job.slots_per_task[kind]
        capacity = max(usage.capacity, need)
        current = max(capacity, usage.occupied + need)
        equal_part = _ceil_divide(current, max(1, len(usage.active_users)))
        least = _ceil_divide(self.settings.user_limit * current, 100)
        return max(equal_part, least), int(float32(capacity * self.settings.user_limit_factor))


def _tasks(job: JobInProgress) -> int:
    return job.wanted(MAP) + job.wanted(REDUCE)


def _ceil_divide(amount: int, parts: int) -> int:
    return -(-amount // parts)


POLL: Final = "poll"


class TaskLookupResult(NamedTuple):
    """The result of a look through the queues. Source: TaskLookupResult."""

    launch: Launch | None = None
    is_off_switch: bool = False  # Whether it is a map far from its data


NOTHING_FOUND: Final = TaskLookupResult()
RESERVED: Final = TaskLookupResult()  # Nothing else of the kind goes to this tracker now: its slots are reserved


class CapacityTaskScheduler(TaskScheduler):
    settings: CapacityTaskSettings
    queues: dict[str, CapacityTaskQueue]
    names: tuple[str, ...]
    """Queues in the order in which Hadoop's map hands them out; ties of fullness go by it at first."""
    order: list[CapacityTaskQueue]  # For maps; sorted by fullness, ties stay as they were
    reduce_order: list[CapacityTaskQueue]
    initialized: dict[int, JobInProgress] = {}  # Jobs that were initialized and have not got a task yet

    def __init__(self, cluster: MapReduceCluster) -> None:
        """Queues without jobs. Raises ConfigError if the settings cannot be."""
        self.cluster = cluster
        self.settings = capacity_task_settings(cluster.settings)
        self.passes = ((POLL, self.settings.poll_interval_ms),)
        self.queues = {name: CapacityTaskQueue(name, settings) for name, settings in self.settings.queues.items()}
        self.names = tuple(java_hash_order(self.queues))
        self.order = [self.queues[name] for name in self.names]
        self.reduce_order = list(self.order)

    # Jobs.

    def file_changed(self, allocations: PoolAllocations) -> None:
        raise RefusedError("UnsupportedOperationException", "mr1-capacity has no file of pools")

    def setting_keys(self) -> tuple[str, ...]:
        return setting_keys(CAPACITY_TASKS.live)

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Read properties of queues again, as `mradmin -refreshQueues` does. Source: #refresh, #initialize."""
        self.refresh(with_queue_properties(self.cluster.settings, values))

    def refresh(self, properties: Mapping[str, str]) -> None:
        """Read the settings anew. Raises RefusedError if they cannot be or name other queues; nothing changed then."""
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
        """Raise RefusedError for an unknown queue or too large tasks. Source: JobTracker#checkMemoryRequirements."""
        queue = job.description.queue
        if queue not in self.queues:
            raise RefusedError("IOException", f"queue {queue} does not exist; the queues are {', '.join(self.queues)}")
        for wanted_mb, most_mb, key in zip(job.description.memory_mb, self.settings.most_mb, MOST_MEMORY, strict=True):
            if most_mb != NO_LIMIT and not 0 <= wanted_mb <= most_mb:
                what = f"{wanted_mb} MB" if wanted_mb >= 0 else "no amount of memory"
                raise RefusedError("IOException", f"the job wants {what} for a task, {key} is {most_mb}")

    def _queue(self, job: JobInProgress) -> CapacityTaskQueue:
        return self.queues[job.description.queue]

    def job_added(self, job: JobInProgress) -> None:
        """It waits in its queue, its tasks as large as their memory. Raises RefusedError if there are too many."""
        self._queue(job).add_waiting(job)
        for kind in (MAP, REDUCE):
            memory_mb, slot_mb = job.description.memory_mb[kind], self.settings.slot_mb[kind]
            if NO_LIMIT not in (memory_mb, slot_mb):
                job.slots_per_task[kind] = math.ceil(float32(memory_mb / slot_mb))

    def priority_changed(self, job: JobInProgress, before: int) -> None:
        self._queue(job).move(job, before)

    def state_changed(self, job: JobInProgress) -> None:
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
        return not self.initialized

    @property
    def is_quiet(self) -> bool:
        """As of `TaskScheduler`: no job counts looks at trackers that have not its data, and none has one reserved."""
        has_reserved = any(any(job.reserved) for job in self.cluster.live.values())
        return not (has_reserved or waits_for_place(self.cluster))

    def heartbeats_skipped(self, tracker: TaskTracker, count: int, last_ms: int) -> None:
        """Each look at a job counts, also in vain."""
        jobs = self.cluster.live.values()
        before = [job.opportunities for job in jobs]
        _ = self.assign(tracker)
        for job, opportunities in zip(jobs, before, strict=True):
            job.opportunities += (count - 1) * (job.opportunities - opportunities)

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

    def _find(self, tracker: TaskTracker, kind: int, free: int, *, may_go_far: bool) -> TaskLookupResult:
        """The next task: of the job the slots are reserved for, else of the emptiest queue that has one."""
        # A reserved tracker serves no other job until the task fits.
        job = self.cluster.reserving(tracker, kind)
        if job is not None:
            return self._find_reserved(tracker, kind, free, job)
        for queue in self.order if kind == MAP else self.reduce_order:
            if queue.usage[kind].has_room(1):
                found = self._find_in(queue, tracker, kind, free, may_go_far=may_go_far)
                if found is not NOTHING_FOUND:
                    return found
        return NOTHING_FOUND

    def _find_reserved(self, tracker: TaskTracker, kind: int, free: int, job: JobInProgress) -> TaskLookupResult:
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
    ) -> TaskLookupResult:
        """Source: #getTaskFromQueue."""
        limits: dict[int, int] = {}  # Of users, by the slots that a task needs
        for job in queue.running_jobs():
            need = job.slots_per_task[kind]
            limit = limits.get(need)
            if limit is None:
                limit = limits[need] = queue.user_slots(job, kind)
            if not queue.allows(job, kind, limit):
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

    def _obtain(self, job: JobInProgress, tracker: TaskTracker, kind: int, *, may_go_far: bool) -> TaskLookupResult:
        """A job's next task; a map goes far from its data only after enough looks. Source: #obtainNewTask."""
        if kind == REDUCE:
            return TaskLookupResult(job.obtain_reduce(tracker))
        job.opportunities += 1
        launch = job.obtain_map(tracker, RACK_LEVEL)
        if launch is not None:
            return TaskLookupResult(launch)
        if job.slots_per_task[MAP] > 1 or (may_go_far and job.may_go_off_rack(self.cluster.active_trackers)):
            return TaskLookupResult(job.obtain_map(tracker, NON_LOCAL), is_off_switch=True)
        return NOTHING_FOUND
