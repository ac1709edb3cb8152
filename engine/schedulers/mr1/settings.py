"""Reads the settings of a JobTracker, its trackers and its jobs among given properties, and checks them.

Source: mapred-default.xml, Hadoop 1.2.1, and the classes that read them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.errors import ConfigError, Problem, nearest
from engine.model.java_values import parse_float
from engine.model.mr1.job_description import JobSettings
from engine.model.mr1.task_tracker import JobTrackerSettings
from engine.schedulers.mr1.capacity_settings import capacity_task_settings
from engine.settings import mapreduce1 as keys
from engine.settings.mapreduce1 import JOB_TRACKER
from engine.settings.mapreduce1_capacity import CAPACITY_TASKS, TASKS_PREFIX
from engine.settings.mapreduce1_fair import FAIR_TASKS
from engine.settings.table import SettingEntry

KNOWN: Final[Mapping[str, SettingEntry]] = MappingProxyType(
    {**JOB_TRACKER.whole, **FAIR_TASKS.whole, **CAPACITY_TASKS.whole}
)
"""Settings of all schedulers, so that a scenario can be tried under another; those of queues beside them."""


def check_settings(values: Mapping[str, str], scheduler: str) -> None:
    """Refuse properties that nobody reads, and values that cannot be.

    Args:
        values: Property names and values.
        scheduler: `mr1-fifo`, `mr1-fair` or `mr1-capacity`.

    Raises:
        ConfigError: With every problem.
    """
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
    """Read what a JobTracker without scheduler needs."""
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
    """Read what a job says of itself."""
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
