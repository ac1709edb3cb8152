"""Settings of MapReduce 1's CapacityTaskScheduler: its queues, limits and memory of slots.

Source: CapacitySchedulerConf, CapacitySchedulerQueue#initializeQueue, Hadoop 1.2.1 contrib.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem
from engine.model.java_number import float32
from engine.model.java_values import parse_float, setting_boolean
from engine.model.mr1.job_description import NO_LIMIT

PREFIX: Final = "mapred.capacity-scheduler."
QUEUES_KEY: Final = "mapred.queue.names"
MEMORY_KEYS: Final = (
    "mapred.cluster.map.memory.mb",
    "mapred.cluster.reduce.memory.mb",
    "mapred.cluster.max.map.memory.mb",
    "mapred.cluster.max.reduce.memory.mb",
)
"""Memory of a map slot and a reduce slot, and the most a map and a reduce may ask for."""

MAXIMUM: Final = "maximum-capacity"
USER_LIMIT: Final = "minimum-user-limit-percent"
USER_LIMIT_FACTOR: Final = "user-limit-factor"
ACTIVE_TASKS: Final = "maximum-initialized-active-tasks"
ACTIVE_TASKS_OF_USER: Final = "maximum-initialized-active-tasks-per-user"
ACCEPT_FACTOR: Final = "init-accept-jobs-factor"
"""Properties of a queue."""

MOST_JOBS: Final = ("maximum-system-jobs", 5_000)
"""Jobs that may be initialized in all queues together, and its default."""

DEFAULTS: Final[Mapping[str, tuple[str, int]]] = MappingProxyType(
    {
        USER_LIMIT: ("default-minimum-user-limit-percent", 100),
        USER_LIMIT_FACTOR: ("default-user-limit-factor", 1),
        ACCEPT_FACTOR: ("default-init-accept-jobs-factor", 10),
        ACTIVE_TASKS: ("default-maximum-active-tasks-per-queue", 200_000),
        ACTIVE_TASKS_OF_USER: ("default-maximum-active-tasks-per-user", 100_000),
    }
)
"""Property of a queue → the property that holds where a queue has none, and its default."""


class TaskQueueSettings(msgspec.Struct, frozen=True):
    """Settings of one queue."""

    capacity: float
    """Percent of the slots, a float32."""
    maximum: float
    """Percent; -1 for none."""
    user_limit: int
    """Least percent of the queue that a user gets."""
    user_limit_factor: float
    supports_priority: bool
    max_initialized: int
    max_initialized_of_user: int
    """Jobs that may be initialized."""
    accept_factor: int
    """How many times as many jobs are accepted."""
    max_active_tasks: int
    max_active_tasks_of_user: int
    """Tasks of initialized jobs."""


class CapacityTaskSettings(msgspec.Struct, frozen=True):
    """Settings of the scheduler."""

    queues: Mapping[str, TaskQueueSettings]
    tasks_per_heartbeat: int
    tasks_after_off_switch: int
    poll_interval_ms: int
    slot_mb: tuple[int, int]
    """Memory of a map slot and of a reduce slot; (-1, -1) while memory is not looked at."""


class _Values:
    """Properties, and what is wrong with them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.problems: list[Problem] = []

    def _read(self, key: str, default: float) -> float:
        text = self.values.get(PREFIX + key)
        if text is None:
            return default
        try:
            return parse_float(text)
        except ValueError as error:
            self.problems.append(Problem(str(error), key=PREFIX + key))
            return default

    def number(self, key: str, default: float, low: float = -math.inf, high: float = math.inf) -> float:
        """A float32 within bounds."""
        value = float32(self._read(key, default))
        if not low <= value <= high:
            self.problems.append(Problem(f"{value:g} is not between {low:g} and {high:g}", key=PREFIX + key))
        return value

    def whole(self, key: str, default: int, low: float = -math.inf, high: float = math.inf) -> int:
        """A whole number within bounds."""
        text = self.values.get(PREFIX + key, "")
        try:
            value = int(text) if text else default
        except ValueError:
            self.problems.append(Problem(f"{text!r} is not a whole number", key=PREFIX + key))
            return default
        if not low <= value <= high:
            self.problems.append(Problem(f"{value} is not between {low:g} and {high:g}", key=PREFIX + key))
        return value


def queue_names(values: Mapping[str, str]) -> list[str]:
    """The queues: those named for the JobTracker, else those that have a capacity."""
    named = values.get(QUEUES_KEY)
    if named is not None:
        return [name.strip() for name in named.split(",") if name.strip()]
    start, end = f"{PREFIX}queue.", ".capacity"
    return sorted(key[len(start) : -len(end)] for key in values if key.startswith(start) and key.endswith(end))


def capacity_task_settings(values: Mapping[str, str]) -> CapacityTaskSettings:
    """Read the scheduler's settings among a JobTracker's properties.

    Raises:
        ConfigError: With every problem: a value out of bounds, a queue without capacity, a sum that is not 100.
    """
    reader = _Values(values)
    queues = {name: _queue(reader, name) for name in queue_names(values)}
    total = 0.0
    for queue in queues.values():
        total = float32(total + queue.capacity)
    if math.floor(total) != 100:
        message = f"the capacities of the queues add up to {total:g}, not to 100"
        reader.problems.append(Problem(message, key=f"{PREFIX}queue"))
    memory = [int(values.get(key, NO_LIMIT)) for key in MEMORY_KEYS]
    settings = CapacityTaskSettings(
        queues,
        reader.whole("maximum-tasks-per-heartbeat", 2**15 - 1),
        reader.whole("maximum-tasks-after-offswitch", 0),
        reader.whole("init-poll-interval", 3_000, 1),
        (NO_LIMIT, NO_LIMIT) if min(memory) < 0 else (memory[0], memory[1]),
    )
    reader.whole("init-worker-threads", 5, 1)  # refused out of bounds; how many threads there are decides nothing
    if reader.problems:
        raise ConfigError(reader.problems)
    return settings


def _queue(reader: _Values, name: str) -> TaskQueueSettings:
    at = f"queue.{name}."
    if f"{PREFIX}{at}capacity" not in reader.values:
        reader.problems.append(Problem(f"queue {name} has no capacity", key=f"{PREFIX}{at}capacity"))
    capacity = reader.number(f"{at}capacity", 0.0, 0, 100)
    maximum = reader.number(at + MAXIMUM, -1.0, high=100)
    if 0 < maximum < capacity:
        message = f"{maximum:g} is below the queue's capacity {capacity:g}"
        reader.problems.append(Problem(message, key=PREFIX + at + MAXIMUM))

    def whole(key: str, low: float = -math.inf, high: float = math.inf) -> int:
        return reader.whole(at + key, reader.whole(*DEFAULTS[key]), low, high)

    user_limit = whole(USER_LIMIT, 1, 100)
    system_jobs = float32(reader.whole(*MOST_JOBS, 1) * capacity)
    supports = reader.values.get(f"{PREFIX}default-supports-priority")
    supports = reader.values.get(f"{PREFIX}{at}supports-priority", supports)
    return TaskQueueSettings(
        capacity,
        maximum if maximum > 0 else -1.0,
        user_limit,
        reader.number(at + USER_LIMIT_FACTOR, reader.number(*DEFAULTS[USER_LIMIT_FACTOR])),
        setting_boolean(supports, default=False),
        math.ceil(system_jobs / 100.0),
        math.ceil(system_jobs / 100.0 * user_limit / 100.0),
        whole(ACCEPT_FACTOR, 1),
        whole(ACTIVE_TASKS),
        whole(ACTIVE_TASKS_OF_USER),
    )
