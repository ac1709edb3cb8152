"""What the properties of a capacity-scheduler.xml mean: every queue with its effective values and where each came from.

The scheduler of the release reads them, so what it refuses is refused here, each with file and line.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.allocation_view import EffectiveValue, QueueView, above
from engine.formats.capacity_keys import QueueKey, global_keys, queue_keys
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.cluster import Cluster
from engine.schedulers.acl import AccessControlList
from engine.schedulers.capacity.properties import PREFIX
from engine.schedulers.capacity.queue_row import CapacityQueueRow
from engine.schedulers.registry import SCHEDULERS

SCHEDULER_CLASS: Final = "yarn.resourcemanager.scheduler.class"
CLUSTER: Final = "yarn.scheduler."
"""What the names of the cluster's own limits begin with."""

POLICIES: Final[Mapping[str, str]] = {"2.7": "capacity-2.7", "3.4": "capacity-3.4"}
"""Era → our policy."""


_OF_ROOT: Final = {"capacity": "100", "accessible-node-labels": "*"}
"""Values that root has whatever is written."""

_OF_CLUSTER: Final = ("maximum-allocation-mb", "maximum-allocation-vcores")
"""Limits that the cluster has as well."""


class CapacityView(msgspec.Struct, frozen=True):
    """The queues of a capacity scheduler."""

    queues: tuple[QueueView, ...]
    """Parents before their children, siblings by name."""
    settings: tuple[EffectiveValue, ...]
    """Properties of the whole scheduler."""
    rules: tuple[str, ...]
    """Queue mappings in order."""


def has_capacity_keys(settings: HadoopConfiguration) -> bool:
    """Whether the files configure queues of a capacity scheduler."""
    return any(key.startswith(f"{PREFIX}root.") for key in settings.values)


def other_scheduler(settings: HadoopConfiguration) -> str:
    """The scheduler that the settings choose instead of the capacity scheduler; empty where they choose none."""
    chosen = settings.values.get(SCHEDULER_CLASS, "").strip()
    return "" if chosen.endswith("CapacityScheduler") else chosen.rpartition(".")[2]


def read_rows(settings: HadoopConfiguration, era: str) -> tuple[CapacityQueueRow, ...]:
    """The queues as the scheduler of a release makes them of the properties.

    Raises:
        ConfigError: With the place of everything it refuses.
    """
    try:
        scheduler = SCHEDULERS[POLICIES[era]](Cluster(1), settings.values, None, {}, 0)
    except ConfigError as error:
        placed = dict.fromkeys(_placed(problem, settings) for problem in error.problems)
        raise ConfigError(placed, error.kind) from error
    return tuple(each for each in scheduler.view().queues() if isinstance(each, CapacityQueueRow))


def _placed(problem: Problem, settings: HadoopConfiguration) -> Problem:
    file, line = _place_of(problem.key, settings)
    return Problem(problem.message, file, line, problem.key, problem.hint)


def _place_of(key: str, settings: HadoopConfiguration) -> tuple[str, int]:
    """Where a property stands; of one that is missing, where its queue gets its capacity or is listed."""
    queue = key.removeprefix(PREFIX).rpartition(".")[0]
    keys = [key, f"{PREFIX}{queue}.capacity"]
    while queue:
        keys.append(f"{PREFIX}{queue}.queues")
        queue = queue.rpartition(".")[0]
    keys += [each for each in settings.places if each.startswith(f"{PREFIX}root.")]
    return next((settings.places[each] for each in keys if each in settings.places), ("", 0))


def view_capacity(rows: tuple[CapacityQueueRow, ...], settings: HadoopConfiguration, era: str) -> CapacityView:
    """The effective values of all queues, each with its origin."""
    viewer = _Viewer(settings, era)
    mappings = settings.values.get(f"{PREFIX}queue-mappings", "")
    return CapacityView(
        queues=tuple(viewer.queue(row) for row in rows),
        settings=tuple(viewer.of_scheduler(name, default) for name, default in global_keys(era).items()),
        rules=tuple(rule.strip() for rule in mappings.split(",") if rule.strip()),
    )


class _Viewer:
    """Looks up values and their origins."""

    def __init__(self, settings: HadoopConfiguration, era: str) -> None:
        self._settings = settings
        self._keys = queue_keys(era)

    def queue(self, row: CapacityQueueRow) -> QueueView:
        """One queue with all its values."""
        values: list[EffectiveValue] = []
        for name, key in self._keys.items():
            if key.of_leaf and not row.is_leaf:
                continue
            values.append(self._effective(row.path, name, key))
            if name in ("capacity", "maximum-capacity"):
                values += _absolute(row, name)
        place = self._place(f"{PREFIX}{row.path}.capacity") or self._place(f"{PREFIX}{row.path}.queues") or "implied"
        return QueueView(row.path, not row.is_leaf, place, tuple(values))

    def of_scheduler(self, name: str, default: str) -> EffectiveValue:
        """A property of the whole scheduler."""
        key = f"{PREFIX}{name}"
        return EffectiveValue(name, self._settings.values.get(key, default).strip(), self._place(key) or "default")

    def _effective(self, path: str, name: str, key: QueueKey) -> EffectiveValue:
        if path == "root" and name in _OF_ROOT:
            return EffectiveValue(name, _OF_ROOT[name], "always")
        if key.falls_back == "ancestors":
            return self._access(path, name)
        own = f"{PREFIX}{path}.{name}"
        if own in self._settings.values:
            return EffectiveValue(name, self._settings.values[own].strip(), self._place(own))
        if key.falls_back == "parent" and "." in path:
            parent = path.rpartition(".")[0]
            found = self._effective(parent, name, key)
            stated = self._place(f"{PREFIX}{parent}.{name}")
            origin = f"from {parent}" if found.origin == "always" else found.origin
            return EffectiveValue(name, found.text, f"from {parent}, {stated}" if stated else origin)
        wider = f"{CLUSTER if name in _OF_CLUSTER else PREFIX}{name}"
        if (key.falls_back == "global" or name in _OF_CLUSTER) and wider in self._settings.values:
            return EffectiveValue(name, self._settings.values[wider].strip(), f"from {wider}, {self._place(wider)}")
        return EffectiveValue(name, key.default, "default")

    def _access(self, path: str, name: str) -> EffectiveValue:
        """Who has a right: everyone to whom a queue from here to root gives it."""
        allowed: list[str] = []
        origins: list[str] = []
        for queue in above(path):
            own = f"{PREFIX}{queue}.{name}"
            text = self._settings.values.get(own, "*" if queue == "root" else "").strip()
            place = self._place(own) or "default"
            origin = place if queue == path else f"from {queue}, {place}"
            if AccessControlList(text).all_allowed:
                return EffectiveValue(name, "*", origin)
            if text:
                allowed.append(text)
                origins.append(origin)
        stated = self._place(f"{PREFIX}{path}.{name}") or f"from root, {self._place(f'{PREFIX}root.{name}')}"
        return EffectiveValue(name, "; ".join(allowed) or "nobody", "; ".join(origins) or stated)

    def _place(self, key: str) -> str:
        """`FILE:LINE` of a property; empty when nothing states it."""
        if key not in self._settings.places:
            return ""
        file, line = self._settings.places[key]
        return f"{file}:{line}" + (" (final)" if key in self._settings.final else "")


def _absolute(row: CapacityQueueRow, name: str) -> list[EffectiveValue]:
    """The part of each partition that a queue has or may have, multiplied down the tree."""
    values = []
    for each in row.partitions:
        part = each.capacity if name == "capacity" else each.maximum
        where = f" of partition {each.label}" if each.label else ""
        values.append(EffectiveValue(f"  absolute {name}{where}", f"{100 * part:.4g} %", "computed"))
    return values
