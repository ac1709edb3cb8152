"""Pools of a fair scheduler and their jobs: what each demands, what it is due, and its next task.

Source: FairScheduler#preemptTasksIfNecessary, #tasksToPreempt, #preemptTasks, Hadoop 1.2.1 contrib. Nothing remembers
kills under way: a pass before they take effect kills more.

Source: Pool, PoolSchedulable, JobSchedulable, FairScheduler.JobInfo, SchedulingAlgorithms, Hadoop 1.2.1 contrib.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol, TypeVar

from engine.model.java_collections import java_sorted
from engine.model.java_values import LONG_MAX, divide, truncate
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING, Launch, TaskTracker
from engine.schedulers.mr1.settings import FairTaskSettings, PoolAllocations
from engine.state import State

# Fair shares by bisection, and the orders in which pools and jobs are served.

HALVINGS: Final = 25  # Source: SchedulingAlgorithms.COMPUTE_FAIR_SHARES_ITERATIONS


class Sharing(Protocol):
    """A pool or a job that gets a share of slots of one kind. Source: Schedulable."""

    demand: int
    fair_share: float

    def running(self) -> int:
        """Tasks that run."""

    def min_share(self) -> int:
        """Return its minimum share; 0 for a job."""

    def weight(self) -> float:
        """Its weight."""

    def rank(self) -> tuple[int, int, str]:
        """Priority, start and name."""


Member = TypeVar("Member", bound=Sharing)

_Row = tuple[float, int, int]  # weight, minimum share and demand


def compute_fair_shares(members: Sequence[Sharing], slots: float) -> None:
    """Give each its share: the same multiple of its weight, at least its minimum, at most its demand."""
    rows = tuple((each.weight(), each.min_share(), each.demand) for each in members)
    for each, share in zip(members, _shares(rows, slots), strict=True):
        each.fair_share = share


@lru_cache(maxsize=128)  # from one update to the next most demands are the same
def _shares(rows: tuple[_Row, ...], slots: float) -> tuple[float, ...]:
    cap = min(float(sum(demand for _, _, demand in rows)), slots)

    def used(ratio: float) -> float:
        total = 0.0
        for row in rows:
            total += _share(row, ratio)
        return total

    most = 1.0
    while used(most) < cap:
        most *= 2.0
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if used(middle) < cap:
            low = middle
        else:
            high = middle
    return tuple(_share(row, high) for row in rows)


def _share(row: _Row, ratio: float) -> float:
    weight, minimum, demand = row
    return float(min(max(weight * ratio, minimum), demand))


_Place = tuple[bool, float, int, str]
"""Whether it has its minimum; the ratio of what runs to the minimum of a needy one, to the weight of another; rank."""


def in_fair_order(members: Sequence[Member]) -> list[Member]:
    """Sort those below their minimum first, then by running tasks per weight. Source: FairShareComparator."""
    places = [_place(each) for each in members]
    if any(math.isnan(ratio) for _, ratio, _, _ in places):
        order = java_sorted(range(len(places)), lambda one, two: _compare(places[one], places[two]))
    else:
        order = sorted(range(len(places)), key=places.__getitem__)
    return [members[index] for index in order]


def _place(member: Sharing) -> _Place:
    running, minimum = member.running(), min(member.min_share(), member.demand)
    _, start_ms, name = member.rank()
    is_needy = running < minimum
    ratio = running / max(minimum, 1.0) if is_needy else divide(running, member.weight())
    return not is_needy, ratio, start_ms, name


def _compare(one: _Place, two: _Place) -> int:
    has_enough, ratio, *rank = one
    other_has_enough, other_ratio, *other_rank = two
    if has_enough != other_has_enough:
        return 1 if has_enough else -1
    difference = ratio - other_ratio
    if difference == 0 or math.isnan(difference):
        return (rank > other_rank) - (rank < other_rank)
    return 1 if difference > 0 else -1


DEFAULT_POOL: Final = "default"
PRIORITY_FACTORS: Final = (4.0, 2.0, 1.0, 0.5, 0.25)
"""Weight of a job by its priority, highest first. Source: FairScheduler#getPriorityFactor."""
NORMAL: Final = 2  # Place of NORMAL among the priorities; every pool's


class PoolsScheduler(Protocol):
    """The scheduler as its pools and jobs see it."""

    cluster: MapReduceCluster
    settings: FairTaskSettings
    allocations: PoolAllocations

    def allowed_level(self, info: "JobInfo") -> int:
        """Return how far from its data a map of a job may run."""


class JobSchedulable(metaclass=State):
    """A job's part in the slots of one kind."""

    info: "JobInfo"
    job: JobInProgress
    name: str
    kind: int
    demand: int = 0
    fair_share: float = 0.0

    def __init__(self, info: "JobInfo", kind: int) -> None:
        self.info = info
        self.job = info.job
        self.name = f"{info.job.number:04d}"
        self.kind = kind

    def running(self) -> int:
        return self.job.running[self.kind]

    def min_share(self) -> int:
        return 0

    def rank(self) -> tuple[int, int, str]:
        """Its place in FIFO order; names compare as texts, as job ids do."""
        return self.job.priority, self.job.start_ms, self.name

    def weight(self) -> float:
        """By priority, and by size and age where that is set. Source: FairScheduler#getJobWeight."""
        if not self.info.is_runnable:
            return 1.0
        settings, job = self.info.scheduler.settings, self.job
        weight = math.log1p(self.demand) / math.log(2) if settings.size_based_weight else 1.0
        weight *= PRIORITY_FACTORS[job.priority]
        if job.cluster.now_ms - job.start_ms < settings.new_job_ms:
            weight *= settings.new_job_boost
        return weight

    def may_run(self) -> bool:
        return self.info.is_runnable and not self.info.is_gone and self.job.state == RUNNING

    def update_demand(self) -> None:
        """Count what it could use now: one for each task to run, and what runs with its speculative attempts."""
        self.demand = 0
        job, kind = self.job, self.kind
        if not self.may_run() or (kind == REDUCE and not job.may_start_reduces()):
            return
        at_work = [job.tasks[kind][number] for number in job.at_work[kind]]
        running = [task for task in at_work if not task.is_complete]
        left = len(job.tasks[kind]) - job.finished[kind]
        self.demand = left - len(running) + sum([len(task.active) for task in running])
        if job.speculates[kind]:
            now_ms, average = job.cluster.now_ms, job.progress[kind]
            self.demand += sum([task.may_be_speculated(now_ms, average) for task in running])

    def assign(self, tracker: TaskTracker, visited: dict[int, None]) -> Launch | None:
        if not self.may_run():
            return None
        visited[self.job.number] = None
        if self.kind == REDUCE:
            return self.job.obtain_reduce(tracker)
        return self.job.obtain_map(tracker, self.info.scheduler.allowed_level(self.info))


class JobInfo(metaclass=State):
    scheduler: PoolsScheduler
    job: JobInProgress
    pool: str
    is_runnable: bool = False
    needs_initializing: bool = True
    is_gone: bool = False  # Whether the job has left the scheduler
    last_level: int = HOST_LEVEL  # How far the last map launched was from its data
    waited_ms: int = 0  # How long it has waited for a map near its data, since that launch
    was_skipped: bool = False  # Whether it launched no map in the last heartbeat in which it was asked for one
    schedulables: list[JobSchedulable]

    def __init__(self, scheduler: PoolsScheduler, job: JobInProgress, pool: str) -> None:
        self.scheduler = scheduler
        self.job = job
        self.pool = pool
        self.schedulables = [JobSchedulable(self, MAP), JobSchedulable(self, REDUCE)]

    def launched(self, level: int) -> None:
        self.last_level = (HOST_LEVEL, RACK_LEVEL, ANY_LEVEL)[level]
        self.waited_ms = 0


class PoolSchedulable(metaclass=State):
    """A pool's part in the slots of one kind."""

    scheduler: PoolsScheduler
    name: str
    kind: int
    demand: int = 0
    fair_share: float = 0.0
    jobs: list[JobSchedulable] = []
    at_min_share_ms: int
    at_half_share_ms: int

    def __init__(self, scheduler: PoolsScheduler, name: str, kind: int) -> None:
        self.scheduler = scheduler
        self.name = name
        self.kind = kind
        self.at_min_share_ms = self.at_half_share_ms = scheduler.cluster.now_ms
        """When it was last seen with its minimum, and with half its fair share."""

    def running(self) -> int:
        kind = self.kind
        return sum([each.job.running[kind] for each in self.jobs])

    def min_share(self) -> int:
        return self.scheduler.allocations.pool(self.name).minimum[self.kind]

    def maximum(self) -> int:
        return self.scheduler.allocations.pool(self.name).maximum[self.kind]

    def weight(self) -> float:
        return self.scheduler.allocations.pool(self.name).weight

    def rank(self) -> tuple[int, int, str]:
        return NORMAL, 0, self.name

    def update_demand(self) -> None:
        """The sum of its jobs' demands up to its maximum; jobs behind that keep their old demand."""
        maximum = self.maximum()
        self.demand = 0
        for job in self.jobs:
            job.update_demand()
            self.demand += job.demand
            if self.demand >= maximum:
                self.demand = maximum
                break

    def share_out(self) -> None:
        """Divide its share among its jobs; jobs of a FIFO pool have none. Source: #redistributeShare."""
        if self._is_fair():
            compute_fair_shares(self.jobs, self.fair_share)
        else:
            for job in self.jobs:
                job.fair_share = 0.0

    def _is_fair(self) -> bool:
        return self.scheduler.allocations.mode(self.name) == "fair"

    def assign(self, tracker: TaskTracker, visited: dict[int, None]) -> Launch | None:
        if self.running() >= self.maximum():
            return None
        if self._is_fair():
            self.jobs = in_fair_order(self.jobs)
        else:
            self.jobs = sorted(self.jobs, key=lambda job: job.rank())  # Source: FifoComparator
        for job in self.jobs:
            launch = job.assign(tracker, visited)
            if launch is not None:
                return launch
        return None

    def lacks_min_share(self) -> bool:
        """Tell whether less runs than the minimum it could use. Source: #isStarvedForMinShare."""
        return self.running() < min(self.min_share(), self.demand)

    def lacks_half_share(self) -> bool:
        """Tell whether less runs than half the fair share it could use. Source: #isStarvedForFairShare."""
        return self.running() < truncate(min(self.fair_share / 2, self.demand))


def lacking(pool: PoolSchedulable, allocations: PoolAllocations, now_ms: int) -> int:
    """Tasks that others must give up for a pool that was starved for too long."""
    missing = 0
    if now_ms - pool.at_min_share_ms > allocations.min_timeout_ms(pool.name):
        missing = min(pool.min_share(), pool.demand) - pool.running()
    if now_ms - pool.at_half_share_ms > allocations.fair_share_timeout_ms:
        missing = max(missing, truncate(min(pool.fair_share, pool.demand)) - pool.running())
    return max(0, missing)


def awaits_preemption(pool: PoolSchedulable, allocations: PoolAllocations) -> bool:
    """Tell whether others give up tasks for a pool once it has starved for long enough."""
    is_due = pool.lacks_min_share() and allocations.min_timeout_ms(pool.name) < LONG_MAX
    return is_due or (pool.lacks_half_share() and allocations.fair_share_timeout_ms < LONG_MAX)


def preempt(pools: Sequence[PoolSchedulable], tasks: int, cluster: MapReduceCluster) -> None:
    """Kill attempts of pools above their share, those that started last first, each pool down to its share."""
    if tasks == 0:
        return
    left = {pool.name: pool.running() for pool in pools}
    victims = [
        (task.statuses[one], pool)
        for pool in pools
        if pool.running() > pool.fair_share
        for member in pool.jobs
        for task in member.job.search.running_tasks(pool.kind)
        for one in sorted(task.active)
        if one in task.statuses
    ]
    for status, pool in sorted(victims, key=lambda victim: -victim[0].start_ms):
        if left[pool.name] <= pool.fair_share:
            continue
        task = cluster.attempts.tasks.get(status.attempt)
        if task is not None:
            task.ask_to_kill(status.attempt, counts=False)
        tasks -= 1
        if tasks == 0:
            return
        left[pool.name] -= 1
