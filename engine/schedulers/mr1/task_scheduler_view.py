"""Answers observers of a task scheduler: its pools or queues as rows, and what keeps a job from a slot.

Amounts are (map slots, reduce slots).
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from engine.model.mr1.attempt import MAP, REDUCE, RUNNING
from engine.model.mr1.job_in_progress import JobInProgress
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.scheduler_view import UNKNOWN, Amounts, QueueRow, Setting, Unknown
from engine.state import State

QUEUE: Final = "jobs"
"""Path of JobQueueTaskScheduler's one queue."""

WORDS: Final = ("map", "reduce")
"""The words of the kinds of slots."""


class Limit(NamedTuple):
    """A limit of a pool or queue that a job has reached."""

    reason: Reason
    sentence: str
    setting: Setting | None = None
    """What decides it, and its value now; None where slots do."""
    subject: str = ""
    """The pool, queue or user it is of."""


class TaskSchedulerView(metaclass=State):
    """Looks at one task scheduler; every answer is of the moment it is asked for."""

    noun: ClassVar[str] = "queue"
    """The word for a queue: `pool` or `queue`."""

    def preemption(self) -> bool | Unknown:
        """Tell whether attempts may be preempted."""
        return UNKNOWN

    def queue_of(self, job: JobInProgress) -> str:
        """The path of a job's pool or queue."""
        raise NotImplementedError

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: Mapping[int, int]) -> Sequence[QueueRow]:
        """The pools or queues as rows.

        `jobs` has a path → live jobs, `held` the number of a job → its attempts that run.
        """
        raise NotImplementedError

    def allocation(self) -> PoolAllocations | None:
        """The pools in force; None where no file defines any."""

    def longest_timer_ms(self) -> int:
        """Return how long delays, timeouts and ages of jobs may make somebody wait [ms], all in a row."""
        return 0

    def delay_offers(self, trackers: int, jobs: Sequence[JobInProgress]) -> int:
        """Return how many heartbeats a live job lets pass at most for a better place; 0 where delays go by time."""
        return 0

    def limit(self, job: JobInProgress, kind: int) -> Limit | None:
        """Return the limit that keeps a job from slots of a kind; None when none does."""

    def limit_of_jobs(self, job: JobInProgress) -> Limit | None:
        """Return the limit that keeps a job from being initialized, or from running; None when none does."""

    def loosen(self, key: str) -> None:
        """Give the setting of a `Limit` a value that limits nothing, at once; on a copy."""

    def waited_ms(self, job: JobInProgress) -> int | None:
        """Return how long a job has waited for a map near its data; None when any place will do."""


class FifoTaskView(TaskSchedulerView):
    """JobQueueTaskScheduler: one queue without limits."""

    is_constant: ClassVar[bool] = True

    def queue_of(self, job: JobInProgress) -> str:
        """The one queue."""
        return QUEUE

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: Mapping[int, int]) -> Sequence[QueueRow]:
        """The one queue."""
        return (slots_row(QUEUE, "fifo", jobs.get(QUEUE, []), held),)


def amounts(pair: Sequence[float]) -> Amounts:
    """(maps, reduces) as whole slots."""
    return int(pair[MAP]), int(pair[REDUCE])


def slots_row(path: str, policy: str, jobs: Sequence[JobInProgress], held: Mapping[int, int]) -> QueueRow:
    """A pool or queue as far as its jobs tell."""
    running = sum(job.state == RUNNING for job in jobs)
    return QueueRow(
        path=path,
        depth=0,
        is_leaf=True,
        policy=policy,
        used=amounts([sum(job.running[kind] * job.slots_per_task[kind] for job in jobs) for kind in (MAP, REDUCE)]),
        max_share=None,
        applications_running=running,
        applications_pending=len(jobs) - running,
        containers=sum(held[job.number] for job in jobs),
    )
