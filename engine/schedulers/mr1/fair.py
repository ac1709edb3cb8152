"""FairScheduler of MapReduce 1: pools with minimum shares and weights, and waiting for local maps.

An update, every half second, computes demands and shares; heartbeats between updates use them, with running counts
of the moment. Source: FairScheduler, CapBasedLoadManager, Hadoop 1.2.1 contrib.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from engine.errors import RefusedError
from engine.model.identity import java_hash_order
from engine.model.java_values import divide
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import PREP, JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING, Launch, TaskTracker
from engine.schedulers.mr1.fair_pools import (
    DEFAULT_POOL,
    JobInfo,
    PoolSchedulable,
    awaits_preemption,
    compute_fair_shares,
    in_fair_order,
    lacking,
    preempt,
)
from engine.schedulers.mr1.interface import TaskScheduler, job_order, waits_for_place
from engine.schedulers.mr1.settings import (
    POOL_ELEMENTS,
    FairTaskSettings,
    PoolAllocations,
    fair_task_settings,
    setting_keys,
    with_pool_settings,
)
from engine.settings.mapreduce1 import POOL

MAX_COMPUTED_DELAY_MS: Final = 15_000  # Source: FairScheduler.MAX_AUTOCOMPUTED_LOCALITY_DELAY

RELOAD_INTERVAL_MS: Final = 10_000
RELOAD_WAIT_MS: Final = 5_000  # Source: PoolManager.ALLOC_RELOAD_INTERVAL, .ALLOC_RELOAD_WAIT

UPDATE: Final = "update"


def last_time_ms(before_ms: int, wait_ms: int, interval_ms: int, last_ms: int, count: int) -> int:
    """Return when that happened last that happens at a pass `wait_ms` after it happened before [epoch ms].

    `before_ms` is before the passes, which are `count`, `interval_ms` apart, the last one at `last_ms`.
    """
    passes_since = min(count - 1, (last_ms - before_ms - wait_ms) // interval_ms)
    if passes_since < 0:
        return before_ms
    return last_ms - passes_since % max(1, -(-wait_ms // interval_ms)) * interval_ms


class FairTaskScheduler(TaskScheduler):
    allocations: PoolAllocations
    file: tuple[int, PoolAllocations] | None = None
    """When the file was changed [epoch ms] and what it says, until it is read."""
    looked_ms: int  # When it last looked whether the file has changed [epoch ms]
    settings: FairTaskSettings
    delays_ms: tuple[int, int]  # How long a job waits for a map on the node, and then in the rack
    heartbeat_ms: int = 0  # When any tracker last asked; 0 for never
    preempted_ms: int = 0
    jobs: dict[int, JobInfo] = {}
    pool_names: list[str] = []  # In the order in which Hadoop's map of pools hands them out
    map_pools: dict[str, PoolSchedulable] = {}
    reduce_pools: dict[str, PoolSchedulable] = {}

    def __init__(self, cluster: MapReduceCluster, allocations: PoolAllocations) -> None:
        self.cluster = cluster
        self.allocations = allocations
        self.looked_ms = cluster.now_ms
        self.settings = fair_task_settings(cluster.settings)
        self.passes = ((UPDATE, self.settings.update_interval_ms),)
        self.delays_ms = (self.settings.node_delay_ms, self.settings.rack_delay_ms)
        for name in (*allocations.pools, DEFAULT_POOL):
            self._pool(name, MAP)

    # Pools.

    def _pool(self, name: str, kind: int) -> PoolSchedulable:
        """A pool's part of one kind; the pool is made when it is not there."""
        if name not in self.map_pools:
            self.map_pools[name] = PoolSchedulable(self, name, MAP)
            self.reduce_pools[name] = PoolSchedulable(self, name, REDUCE)
            self.pool_names = java_hash_order(self.map_pools)
        return (self.reduce_pools if kind else self.map_pools)[name]

    def pools(self, kind: int) -> list[PoolSchedulable]:
        parts = self.reduce_pools if kind else self.map_pools
        return [parts[name] for name in self.pool_names]

    def pool_of(self, job: JobInProgress) -> str:
        """The pool a job names, or that of the property that names pools. Source: PoolManager#getPoolName."""
        description = job.description
        known = {"user.name": description.user, "mapred.job.queue.name": description.queue} | dict(description.settings)
        return known.get(POOL.everywhere, known.get(self.settings.pool_property, DEFAULT_POOL)).strip()

    # Jobs.

    def after_restart(self) -> PoolAllocations:
        """Return the allocations that its file has now, read or not."""
        return self.allocations if self.file is None else self.file[1]

    def check_submission(self, job: JobInProgress) -> None:
        """Raise RefusedError, with the pools there are, for a job of another pool where that is not allowed."""
        pool = self.pool_of(job)
        if not self.settings.allows_undeclared_pools and pool not in self.allocations.pools:
            names = ", ".join(sorted(self.allocations.pools))
            raise RefusedError("UndeclaredPoolException", f"pool {pool} is not declared; the file has {names}")

    def job_added(self, job: JobInProgress) -> None:
        info = self.jobs[job.number] = JobInfo(self, job, self.pool_of(job))
        for kind in (MAP, REDUCE):
            self._pool(info.pool, kind).jobs.append(info.schedulables[kind])
        self.update()

    def _leave(self, info: JobInfo) -> None:
        del self.jobs[info.job.number]
        info.is_gone = True
        for kind in (MAP, REDUCE):
            self._pool(info.pool, kind).jobs.remove(info.schedulables[kind])

    # Updates.

    def run_pass(self, name: str) -> None:
        self.update()
        self._preempt()

    def update(self) -> None:
        """Update which jobs may run, demands, shares, and how long pools have starved. Source: FairScheduler#update."""
        self._reload_if_changed()
        if self.settings.computes_delays:
            delay_ms = min(MAX_COMPUTED_DELAY_MS, int(1.5 * self.cluster.heartbeat_ms()))
            self.delays_ms = (delay_ms, delay_ms)
        for info in list(self.jobs.values()):
            if info.job.is_ended:
                self._leave(info)
        self._update_runnability()
        for kind in (MAP, REDUCE):
            for pool in self.pools(kind):
                pool.update_demand()
        for kind in (MAP, REDUCE):
            compute_fair_shares(self.pools(kind), float(self.cluster.slots[kind]))
            for pool in self.pools(kind):
                pool.share_out()
        if self.settings.preempts:
            self._note_starvation()

    def file_changed(self, allocations: PoolAllocations) -> None:
        self.file = (self.cluster.now_ms, allocations)

    def setting_keys(self) -> tuple[str, ...]:
        return setting_keys(POOL_ELEMENTS)

    def change_settings(self, values: Mapping[str, str]) -> None:
        self.file_changed(with_pool_settings(self.after_restart(), values))

    def _reload_if_changed(self) -> None:
        """Every 10 s read a changed file that is at least 5 s old. Source: PoolManager#reloadAllocsIfNecessary."""
        now_ms = self.cluster.now_ms
        if now_ms <= self.looked_ms + RELOAD_INTERVAL_MS:
            return
        self.looked_ms = now_ms
        if self.file is not None and now_ms > self.file[0] + RELOAD_WAIT_MS:
            self.allocations = self.file[1]
            self.file = None
            for name in self.allocations.pools:
                self._pool(name, MAP)

    def _update_runnability(self) -> None:
        for info, held_by in list(self.held_back()):
            job = info.job
            info.is_runnable = held_by is None and job.state == RUNNING
            if held_by is not None:
                continue
            # Once for each job: one that fails to initialize is not tried again.
            if job.state == PREP and info.needs_initializing:
                info.needs_initializing = False
                job.initialize()

    def held_back(self) -> Iterator[tuple[JobInfo, str | None]]:
        """All jobs in FIFO order, each with whose limit of running jobs it exceeds: `user`, `pool`, or None."""
        of_user: Counter[str] = Counter()
        of_pool: Counter[str] = Counter()
        for info in sorted(self.jobs.values(), key=lambda each: job_order(each.job)):
            user = info.job.description.user
            if of_user[user] >= self.allocations.max_jobs_of(user):
                yield info, "user"
            elif of_pool[info.pool] >= self.allocations.max_running_jobs(info.pool):
                yield info, "pool"
            else:
                of_user[user] += 1
                of_pool[info.pool] += 1
                yield info, None

    def _note_starvation(self) -> None:
        now_ms = self.cluster.now_ms
        for pool in (*self.pools(MAP), *self.pools(REDUCE)):
            if not pool.lacks_min_share():
                pool.at_min_share_ms = now_ms
            if not pool.lacks_half_share():
                pool.at_half_share_ms = now_ms

    def _preempt(self) -> None:
        now_ms = self.cluster.now_ms
        if not self.settings.kills or now_ms - self.preempted_ms < self.settings.preemption_interval_ms:
            return
        self.preempted_ms = now_ms
        for kind in (MAP, REDUCE):
            pools = self.pools(kind)
            tasks = sum(lacking(pool, self.allocations, now_ms) for pool in pools)
            preempt(pools, tasks, self.cluster)

    @property
    def is_idle(self) -> bool:
        """As of `TaskScheduler`; a changed file is read at one of its passes."""
        return not self.jobs and self.file is None

    @property
    def is_quiet(self) -> bool:
        """As of `TaskScheduler`: no job waits for a place, no pool for preemption, no weight changes with time."""
        jobs = self.jobs.values()
        is_waiting = any(i.was_skipped for i in jobs) or (any(i.waited_ms for i in jobs) and self._offers_maps())
        if self.file is not None or self.settings.new_job_boost != 1 or is_waiting or waits_for_place(self.cluster):
            return False
        pools = (*self.pools(MAP), *self.pools(REDUCE)) if self.settings.kills else ()
        return not any(awaits_preemption(pool, self.allocations) for pool in pools)

    def _offers_maps(self) -> bool:
        """Tell whether jobs are asked for maps, so that a job that gives none has waited for longer."""
        pools = self.pools(MAP)
        has_room = any(self._most(tracker, MAP) for tracker in self.cluster.trackers.values())
        return has_room and sum(pool.demand for pool in pools) != sum(pool.running() for pool in pools)

    def heartbeats_skipped(self, tracker: TaskTracker, count: int, last_ms: int) -> None:
        self.heartbeat_ms = last_ms

    def passes_skipped(self, count: int, last_ms: int) -> None:
        interval_ms = self.settings.update_interval_ms
        self.looked_ms = last_time_ms(self.looked_ms, RELOAD_INTERVAL_MS + 1, interval_ms, last_ms, count)
        if self.settings.kills:
            wait_ms = self.settings.preemption_interval_ms
            self.preempted_ms = last_time_ms(self.preempted_ms, wait_ms, interval_ms, last_ms, count)

    # Heartbeats.

    def assign(self, tracker: TaskTracker) -> list[Launch]:
        """Maps and reduces in turn, one by one, each from the pool that is most behind. Source: #assignTasks."""
        self._count_waiting()
        capacities = [self._most(tracker, kind) for kind in (MAP, REDUCE)]
        # A kind without room on the tracker is not asked for.
        pools = [self.pools(kind) if capacities[kind] else [] for kind in (MAP, REDUCE)]
        demands = [sum([pool.demand for pool in parts]) for parts in pools]
        running = [sum([pool.running() for pool in parts]) for parts in pools]
        assigned, is_open = [0, 0], [True, True]
        launches: list[Launch] = []
        visited: tuple[dict[int, None], dict[int, None]] = ({}, {})
        while True:
            for kind in (MAP, REDUCE):
                if assigned[kind] == capacities[kind] or running[kind] == demands[kind]:
                    is_open[kind] = False
                elif is_open[kind]:
                    is_open[kind] = self._load_allows(tracker, kind, demands[kind], assigned[kind])
            if not any(is_open) or (launches and not self.settings.assigns_multiple):
                break
            kind = MAP if self._maps_are_next(tracker, assigned, is_open) else REDUCE
            launch = self._from_pools(tracker, kind, visited[kind])
            # No pool has a task of this kind for this tracker; the other kind may.
            if launch is None:
                is_open[kind] = False
                continue
            launches.append(launch)
            assigned[kind] += 1
            running[kind] += 1
            if launch.level is not None:
                self.jobs[launch.attempt[0]].launched(launch.level)
        launched = {launch.attempt[0] for launch in launches if launch.attempt[1] == MAP}
        for number in visited[MAP]:
            # A job that was asked and gave no map waits for a nearer tracker, and its patience grows from here on.
            if number not in launched:
                self.jobs[number].was_skipped = True
        return launches

    def _count_waiting(self) -> None:
        """Jobs that were skipped have waited since the last heartbeat. Source: #updateLocalityWaitTimes."""
        now_ms = self.cluster.now_ms
        passed_ms = now_ms - self.heartbeat_ms if self.heartbeat_ms else 0
        self.heartbeat_ms = now_ms
        for info in self.jobs.values():
            if info.was_skipped:
                info.waited_ms += passed_ms
                info.was_skipped = False

    def _most(self, tracker: TaskTracker, kind: int) -> int:
        """Most tasks of a kind in this heartbeat. Source: #maxTasksToAssign."""
        if not self.settings.assigns_multiple:
            return 1
        cap = self.settings.caps[kind]
        return tracker.free(kind) if cap == -1 else min(cap, tracker.free(kind))

    def _load_allows(self, tracker: TaskTracker, kind: int, demand: int, assigned: int) -> bool:
        """Tell whether the tracker is not fuller than the cluster needs it to be. Source: CapBasedLoadManager."""
        load = self.settings.max_load_difference + divide(demand, self.cluster.slots[kind])
        # Neither demand nor slots: nothing is needed here.
        if math.isnan(load):
            return False
        return tracker.running[kind] + assigned < math.ceil(tracker.slots[kind] * min(1.0, load))

    @staticmethod
    def _maps_are_next(tracker: TaskTracker, assigned: list[int], is_open: list[bool]) -> bool:
        if not all(is_open):
            return is_open[MAP]
        return tracker.running[MAP] + assigned[MAP] <= tracker.running[REDUCE] + assigned[REDUCE]

    def _from_pools(self, tracker: TaskTracker, kind: int, visited: dict[int, None]) -> Launch | None:
        for pool in in_fair_order(self.pools(kind)):
            launch = pool.assign(tracker, visited)
            if launch is not None:
                return launch
        return None

    def allowed_level(self, info: JobInfo) -> int:
        """How far from its data a job's next map may be, after its waits. Source: #getAllowedLocalityLevel."""
        now_ms, pool = self.cluster.now_ms, self._pool(info.pool, MAP)
        # Maps without a place are near everywhere.
        if info.job.search.idle_anywhere:
            return ANY_LEVEL
        if (
            # A pool that starves does not wait for locality.
            now_ms - pool.at_min_share_ms > self.allocations.min_timeout_ms(info.pool)
            or now_ms - pool.at_half_share_ms > self.allocations.fair_share_timeout_ms
        ):
            return ANY_LEVEL
        node_ms, rack_ms = self.delays_ms
        if info.last_level == HOST_LEVEL:
            if info.waited_ms >= node_ms + rack_ms:
                return ANY_LEVEL
            return RACK_LEVEL if info.waited_ms >= node_ms else HOST_LEVEL
        if info.last_level == RACK_LEVEL:
            return ANY_LEVEL if info.waited_ms >= rack_ms else RACK_LEVEL
        return ANY_LEVEL
