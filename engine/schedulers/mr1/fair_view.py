"""Answers observers of the fair scheduler of MapReduce 1: its pools."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from engine.model.java_values import LONG_MAX
from engine.model.mr1.attempt import MAP
from engine.model.mr1.job_in_progress import JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.fair import FairTaskScheduler
from engine.schedulers.mr1.fair_allocations import NO_MAXIMUM, PoolAllocations
from engine.schedulers.mr1.live_settings import with_pool_settings
from engine.schedulers.mr1.task_scheduler_view import WORDS, Limit, TaskSchedulerView, amounts, slots_row
from engine.schedulers.scheduler_view import QueueRow, Setting

MAXIMA: Final = ("maxMaps", "maxReduces")
"""Kind of slots → the element of a pool that limits them."""


class FairTaskView(TaskSchedulerView):
    """Implements `TaskSchedulerView`."""

    scheduler: FairTaskScheduler

    noun = "pool"

    def __init__(self, scheduler: FairTaskScheduler) -> None:
        self.scheduler = scheduler

    def preemption(self) -> bool:
        """Tell whether attempts may be preempted."""
        return self.scheduler.settings.preempts

    def queue_of(self, job: JobInProgress) -> str:
        """Its pool."""
        return self.scheduler.pool_of(job)

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: Mapping[int, int]) -> Sequence[QueueRow]:
        """The pools by name."""
        return tuple(self._row(name, jobs.get(name, []), held) for name in sorted(self.scheduler.map_pools))

    def _row(self, name: str, jobs: Sequence[JobInProgress], held: Mapping[int, int]) -> QueueRow:
        scheduler = self.scheduler
        pools = (scheduler.map_pools[name], scheduler.reduce_pools[name])
        starved = [pool.at_min_share_ms for pool in pools if pool.lacks_min_share()]
        maximum = scheduler.allocations.pool(name).maximum
        return replace(
            slots_row(name, scheduler.allocations.mode(name), jobs, held),
            weight=pools[MAP].weight(),
            demand=amounts([pool.demand for pool in pools]),
            fair_share=amounts([pool.fair_share for pool in pools]),
            min_share=amounts([pool.min_share() for pool in pools]),
            max_share=None if min(maximum) == NO_MAXIMUM else maximum,
            starved_since_ms=min(starved, default=None),
        )

    def allocation(self) -> PoolAllocations:
        """The pools in force."""
        return self.scheduler.allocations

    def longest_timer_ms(self) -> int:
        """Delays for local maps, preemption's timeouts, and the time for which a new job weighs more."""
        allocations, settings = self.scheduler.allocations, self.scheduler.settings
        pools = [allocations.min_timeout_ms(name) for name in self.scheduler.map_pools]
        timeouts = [allocations.fair_share_timeout_ms, *pools]
        timers_ms = sum(self.scheduler.delays_ms) + settings.preemption_interval_ms
        timers_ms += 0 if settings.new_job_boost == 1 else settings.new_job_ms
        return timers_ms + max((each for each in timeouts if each < LONG_MAX), default=0)

    def limit(self, job: JobInProgress, kind: int) -> Limit | None:
        """The maximum of its pool, or that the pool is below its minimum as others hold the slots."""
        if (found := self.limit_of_jobs(job)) is not None:
            return found
        scheduler, word = self.scheduler, WORDS[kind]
        pool = scheduler.pools(kind)[scheduler.pool_names.index(scheduler.pool_of(job))]
        if pool.running() >= pool.maximum():
            sentence = f"pool {pool.name} runs {pool.running()} {word}s, its maximum is {pool.maximum()}"
            setting = Setting(f"pool {pool.name}.{MAXIMA[kind]}", str(pool.maximum()))
            return Limit(Reason.QUEUE_OVER_MAXIMUM, sentence, setting, pool.name)
        if pool.lacks_min_share():
            sentence = f"pool {pool.name} runs {pool.running()} {word}s, below its minimum of {pool.min_share()}"
            return Limit(Reason.DOES_NOT_FIT, sentence, subject=pool.name)
        return None

    def limit_of_jobs(self, job: JobInProgress) -> Limit | None:
        """Return the most jobs of its user or of its pool that may run; None when it is one of them."""
        whose = next((held_by for info, held_by in self.scheduler.held_back() if info.job is job), None)
        if whose is None:
            return None
        subject = job.description.user if whose == "user" else self.scheduler.pool_of(job)
        setting = self._most_jobs(whose, subject)
        sentence = f"{whose} {subject} has as many jobs as may run, {setting.value}"
        return Limit(Reason.QUEUE_NOT_RUNNING_IT, sentence, setting, subject)

    def _most_jobs(self, whose: str, subject: str) -> Setting:
        """Return the element of a user or pool, or the file's default where it has none."""
        file = self.scheduler.allocations
        if whose == "user":
            own, everywhere = file.user_max_jobs.get(subject), file.user_max_jobs_default
        else:
            own, everywhere = file.pool(subject).max_running_jobs, file.pool_max_jobs_default
        if own is None:
            return Setting(f"{whose}MaxJobsDefault", str(everywhere))
        return Setting(f"{whose} {subject}.maxRunningJobs", str(own))

    def loosen(self, key: str) -> None:
        """Raise it in the file in force, and in one that is still to be read."""
        scheduler = self.scheduler
        scheduler.allocations = _loose(scheduler.allocations, key)
        if scheduler.file is not None:
            scheduler.file = (scheduler.file[0], _loose(scheduler.file[1], key))

    def waited_ms(self, job: JobInProgress) -> int | None:
        """Return how long it has waited for a map near its data."""
        info = self.scheduler.jobs.get(job.number)
        return info.waited_ms if info is not None and self.scheduler.allowed_level(info) < ANY_LEVEL else None


def _loose(file: PoolAllocations, key: str) -> PoolAllocations:
    owner, _, element = key.rpartition(".")
    whose, _, name = owner.partition(" ")
    if whose == "pool":
        return with_pool_settings(file, {f"queue.{name}.{element}": str(NO_MAXIMUM)})
    if whose == "user":
        return replace(file, user_max_jobs={**file.user_max_jobs, name: NO_MAXIMUM})
    if element == "userMaxJobsDefault":
        return replace(file, user_max_jobs_default=NO_MAXIMUM)
    return replace(file, pool_max_jobs_default=NO_MAXIMUM)
