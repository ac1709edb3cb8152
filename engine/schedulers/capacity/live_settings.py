"""Settings of CapacityScheduler that an operator may change while it runs, and what they mean as properties.

A ResourceManager would read them from the changed file (`rmadmin -refreshQueues`) or be given them through its
configuration API; here they are laid over the properties in force, which are then loaded as a whole.

Differs: monitors start and end with `preemption` at once. A ResourceManager starts them only with itself.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from engine.errors import RefusedError, nearest
from engine.settings.capacity_queue import CAPACITY
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.monitor import MONITORS
from engine.settings.table import LABELS, SettingTable

PREEMPTION: Final = "preemption"
"""The switch of the preemption monitor."""

_LABELS: Final = f"{LABELS}."


def keys(table: SettingTable) -> tuple[str, ...]:
    """The names of all settings that change; `queue.<path>.…` stands for one of each queue."""
    return (PREEMPTION, *(f"queue.<path>.{name}" for name in table.live))


def as_properties(values: Mapping[str, str], paths: Collection[str], table: SettingTable) -> dict[str, str]:
    """Settings as properties.

    A setting is `preemption`, `queue.<path>.<name>`, or a property by its own key. As the capacities of siblings have
    to add up, that of a queue may bring others with it: `40 dev=60`.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown setting or queue.
    """
    return dict(pair for key, value in values.items() for pair in _properties(key, value, paths, table))


def _properties(key: str, value: str, paths: Collection[str], table: SettingTable) -> Iterator[tuple[str, str]]:
    if key == PREEMPTION:
        yield MONITORS.name, value
    elif key.startswith("yarn."):
        yield key, value
    elif key.startswith("queue."):
        path, suffix = _split(key.removeprefix("queue."), paths, table.live)
        own, *others = (suffix == CAPACITY.name and "[" not in value and value.split()) or [value]
        yield f"{PREFIX}{path}.{suffix}", own
        for other in others:
            name, _, share = other.partition("=")
            yield f"{PREFIX}{path.rpartition('.')[0]}.{name}.{suffix}", share
    else:
        raise _refused(f"there is no setting {key}", nearest(key, keys(table)))


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
