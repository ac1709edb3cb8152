"""Settings of CapacityScheduler that an operator may change while it runs, and what they mean as properties.

A ResourceManager would read them from the changed file (`rmadmin -refreshQueues`) or be given them through its
configuration API; here they are laid over the properties in force, which are then loaded as a whole.

Differs: monitors start and end with `preemption` at once. A ResourceManager starts them only with itself.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from engine.errors import RefusedError, nearest
from engine.schedulers.capacity.properties import PREFIX

PREEMPTION: Final = "preemption"
"""The switch of the preemption monitor."""

MONITORS: Final = "yarn.resourcemanager.scheduler.monitor.enable"

OF_QUEUES: Final = (
    "capacity",
    "maximum-capacity",
    "user-limit-factor",
    "minimum-user-limit-percent",
    "maximum-am-resource-percent",
    "maximum-applications",
    "state",
    "disable_preemption",
)
"""Last parts of the keys of a queue that both releases read."""

OF_QUEUES_34: Final = (
    *OF_QUEUES,
    "ordering-policy",
    "max-parallel-apps",
    "priority",
    "intra-queue-preemption.disable_preemption",
)
"""Those of 3.4.1."""

_LABELS: Final = "accessible-node-labels."


def keys(suffixes: Collection[str]) -> tuple[str, ...]:
    """The names of all settings; `queue.<path>.…` stands for one of each queue."""
    return (PREEMPTION, *(f"queue.<path>.{suffix}" for suffix in suffixes))


def as_properties(values: Mapping[str, str], paths: Collection[str], suffixes: Collection[str]) -> dict[str, str]:
    """Settings as properties.

    Args:
        values: `preemption`, `queue.<path>.<suffix>`, or a property by its own key. As the capacities of siblings have
            to add up, that of a queue may bring others with it: `40 dev=60`.
        paths: The queues there are.
        suffixes: Last parts of the keys of a queue that the release reads.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown setting or queue.
    """
    return dict(pair for key, value in values.items() for pair in _properties(key, value, paths, suffixes))


def _properties(key: str, value: str, paths: Collection[str], suffixes: Collection[str]) -> Iterator[tuple[str, str]]:
    if key == PREEMPTION:
        yield MONITORS, value
    elif key.startswith("yarn."):
        yield key, value
    elif key.startswith("queue."):
        path, suffix = _split(key.removeprefix("queue."), paths, suffixes)
        own, *others = (suffix == "capacity" and "[" not in value and value.split()) or [value]
        yield f"{PREFIX}{path}.{suffix}", own
        for other in others:
            name, _, share = other.partition("=")
            yield f"{PREFIX}{path.rpartition('.')[0]}.{name}.{suffix}", share
    else:
        raise _refused(f"there is no setting {key}", nearest(key, keys(suffixes)))


def _split(words: str, paths: Collection[str], suffixes: Collection[str]) -> tuple[str, str]:
    """The path of a queue, and the last part of its key."""
    path, _, suffix = words.partition(f".{_LABELS}")
    suffix = suffix and _LABELS + suffix
    if not suffix:
        known = [each for each in suffixes if words.endswith(f".{each}")]
        suffix = max(known, key=len) if known else words.rpartition(".")[2]
        path = words.removesuffix(f".{suffix}")
    if path not in paths:
        raise _refused(f"there is no queue {path}", nearest(path, paths))
    if suffix not in suffixes and not suffix.startswith(_LABELS):
        raise _refused(f"a queue has no setting {suffix}", nearest(suffix, suffixes))
    return path, suffix


def _refused(message: str, hint: str) -> RefusedError:
    return RefusedError("IllegalArgumentException", f"{message}; {hint}" if hint else message)
