"""A queue of CapacityTaskScheduler: its jobs by stage, its limits, and the slots it uses.

Source: CapacitySchedulerQueue, Hadoop 1.2.1 contrib.
"""

from collections import Counter

from engine.errors import RefusedError
from engine.model.java_number import float32
from engine.model.mr1.attempt import MAP, REDUCE, RUNNING
from engine.model.mr1.job_in_progress import JobInProgress
from engine.schedulers.mr1.capacity_settings import TaskQueueSettings
from engine.schedulers.mr1.interface import JobOrder
from engine.state import State


class SlotsUsage(metaclass=State):
    """A queue's slots of one kind, as of the last time a tracker got tasks."""

    capacity: int = 0
    maximum: int = -1
    """-1 for none; so does 0, where a small percentage was rounded down."""
    running: int = 0
    occupied: int = 0
    """Slots of running attempts and of reservations."""
    active_users: set[str] = set()
    """Users with tasks still to be launched."""
    of_user: Counter[str] = Counter()

    def reset(self, capacity: float, maximum: float, slots: int) -> None:
        """Count anew, with as many slots as the cluster has now."""
        self.capacity = int(float32(float32(capacity * slots) / 100))
        if maximum > 0:
            self.maximum = int(float32(float32(maximum * slots) / 100))
        self.running = self.occupied = 0
        self.active_users.clear()
        self.of_user.clear()

    def add(self, job: JobInProgress, kind: int, running: int, occupied: int) -> None:
        """A job has, or gets, so many attempts and slots."""
        user = job.description.user
        self.running += running
        self.occupied += occupied
        self.of_user[user] += occupied
        if job.pending(kind) > 0 and (kind == MAP or job.may_start_reduces()):
            self.active_users.add(user)

    def has_room(self, slots: int) -> bool:
        """Tell whether the maximum allows so many more."""
        return self.maximum <= 0 or self.occupied + slots <= self.maximum

    def fullness(self) -> float:
        """Return the occupied part of the capacity; a queue without any counts as full."""
        return self.occupied / self.capacity if self.capacity else 1.0


class CapacityTaskQueue(metaclass=State):
    """One queue."""

    name: str
    settings: TaskQueueSettings
    usage: list[SlotsUsage]
    waiting: dict[JobOrder, JobInProgress] = {}
    initializing: dict[JobOrder, JobInProgress] = {}
    """Jobs whose setup is not done yet."""
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
        """A job was submitted.

        Raises:
            RefusedError: It has too many tasks, or queue or user have too many jobs.
        """
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
        """Tell whether as many jobs are initialized as may be."""
        return len(self.running) + len(self.initializing) >= self.settings.max_initialized

    def user_may_initialize(self, job: JobInProgress) -> bool:
        """Tell whether its user's limits do. Source: #initializeJobForUser."""
        user = job.description.user
        tasks = self.active_tasks_of[user] + _tasks(job)
        return not self.has_all_jobs_of(user) and tasks <= self.settings.max_active_tasks_of_user

    def has_all_jobs_of(self, user: str) -> bool:
        """Tell whether as many jobs of a user are initialized as may be."""
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
        """A job's setup is done."""
        place = self.place(job, job.priority)
        if place not in self.running:
            self.running[place] = job
            self.initializing.pop(place, None)

    def remove(self, place: JobOrder) -> None:
        """A job has ended."""
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
        """Jobs that get tasks, in order."""
        return [job for _, job in sorted(self.running.items()) if job.state == RUNNING]

    def waiting_jobs(self) -> list[JobInProgress]:
        """Jobs that are not initialized, in order."""
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

    def allows(self, job: JobInProgress, kind: int) -> bool:
        """Tell whether the queue's maximum and the user's limit allow one more task. Source: #assignSlotsToJob."""
        usage, need = self.usage[kind], job.slots_per_task[kind]
        if not usage.has_room(need):
            return False
        return usage.of_user[job.description.user] + need <= self.user_slots(job, kind)

    def user_slots(self, job: JobInProgress, kind: int) -> int:
        """The most slots of a kind that a job's user may occupy."""
        return min(self._user_limits(job, kind))

    def is_factor_least(self, job: JobInProgress, kind: int) -> bool:
        """Tell whether the user-limit-factor limits a job's user, rather than the part of the queue."""
        part, by_factor = self._user_limits(job, kind)
        return by_factor <= part

    def _user_limits(self, job: JobInProgress, kind: int) -> tuple[int, int]:
        """Slots by the user's part of the queue, and by the factor."""
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
