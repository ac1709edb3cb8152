"""Lists the meaning of a capacity-scheduler.xml: every queue with its effective values and their origins.

The scheduler of the release reads them, so what it refuses is refused here, each with file and line.

Source: LeafQueue#setupQueueConfigs, Hadoop 2.7.2; AbstractLeafQueue#updateMaximumApplications, Hadoop 3.4.1.
"""

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.errors import ConfigError, Problem
from engine.formats.fair_listing import EffectiveValue, QueueListing
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.grouping import grouped
from engine.model.cluster import Cluster
from engine.model.java_values import float32, truncate
from engine.model.request import upwards
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.placement import AccessControlList
from engine.schedulers.registry import SCHEDULERS
from engine.settings.capacity import CAPACITY_34, capacity_table
from engine.settings.capacity_queue import (
    ACCESSIBLE_LABELS,
    CAPACITY,
    DEFAULT_LABEL,
    MAXIMUM_CAPACITY,
    ORDERING_POLICY,
    QUEUES,
)
from engine.settings.capacity_scheduler import (
    APPLICATIONS_OF_A_QUEUE,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    PREFIX,
    QUEUE_MAPPINGS,
    RESOURCE_CALCULATOR,
    USER_LIMIT_FACTOR,
)
from engine.settings.site import MINIMUM_MB, MINIMUM_VCORES, SCHEDULER_CLASS
from engine.settings.table import LABELS, Key, SettingEntry, SettingTable

# Limits of a leaf of the capacity scheduler that follow from several properties: applications, masters.

LARGEST_MB: Final = 2**53  # No cluster is as large


class SourcedNumber(NamedTuple):
    """A number, and the key that states it; no key where nothing does."""

    number: float
    key: str


class CapacityLimits:
    def __init__(self, values: Mapping[str, str], table: SettingTable) -> None:
        self._values, self._table = values, table
        self._properties = Properties(values, Refusals(), table)
        self._least_mb = self._properties.everywhere(MINIMUM_MB)
        self._unstated: dict[str, SourcedNumber] = {}  # setting → what holds for every leaf that does not state it
        self._for_two: dict[tuple[float, float, int], int] = {}
        """(part, percent, smallest master) → the least cluster for two masters, as many leaves are alike."""

    def number(self, row: CapacityQueueRow, key: Key[float]) -> SourcedNumber:
        own = key.of(row.path)
        if own in self._values:
            return SourcedNumber(self._properties.of_queue(key, row.path), own)
        if key.name not in self._unstated:
            wider = self._table.queue[key.name].wider
            stated = "" if wider is None or wider.everywhere not in self._values else wider.everywhere
            self._unstated[key.name] = SourcedNumber(self._properties.of_queue(key, row.path), stated)
        return self._unstated[key.name]

    def applications(self, row: CapacityQueueRow) -> SourcedNumber:
        """Return how many applications a leaf takes: its own limit, else its part of the limit of all, rounded down."""
        most = self._properties.of_queue(MAXIMUM_APPLICATIONS, row.path)
        if most >= 0:
            return SourcedNumber(most, MAXIMUM_APPLICATIONS.of(row.path))
        of_all = self._properties.everywhere(MAXIMUM_APPLICATIONS)
        if self._table is not CAPACITY_34:
            return SourcedNumber(truncate(float32(of_all * default_partition(row)[0])), "")
        of_each = self._properties.everywhere(APPLICATIONS_OF_A_QUEUE)
        if of_each > 0:
            return SourcedNumber(min(of_each, of_all), APPLICATIONS_OF_A_QUEUE.everywhere)
        parts = [each.capacity for each in row.partitions]
        return SourcedNumber(max((truncate(float32(of_all * part)) for part in parts), default=0), "")

    def applications_of_user(self, row: CapacityQueueRow) -> int:
        most = self.applications(row).number
        percent = self.number(row, MINIMUM_USER_LIMIT).number
        factor = self.number(row, USER_LIMIT_FACTOR).number
        if self._table is CAPACITY_34 and factor == -1:
            return int(most)
        return truncate(float32(float32(most * float32(percent / 100)) * factor))

    def is_too_small(self, row: CapacityQueueRow, memory_mb: int) -> bool:
        return default_partition(row)[1] * memory_mb < self._least_mb

    def memory_for_two(self, row: CapacityQueueRow, part: float) -> int | None:
        """The smallest cluster whose leaf lets in a second application master of the smallest size [MB].

        The limit of masters is rounded up to whole smallest containers, and the first master always starts. `part` is
        the part of the cluster that is taken for the leaf's. None where no cluster is large enough.
        """
        return self._for_two_masters(part, self.number(row, MAXIMUM_AM_PERCENT).number, self._least_mb)

    def vcores_for_two(self, row: CapacityQueueRow, part: float) -> int | None:
        """The same in vcores, where they count: each dimension is looked at for itself. Source: Hadoop 3.4.1."""
        name = self._properties.everywhere(RESOURCE_CALCULATOR)
        if self._table is not CAPACITY_34 or not name.endswith("DominantResourceCalculator"):
            return None
        percent = float(f"{self.number(row, MAXIMUM_AM_PERCENT).number:.7g}")  # a tenth of 10 vcores is one
        return self._for_two_masters(part, percent, self._properties.everywhere(MINIMUM_VCORES))

    def _for_two_masters(self, part: float, percent: float, least: int) -> int | None:
        if not part * percent > 0 or not isfinite(part * percent):
            return None
        found = self._for_two.get((part, percent, least))
        if found is None:
            found = bisect_left(range(LARGEST_MB), True, key=lambda size: int(size * part) * percent > least)
            self._for_two[part, percent, least] = found
        return found if found < LARGEST_MB else None


def default_partition(row: CapacityQueueRow) -> tuple[float, float]:
    """The parts of the default partition that a queue has and may have, multiplied down the tree."""
    return next(((each.capacity, each.maximum) for each in row.partitions if not each.label), (0.0, 1.0))


class CapacityListing(msgspec.Struct, frozen=True):
    queues: tuple[QueueListing, ...]  # Parents before their children, siblings by name
    settings: tuple[EffectiveValue, ...]  # Properties of the whole scheduler
    rules: tuple[str, ...]  # Queue mappings in order


def has_capacity_keys(settings: HadoopConfiguration) -> bool:
    return any(key.startswith(f"{PREFIX}root.") for key in settings.values)


def other_scheduler(settings: HadoopConfiguration) -> str:
    """The scheduler that the settings choose instead of the capacity scheduler; empty where they choose none."""
    chosen = settings.values.get(SCHEDULER_CLASS.name, "").strip()
    return "" if chosen.endswith("CapacityScheduler") else chosen.rpartition(".")[2]


def read_rows(settings: HadoopConfiguration, era: str) -> tuple[CapacityQueueRow, ...]:
    """The queues as a release's scheduler makes them. Raises ConfigError with the place of all it refuses."""
    try:
        scheduler = SCHEDULERS[capacity_table(era).name](SchedulerStart(Cluster(1), settings.values, None, {}, 0))
    except ConfigError as error:
        found = dict.fromkeys(
            Problem(each.message, *_place_of(each.key, settings), each.key, each.hint) for each in error.problems
        )
        raise ConfigError(found, error.kind) from error
    return tuple(each for each in scheduler.policy.view().queues() if isinstance(each, CapacityQueueRow))


def _place_of(key: str, settings: HadoopConfiguration) -> tuple[str, int]:
    """Return where a property stands; of one that is missing, where its queue gets its capacity or is listed."""
    queue = key.removeprefix(PREFIX).rpartition(".")[0]
    keys = [key, CAPACITY.of(queue), *map(QUEUES.of, upwards(queue))]
    places, start = settings.places, f"{PREFIX}root."
    found = next((each for each in keys if each in places), None) or next(
        (each for each in places if each.startswith(start)), ""
    )
    return places.get(found, ("", 0))


def list_capacity(rows: tuple[CapacityQueueRow, ...], settings: HadoopConfiguration, era: str) -> CapacityListing:
    table = capacity_table(era)
    lister = _Lister(settings, table, rows)
    mappings = settings.values.get(QUEUE_MAPPINGS.everywhere, "")
    return CapacityListing(
        queues=tuple(lister.queue(row) for row in rows),
        settings=tuple(
            lister.of_scheduler(entry) for entry in table.whole.values() if entry.listed and entry.key.prefix
        ),
        rules=tuple(rule.strip() for rule in mappings.split(",") if rule.strip()),
    )


_WITH_MORE: Final = frozenset({CAPACITY, MAXIMUM_CAPACITY, MAXIMUM_APPLICATIONS, MAXIMUM_AM_PERCENT, ORDERING_POLICY})
"""Settings that another one follows from, or that are not alike for parents and leaves."""


class _Lister:
    def __init__(self, settings: HadoopConfiguration, table: SettingTable, rows: Iterable[CapacityQueueRow]) -> None:
        self._settings = settings
        self._table = table
        self._limits = CapacityLimits(settings.values, table)
        self._stated = self._keys_by_queue({row.path for row in rows})
        self._unstated = {entry.key.name: self._of_all(entry) for entry in table.queue.values()}
        """What holds of a setting where no queue states it."""
        self._known: dict[tuple[str, str], EffectiveValue] = {}  # (parent, setting) → its value, for all its children

    def _keys_by_queue(self, paths: Container[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for key in self._settings.places:
            path, name = key.removeprefix(PREFIX) if key.startswith(PREFIX) else "", ""
            while path and path not in paths:
                path, _, last = path.rpartition(".")
                name = f"{last}.{name}" if name else last
            if path and name:
                found.setdefault(path, []).append(name)
        return found

    def queue(self, row: CapacityQueueRow) -> QueueListing:
        values: list[EffectiveValue] = []
        stated = self._stated.get(row.path, ())
        for entry in self._table.queue.values():
            if not entry.listed or (entry.of_leaf and not row.is_leaf):
                continue
            if entry.key in _WITH_MORE or entry.fallback or entry.key.name in stated or row.path == "root":
                values += self._of_queue(row, entry)
            else:
                values.append(self._unstated[entry.key.name])
        shown = {value.name for value in values}
        values += [value for value in self._others(row) if value.name not in shown]
        place = self._settings.place(CAPACITY.of(row.path)) or self._settings.place(QUEUES.of(row.path)) or "implied"
        return QueueListing(row.path, not row.is_leaf, place, tuple(values))

    def _of_queue(self, row: CapacityQueueRow, entry: SettingEntry) -> list[EffectiveValue]:
        key, name = entry.key, entry.key.name
        if key == ORDERING_POLICY and not row.is_leaf:
            entry = replace(entry, default="utilization", fallback="parent")
        value = self._effective(row.path, entry)
        if key in (CAPACITY, MAXIMUM_CAPACITY):
            return [value, *self._absolute(row, name, value.text)]
        if key == MAXIMUM_APPLICATIONS and value.origin == "default":
            number, key_of_all = self._limits.applications(row)
            origin = f"from {key_of_all}, {self._settings.place(key_of_all)}" if key_of_all else "computed"
            return [EffectiveValue(name, f"{number:g}", origin)]
        if key == MAXIMUM_AM_PERCENT:
            needed = self._limits.memory_for_two(row, default_partition(row)[0])
            text = "never fits" if needed is None else f"in a cluster of {needed} MB or more"
            return [value, EffectiveValue("  a second application", text, "computed")]
        return [value]

    def of_scheduler(self, entry: SettingEntry) -> EffectiveValue:
        key = entry.key.everywhere
        text = self._settings.values.get(key, entry.effective_default).strip()
        return EffectiveValue(entry.key.name, text, self._settings.place(key) or "default")

    def _others(self, row: CapacityQueueRow) -> list[EffectiveValue]:
        own = f"{PREFIX}{row.path}."
        read = [name for name in self._stated.get(row.path, ()) if name != QUEUES.name and self._table.reads(name)]
        places = self._settings.places
        return [
            EffectiveValue(name, self._settings.values.get(own + name, "").strip(), self._settings.place(own + name))
            for name in sorted(read, key=lambda name: places[own + name])
        ]

    def _effective(self, path: str, entry: SettingEntry) -> EffectiveValue:
        name = entry.key.name
        if path == "root" and entry.of_root:
            return EffectiveValue(name, entry.of_root, "always")
        if entry.fallback == "ancestors":
            return self._access(path, name)
        if name in self._stated.get(path, ()):
            own = entry.key.of(path)
            text = self._settings.values.get(own, "").strip()
            if own in self._settings.values and text != entry.unset:
                return EffectiveValue(name, text, self._settings.place(own))
        if entry.fallback == "parent" and "." in path and self._inherits(path, entry):
            parent = path.rpartition(".")[0]
            if (parent, name) not in self._known:
                found = self._effective(parent, entry)
                stated = self._settings.place(entry.key.of(parent))
                origin = f"from {parent}" if found.origin == "always" else found.origin
                value = EffectiveValue(name, found.text, f"from {parent}, {stated}" if stated else origin)
                self._known[parent, name] = value
            return self._known[parent, name]
        return self._of_all(entry) if path == "root" else self._unstated[name]

    def _of_all(self, entry: SettingEntry) -> EffectiveValue:
        wider = "" if entry.wider is None else entry.wider.everywhere
        if wider in self._settings.values:
            text = self._settings.values[wider].strip()
            return EffectiveValue(entry.key.name, text, f"from {wider}, {self._settings.place(wider)}")
        return EffectiveValue(entry.key.name, entry.effective_default, "default")

    def _inherits(self, path: str, entry: SettingEntry) -> bool:
        """A queue has its parent's default label only where it may use all labels its parent may."""
        if entry.key != DEFAULT_LABEL:
            return True
        labels = self._table.queue[ACCESSIBLE_LABELS.name]
        own, above = (
            {label.strip() for label in self._effective(each, labels).text.split(",")}
            for each in (path, path.rpartition(".")[0])
        )
        return own >= above

    def _access(self, path: str, name: str) -> EffectiveValue:
        """Return the users and groups with a right: everyone to whom a queue from here to root gives it."""
        allowed: list[str] = []
        origins: list[str] = []
        for queue in upwards(path):
            own = f"{PREFIX}{queue}.{name}"
            text = self._settings.values.get(own, "*" if queue == "root" else "").strip()
            place = self._settings.place(own) or "default"
            origin = place if queue == path else f"from {queue}, {place}"
            if AccessControlList(text).all_allowed:
                return EffectiveValue(name, "*", origin)
            if text and text not in allowed:
                allowed.append(text)
                origins.append(origin)
        stated = (
            self._settings.place(f"{PREFIX}{path}.{name}")
            or f"from root, {self._settings.place(f'{PREFIX}root.{name}')}"
        )
        return EffectiveValue(name, "; ".join(allowed) or "no user", "; ".join(origins) or stated)

    def _absolute(self, row: CapacityQueueRow, name: str, text: str) -> list[EffectiveValue]:
        """The part of each partition that a queue has or may have, multiplied down the tree."""
        values = []
        for each in row.partitions:
            key = f"{LABELS}.{each.label}.{name}"
            own = f"{PREFIX}{row.path}.{key}"
            if each.label and own in self._settings.values:
                text = self._settings.values[own].strip()
                values.append(EffectiveValue(key, text, self._settings.place(own)))
            part = each.capacity if name == "capacity" else each.maximum
            where = f" of partition {each.label}" if each.label else ""
            shown = "by the size of the cluster" if text.startswith("[") else f"{100 * part:.4g} %"
            values.append(EffectiveValue(f"  absolute {name}{where}", shown, "computed"))
        return values


OTHER_ERA: Final = {"2.7": "3.4", "3.4": "2.7"}


class EraDifference(msgspec.Struct, frozen=True):
    name: str
    here: str
    there: str
    queues: tuple[str, ...]  # Where; empty for a property of the whole scheduler


class OtherEra(msgspec.Struct, frozen=True):
    """The result of the same files in the other release."""

    era: str
    refused: tuple[Problem, ...]  # What it refuses them for; then nothing is compared
    values: tuple[EraDifference, ...]
    is_compared: bool = True  # False: there are more than `MOST_COMPARED` queues


MOST_COMPARED: Final = 2_000  # Most queues whose values in the other release are looked up


def differences(here: CapacityListing, there: CapacityListing) -> tuple[EraDifference, ...]:
    """Properties that both releases have and read differently, each once for all its queues."""
    others = {queue.path: queue.values for queue in there.queues}
    found = grouped(
        (pair, queue.path) for queue in here.queues for pair in _differing(queue.values, others.get(queue.path, ()))
    )
    of_scheduler = [EraDifference(*pair, ()) for pair in _differing(here.settings, there.settings)]
    return (*of_scheduler, *(EraDifference(*pair, tuple(paths)) for pair, paths in found.items()))


def _differing(here: Sequence[EffectiveValue], there: Sequence[EffectiveValue]) -> Iterator[tuple[str, str, str]]:
    texts = {value.name: value.text for value in there}
    for value in here:
        if texts.get(value.name, value.text) != value.text:
            yield value.name.strip(), value.text, texts[value.name]
