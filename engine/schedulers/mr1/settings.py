"""Reads the settings of a JobTracker, its trackers and its jobs among given properties, and checks them.

Source: mapred-default.xml, Hadoop 1.2.1, and the classes that read them; PoolManager, FairScheduler#start,
CapBasedLoadManager, NewJobWeightBooster, CapacityTaskScheduler#refresh, Hadoop 1.2.1 contrib.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from engine.errors import ConfigError, Problem, RefusedError, nearest
from engine.model.java_values import LONG_MAX, float32, parse_double, parse_float, parse_int, parse_long
from engine.model.mr1.task_in_progress import JobSettings
from engine.model.mr1.tracker import JobTrackerSettings
from engine.schedulers.mr1.capacity_settings import capacity_task_settings, key_of
from engine.settings import mapreduce1 as keys
from engine.settings.mapreduce1 import CAPACITY, CAPACITY_TASKS, FAIR_TASKS, JOB_TRACKER, TASKS_PREFIX
from engine.settings.table import Key, SettingEntry

# The pools of a file of pools, and what the fair scheduler reads among the properties of a JobTracker.

_Value = TypeVar("_Value")

NO_MAXIMUM: Final = 2**31 - 1  # Source: Integer.MAX_VALUE, where no maximum is set


class PoolAllocation(msgspec.Struct, frozen=True):
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

    @property
    def kills(self) -> bool:
        return self.preempts and not self.only_logs_preemption


def fair_task_settings(values: Mapping[str, str]) -> FairTaskSettings:
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


# Settings of pools and queues that an operator changes while a JobTracker runs.
#
# A pool's value goes into the file of pools, which the fair scheduler reads when it looks next, after five to fifteen
# seconds. A queue's property is laid over the configuration, and the queues are refreshed at once: all or none.

MODES: Final = ("fair", "fifo")


def _seconds(text: str) -> int:
    return parse_long(text) * 1_000


def _mode(text: str) -> str:
    mode = text.lower()
    if mode not in MODES:
        raise ValueError(f"{text!r} is not a scheduling mode; there are {' and '.join(MODES)}")
    return mode


POOL_ELEMENTS: Final[Mapping[str, Callable[[str], Any]]] = MappingProxyType(
    {
        "minMaps": parse_int,
        "minReduces": parse_int,
        "maxMaps": parse_int,
        "maxReduces": parse_int,
        "maxRunningJobs": parse_int,
        "weight": parse_double,
        "minSharePreemptionTimeout": _seconds,
        "schedulingMode": _mode,
    }
)
"""Element of a pool → how its value is read."""


def setting_keys(names: Mapping[str, Any] | tuple[str, ...]) -> tuple[str, ...]:
    """Keys of `SettingsChanged` for elements or properties of every pool or queue."""
    return tuple(f"queue.<path>.{name}" for name in names)


def _parts(key: str, names: Mapping[str, Any] | tuple[str, ...]) -> tuple[str, str]:
    """(pool or queue, element or property) of a key. Raises RefusedError if it is none of those that may change."""
    owner, _, name = key.removeprefix("queue.").rpartition(".")
    if not key.startswith("queue.") or not owner or name not in names:
        hint = nearest(name, names)
        message = f"{key} does not change while the JobTracker runs{f'; did you mean {hint}?' if hint else ''}"
        raise RefusedError("IllegalArgumentException", message)
    return owner, name


def with_pool_settings(allocations: PoolAllocations, values: Mapping[str, str]) -> PoolAllocations:
    """A file of pools with some values replaced, of pools named in it or not. Raises RefusedError."""
    for key, text in values.items():
        name, element = _parts(key, POOL_ELEMENTS)
        try:
            value = POOL_ELEMENTS[element](text)
        except ValueError as error:
            raise RefusedError("IllegalArgumentException", f"{key}: {error}") from error
        pools = {**allocations.pools, name: _with_element(allocations.pool(name), element, value)}
        allocations = replace(allocations, pools=pools)
    return allocations


def _with_element(pool: PoolAllocation, element: str, value: Any) -> PoolAllocation:
    (min_maps, min_reduces), (max_maps, max_reduces) = pool.minimum, pool.maximum
    changes: dict[str, dict[str, object]] = {
        "minMaps": {"minimum": (value, min_reduces)},
        "minReduces": {"minimum": (min_maps, value)},
        "maxMaps": {"maximum": (value, max_reduces)},
        "maxReduces": {"maximum": (max_maps, value)},
        "maxRunningJobs": {"max_running_jobs": value},
        "weight": {"weight": value},
        "minSharePreemptionTimeout": {"min_share_timeout_ms": value},
        "schedulingMode": {"mode": value},
    }
    return replace(pool, **changes[element])


def with_queue_properties(settings: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """A JobTracker's properties with some of its queues replaced; what they mean is not looked at.

    Capacities have to add up, so that of a queue may bring others with it: `40 search=60`. Raises RefusedError if a key
    that does not change while it runs.
    """
    properties = dict(settings)
    for key, text in values.items():
        queue, name = _parts(key, CAPACITY_TASKS.live)
        own, *others = text.split() if name == CAPACITY.name and text.split() else [text]
        properties[key_of(queue, CAPACITY_TASKS.queue[name].key)] = own
        for other in others:
            sibling, _, value = other.partition("=")
            properties[key_of(sibling, CAPACITY)] = value
    return properties


KNOWN: Final[Mapping[str, SettingEntry]] = MappingProxyType(
    {**JOB_TRACKER.whole, **FAIR_TASKS.whole, **CAPACITY_TASKS.whole}
)
"""Settings of all schedulers, so that a scenario can be tried under another; those of queues beside them."""


def check_settings(values: Mapping[str, str], scheduler: str) -> None:
    """Refuse properties that are not read, and impossible values. Raises ConfigError with every problem."""
    problems = []
    for key, text in values.items():
        if key.startswith(TASKS_PREFIX):
            continue
        if key not in KNOWN:
            problems.append(Problem("not a property that is read here", key=key, hint=nearest(key, KNOWN)))
            continue
        try:
            KNOWN[key].kind.read(text, None)
        except ValueError as error:
            problems.append(Problem(str(error), key=key))
    if problems:
        raise ConfigError(problems)
    if scheduler == "mr1-capacity":
        capacity_task_settings(values)


def job_tracker_settings(values: Mapping[str, str]) -> JobTrackerSettings:
    value = JOB_TRACKER.value
    return JobTrackerSettings(
        heartbeats_per_second=value(values, keys.HEARTBEATS),
        heartbeat_scaling=value(values, keys.HEARTBEAT_SCALING),
        expiry_ms=value(values, keys.EXPIRY),
        blacklists=value(values, keys.BLACKLISTS),
        average_blacklists=value(values, keys.AVERAGE_BLACKLISTS),
        fault_window_minutes=value(values, keys.FAULT_WINDOW),
        fault_bucket_minutes=value(values, keys.FAULT_BUCKET),
    )


def job_settings(values: Mapping[str, str]) -> JobSettings:
    value = JOB_TRACKER.value
    slow_start = values.get(str(keys.SLOW_START))
    return JobSettings(
        max_attempts=(value(values, keys.MAP_ATTEMPTS), value(values, keys.REDUCE_ATTEMPTS)),
        max_tracker_failures=value(values, keys.TRACKER_FAILURES),
        failure_percents=(value(values, keys.FAILED_MAPS), value(values, keys.FAILED_REDUCES)),
        locality_wait=value(values, keys.LOCALITY_WAIT),
        slow_start=keys.SLOW_START_DEFAULT if slow_start is None else parse_float(slow_start),
        reduce_input_limit=value(values, keys.REDUCE_INPUT),
    )
