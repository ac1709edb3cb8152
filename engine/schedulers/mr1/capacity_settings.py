"""Settings of MapReduce 1's CapacityTaskScheduler: its queues, limits and memory of slots.

Source: CapacitySchedulerConf, CapacitySchedulerQueue#initializeQueue, Hadoop 1.2.1 contrib.
"""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from engine.errors import ConfigError, Problem
from engine.model.java_values import float32, setting_boolean
from engine.model.mr1.task_in_progress import NO_LIMIT
from engine.settings import mapreduce1 as keys
from engine.settings.table import Key, SettingEntry

_Number = TypeVar("_Number", int, float)


class TaskQueueSettings(msgspec.Struct, frozen=True):
    capacity: float  # Percent of the slots, a float32
    maximum: float  # Percent; -1 for none
    user_limit: int  # Least percent of the queue that a user gets
    user_limit_factor: float
    supports_priority: bool
    max_initialized: int
    max_initialized_of_user: int  # Jobs that may be initialized
    accept_factor: int  # How many times as many jobs are accepted
    max_active_tasks: int
    max_active_tasks_of_user: int  # Tasks of initialized jobs


class CapacityTaskSettings(msgspec.Struct, frozen=True):
    queues: Mapping[str, TaskQueueSettings]
    tasks_per_heartbeat: int
    tasks_after_off_switch: int
    poll_interval_ms: int
    slot_mb: tuple[int, int]  # Memory of a map slot and of a reduce slot; (-1, -1) while memory is not looked at
    most_mb: tuple[int, int]  # The most that a map and a reduce may ask for, likewise


class _Values:
    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.problems: list[Problem] = []

    def whole(self, key: Key[int]) -> int:
        return int(
            self._read(keys.CAPACITY_TASKS.whole[key.everywhere], key.everywhere, keys.CAPACITY_TASKS.default(key))
        )

    def of_queue(self, name: str, key: Key[_Number]) -> _Number:
        """A number of a queue within its bounds; without one that of all queues, without a bound."""
        entry, otherwise = keys.CAPACITY_TASKS.queue[key.name], 0.0
        if entry.wider is not None:
            all_queues = keys.CAPACITY_TASKS.whole[entry.wider.everywhere]
            otherwise = self._read(all_queues, all_queues.key.everywhere, keys.CAPACITY_TASKS.default(entry.wider))
        elif entry.default:
            otherwise = keys.CAPACITY_TASKS.queue_default(key)
        value: _Number = self._read(entry, key_of(name, key), otherwise)
        return value

    def _read(self, entry: SettingEntry, key: str, otherwise: Any) -> Any:
        """A number, a float32 where it is none of the whole ones."""
        text = self.values.get(key)
        if text is None or (text == "" and entry.kind is keys.WHOLE):
            return self._within(entry, key, otherwise)
        try:
            value = entry.kind.read(text, None)
        except ValueError as error:
            self.problems.append(Problem(str(error), key=key))
            return otherwise
        return self._within(entry, key, float32(value) if isinstance(value, float) else value)

    def _within(self, entry: SettingEntry, key: str, value: Any) -> Any:
        least, most = entry.limits
        if not least <= value <= most:
            self.problems.append(Problem(f"{value:g} is out of bounds: {entry.bounds}", key=key))
        return value


def key_of(queue: str, key: Key[Any]) -> str:
    return key.of(f"queue.{queue}")


def queue_names(values: Mapping[str, str]) -> list[str]:
    """The queues: those named for the JobTracker, else those that have a capacity."""
    named = values.get(str(keys.QUEUES))
    if named is not None:
        return [name.strip() for name in named.split(",") if name.strip()]
    start, end = f"{keys.TASKS_PREFIX}queue.", f".{keys.CAPACITY}"
    return sorted(key[len(start) : -len(end)] for key in values if key.startswith(start) and key.endswith(end))


def capacity_task_settings(values: Mapping[str, str]) -> CapacityTaskSettings:
    """The scheduler's settings among a JobTracker's properties. Raises ConfigError with every problem."""
    reader = _Values(values)
    queues = {name: _queue(reader, name) for name in queue_names(values)}
    total = 0.0
    for queue in queues.values():
        total = float32(total + queue.capacity)
    if math.floor(total) != 100:
        message = f"the capacities of the queues add up to {total:g}, not to 100"
        reader.problems.append(Problem(message, key=f"{keys.TASKS_PREFIX}queue"))
    slot_map, slot_reduce, most_map, most_reduce = memory = [
        keys.CAPACITY_TASKS.value(values, key) for key in keys.MEMORY
    ]
    has_memory = min(memory) >= 0
    settings = CapacityTaskSettings(
        queues,
        reader.whole(keys.TASKS_PER_HEARTBEAT),
        reader.whole(keys.TASKS_AFTER_OFF_SWITCH),
        reader.whole(keys.POLL_INTERVAL),
        (slot_map, slot_reduce) if has_memory else (NO_LIMIT, NO_LIMIT),
        (most_map, most_reduce) if has_memory else (NO_LIMIT, NO_LIMIT),
    )
    reader.whole(keys.THREADS)  # refused out of bounds; how many threads there are decides nothing
    if reader.problems:
        raise ConfigError(reader.problems)
    return settings


def _queue(reader: _Values, name: str) -> TaskQueueSettings:
    values = reader.values
    if key_of(name, keys.CAPACITY) not in values:
        reader.problems.append(Problem(f"queue {name} has no capacity", key=key_of(name, keys.CAPACITY)))
    capacity, maximum = reader.of_queue(name, keys.CAPACITY), reader.of_queue(name, keys.MAXIMUM)
    if 0 < maximum < capacity:
        message = f"{maximum:g} is below the queue's capacity {capacity:g}"
        reader.problems.append(Problem(message, key=key_of(name, keys.MAXIMUM)))
    user_limit = reader.of_queue(name, keys.USER_LIMIT)
    system_jobs = float32(reader.whole(keys.MOST_JOBS) * capacity)
    supports = values.get(key_of(name, keys.PRIORITIES), values.get(keys.PRIORITIES_OF_ALL.everywhere))
    return TaskQueueSettings(
        capacity,
        maximum if maximum > 0 else -1.0,
        user_limit,
        reader.of_queue(name, keys.USER_LIMIT_FACTOR),
        setting_boolean(supports, default=False),
        math.ceil(system_jobs / 100.0),
        math.ceil(system_jobs / 100.0 * user_limit / 100.0),
        reader.of_queue(name, keys.ACCEPT_FACTOR),
        reader.of_queue(name, keys.ACTIVE_TASKS),
        reader.of_queue(name, keys.ACTIVE_TASKS_OF_USER),
    )
