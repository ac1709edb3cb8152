"""The pools of a fair scheduler's allocation file, and its own properties.

Source: PoolManager, FairScheduler#start, CapBasedLoadManager, NewJobWeightBooster, Hadoop 1.2.1 contrib.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.model.java_number import float32
from engine.model.java_values import LONG_MAX, parse_float, setting_boolean

NO_MAXIMUM: Final = 2**31 - 1
"""Source: Integer.MAX_VALUE, where no maximum is set."""

PREFIX: Final = "mapred.fairscheduler."
BOOSTER: Final = "org.apache.hadoop.mapred.NewJobWeightBooster"


class PoolAllocation(msgspec.Struct, frozen=True):
    """What a file says of one pool."""

    minimum: tuple[int, int] = (0, 0)
    """Maps, reduces."""
    maximum: tuple[int, int] = (NO_MAXIMUM, NO_MAXIMUM)
    max_running_jobs: int | None = None
    """None for the file's default."""
    weight: float = 1.0
    mode: str | None = None
    """`fair`, `fifo`, or None for the file's default."""
    min_share_timeout_ms: int | None = None


class PoolAllocations(msgspec.Struct, frozen=True):
    """A whole file; without one every pool has the defaults."""

    pools: Mapping[str, PoolAllocation] = {}
    """In the file's order."""
    user_max_jobs: Mapping[str, int] = {}
    user_max_jobs_default: int = NO_MAXIMUM
    pool_max_jobs_default: int = NO_MAXIMUM
    default_mode: str = "fair"
    fair_share_timeout_ms: int = LONG_MAX
    min_share_timeout_ms: int = LONG_MAX

    def pool(self, name: str) -> PoolAllocation:
        """Return the allocation of a pool, named in the file or not."""
        return self.pools.get(name, _NOT_NAMED)

    def max_running_jobs(self, pool: str) -> int:
        """Return how many jobs of a pool may run."""
        own = self.pool(pool).max_running_jobs
        return self.pool_max_jobs_default if own is None else own

    def max_jobs_of(self, user: str) -> int:
        """Return how many jobs of a user may run."""
        return self.user_max_jobs.get(user, self.user_max_jobs_default)

    def mode(self, pool: str) -> str:
        """Return the mode in which a pool divides its share among its jobs."""
        return self.pool(pool).mode or self.default_mode

    def min_timeout_ms(self, pool: str) -> int:
        """Return how long a pool may be below its minimum before others are preempted."""
        own = self.pool(pool).min_share_timeout_ms
        return self.min_share_timeout_ms if own is None else own


_NOT_NAMED: Final = PoolAllocation()


class FairTaskSettings(msgspec.Struct, frozen=True):
    """Properties of the scheduler."""

    pool_property: str
    """Property of a job that names its pool, unless `mapred.fairscheduler.pool` does."""
    allows_undeclared_pools: bool
    update_interval_ms: int
    preemption_interval_ms: int
    preempts: bool
    only_logs_preemption: bool
    assigns_multiple: bool
    caps: tuple[int, int]
    """Most maps, and most reduces, in one heartbeat; -1 for as many as are free."""
    size_based_weight: bool
    new_job_boost: float
    """Factor of a new job's weight; 1 without the booster."""
    new_job_ms: int
    node_delay_ms: int
    rack_delay_ms: int
    computes_delays: bool
    """Whether both delays follow the heartbeat interval."""
    max_load_difference: float


def fair_task_settings(values: Mapping[str, str]) -> FairTaskSettings:
    """Read the scheduler's properties among a JobTracker's."""

    def whole(key: str, default: int) -> int:
        return int(values.get(PREFIX + key, default))

    def flag(key: str, *, default: bool) -> bool:
        return setting_boolean(values.get(PREFIX + key), default)

    delay_ms = whole("locality.delay", -1)
    node_ms, rack_ms = whole("locality.delay.node", delay_ms), whole("locality.delay.rack", delay_ms)
    is_boosted = values.get(PREFIX + "weightadjuster") == BOOSTER
    return FairTaskSettings(
        pool_property=values.get(PREFIX + "poolnameproperty", "user.name"),
        allows_undeclared_pools=flag("allow.undeclared.pools", default=True),
        update_interval_ms=whole("update.interval", 500),
        preemption_interval_ms=whole("preemption.interval", 15_000),
        preempts=flag("preemption", default=False),
        only_logs_preemption=flag("preemption.only.log", default=False),
        assigns_multiple=flag("assignmultiple", default=True),
        caps=(whole("assignmultiple.maps", -1), whole("assignmultiple.reduces", -1)),
        size_based_weight=flag("sizebasedweight", default=False),
        new_job_boost=parse_float(values.get("mapred.newjobweightbooster.factor", "3")) if is_boosted else 1.0,
        new_job_ms=int(values.get("mapred.newjobweightbooster.duration", 300_000)),
        node_delay_ms=node_ms,
        rack_delay_ms=rack_ms,
        computes_delays=delay_ms == -1 and -1 in (node_ms, rack_ms),
        max_load_difference=float32(parse_float(values.get(PREFIX + "load.max.diff", "0.0"))),
    )
