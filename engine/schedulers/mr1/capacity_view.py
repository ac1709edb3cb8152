"""Answers observers of the CapacityTaskScheduler of MapReduce 1: its queues."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from engine.model.mr1.attempt import MAP, REDUCE
from engine.model.mr1.job_in_progress import JobInProgress
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.capacity import CapacityTaskScheduler
from engine.schedulers.mr1.capacity_queues import CapacityTaskQueue
from engine.schedulers.mr1.capacity_settings import key_of
from engine.schedulers.mr1.task_scheduler_view import WORDS, Limit, TaskSchedulerView, amounts, slots_row
from engine.schedulers.scheduler_view import QueueRow, Setting
from engine.settings.mapreduce1_capacity import (
    ACTIVE_TASKS,
    ACTIVE_TASKS_OF_USER,
    CAPACITY_TASKS,
    MAXIMUM,
    MOST_JOBS,
    USER_LIMIT,
    USER_LIMIT_FACTOR,
)
from engine.settings.table import Key

ALL: Final = "100"
MANY: Final = str(10**6)
"""Values that limit nothing: of a percentage, and of a count or factor."""


class CapacityTaskView(TaskSchedulerView):
    """Implements `TaskSchedulerView`."""

    scheduler: CapacityTaskScheduler

    def __init__(self, scheduler: CapacityTaskScheduler) -> None:
        self.scheduler = scheduler

    def queue_of(self, job: JobInProgress) -> str:
        """The queue that it names."""
        return job.description.queue

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: Mapping[int, int]) -> Sequence[QueueRow]:
        """The queues by name."""
        return tuple(self._row(name, jobs.get(name, []), held) for name in sorted(self.scheduler.queues))

    def _row(self, name: str, jobs: Sequence[JobInProgress], held: Mapping[int, int]) -> QueueRow:
        queue = self.scheduler.queues[name]
        maximum = amounts([usage.maximum for usage in queue.usage])
        return replace(
            slots_row(name, "capacity", jobs, held),
            min_share=amounts([usage.capacity for usage in queue.usage]),
            max_share=None if min(maximum) <= 0 else maximum,
            reserved=amounts(
                [sum(len(job.reserved[kind]) * job.slots_per_task[kind] for job in jobs) for kind in (MAP, REDUCE)]
            ),
        )

    def delay_offers(self, trackers: int, jobs: Sequence[JobInProgress]) -> int:
        """Return how many heartbeats a job lets pass before it takes a map off its rack."""
        return max((job.offers_before_off_rack(trackers) for job in jobs), default=0)

    def limit(self, job: JobInProgress, kind: int) -> Limit | None:
        """The maximum of its queue, or of its user there."""
        queue = self.scheduler.queues[job.description.queue]
        usage, word, user = queue.usage[kind], WORDS[kind], job.description.user
        if not usage.has_room(job.slots_per_task[kind]):
            sentence = f"queue {queue.name} has {usage.occupied} {word} slots, its maximum is {usage.maximum}"
            return Limit(Reason.QUEUE_OVER_MAXIMUM, sentence, self._setting(queue, MAXIMUM), queue.name)
        if not queue.allows(job, kind):
            most = queue.user_slots(job, kind)
            sentence = f"user {user} has {usage.of_user[user]} {word} slots of queue {queue.name}, the limit is {most}"
            key = USER_LIMIT_FACTOR if queue.is_factor_least(job, kind) else USER_LIMIT
            return Limit(Reason.USER_OVER_LIMIT, sentence, self._setting(queue, key), user)
        return None

    def limit_of_jobs(self, job: JobInProgress) -> Limit | None:
        """Return what keeps a waiting job from being initialized; None for one that the next poll takes."""
        queue, user = self.scheduler.queues[job.description.queue], job.description.user
        waiting = [each for each in queue.waiting_jobs() if each.number not in self.scheduler.initialized]
        if job not in waiting:
            return None
        first = next((each for each in waiting[: waiting.index(job) + 1] if not queue.may_initialize(each)), None)
        if first is not None:
            owner, found, key = f"queue {queue.name}", queue.has_all_jobs(), ACTIVE_TASKS
        elif not queue.user_may_initialize(job):
            owner, found, key = f"user {user}", queue.has_all_jobs_of(user), ACTIVE_TASKS_OF_USER
        else:
            return None
        setting = self._of_all(MOST_JOBS) if found else self._setting(queue, key)
        what = "jobs" if found else "tasks of jobs"
        sentence = f"{owner} has as many {what} as may be initialized"
        return Limit(Reason.QUEUE_NOT_RUNNING_IT, sentence, setting, owner.partition(" ")[2])

    def _setting(self, queue: CapacityTaskQueue, key: Key[Any]) -> Setting:
        """Return a property of a queue, or that of all queues where it has none of its own."""
        own, wider = key_of(queue.name, key), CAPACITY_TASKS.queue[key.name].wider
        value = self.scheduler.cluster.settings.get(own)
        return self._of_all(wider) if value is None and wider is not None else Setting(own, value or "")

    def _of_all(self, key: Key[Any]) -> Setting:
        given = self.scheduler.cluster.settings.get(key.everywhere)
        return Setting(key.everywhere, CAPACITY_TASKS.whole[key.everywhere].default if given is None else given)

    def loosen(self, key: str) -> None:
        """Refresh the queues with the loosest value."""
        value = ALL if key.endswith((MAXIMUM.name, USER_LIMIT.name)) else MANY
        self.scheduler.refresh({**self.scheduler.cluster.settings, key: value})
