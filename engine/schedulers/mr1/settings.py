"""Properties that a JobTracker, its trackers, schedulers and jobs read here, and what is wrong with given ones.

Source: mapred-default.xml, Hadoop 1.2.1, and the classes that read them.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from engine.errors import ConfigError, Problem, nearest
from engine.model.java_values import parse_float
from engine.schedulers.mr1.capacity_settings import MEMORY_KEYS, PREFIX, QUEUES_KEY, capacity_task_settings

FAIR: Final = "mapred.fairscheduler."


def _whole(text: str) -> None:
    int(text)


def _natural(text: str) -> None:
    if int(text) < 0:
        raise ValueError(f"{text} is negative")


def _number(text: str) -> None:
    parse_float(text)


def _flag(text: str) -> None:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")


def _text(text: str) -> None:
    """Anything."""


KEYS: Final[Mapping[str, Callable[[str], None]]] = MappingProxyType(
    {
        "mapred.tasktracker.map.tasks.maximum": _natural,
        "mapred.tasktracker.reduce.tasks.maximum": _natural,
        "mapred.tasktracker.expiry.interval": _natural,
        "mapred.jobtracker.restart.recover": _flag,
        "mapreduce.job.restart.recover": _flag,
        "mapred.heartbeats.in.second": _whole,
        "mapreduce.jobtracker.heartbeat.scaling.factor": _number,
        "mapred.jobtracker.taskalloc.capacitypad": _number,
        "mapred.jobtracker.maxtasks.per.job": _whole,
        "mapred.max.tracker.blacklists": _natural,
        "mapred.cluster.average.blacklist.threshold": _number,
        "mapred.jobtracker.blacklist.fault-timeout-window": _natural,
        "mapred.jobtracker.blacklist.fault-bucket-width": _natural,
        "mapred.max.tracker.failures": _natural,
        "mapred.map.max.attempts": _natural,
        "mapred.reduce.max.attempts": _natural,
        "mapred.max.map.failures.percent": _natural,
        "mapred.max.reduce.failures.percent": _natural,
        "mapred.map.tasks.speculative.execution": _flag,
        "mapred.reduce.tasks.speculative.execution": _flag,
        "mapreduce.reduce.input.limit": _whole,
        "mapreduce.job.locality.wait.factor": _number,
        "mapred.newjobweightbooster.factor": _number,
        "mapred.newjobweightbooster.duration": _natural,
        QUEUES_KEY: _text,
        **dict.fromkeys(MEMORY_KEYS, _whole),
        **{
            FAIR + key: read
            for key, read in {
                "poolnameproperty": _text,
                "weightadjuster": _text,
                "allow.undeclared.pools": _flag,
                "update.interval": _natural,
                "preemption": _flag,
                "preemption.interval": _natural,
                "preemption.only.log": _flag,
                "assignmultiple": _flag,
                "assignmultiple.maps": _whole,
                "assignmultiple.reduces": _whole,
                "sizebasedweight": _flag,
                "locality.delay": _whole,
                "locality.delay.node": _whole,
                "locality.delay.rack": _whole,
                "load.max.diff": _number,
            }.items()
        },
    }
)
"""Property → what refuses a value with a ValueError; those of CapacityTaskScheduler beside them."""


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
        if key.startswith(PREFIX):
            continue
        if key not in KEYS:
            problems.append(Problem("not a property that is read here", key=key, hint=nearest(key, KEYS)))
            continue
        try:
            KEYS[key](text)
        except ValueError as error:
            problems.append(Problem(str(error), key=key))
    if problems:
        raise ConfigError(problems)
    if scheduler == "mr1-capacity":
        capacity_task_settings(values)
