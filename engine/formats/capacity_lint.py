"""Properties of an accepted capacity-scheduler.xml that have no effect, or do what an operator hardly wants.

Source: CapacitySchedulerConfiguration, LeafQueue#setupQueueConfigs, #submitApplication, #computeUserLimit, Hadoop
2.7.2; AbstractLeafQueue, Hadoop 3.4.1; the mistakes are those that real files contain.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from engine.errors import Problem, nearest
from engine.formats.capacity_listing import CapacityLimits, default_partition, other_scheduler
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.request import upwards
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.schedulers.capacity34.capacity_text import UNITS
from engine.settings.capacity import CAPACITY_34, LABELS_ENABLED, MONITORS, capacity_table
from engine.settings.capacity_queue import (
    ACCESSIBLE_LABELS,
    CAPACITY,
    CREATES_V2,
    DISABLE_PREEMPTION,
    MAXIMUM_CAPACITY,
    OLD_NAMES,
    RESERVABLE,
    STATE,
)
from engine.settings.capacity_scheduler import (
    LEGACY_MODE,
    MAX_PARALLEL,
    MAX_PARALLEL_OF_USERS,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    PREFIX,
    QUEUE_MAPPINGS,
    RULE_FORMAT,
    RULE_JSON,
    USER_LIMIT_FACTOR,
)
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.settings.site import SCHEDULER_CLASS
from engine.settings.table import INTEGER, LABELS, SINGLE, SettingTable

_LABELS: Final = f".{LABELS}."


def warnings_of(
    settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], era: str, total: tuple[int, int] = (0, 0)
) -> tuple[Problem, ...]:
    """All to warn of; of a file that is not read only that. `total` (MB, vcores) is 0 where it is not known."""
    if scheduler := other_scheduler(settings):
        message = f"{scheduler} is chosen; it does not read the properties of the capacity scheduler"
        return (settings.problem(SCHEDULER_CLASS.name, message),)
    linter = _Linter(settings, rows, capacity_table(era), total)
    return tuple(dict.fromkeys([*linter.unused_keys(), *linter.whole(), *linter.queues()]))


class _Linter:
    def __init__(
        self,
        settings: HadoopConfiguration,
        rows: Sequence[CapacityQueueRow],
        table: SettingTable,
        total: tuple[int, int],
    ) -> None:
        self._settings, self._warn = settings, settings.problem
        self._values: Mapping[str, str] = settings.values
        self._properties = Properties(settings.values, Refusals(), table)
        self._rows = {row.path: row for row in rows}
        self._table = table
        self._limits = CapacityLimits(settings.values, table)
        self._memory_mb, self._vcores = total
        self._labelled = [key for key in self._values if f".{ACCESSIBLE_LABELS.name}." in key]

    # ---------------------------------------------------------------- keys that nothing reads

    def unused_keys(self) -> Iterator[Problem]:
        for key in self._values:
            if key.startswith(PREFIX):
                yield from self._unused(key, key.removeprefix(PREFIX))

    def _unused(self, key: str, rest: str) -> Iterator[Problem]:
        is_of_a_user = rest.startswith("user.") and rest.endswith(f".{MAX_PARALLEL.name}")
        meant = MAX_PARALLEL_OF_USERS.everywhere if is_of_a_user else key
        if meant in self._table.whole:
            return
        if meant in CAPACITY_34.whole:
            yield self._warn(key, "Hadoop 2.7 ignores it", "read by Hadoop 3 only")
            return
        path, name = self._split(rest)
        if not path:
            yield from self._without_root(key, rest)
            return
        if self._rows and path not in self._rows:
            yield self._warn(key, f"the queue {path} is in no list of queues", nearest(path, self._rows))
            return
        if not self._table.reads(name):
            if CAPACITY_34.reads(name):
                yield self._warn(key, "Hadoop 2.7 ignores it", "read by Hadoop 3 only")
            else:
                hint = OLD_NAMES.get(name, "") or nearest(
                    name, [each for each in self._table.queue if not each.startswith(self._table.families)]
                )
                yield self._warn(key, "unknown property of a queue: Hadoop ignores it", hint)
        elif self._is_a_parent(path) and name in self._table.queue and self._table.queue[name].of_leaf:
            yield self._warn(key, f"{path} is not a leaf queue: the property has no effect there")

    def _is_a_parent(self, path: str) -> bool:
        return path in self._rows and not self._rows[path].is_leaf

    def _split(self, rest: str) -> tuple[str, str]:
        """The queue and the property's name: the longest queue there is, else all but the last part.

        Of files that are refused no queue is known: then the longest name that is read.
        """
        parts = rest.split(".")
        if parts[0] != "root":
            return "", rest
        if not self._rows:
            names = (".".join(parts[end:]) for end in range(1, len(parts)))
            name = next((name for name in names if CAPACITY_34.reads(name)), parts[-1])
            return rest.removesuffix(f".{name}"), name
        for end in range(len(parts) - 1, 0, -1):
            path = ".".join(parts[:end])
            if path in self._rows:
                name = ".".join(parts[end:])
                is_of_it = CAPACITY_34.reads(name) or "." not in name
                return (path, name) if is_of_it else (".".join(parts[:-1]), parts[-1])
        return ".".join(parts[:-1]), parts[-1]

    def _without_root(self, key: str, rest: str) -> Iterator[Problem]:
        queue, _, name = rest.rpartition(".")
        below = [path for path in self._rows if path.endswith(f".{queue}")]
        if queue and below and self._table.reads(name):
            yield self._warn(
                key, "names a queue without `root.`: Hadoop ignores it", f"did you mean {PREFIX}{below[0]}.{name}?"
            )
        else:
            yield self._warn(
                key,
                "unknown property: Hadoop ignores it",
                nearest(rest, [entry.key.name for entry in self._table.whole.values() if entry.key.prefix]),
            )

    # ---------------------------------------------------------------- values that hardly are what is wanted

    def queues(self) -> Iterator[Problem]:
        for row in self._rows.values():
            key = STATE.of(row.path)
            if row.state == "STOPPED" and key in self._values:
                yield self._warn(key, f"{row.path} is stopped: it refuses every application")
            yield from self._maximum(row)
            yield from self._labels(row)
            yield from self._makes_none(row)
            if not row.is_leaf or row.state == "STOPPED":
                continue
            given = self._values.get(CAPACITY.of(row.path), "1")
            # Amounts, and all capacities of the flexible mode, become a part of the cluster only with its nodes.
            is_part = self._table is not CAPACITY_34 or self._properties.everywhere(LEGACY_MODE)
            stated = [self._values.get(CAPACITY.of(each), "") for each in upwards(row.path)]
            if is_part and not any(each.lstrip().startswith("[") for each in stated):
                yield from self._applications(row)
                yield from self._masters(row)
                yield from self._users(row)
            elif not re.search("[1-9]", given) and MAXIMUM_APPLICATIONS.of(row.path) not in self._values:
                message = f"{row.path} accepts no application: its capacity is nothing"
                yield self._warn(CAPACITY.of(row.path), message, "set maximum-applications of the queue")
        yield from self._whole_queues()

    def _whole_queues(self) -> Iterator[Problem]:
        leaves = [row for row in self._rows.values() if row.is_leaf and row.state != "STOPPED"]
        own = [(MINIMUM_USER_LIMIT.of(row.path), row) for row in leaves]
        whole = [(key, row.path) for key, row in own if self._limits.number(row, MINIMUM_USER_LIMIT) == (100, key)]
        if whole:
            key, path = whole[0]
            others = f" and {len(whole) - 1} more" if len(whole) > 1 else ""
            message = f"100 lets one user fill {path}{others}; the next ones wait until containers end"
            yield self._warn(key, message, "25 shares it among four")

    def _makes_none(self, row: CapacityQueueRow) -> Iterator[Problem]:
        own = [CAPACITY.of(path) for path in self._rows if path.rpartition(".")[0] == row.path]
        has_weights = any(self._values.get(key, "").rstrip().endswith("w") for key in own)
        is_asked = CREATES_V2.name in self._table.queue and self._properties.of_queue(CREATES_V2, row.path)
        if own and is_asked and not has_weights and self._properties.everywhere(LEGACY_MODE):
            message = f"{row.path} makes no queue on submission, as those below it have no weights"
            yield self._warn(own[0] if own[0] in self._values else CREATES_V2.of(row.path), message, "1w, a weight")

    def _maximum(self, row: CapacityQueueRow) -> Iterator[Problem]:
        capacity, maximum = default_partition(row)
        if maximum < capacity:
            message = (
                f"{row.path} is guaranteed {100 * capacity:.4g} % of the cluster and may use {100 * maximum:.4g} %"
            )
            yield self._warn(MAXIMUM_CAPACITY.of(row.path), message)

    def _applications(self, row: CapacityQueueRow) -> Iterator[Problem]:
        own = MAXIMUM_APPLICATIONS.of(row.path)
        most, key = self._limits.applications(row)
        if most == 0:
            of_all = str(self._properties.everywhere(MAXIMUM_APPLICATIONS))
            hint = "" if key == own else f"{of_all} × its part of the cluster; set maximum-applications of the queue"
            yield self._warn(key or CAPACITY.of(row.path), f"{row.path} accepts no application", hint)
            return
        if self._limits.applications_of_user(row) > 0:
            return
        percent, percent_key = self._limits.number(row, MINIMUM_USER_LIMIT)
        factor, factor_key = self._limits.number(row, USER_LIMIT_FACTOR)
        key = factor_key if factor_key and factor < percent / 100 else percent_key or factor_key
        message = f"{row.path} accepts no application: a user may have {most:g} × {percent:g} % × {factor:g} of them"
        yield self._warn(key, message)

    def _masters(self, row: CapacityQueueRow) -> Iterator[Problem]:
        percent, key = self._limits.number(row, MAXIMUM_AM_PERCENT)
        where = row.path if key.startswith(f"{PREFIX}{row.path}.") else "each queue without a limit of its own"
        if percent > 1:
            yield self._warn(key, f"{percent:g} is {100 * percent:g} %: the limit is a fraction from 0 to 1")
        elif percent == 0:
            message = f"{where} runs one application at a time: no second application master fits in 0 %"
            yield self._warn(key, message)
        elif self._memory_mb and not self._limits.is_too_small(row, self._memory_mb):
            yield from self._second_master(row, key)

    def _second_master(self, row: CapacityQueueRow, key: str) -> Iterator[Problem]:
        """Warn where the files name a cluster in which two applications cannot run at once."""
        key = key or MAXIMUM_AM_PERCENT.of(row.path)
        place = key if key in self._settings.places else CAPACITY.of(row.path)
        for size, size_for, unit in (
            (self._memory_mb, self._limits.memory_for_two, "MB"),
            (self._vcores, self._limits.vcores_for_two, "vcores"),
        ):
            guaranteed, always = (size_for(row, part) for part in default_partition(row))
            if always is not None and always > size:
                when = f": two masters fit from {always} {unit} on"
            elif guaranteed is not None and guaranteed > size:
                when = " while other queues are busy"
            else:
                continue
            message = f"{row.path} runs one application at a time in the cluster of {size} {unit}{when}"
            yield self._warn(place, message, f"raise {MAXIMUM_AM_PERCENT} of the queue")
            return

    def _users(self, row: CapacityQueueRow) -> Iterator[Problem]:
        factor, key = self._limits.number(row, USER_LIMIT_FACTOR)
        capacity, maximum = default_partition(row)
        if 0 < factor < 1:
            message = f"one user of {row.path} may use {100 * factor:g} % of its capacity, even where the rest is free"
            yield self._warn(key, message)
        elif key and factor > 1 and 0 < maximum <= capacity:
            yield self._warn(key, f"{row.path} has no room above its capacity, so {factor:g} has no effect")
        percent, key = self._limits.number(row, MINIMUM_USER_LIMIT)
        if percent > 100:
            yield self._warn(key, f"{percent:g} % is more than the whole queue")

    def _labels(self, row: CapacityQueueRow) -> Iterator[Problem]:
        """Capacities of partitions that the queue may not use, or that come to nothing; labels without a capacity."""
        own = ACCESSIBLE_LABELS.of(row.path)
        text = self._values.get(own)
        accessible = {name.strip() for name in text.split(",")} - {""} if text is not None else {"*"}
        stated = [key for key in self._labelled if key.startswith(f"{own}.")]
        parts = {each.label: each.capacity for each in row.partitions}
        for key in stated if row.path != "root" else ():
            label = key.removeprefix(f"{own}.").partition(".")[0]
            if "*" not in accessible and label not in accessible:
                hint = f"its list is {text.strip()}" if text and text.strip() else "its list is empty"
                yield self._warn(key, f"{row.path} may not use the partition {label}", hint)
            elif key != f"{own}.{label}.capacity":
                continue
            elif parts.get(label, 0.0) == 0 and self._properties.parsed(key, SINGLE, 0.0) > 0:
                percent = self._values[key].strip()
                message = f"{percent} % has no effect: no parent queue has capacity in partition {label}"
                yield self._warn(key, message, f"state {PREFIX}root.accessible-node-labels.{label}.capacity, 100")
        if row.is_leaf:
            for label in sorted(accessible - {"*"}):
                if f"{own}.{label}.capacity" not in self._values and text is not None:
                    message = f"{row.path} is given no capacity of the partition {label}: it gets what others leave"
                    yield self._warn(own, message, f"state {own.removeprefix(PREFIX)}.{label}.capacity")

    def _sums(self) -> Iterator[Problem]:
        """Parts of a partition that 2.7 refuses once a node has it. Source: ParentQueue#setChildQueues, 2.7.2."""
        labels = {key.partition(f".{ACCESSIBLE_LABELS}.")[2].partition(".")[0] for key in self._labelled}
        for row, label in product(self._rows.values(), sorted(labels)):
            keys = [CAPACITY.of(path, label) for path in self._rows if path.rpartition(".")[0] == row.path]
            total = sum(self._properties.parsed(key, SINGLE, 0.0) for key in keys)
            stated = [key for key in keys if key in self._values]
            if total and abs(total - 100) > 0.05 and self._table is not CAPACITY_34:
                message = f"the queues of {row.path} have {total:g} % of partition {label}: refused once a node has it"
                yield self._warn(stated[0], message, "100 in all")

    def _not_looked_at(self) -> Iterator[Problem]:
        """Capacities and mappings of which the class makes nothing."""
        own = CAPACITY.of("root")
        if own in self._values and self._properties.parsed(own, SINGLE, 100.0) != 100:
            yield self._warn(own, f"{self._values[own].strip()} has no effect: root always has 100")
        if self._table is not CAPACITY_34:
            return
        yield from self._mixed()
        is_json = self._properties.everywhere(RULE_FORMAT).strip().lower() == "json"
        read, other = (RULE_JSON, QUEUE_MAPPINGS) if is_json else (QUEUE_MAPPINGS, RULE_JSON)
        if self._values.get(other.everywhere, "").strip():
            message = f"has no effect: {RULE_FORMAT.everywhere} is {'json' if is_json else 'not json'}"
            yield self._warn(
                other.everywhere, message, f"{read} counts" if is_json else f"{RULE_FORMAT.everywhere}=json"
            )
        for key, text in self._values.items():
            if key.endswith("capacity") and text.lstrip().startswith("["):
                yield from self._amounts(key, text)

    def _mixed(self) -> Iterator[Problem]:
        """Amounts beside percentages. Source: AbstractParentQueue#getCapacityConfigurationTypeForQueues, 3.4.1."""
        for path in self._rows if self._properties.everywhere(LEGACY_MODE) else ():
            keys = [CAPACITY.of(each) for each in self._rows if each.rpartition(".")[0] == path]
            amounts = [key for key in keys if self._values.get(key, "").lstrip().startswith("[")]
            if any(key not in amounts and self._properties.parsed(key, SINGLE, 0.0) > 0 for key in keys) and amounts:
                message = "an amount beside a percentage: Hadoop takes it only while a queue with an amount is the last"
                yield self._warn(amounts[-1], message, "one kind for all queues of a parent")

    def _amounts(self, key: str, text: str) -> Iterator[Problem]:
        for name, amount in re.findall(r"([^\[\],=]+)=\s*([^\],]*)", text):
            unit = re.sub(r"[\d.\s]", "", amount)
            if name.strip() not in ("memory", "memory-mb", "vcores") and "/" not in name:
                yield self._warn(key, f"{name.strip()!r} is no resource: its amount has no effect", "memory, vcores")
            elif unit not in (*UNITS, "", "%", "w"):
                yield self._warn(key, f"{unit!r} is no unit: {name.strip()} has no effect", "Mi, Gi; none is MB")

    def whole(self) -> Iterator[Problem]:
        yield from self._not_looked_at()
        yield from self._sums()
        labelled = next((key for key in self._values if key.startswith(PREFIX) and _LABELS in key), "")
        has_site = any(not key.startswith(PREFIX) for key in self._values)
        told = LABELS_ENABLED.name if LABELS_ENABLED.name in self._values else ""
        told = told or (self._labelled[0] if self._labelled and has_site else "")
        if labelled and told and not self._properties.everywhere(LABELS_ENABLED):
            message = "node labels are off: what queues have of partitions has no effect"
            yield self._warn(told, message, "" if told == LABELS_ENABLED.name else f"{LABELS_ENABLED}=true")
        if fair := next((key for key in self._values if key.startswith(FAIR_PREFIX)), ""):
            message = "CapacityScheduler is chosen; it does not read the keys of the fair scheduler"
            yield self._warn(fair, message, f"{SCHEDULER_CLASS} chooses that")
        disabled = [key for key in self._values if key.endswith(f".{DISABLE_PREEMPTION}")]
        if disabled and has_site and not self._properties.everywhere(MONITORS):
            yield self._warn(disabled[0], "has no effect: preemption is off", f"{MONITORS} is not true")
        for key, text in self._values.items():
            is_limit = key.startswith(f"{PREFIX}user.") and key.endswith(MAX_PARALLEL.name)
            if is_limit and self._table is CAPACITY_34 and not _is_whole(text):
                yield self._warn(key, f"{text!r} is not a whole number: each submission fails")
        for row in self._rows.values():
            key = RESERVABLE.of(row.path)
            if self._properties.of_queue(RESERVABLE, row.path):
                yield self._warn(key, f"reservations are not simulated: {row.path} is an ordinary leaf queue here")


def _is_whole(text: str) -> bool:
    try:
        INTEGER.read(text, 0)
    except ValueError:
        return False
    return True
