"""The settings of a queue that can be changed while it runs: how each is written, and its value in a snapshot."""

from typing import Final, NamedTuple

from engine.observe.snapshot import Amounts, QueueRow, Unknown


class SettingHelp(NamedTuple):
    """One setting, by the name it has in an allocation file."""

    example: str
    about: str


QUEUE_SETTINGS: Final = {
    "weight": SettingHelp("2.0", "part among its siblings"),
    "minResources": SettingHelp("4096 mb, 4 vcores", "what it gets first"),
    "maxResources": SettingHelp("8192 mb, 8 vcores", "what it never exceeds"),
    "maxRunningApps": SettingHelp("10", "applications that run at once"),
    "maxAMShare": SettingHelp("0.5", "for masters; -1.0: all"),
    "schedulingPolicy": SettingHelp("fair", "fair, fifo or drf"),
    "fairSharePreemptionTimeout": SettingHelp("30", "seconds below fair share"),
    "minSharePreemptionTimeout": SettingHelp("30", "seconds below min share"),
    "fairSharePreemptionThreshold": SettingHelp("0.5", "part of fair share it insists on"),
}
"""Name → how it is written and what it is, the most used first."""


def value_now(row: QueueRow, key: str, dimensions: tuple[str, ...]) -> str | None:
    """A setting as it is, in the words of an allocation file; None where a picture does not tell."""
    if key == "weight":
        return None if isinstance(row.weight, Unknown) else f"{row.weight:g}"
    if key == "schedulingPolicy":
        return row.policy
    shares = {"minResources": row.min_share, "maxResources": row.max_share}
    share = shares.get(key)
    return None if share is None or isinstance(share, Unknown) else _written(share, dimensions)


def _written(share: Amounts, dimensions: tuple[str, ...]) -> str | None:
    amounts = dict(zip(dimensions, share, strict=False))
    if not {"memory_mb", "vcores"} <= set(amounts):
        return None
    return f"{amounts['memory_mb']} mb, {amounts['vcores']} vcores"
