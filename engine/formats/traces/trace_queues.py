"""The queues of an imported scenario: those that its applications name, all with equal parts."""

from collections.abc import Iterable
from typing import Any, Final

from engine.scenario import QueueSpec

DEFAULT: Final = "default"
PREFIX: Final = "yarn.scheduler.capacity.root"
WHOLE: Final = 10_000
"""A queue's hundredths of a percent."""


def queue_path(policy: str, named: str | None) -> str | None:
    """The queue an application is submitted to, without `root.`; None where the scheduler has no queues.

    >>> queue_path("fair-2.7", "root.etl"), queue_path("fifo", "etl"), queue_path("spark", "etl")
    ('etl', 'default', None)
    """
    if policy == "spark" or policy.startswith("mr1-"):
        return None
    if policy.startswith("fifo"):
        return DEFAULT
    parts = [part for part in (named or "").removeprefix("root.").split(".") if part]
    return ".".join(parts) or DEFAULT


def queue_keys(policy: str, queues: Iterable[str]) -> dict[str, Any]:
    """The keys of a scenario that make these queues.

    >>> queue_keys("capacity-2.7", ["a", "b"])["settings"]["yarn.scheduler.capacity.root.a.capacity"]
    '50'
    """
    paths = list(queues) or [DEFAULT]
    if policy.startswith("fair"):
        return {"queues": tuple(QueueSpec(name=path) for path in paths)}
    if policy.startswith("capacity"):
        return {"settings": _capacities(paths)}
    return {}


def _capacities(paths: Iterable[str]) -> dict[str, str]:
    """Queues of the capacity scheduler: the children of each parent share it equally, and each may take all."""
    children: dict[str, dict[str, None]] = {}
    for path in paths:
        parent = ""
        for name in path.split("."):
            children.setdefault(parent, {})[name] = None
            parent = f"{parent}.{name}"
    settings: dict[str, str] = {}
    for parent, names in children.items():
        settings[f"{PREFIX}{parent}.queues"] = ",".join(names)
        part, rest = divmod(WHOLE, len(names))
        for place, name in enumerate(names):
            share = (part + (place < rest)) / 100
            settings[f"{PREFIX}{parent}.{name}.capacity"] = f"{share:g}"
    return settings
