"""What observers ask of the CapacityTaskScheduler of MapReduce 1: its queues."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.model.mr1.attempt import MAP, REDUCE
from engine.model.mr1.job_in_progress import JobInProgress
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.capacity import CapacityTaskScheduler
from engine.schedulers.mr1.task_scheduler_view import WORDS, Limit, amounts, slots_row
from engine.schedulers.scheduler_view import UNKNOWN, QueueRow, Unknown
from engine.state import State


class CapacityTaskView(metaclass=State):
    """Implements `TaskSchedulerView`."""

    scheduler: CapacityTaskScheduler

    noun = "queue"

    def __init__(self, scheduler: CapacityTaskScheduler) -> None:
        self.scheduler = scheduler

    def preemption(self) -> Unknown:
        """It has none."""
        return UNKNOWN

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

    def allocation(self) -> None:
        """Properties define its queues."""

    def longest_timer_ms(self) -> int:
        """Nothing but its passes waits for time."""
        return 0

    def delay_offers(self, trackers: int, jobs: Sequence[JobInProgress]) -> int:
        """How many heartbeats a job lets pass before it takes a map off its rack."""
        return max((job.offers_before_off_rack(trackers) for job in jobs), default=0)

    def limit(self, job: JobInProgress, kind: int) -> Limit | None:
        """The maximum of its queue, or of its user there."""
        queue = self.scheduler.queues[job.description.queue]
        usage, word, user = queue.usage[kind], WORDS[kind], job.description.user
        if not usage.has_room(job.slots_per_task[kind]):
            sentence = f"queue {queue.name} has {usage.occupied} {word} slots, its maximum is {usage.maximum}"
            return Limit(Reason.QUEUE_OVER_MAXIMUM, sentence)
        if not queue.allows(job, kind):
            most = queue.user_slots(job, kind)
            sentence = f"user {user} has {usage.of_user[user]} {word} slots of queue {queue.name}, the limit is {most}"
            return Limit(Reason.USER_OVER_LIMIT, sentence)
        return None

    def waited_ms(self, job: JobInProgress) -> None:
        """Delays go by heartbeats."""
