"""The pools of a fair scheduler's allocation file, and its own properties.

Source: PoolManager, FairScheduler#start, CapBasedLoadManager, NewJobWeightBooster, Hadoop 1.2.1 contrib.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec

from engine.model.java_values import LONG_MAX, float32
from engine.settings import mapreduce1 as keys
from engine.settings.mapreduce1 import FAIR_TASKS
from engine.settings.table import Key

_Value = TypeVar("_Value")

NO_MAXIMUM: Final = 2**31 - 1  # Source: Integer.MAX_VALUE, where no maximum is set


class PoolAllocation(msgspec.Struct, frozen=True):
    """The settings of one pool in a file."""

    minimum: tuple[int, int] = (0, 0)  # Maps, reduces
    maximum: tuple[int, int] = (NO_MAXIMUM, NO_MAXIMUM)
    max_running_jobs: int | None = None  # None for the file's default
    weight: float = 1.0
    mode: str | None = None  # `fair`, `fifo`, or None for the file's default
    min_share_timeout_ms: int | None = None


class PoolAllocations(msgspec.Struct, frozen=True):
    """A whole file; without one every pool has the defaults."""

    pools: Mapping[str, PoolAllocation] = {}  # In the file's order
    user_max_jobs: Mapping[str, int] = {}
    user_max_jobs_default: int = NO_MAXIMUM
    pool_max_jobs_default: int = NO_MAXIMUM
    default_mode: str = "fair"
    fair_share_timeout_ms: int = LONG_MAX
    min_share_timeout_ms: int = LONG_MAX

    def pool(self, name: str) -> PoolAllocation:
        return self.pools.get(name, _NOT_NAMED)

    def max_running_jobs(self, pool: str) -> int:
        own = self.pool(pool).max_running_jobs
        return self.pool_max_jobs_default if own is None else own

    def max_jobs_of(self, user: str) -> int:
        return self.user_max_jobs.get(user, self.user_max_jobs_default)

    def mode(self, pool: str) -> str:
        return self.pool(pool).mode or self.default_mode

    def min_timeout_ms(self, pool: str) -> int:
        """Return how long a pool may be below its minimum before others are preempted."""
        own = self.pool(pool).min_share_timeout_ms
        return self.min_share_timeout_ms if own is None else own


_NOT_NAMED: Final = PoolAllocation()


class FairTaskSettings(msgspec.Struct, frozen=True):
    """Properties of the scheduler."""

    pool_property: str  # Property of a job that names its pool, unless `mapred.fairscheduler.pool` does
    allows_undeclared_pools: bool
    update_interval_ms: int
    preemption_interval_ms: int
    preempts: bool
    only_logs_preemption: bool
    assigns_multiple: bool
    caps: tuple[int, int]  # Most maps, and most reduces, in one heartbeat; -1 for as many as are free
    size_based_weight: bool
    new_job_boost: float  # Factor of a new job's weight; 1 without the booster
    new_job_ms: int
    node_delay_ms: int
    rack_delay_ms: int
    computes_delays: bool  # Whether both delays follow the heartbeat interval
    max_load_difference: float


def fair_task_settings(values: Mapping[str, str]) -> FairTaskSettings:
    """Read the scheduler's properties among a JobTracker's."""

    def value(key: Key[_Value]) -> _Value:
        return FAIR_TASKS.value(values, key)

    delay_ms = value(keys.DELAY)
    node_ms, rack_ms = (
        value(key) if key.everywhere in values else delay_ms for key in (keys.NODE_DELAY, keys.RACK_DELAY)
    )
    is_boosted = value(keys.WEIGHT_ADJUSTER) == keys.BOOSTER
    return FairTaskSettings(
        pool_property=value(keys.POOL_PROPERTY),
        allows_undeclared_pools=value(keys.UNDECLARED_POOLS),
        update_interval_ms=value(keys.UPDATE),
        preemption_interval_ms=value(keys.PREEMPTION_INTERVAL),
        preempts=value(keys.PREEMPTION),
        only_logs_preemption=value(keys.PREEMPTION_ONLY_LOG),
        assigns_multiple=value(keys.ASSIGN_MULTIPLE),
        caps=(value(keys.MOST_MAPS), value(keys.MOST_REDUCES)),
        size_based_weight=value(keys.SIZE_WEIGHT),
        new_job_boost=value(keys.BOOST) if is_boosted else 1.0,
        new_job_ms=value(keys.BOOST_DURATION),
        node_delay_ms=node_ms,
        rack_delay_ms=rack_ms,
        computes_delays=delay_ms == -1 and -1 in (node_ms, rack_ms),
        max_load_difference=float32(value(keys.LOAD_DIFFERENCE)),
    )
