"""What the properties of a capacity-scheduler.xml mean: every queue with its effective values and where each came from.

The scheduler of the release reads them, so what it refuses is refused here, each with file and line.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.allocation_view import EffectiveValue, QueueView, above
from engine.formats.capacity_keys import QueueKey, global_keys, is_queue_key, queue_keys
from engine.formats.capacity_limits import CapacityLimits, default_partition
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.cluster import Cluster
from engine.schedulers.acl import AccessControlList
from engine.schedulers.capacity.properties import PREFIX
from engine.schedulers.capacity.queue_row import CapacityQueueRow
from engine.schedulers.interface import SchedulerStart
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


_UNSET: Final = {"maximum-allocation-mb": "-1", "maximum-allocation-vcores": "-1", "maximum-applications": "-1"}
"""Texts that stand for no value."""


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
        scheduler = SCHEDULERS[POLICIES[era]](SchedulerStart(Cluster(1), settings.values, None, {}, 0))
    except ConfigError as error:
        placed = dict.fromkeys(_placed(problem, settings) for problem in error.problems)
        raise ConfigError(placed, error.kind) from error
    return tuple(each for each in scheduler.policy.view().queues() if isinstance(each, CapacityQueueRow))


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
    paths = [row.path for row in rows]
    mappings = settings.values.get(f"{PREFIX}queue-mappings", "")
    return CapacityView(
        queues=tuple(viewer.queue(row, paths) for row in rows),
        settings=tuple(viewer.of_scheduler(name, default) for name, default in global_keys(era).items()),
        rules=tuple(rule.strip() for rule in mappings.split(",") if rule.strip()),
    )


class _Viewer:
    """Looks up values and their origins."""

    def __init__(self, settings: HadoopConfiguration, era: str) -> None:
        self._settings = settings
        self._keys = queue_keys(era)
        self._era = era
        self._limits = CapacityLimits(settings.values, era)

    def queue(self, row: CapacityQueueRow, others: Sequence[str]) -> QueueView:
        """One queue with all its values; `others` are the paths of all queues."""
        values: list[EffectiveValue] = []
        for name, key in self._keys.items():
            if key.of_leaf and not row.is_leaf:
                continue
            values += self._of_queue(row, name, key)
        shown = {value.name for value in values}
        values += [value for value in self._others(row, others) if value.name not in shown]
        place = self._place(f"{PREFIX}{row.path}.capacity") or self._place(f"{PREFIX}{row.path}.queues") or "implied"
        return QueueView(row.path, not row.is_leaf, place, tuple(values))

    def _of_queue(self, row: CapacityQueueRow, name: str, key: QueueKey) -> list[EffectiveValue]:
        """A property, and what follows from it."""
        value = self._effective(row.path, name, key)
        if name in ("capacity", "maximum-capacity"):
            return [value, *self._absolute(row, name, value.text)]
        if name == "maximum-applications" and value.origin == "default":
            number, key_of_all = self._limits.applications(row)
            origin = f"from {key_of_all}, {self._place(key_of_all)}" if key_of_all else "computed"
            return [EffectiveValue(name, f"{number:g}", origin)]
        if name == "ordering-policy" and not row.is_leaf:
            return [self._effective(row.path, name, QueueKey("utilization", "parent"))]
        if name == "maximum-am-resource-percent":
            needed = self._limits.memory_for_two(row, default_partition(row)[0])
            text = "never fits" if needed is None else f"in a cluster of {needed} MB or more"
            return [value, EffectiveValue("  a second application", text, "computed")]
        return [value]

    def of_scheduler(self, name: str, default: str) -> EffectiveValue:
        """A property of the whole scheduler."""
        key = f"{PREFIX}{name}"
        return EffectiveValue(name, self._settings.values.get(key, default).strip(), self._place(key) or "default")

    def _others(self, row: CapacityQueueRow, paths: Sequence[str]) -> list[EffectiveValue]:
        """What the file states of a queue besides, in the order of lines."""
        own = f"{PREFIX}{row.path}."
        below = tuple(f"{PREFIX}{path}." for path in paths if path.startswith(f"{row.path}."))
        names = [
            key.removeprefix(own) for key in self._settings.places if key.startswith(own) and not key.startswith(below)
        ]
        read = [name for name in names if name != "queues" and is_queue_key(name, self._era)]
        places = self._settings.places
        return [
            EffectiveValue(name, self._settings.values.get(own + name, "").strip(), self._place(own + name))
            for name in sorted(read, key=lambda name: places[own + name])
        ]

    def _effective(self, path: str, name: str, key: QueueKey) -> EffectiveValue:
        if path == "root" and name in _OF_ROOT:
            return EffectiveValue(name, _OF_ROOT[name], "always")
        if key.falls_back == "ancestors":
            return self._access(path, name)
        own = f"{PREFIX}{path}.{name}"
        text = self._settings.values.get(own, "").strip()
        if own in self._settings.values and text != _UNSET.get(name):
            return EffectiveValue(name, text, self._place(own))
        if key.falls_back == "parent" and "." in path and self._inherits(path, name):
            parent = path.rpartition(".")[0]
            found = self._effective(parent, name, key)
            stated = self._place(f"{PREFIX}{parent}.{name}")
            origin = f"from {parent}" if found.origin == "always" else found.origin
            return EffectiveValue(name, found.text, f"from {parent}, {stated}" if stated else origin)
        wider = f"{CLUSTER if name in _OF_CLUSTER else PREFIX}{name}"
        if (key.falls_back == "global" or name in _OF_CLUSTER) and wider in self._settings.values:
            return EffectiveValue(name, self._settings.values[wider].strip(), f"from {wider}, {self._place(wider)}")
        return EffectiveValue(name, key.default, "default")

    def _inherits(self, path: str, name: str) -> bool:
        """A queue has its parent's default label only where it may use all labels its parent may."""
        if name != "default-node-label-expression":
            return True
        key = self._keys["accessible-node-labels"]
        own, above = (
            {label.strip() for label in self._effective(each, "accessible-node-labels", key).text.split(",")}
            for each in (path, path.rpartition(".")[0])
        )
        return own >= above

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
            if text and text not in allowed:
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

    def _absolute(self, row: CapacityQueueRow, name: str, text: str) -> list[EffectiveValue]:
        """The part of each partition that a queue has or may have, multiplied down the tree."""
        values = []
        for each in row.partitions:
            key = f"accessible-node-labels.{each.label}.{name}"
            own = f"{PREFIX}{row.path}.{key}"
            if each.label and own in self._settings.values:
                text = self._settings.values[own].strip()
                values.append(EffectiveValue(key, text, self._place(own)))
            part = each.capacity if name == "capacity" else each.maximum
            where = f" of partition {each.label}" if each.label else ""
            shown = "by the size of the cluster" if text.startswith("[") else f"{100 * part:.4g} %"
            values.append(EffectiveValue(f"  absolute {name}{where}", shown, "computed"))
        return values
