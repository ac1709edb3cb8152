"""Preemption of the fair scheduler: how many tasks starved pools lack, and whose attempts are killed for them.

Source: FairScheduler#preemptTasksIfNecessary, #tasksToPreempt, #preemptTasks, Hadoop 1.2.1 contrib. Nothing remembers
kills under way: a pass before they take effect kills more.
"""

from collections.abc import Iterator, Sequence

from engine.model.mr1.attempt import AttemptStatus
from engine.model.mr1.cluster import MapReduceCluster
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.mr1.fair_pools import PoolSchedulable


def lacking(pool: PoolSchedulable, allocations: PoolAllocations, now_ms: int) -> int:
    """Tasks that others must give up for a pool that was starved for too long."""
    missing = 0
    if now_ms - pool.at_min_share_ms > allocations.min_timeout_ms(pool.name):
        missing = min(pool.min_share(), pool.demand) - pool.running()
    if now_ms - pool.at_half_share_ms > allocations.fair_share_timeout_ms:
        missing = max(missing, int(min(pool.fair_share, pool.demand)) - pool.running())
    return max(0, missing)


def preempt(pools: Sequence[PoolSchedulable], tasks: int, cluster: MapReduceCluster) -> None:
    """Kill attempts of pools above their share, those that started last first, each pool down to its share."""
    if tasks == 0:
        return
    left = {pool.name: pool.running() for pool in pools}
    victims = [
        (status, pool) for pool in pools if pool.running() > pool.fair_share for status in _running_attempts(pool)
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


def _running_attempts(pool: PoolSchedulable) -> Iterator[AttemptStatus]:
    for member in pool.jobs:
        tasks = member.job.search.running_tasks(pool.kind)
        yield from (task.statuses[one] for task in tasks for one in sorted(task.active) if one in task.statuses)
