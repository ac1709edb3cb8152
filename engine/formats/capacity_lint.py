"""Properties of an accepted capacity-scheduler.xml that have no effect, or do what an operator hardly wants.

Source: CapacitySchedulerConfiguration, LeafQueue#setupQueueConfigs, #submitApplication, #computeUserLimit, Hadoop
2.7.2; AbstractLeafQueue, Hadoop 3.4.1;
the mistakes are those that real files contain.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.errors import Problem, nearest
from engine.formats.capacity_keys import GLOBAL_KEYS_34, global_keys, is_queue_key, queue_keys
from engine.formats.capacity_view import SCHEDULER_CLASS, other_scheduler
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.java_number import float32, truncate
from engine.schedulers.capacity.properties import PREFIX, Properties, Refusals
from engine.schedulers.capacity.queue_row import CapacityQueueRow

_PARTITIONS: Final = "accessible-node-labels."


def warnings_of(settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], era: str) -> tuple[Problem, ...]:
    """Everything to warn of; of a file that the chosen scheduler does not read only that."""
    linter = _Linter(settings, rows, era)
    if scheduler := other_scheduler(settings):
        return (linter.not_read(scheduler),)
    return tuple(dict.fromkeys([*linter.unused_keys(), *linter.queues()]))


class _Linter:
    """Looks at one configuration."""

    def __init__(self, settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], era: str) -> None:
        self._settings = settings
        self._values: Mapping[str, str] = settings.values
        self._properties = Properties(settings.values, Refusals())
        self._rows = {row.path: row for row in rows}
        self._era = era

    def _warn(self, key: str, message: str, hint: str = "") -> Problem:
        file, line = self._settings.places.get(key, ("", 0))
        return Problem(message, file, line, key, hint)

    # ---------------------------------------------------------------- keys that nothing reads

    def unused_keys(self) -> Iterator[Problem]:
        """Properties below `yarn.scheduler.capacity.` that this release ignores."""
        for key in self._values:
            if key.startswith(PREFIX):
                yield from self._unused(key, key.removeprefix(PREFIX))

    def _unused(self, key: str, rest: str) -> Iterator[Problem]:
        if rest in global_keys(self._era) or rest.startswith(("user.", "queue-mappings")):
            return
        if rest in GLOBAL_KEYS_34:
            yield self._warn(key, "Hadoop 2.7 ignores it", "read by Hadoop 3 only")
            return
        path, name = self._split(rest)
        if not path:
            yield from self._without_root(key, rest)
            return
        if path not in self._rows:
            yield self._warn(key, f"the queue {path} is in no list of queues", nearest(path, self._rows))
            return
        if not is_queue_key(name, self._era):
            if is_queue_key(name, "3.4"):
                yield self._warn(key, "Hadoop 2.7 ignores it", "read by Hadoop 3 only")
            else:
                hint = nearest(name, queue_keys(self._era))
                yield self._warn(key, "unknown property of a queue: Hadoop ignores it", hint)
        elif not self._rows[path].is_leaf and name in queue_keys(self._era) and queue_keys(self._era)[name].of_leaf:
            yield self._warn(key, f"{path} is not a leaf queue: the property has no effect there")

    def _split(self, rest: str) -> tuple[str, str]:
        """The queue and the property's name: the longest queue there is, else all but the last part."""
        parts = rest.split(".")
        if parts[0] != "root":
            return "", rest
        for end in range(len(parts) - 1, 0, -1):
            path = ".".join(parts[:end])
            if path in self._rows:
                name = ".".join(parts[end:])
                is_of_it = is_queue_key(name, "3.4") or "." not in name
                return (path, name) if is_of_it else (".".join(parts[:-1]), parts[-1])
        return ".".join(parts[:-1]), parts[-1]

    def _without_root(self, key: str, rest: str) -> Iterator[Problem]:
        queue, _, name = rest.rpartition(".")
        below = [path for path in self._rows if path.endswith(f".{queue}")]
        if queue and below and is_queue_key(name, self._era):
            yield self._warn(
                key, "names a queue without `root.`: Hadoop ignores it", f"did you mean {PREFIX}{below[0]}.{name}?"
            )
        else:
            yield self._warn(key, "unknown property: Hadoop ignores it", nearest(rest, global_keys(self._era)))

    def not_read(self, scheduler: str) -> Problem:
        """The settings choose a scheduler that does not read this file."""
        return self._warn(
            SCHEDULER_CLASS, f"{scheduler} is chosen; it does not read the properties of the capacity scheduler"
        )

    # ---------------------------------------------------------------- values that hardly are what is wanted

    def queues(self) -> Iterator[Problem]:
        """What is odd about the limits of each queue."""
        for row in self._rows.values():
            yield from self._stopped(row)
            yield from self._maximum(row)
            yield from self._labels(row)
            if row.is_leaf:
                yield from self._applications(row)
                yield from self._masters(row)
                yield from self._users(row)

    def _own(self, row: CapacityQueueRow, name: str) -> str:
        return f"{PREFIX}{row.path}.{name}"

    def _number(self, row: CapacityQueueRow, name: str, default: float) -> tuple[float, str]:
        """What holds of a property of a leaf, and the key that states it; no key where nothing does."""
        falls_back = queue_keys(self._era)[name].falls_back == "global"
        for key in (self._own(row, name), *([f"{PREFIX}{name}"] if falls_back else [])):
            if key in self._values:
                return self._properties.single(key, default), key
        return default, ""

    def _stopped(self, row: CapacityQueueRow) -> Iterator[Problem]:
        key = self._own(row, "state")
        if row.state == "STOPPED" and key in self._values:
            yield self._warn(key, f"{row.path} is stopped: it refuses every application")

    def _maximum(self, row: CapacityQueueRow) -> Iterator[Problem]:
        """Hadoop 3 accepts a maximum below the capacity."""
        capacity, maximum = _default_partition(row)
        if maximum < capacity:
            message = (
                f"{row.path} is guaranteed {100 * capacity:.4g} % of the cluster and may use {100 * maximum:.4g} %"
            )
            yield self._warn(self._own(row, "maximum-capacity"), message)

    def _applications(self, row: CapacityQueueRow) -> Iterator[Problem]:
        """Limits that refuse every application: the real class rounds down."""
        own = self._own(row, "maximum-applications")
        capacity, _ = _default_partition(row)
        of_all = self._properties.integer(f"{PREFIX}maximum-applications", 10_000)
        most = self._properties.integer(own, -1)
        most, key = (most, own) if most >= 0 else (truncate(float32(of_all * capacity)), self._own(row, "capacity"))
        if most == 0:
            hint = "" if key == own else f"{of_all} × its part of the cluster; set maximum-applications of the queue"
            yield self._warn(key, f"{row.path} accepts no application", hint)
            return
        percent, percent_key = self._number(row, "minimum-user-limit-percent", 100)
        factor, factor_key = self._number(row, "user-limit-factor", 1)
        of_user = truncate(float32(float32(most * float32(percent / 100)) * factor))
        is_unlimited = self._era == "3.4" and factor == -1
        if of_user <= 0 and not is_unlimited:
            key = factor_key if factor_key and factor < percent / 100 else percent_key or factor_key
            message = f"{row.path} accepts no application: a user may have {most} × {percent:g} % × {factor:g} of them"
            yield self._warn(key, message)

    def _masters(self, row: CapacityQueueRow) -> Iterator[Problem]:
        percent, key = self._number(row, "maximum-am-resource-percent", 0.1)
        where = row.path if key.startswith(f"{PREFIX}{row.path}.") else "each queue without a limit of its own"
        if percent > 1:
            yield self._warn(key, f"{percent:g} is {100 * percent:g} %: the limit is a fraction from 0 to 1")
        elif percent == 0:
            message = f"{where} runs one application at a time: no second application master fits in 0 %"
            yield self._warn(key, message)

    def _users(self, row: CapacityQueueRow) -> Iterator[Problem]:
        factor, key = self._number(row, "user-limit-factor", 1.0)
        capacity, maximum = _default_partition(row)
        if 0 < factor < 1:
            message = f"one user of {row.path} may use {100 * factor:g} % of its capacity, even where the rest is free"
            yield self._warn(key, message)
        elif key and factor > 1 and 0 < maximum <= capacity:
            yield self._warn(key, f"{row.path} has no room above its capacity, so {factor:g} has no effect")
        percent, key = self._number(row, "minimum-user-limit-percent", 100)
        if percent > 100:
            yield self._warn(key, f"{percent:g} % is more than the whole queue")

    def _labels(self, row: CapacityQueueRow) -> Iterator[Problem]:
        """Capacities of partitions that the queue may not use."""
        own = f"{PREFIX}{row.path}.accessible-node-labels"
        text = self._values.get(own)
        if text is None or row.path == "root":
            return
        accessible = {name.strip() for name in text.split(",")}
        for key in self._values:
            if not key.startswith(f"{own}."):
                continue
            label = key.removeprefix(f"{PREFIX}{row.path}.{_PARTITIONS}").partition(".")[0]
            if "*" not in accessible and label not in accessible:
                hint = f"its list is {text.strip()}" if text.strip() else "its list is empty"
                yield self._warn(key, f"{row.path} may not use the partition {label}", hint)


def _default_partition(row: CapacityQueueRow) -> tuple[float, float]:
    """The parts of the default partition that a queue has and may have, multiplied down the tree."""
    return next(((each.capacity, each.maximum) for each in row.partitions if not each.label), (0.0, 1.0))
