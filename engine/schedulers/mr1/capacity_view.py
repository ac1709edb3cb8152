"""Answers observers of the CapacityTaskScheduler of MapReduce 1: its queues."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from msgspec.structs import replace

from engine.model.java_values import LONG_MAX
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING
from engine.schedulers.interface import UNKNOWN, Amounts, QueueRow, Setting, Shortfall, Unknown
from engine.schedulers.mr1.capacity import CapacityTaskQueue, CapacityTaskScheduler
from engine.schedulers.mr1.capacity_settings import key_of
from engine.schedulers.mr1.fair import FairTaskScheduler
from engine.schedulers.mr1.interface import job_order
from engine.schedulers.mr1.settings import NO_MAXIMUM, PoolAllocations, with_pool_settings
from engine.schedulers.obstacle_texts import Reason
from engine.settings.mapreduce1 import (
    ACTIVE_TASKS,
    ACTIVE_TASKS_OF_USER,
    CAPACITY,
    CAPACITY_TASKS,
    MAXIMUM,
    MOST_JOBS,
    PREEMPTION,
    PREEMPTION_ONLY_LOG,
    USER_LIMIT,
    USER_LIMIT_FACTOR,
)
from engine.settings.table import Key
from engine.state import State
from engine.units import plural

# Answers observers of a task scheduler: its pools or queues as rows, and what keeps a job from a slot.
#
# Amounts are (map slots, reduce slots).

QUEUE: Final = "jobs"  # Path of JobQueueTaskScheduler's one queue
WORDS: Final = ("map", "reduce")  # The words of the kinds of slots


class JobObstacle(NamedTuple):
    """The reason a job's tasks wait, as a limit of its pool or queue that it has reached."""

    reason: Reason
    sentence: str
    setting: Setting | None = None  # What decides it, and its value now; None where slots do
    subject: str = ""  # The pool, queue or user it is about; empty when none
    pattern: str = ""  # The pattern it belongs to; empty for none


HeldSlots = Mapping[int, Sequence[Amounts]]  # Number of a job → the slots of each of its attempts that run


class TaskSchedulerView(metaclass=State):
    """Looks at one task scheduler; every answer is of the moment it is asked for."""

    noun: ClassVar[str] = "queue"  # The word for a queue: `pool` or `queue`
    is_named: ClassVar[bool] = True  # False where there is one queue, which no file names

    def preemption(self) -> bool | Unknown:
        return UNKNOWN

    def queue_of(self, job: JobInProgress) -> str:
        raise NotImplementedError

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: HeldSlots) -> Sequence[QueueRow]:
        """The pools or queues as rows; `jobs` has a path → live jobs."""
        raise NotImplementedError

    def allocation(self) -> PoolAllocations | None:
        """The pools in force; None where no file defines any."""

    def longest_timer_ms(self) -> int:
        """Return how long delays, timeouts and ages of jobs may make a job wait [ms], all in a row."""
        return 0

    def delay_offers(self, trackers: int, jobs: Sequence[JobInProgress]) -> int:
        """Return how many heartbeats a live job lets pass at most for a better place; 0 where delays go by time."""
        return 0

    def limit(self, job: JobInProgress, kind: int) -> JobObstacle | None:
        """Return the limit that keeps a job from slots of a kind; None when none does."""

    def limit_of_jobs(self, job: JobInProgress) -> JobObstacle | None:
        """Return the limit that keeps a job from being initialized, or from running; None when none does."""

    def shortfall(self, job: JobInProgress, kind: int) -> Shortfall | None:
        """What the pool of a job is due and has not, and why nothing is preempted for it; None where it has that."""

    def served_first(self, job: JobInProgress, kind: int) -> JobObstacle | None:
        """Return whose minimum is served before the pool of a job; None where none is."""

    def turn(self, job: JobInProgress, kind: int) -> tuple[int, ...] | None:
        """Return the place of a job whose queue serves one after another: its priority, if it counts, then its start.

        None where jobs share, and of one whose user has more slots of the kind than a limit allows.
        """

    def loosen(self, key: str) -> None:
        """Give the setting of a `JobObstacle` or a `Shortfall` a value that limits nothing, at once; on a copy."""

    def waited_ms(self, job: JobInProgress) -> int | None:
        """Return how long a job has waited for a map near its data; None when any place will do."""


class FifoTaskView(TaskSchedulerView):
    """JobQueueTaskScheduler: one queue without limits."""

    is_constant: ClassVar[bool] = True
    is_named: ClassVar[bool] = False

    def queue_of(self, job: JobInProgress) -> str:
        return QUEUE

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: HeldSlots) -> Sequence[QueueRow]:
        return (slots_row(QUEUE, "fifo", jobs.get(QUEUE, []), held),)

    def turn(self, job: JobInProgress, kind: int) -> tuple[int, ...]:
        return job_order(job)


def amounts(pair: Sequence[float]) -> Amounts:
    return int(pair[MAP]), int(pair[REDUCE])


def slots_row(path: str, policy: str, jobs: Sequence[JobInProgress], held: HeldSlots) -> QueueRow:
    running = sum(job.state == RUNNING for job in jobs)
    attempts = [slots for job in jobs for slots in held.get(job.number, ())]
    return QueueRow(
        path=path,
        depth=0,
        is_leaf=True,
        policy=policy,
        used=amounts([sum(slots[kind] for slots in attempts) for kind in (MAP, REDUCE)]),
        max_share=None,
        applications_running=running,
        applications_pending=len(jobs) - running,
        containers=len(attempts),
    )


ALL: Final = "100"
MANY: Final = str(10**6)  # Values that limit nothing: of a percentage, and of a count or factor


class CapacityTaskView(TaskSchedulerView):
    scheduler: CapacityTaskScheduler

    def __init__(self, scheduler: CapacityTaskScheduler) -> None:
        self.scheduler = scheduler

    def queue_of(self, job: JobInProgress) -> str:
        return job.description.queue

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: HeldSlots) -> Sequence[QueueRow]:
        return tuple(self._row(name, jobs.get(name, []), held) for name in sorted(self.scheduler.queues))

    def _row(self, name: str, jobs: Sequence[JobInProgress], held: HeldSlots) -> QueueRow:
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
        return max((job.offers_before_off_rack(trackers) for job in jobs), default=0)

    def limit(self, job: JobInProgress, kind: int) -> JobObstacle | None:
        queue = self.scheduler.queues[job.description.queue]
        usage, slot, user = queue.usage[kind], f"{WORDS[kind]} slot", job.description.user
        if not usage.has_room(job.slots_per_task[kind]):
            sentence = f"queue {queue.name} has {plural(usage.occupied, slot)}, its maximum is {usage.maximum}"
            return JobObstacle(Reason.QUEUE_OVER_MAXIMUM, sentence, self._setting(queue, MAXIMUM), queue.name)
        most = queue.user_slots(job, kind)
        if not queue.allows(job, kind, most):
            sentence = f"user {user} has {plural(usage.of_user[user], slot)} of queue {queue.name}, the limit is {most}"
            key = USER_LIMIT_FACTOR if queue.is_factor_least(job, kind) else USER_LIMIT
            return JobObstacle(Reason.USER_OVER_LIMIT, sentence, self._setting(queue, key), user)
        return None

    def served_first(self, job: JobInProgress, kind: int) -> JobObstacle | None:
        queue, word = self.scheduler.queues[job.description.queue], f"{WORDS[kind]} slot"
        usage, others = queue.usage[kind], [each for each in self.scheduler.queues.values() if each is not queue]
        due = [each for each in others if any(one.unlaunched(kind) for one in each.running_jobs())]
        first = min(due, key=lambda each: each.usage[kind].fullness(), default=None)
        if not first or usage.occupied < usage.capacity or first.usage[kind].fullness() > usage.fullness():
            return None
        sentence = f"queue {queue.name} has {plural(usage.occupied, word)}, its capacity is {usage.capacity}"
        sentence += f": {word}s that queue {first.name} frees go to it first"
        return JobObstacle(Reason.OTHER_FIRST, sentence, self._setting(queue, CAPACITY), first.name)

    def shortfall(self, job: JobInProgress, kind: int) -> Shortfall | None:
        queue, slot = self.scheduler.queues[job.description.queue], f"{WORDS[kind]} slot"
        own, queues = queue.usage[kind], self.scheduler.queues.values()
        above = [each for each in queues if each is not queue and each.usage[kind].fullness() > 1]
        if own.occupied >= own.capacity or not above:
            return None
        most = max(above, key=lambda each: each.usage[kind].occupied)
        has = f"queue {queue.name} has {plural(own.occupied, slot)} of its capacity of {own.capacity}"
        used = most.usage[kind]
        over = f"queue {most.name} has {used.occupied} with a capacity of {used.capacity}"
        return Shortfall(f"{has}, and {over}: nothing is preempted for it", ())

    def turn(self, job: JobInProgress, kind: int) -> tuple[int, ...] | None:
        queue = self.scheduler.queues[job.description.queue]
        is_over = queue.usage[kind].of_user[job.description.user] > queue.user_slots(job, kind)
        return None if is_over else queue.place(job, job.priority)

    def limit_of_jobs(self, job: JobInProgress) -> JobObstacle | None:
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
        return JobObstacle(Reason.QUEUE_NOT_RUNNING_IT, sentence, setting, owner.partition(" ")[2])

    def _setting(self, queue: CapacityTaskQueue, key: Key[Any]) -> Setting:
        own, wider = key_of(queue.name, key), CAPACITY_TASKS.queue[key.name].wider
        value = self.scheduler.cluster.settings.get(own)
        return self._of_all(wider) if value is None and wider is not None else Setting(own, value or "")

    def _of_all(self, key: Key[Any]) -> Setting:
        given = self.scheduler.cluster.settings.get(key.everywhere)
        return Setting(key.everywhere, CAPACITY_TASKS.whole[key.everywhere].default if given is None else given)

    def loosen(self, key: str) -> None:
        given = dict(self.scheduler.cluster.settings)
        if key.endswith(f".{CAPACITY.name}"):
            given |= self._most_capacity(key)
        else:
            given[key] = ALL if key.endswith((MAXIMUM.name, USER_LIMIT.name)) else MANY
        self.scheduler.refresh(given)

    def _most_capacity(self, key: str) -> dict[str, str]:
        """Give the queue of a capacity all that its maximum allows, and the others, without one, the rest of 100 %."""
        queues = self.scheduler.settings.queues
        names = sorted(queues, key=lambda name: key_of(name, CAPACITY) != key)  # its own first
        maximum = queues[names[0]].maximum
        capacities = [min(int(maximum) if maximum > 0 else 100, 101 - len(names)), *(1 for _ in names[1:])]
        capacities[-1] += 100 - sum(capacities)
        limits = {key_of(name, MAXIMUM): ALL for name in names[1:]}
        return {key_of(name, CAPACITY): str(value) for name, value in zip(names, capacities, strict=True)} | limits


# Answers observers of the fair scheduler of MapReduce 1: its pools.

MIN_SHARE_TIMEOUT: Final = "minSharePreemptionTimeout"  # Element of a pool
FAIR_SHARE_TIMEOUT: Final = "fairSharePreemptionTimeout"  # Element of the whole file
MAXIMA: Final = ("maxMaps", "maxReduces")  # Kind of slots → the element of a pool that limits them
MINIMA: Final = ("minMaps", "minReduces")


class FairTaskView(TaskSchedulerView):
    scheduler: FairTaskScheduler

    noun = "pool"

    def __init__(self, scheduler: FairTaskScheduler) -> None:
        self.scheduler = scheduler

    def preemption(self) -> bool:
        return self.scheduler.settings.kills

    def queue_of(self, job: JobInProgress) -> str:
        return self.scheduler.pool_of(job)

    def queues(self, jobs: Mapping[str, Sequence[JobInProgress]], held: HeldSlots) -> Sequence[QueueRow]:
        return tuple(self._row(name, jobs.get(name, []), held) for name in sorted(self.scheduler.map_pools))

    def _row(self, name: str, jobs: Sequence[JobInProgress], held: HeldSlots) -> QueueRow:
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
        return self.scheduler.allocations

    def longest_timer_ms(self) -> int:
        allocations, settings = self.scheduler.allocations, self.scheduler.settings
        pools = [allocations.min_timeout_ms(name) for name in self.scheduler.map_pools]
        timeouts = [allocations.fair_share_timeout_ms, *pools]
        timers_ms = sum(self.scheduler.delays_ms) + settings.preemption_interval_ms
        timers_ms += 0 if settings.new_job_boost == 1 else settings.new_job_ms
        return timers_ms + max((each for each in timeouts if each < LONG_MAX), default=0)

    def limit(self, job: JobInProgress, kind: int) -> JobObstacle | None:
        if (found := self.limit_of_jobs(job)) is not None:
            return found
        scheduler, word = self.scheduler, WORDS[kind]
        pool = scheduler.pools(kind)[scheduler.pool_names.index(scheduler.pool_of(job))]
        if pool.running() >= pool.maximum():
            sentence = f"pool {pool.name} runs {plural(pool.running(), word)}, its maximum is {pool.maximum()}"
            setting = Setting(f"pool {pool.name}.{MAXIMA[kind]}", str(pool.maximum()))
            return JobObstacle(Reason.QUEUE_OVER_MAXIMUM, sentence, setting, pool.name)
        if pool.lacks_min_share():
            sentence = f"pool {pool.name} runs {plural(pool.running(), word)}, below its minimum of {pool.min_share()}"
            return JobObstacle(Reason.DOES_NOT_FIT, sentence, subject=pool.name)
        return None

    def shortfall(self, job: JobInProgress, kind: int) -> Shortfall | None:
        scheduler = self.scheduler
        pool = scheduler.pools(kind)[scheduler.pool_names.index(scheduler.pool_of(job))]
        is_below_minimum = pool.lacks_min_share()
        if not is_below_minimum and not pool.lacks_half_share():
            return None
        file, words, settings = scheduler.allocations, [], []
        if not scheduler.settings.kills:
            only_logs = scheduler.settings.preempts
            words.append("preemption only logs" if only_logs else "preemption is off")
            switch = PREEMPTION_ONLY_LOG if only_logs else PREEMPTION
            settings.append(Setting(switch.everywhere, str(only_logs).lower()))
        timeout_ms = file.min_timeout_ms(pool.name) if is_below_minimum else file.fair_share_timeout_ms
        if timeout_ms >= LONG_MAX:
            words.append("no timeout starts it")
            key = f"pool {pool.name}.{MIN_SHARE_TIMEOUT}" if is_below_minimum else FAIR_SHARE_TIMEOUT
            settings.append(Setting(key, "not set"))
        if not words:
            return None
        share = f"half its fair share of {pool.fair_share:g}"
        runs = plural(pool.running(), WORDS[kind])
        head = "" if is_below_minimum else f"pool {pool.name} runs {runs}, below {share}; "
        return Shortfall(f"{head}nothing is preempted for it: {' and '.join(words)}", tuple(settings))

    def served_first(self, job: JobInProgress, kind: int) -> JobObstacle | None:
        pools, word = self.scheduler.pools(kind), WORDS[kind]
        due = [pool for pool in pools if pool.min_share() > 0 and pool.running() <= min(pool.min_share(), pool.demand)]
        if not due or any(pool.name == self.scheduler.pool_of(job) for pool in due):
            return None
        first = max(due, key=lambda pool: pool.min_share() - pool.running())
        least, freed = first.min_share(), "slots" if first.lacks_min_share() else "slots that it frees"
        sentence = f"pool {first.name} runs {plural(first.running(), word)}, its minimum is {least}"
        sentence += f": {word} {freed} go to it first"
        setting = Setting(f"pool {first.name}.{MINIMA[kind]}", str(least))
        return JobObstacle(Reason.OTHER_FIRST, sentence, setting, first.name)

    def turn(self, job: JobInProgress, kind: int) -> tuple[int, ...] | None:
        return job_order(job) if self.scheduler.allocations.mode(self.scheduler.pool_of(job)) == "fifo" else None

    def limit_of_jobs(self, job: JobInProgress) -> JobObstacle | None:
        whose = next((held_by for info, held_by in self.scheduler.held_back() if info.job is job), None)
        if whose is None:
            return None
        subject = job.description.user if whose == "user" else self.scheduler.pool_of(job)
        setting = self._most_jobs(whose, subject)
        sentence = f"{whose} {subject} has as many jobs as may run, {setting.value}"
        return JobObstacle(Reason.QUEUE_NOT_RUNNING_IT, sentence, setting, subject)

    def _most_jobs(self, whose: str, subject: str) -> Setting:
        file = self.scheduler.allocations
        if whose == "user":
            own, everywhere = file.user_max_jobs.get(subject), file.user_max_jobs_default
        else:
            own, everywhere = file.pool(subject).max_running_jobs, file.pool_max_jobs_default
        if own is None:
            return Setting(f"{whose}MaxJobsDefault", str(everywhere))
        return Setting(f"{whose} {subject}.maxRunningJobs", str(own))

    def loosen(self, key: str) -> None:
        scheduler = self.scheduler
        if key in (PREEMPTION.everywhere, PREEMPTION_ONLY_LOG.everywhere):
            scheduler.settings = replace(scheduler.settings, preempts=True, only_logs_preemption=False)
            return
        scheduler.allocations = _loose(scheduler.allocations, key)
        if scheduler.file is not None:
            scheduler.file = (scheduler.file[0], _loose(scheduler.file[1], key))

    def waited_ms(self, job: JobInProgress) -> int | None:
        info = self.scheduler.jobs.get(job.number)
        return info.waited_ms if info is not None and self.scheduler.allowed_level(info) < ANY_LEVEL else None


def _loose(file: PoolAllocations, key: str) -> PoolAllocations:
    owner, _, element = key.rpartition(".")
    whose, _, name = owner.partition(" ")
    if key == FAIR_SHARE_TIMEOUT:
        return replace(file, fair_share_timeout_ms=0)
    if element in (MIN_SHARE_TIMEOUT, *MINIMA):
        return with_pool_settings(file, {f"queue.{name}.{element}": "0"})
    if whose == "pool":
        return with_pool_settings(file, {f"queue.{name}.{element}": str(NO_MAXIMUM)})
    if whose == "user":
        return replace(file, user_max_jobs={**file.user_max_jobs, name: NO_MAXIMUM})
    if element == "userMaxJobsDefault":
        return replace(file, user_max_jobs_default=NO_MAXIMUM)
    return replace(file, pool_max_jobs_default=NO_MAXIMUM)
