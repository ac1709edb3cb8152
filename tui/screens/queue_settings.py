"""The settings of a queue that can be changed while it runs: how each is written, and its value in a snapshot."""

from collections.abc import Mapping
from typing import Final

from engine.observe.snapshot import Amounts, CapacityQueueRow, QueueRow, Unknown
from engine.settings.capacity_queue import ORDERING_POLICY, STATE
from engine.settings.fair import FAIR_34
from engine.settings.table import SettingHelp

QUEUE_SETTINGS: Final = FAIR_34.helps()
"""Settings of FairScheduler's queues, the most used first."""

POOL_SETTINGS: Final[Mapping[str, SettingHelp]] = {
    "weight": SettingHelp("2.0", "part among the pools"),
    "minMaps": SettingHelp("4", "map slots it gets first"),
    "minReduces": SettingHelp("2", "reduce slots it gets first"),
    "maxMaps": SettingHelp("8", "map slots it never exceeds"),
    "maxReduces": SettingHelp("4", "reduce slots it never exceeds"),
    "maxRunningJobs": SettingHelp("10", "jobs that run at once"),
    "schedulingMode": SettingHelp("fifo", "fair or fifo"),
    "minSharePreemptionTimeout": SettingHelp("30", "seconds below its minimum"),
}
"""Settings of the FairScheduler of MapReduce 1, in its file of pools."""

TASK_QUEUE_SETTINGS: Final[Mapping[str, SettingHelp]] = {
    "capacity": SettingHelp("40 other=60", "guaranteed, in %; others with it"),
    "maximum-capacity": SettingHelp("75", "what it never exceeds, in %"),
    "user-limit-factor": SettingHelp("2", "times capacity, for one user"),
    "minimum-user-limit-percent": SettingHelp("25", "least part of one user"),
    "maximum-initialized-active-tasks": SettingHelp("2000", "tasks of jobs made ready"),
    "init-accept-jobs-factor": SettingHelp("10", "jobs taken for each made ready"),
}
"""Settings of CapacityTaskScheduler of MapReduce 1."""

_OF_POOLS: Final = {"minMaps": 0, "minReduces": 1}
"""Setting → its place in a pool's minimum."""


def value_now(row: QueueRow, key: str, dimensions: tuple[str, ...]) -> str | None:
    """A setting as it is, in the words of the file that defines queues; None where a picture does not tell."""
    if isinstance(row, CapacityQueueRow):
        return {STATE.name: row.state, ORDERING_POLICY.name: row.policy if row.is_leaf else None}.get(key)
    if key == "weight":
        return None if isinstance(row.weight, Unknown) else f"{row.weight:g}"
    if key in ("schedulingPolicy", "schedulingMode"):
        return row.policy
    if key in _OF_POOLS:
        return str(row.min_share[_OF_POOLS[key]]) if isinstance(row.min_share, tuple) else None
    shares = {"minResources": row.min_share, "maxResources": row.max_share}
    share = shares.get(key)
    return None if share is None or isinstance(share, Unknown) else _written(share, dimensions)


def _written(share: Amounts, dimensions: tuple[str, ...]) -> str | None:
    amounts = dict(zip(dimensions, share, strict=False))
    if not {"memory_mb", "vcores"} <= set(amounts):
        return None
    return f"{amounts['memory_mb']} mb, {amounts['vcores']} vcores"
