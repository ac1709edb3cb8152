"""The queues of an imported scenario: those that its applications name, all with equal parts."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from engine.model.queue import upwards
from engine.scenario import QueueSpec
from engine.scenario.scenario import family_of, system_of

DEFAULT: Final = "default"
PREFIX: Final = "yarn.scheduler.capacity.root"
WHOLE: Final = 10_000
"""A queue's hundredths of a percent."""
OWN: Final = "_own"
"""The end of the name of the leaf that takes a parent's own applications."""


def leaf_queues(policy: str, names: Iterable[str | None]) -> dict[str | None, str | None]:
    """The queue that takes the applications of each name, without `root.`; None where there are no queues.

    A queue with queues below it takes no application: its own go to a leaf below it. The capacity scheduler of 2.7
    knows a queue by its last name alone, so that one of several alike bears its whole path there.

    >>> leaf_queues("fair-2.7", ["root.etl", None]), leaf_queues("fifo", ["etl"]), leaf_queues("spark", ["etl"])
    ({'root.etl': 'etl', None: 'default'}, {'etl': 'default'}, {'etl': None})
    >>> leaf_queues("capacity-3.4", ["prod", "prod.x"])
    {'prod': 'prod.prod_own', 'prod.x': 'prod.x'}
    >>> leaf_queues("capacity-2.7", ["a.x", "b.x", "c.y"])
    {'a.x': 'a.a_x', 'b.x': 'b.b_x', 'c.y': 'c.y'}
    """
    paths = {name: _path(policy, name) for name in names}
    every = {each for path in paths.values() if path for each in upwards(path)}
    parents = {path.rpartition(".")[0] for path in every}
    alike = Counter(path.rpartition(".")[2] for path in every)
    for name, path in paths.items():
        if path is None:
            continue
        above, _, last = path.rpartition(".")
        if path in parents:
            paths[name] = f"{path}.{last}{OWN}"
        elif above and policy == "capacity-2.7" and alike[last] > 1:
            paths[name] = f"{above}.{path.replace('.', '_')}"
    return paths


def submitted_to(policy: str, path: str) -> str:
    """The name under which a queue takes applications.

    Source: CapacityScheduler#getQueue: by the last name in 2.7; by the last name or the whole path in 3.4.

    >>> submitted_to("capacity-2.7", "prod.x"), submitted_to("capacity-3.4", "prod.x"), submitted_to("fair-2.7", "a.x")
    ('x', 'root.prod.x', 'a.x')
    """
    if policy == "capacity-2.7":
        return path.rpartition(".")[2]
    return f"root.{path}" if "." in path and family_of(policy) == "capacity" else path


def _path(policy: str, named: str | None) -> str | None:
    if system_of(policy) != "yarn":
        return None
    if family_of(policy) == "fifo":
        return DEFAULT
    parts = [part for part in (named or "").removeprefix("root.").split(".") if part]
    return ".".join(parts) or DEFAULT


def queue_keys(policy: str, queues: Iterable[str]) -> dict[str, Any]:
    """The keys of a scenario that make these queues.

    >>> queue_keys("capacity-2.7", ["a", "b"])["settings"]["yarn.scheduler.capacity.root.a.capacity"]
    '50'
    """
    paths = list(queues) or [DEFAULT]
    if family_of(policy) == "fair":
        return {"queues": tuple(QueueSpec(name=path) for path in paths)}
    if family_of(policy) == "capacity":
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
