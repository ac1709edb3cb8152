"""Settings of MapReduce 1's CapacityTaskScheduler.

Source: CapacitySchedulerConf, CapacitySchedulerQueue#initializeQueue, Hadoop 1.2.1 contrib.
"""

from typing import Any, Final

from engine.settings.kind import ValueKind
from engine.settings.mapreduce1 import FLAG, NUMBER, WHOLE
from engine.settings.table import Key, SettingEntry, SettingTable

TASKS_PREFIX: Final = "mapred.capacity-scheduler."

CAPACITY: Final = Key[float]("capacity", TASKS_PREFIX)
MAXIMUM: Final = Key[float]("maximum-capacity", TASKS_PREFIX)
USER_LIMIT: Final = Key[int]("minimum-user-limit-percent", TASKS_PREFIX)
USER_LIMIT_FACTOR: Final = Key[float]("user-limit-factor", TASKS_PREFIX)
ACTIVE_TASKS: Final = Key[int]("maximum-initialized-active-tasks", TASKS_PREFIX)
ACTIVE_TASKS_OF_USER: Final = Key[int]("maximum-initialized-active-tasks-per-user", TASKS_PREFIX)
ACCEPT_FACTOR: Final = Key[int]("init-accept-jobs-factor", TASKS_PREFIX)
PRIORITIES: Final = Key[bool]("supports-priority", TASKS_PREFIX)

MOST_JOBS: Final = Key[int]("maximum-system-jobs", TASKS_PREFIX)
TASKS_PER_HEARTBEAT: Final = Key[int]("maximum-tasks-per-heartbeat", TASKS_PREFIX)
TASKS_AFTER_OFF_SWITCH: Final = Key[int]("maximum-tasks-after-offswitch", TASKS_PREFIX)
POLL_INTERVAL: Final = Key[int]("init-poll-interval", TASKS_PREFIX)
THREADS: Final = Key[int]("init-worker-threads", TASKS_PREFIX)
USER_LIMIT_OF_ALL: Final = Key[int]("default-minimum-user-limit-percent", TASKS_PREFIX)
USER_LIMIT_FACTOR_OF_ALL: Final = Key[float]("default-user-limit-factor", TASKS_PREFIX)
ACCEPT_FACTOR_OF_ALL: Final = Key[int]("default-init-accept-jobs-factor", TASKS_PREFIX)
ACTIVE_TASKS_OF_ALL: Final = Key[int]("default-maximum-active-tasks-per-queue", TASKS_PREFIX)
ACTIVE_TASKS_OF_ALL_USERS: Final = Key[int]("default-maximum-active-tasks-per-user", TASKS_PREFIX)
PRIORITIES_OF_ALL: Final = Key[bool]("default-supports-priority", TASKS_PREFIX)

MEMORY: Final = (
    Key[int]("mapred.cluster.map.memory.mb"),
    Key[int]("mapred.cluster.reduce.memory.mb"),
    Key[int]("mapred.cluster.max.map.memory.mb"),
    Key[int]("mapred.cluster.max.reduce.memory.mb"),
)
"""The memory of a map slot and a reduce slot, and the most a map and a reduce may ask for."""

_OFF: Final = "where one of the four is below 0, memory is not looked at."
_ALL: Final = "That of queues without their own."


def _entry(
    key: Key[Any],
    default: str,
    unit: str,
    meaning: str,
    bounds: str = "",
    *,
    kind: ValueKind[Any] = WHOLE,
    wider: Key[Any] | None = None,
) -> SettingEntry:
    return SettingEntry(key, default, meaning, unit, kind, bounds, wider=wider, source="CapacitySchedulerConf")


CAPACITY_TASKS: Final = SettingTable(
    "mr1-capacity",
    (
        _entry(MOST_JOBS, "5000", "jobs", "The most jobs that are initialized in all queues.", "at least 1"),
        _entry(TASKS_PER_HEARTBEAT, str(2**15 - 1), "tasks", "The most tasks that a heartbeat brings."),
        _entry(TASKS_AFTER_OFF_SWITCH, "0", "tasks", "The tasks that a heartbeat may bring after one off its rack."),
        _entry(POLL_INTERVAL, "3000", "ms", "The time between two looks for jobs to initialize.", "at least 1"),
        _entry(THREADS, "5", "threads", "Those that initialize jobs; they decide nothing.", "at least 1"),
        _entry(USER_LIMIT_OF_ALL, "100", "%", _ALL),
        _entry(USER_LIMIT_FACTOR_OF_ALL, "1", "", _ALL, kind=NUMBER),
        _entry(ACCEPT_FACTOR_OF_ALL, "10", "", _ALL),
        _entry(ACTIVE_TASKS_OF_ALL, "200000", "tasks", _ALL),
        _entry(ACTIVE_TASKS_OF_ALL_USERS, "100000", "tasks", _ALL),
        _entry(PRIORITIES_OF_ALL, "false", "", _ALL, kind=FLAG),
        _entry(MEMORY[0], "-1", "MB", f"The memory of a map slot; {_OFF}"),
        _entry(MEMORY[1], "-1", "MB", f"The memory of a reduce slot; {_OFF}"),
        _entry(MEMORY[2], "-1", "MB", f"The most memory that a map may ask for; {_OFF}"),
        _entry(MEMORY[3], "-1", "MB", f"The most memory that a reduce may ask for; {_OFF}"),
    ),
    (
        _entry(CAPACITY, "", "%", "The part of the slots; those of all queues add up to 100.", "0 to 100", kind=NUMBER),
        _entry(MAXIMUM, "-1", "%", "The most of the slots; not above 0: all.", "at most 100", kind=NUMBER),
        _entry(USER_LIMIT, "", "%", "The least part that a user gets.", "1 to 100", wider=USER_LIMIT_OF_ALL),
        _entry(
            USER_LIMIT_FACTOR,
            *("", "", "The most that a user gets, in multiples of the capacity."),
            kind=NUMBER,
            wider=USER_LIMIT_FACTOR_OF_ALL,
        ),
        _entry(ACTIVE_TASKS, "", "tasks", "The most tasks of initialized jobs.", wider=ACTIVE_TASKS_OF_ALL),
        _entry(ACTIVE_TASKS_OF_USER, "", "tasks", "The most of those of one user.", wider=ACTIVE_TASKS_OF_ALL_USERS),
        _entry(
            ACCEPT_FACTOR,
            *("", "", "How many times as many jobs are accepted as initialized.", "at least 1"),
            wider=ACCEPT_FACTOR_OF_ALL,
        ),
        _entry(PRIORITIES, "", "", "Orders jobs by priority, then by time.", kind=FLAG, wider=PRIORITIES_OF_ALL),
    ),
    live=(CAPACITY, MAXIMUM, USER_LIMIT, USER_LIMIT_FACTOR, ACTIVE_TASKS, ACTIVE_TASKS_OF_USER, ACCEPT_FACTOR),
)
"""The settings that the CapacityTaskScheduler reads beside those of every JobTracker. Queues' keys are
`mapred.capacity-scheduler.queue.NAME.…`; a refresh reads them again but for whether priorities count."""
