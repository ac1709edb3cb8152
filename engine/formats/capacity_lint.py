"""Properties of an accepted capacity-scheduler.xml that have no effect, or do what an operator hardly wants.

Source: CapacitySchedulerConfiguration, LeafQueue#activateApplications, #computeUserLimit, Hadoop 2.7.2 and 3.4.1;
the mistakes are those that real files contain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine.errors import Problem, nearest
from engine.formats.capacity_keys import GLOBAL_KEYS_34, global_keys, is_queue_key, queue_keys
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.schedulers.capacity.properties import PREFIX
from engine.schedulers.capacity.queue_row import CapacityQueueRow

_CLASS: Final = "yarn.resourcemanager.scheduler.class"
_PARTITIONS: Final = "accessible-node-labels."


def warnings_of(settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], era: str) -> tuple[Problem, ...]:
    """Everything to warn of, in the order of files and lines."""
    linter = _Linter(settings, rows, era)
    found = [*linter.unused_keys(), *linter.other_scheduler(), *linter.queues()]
    return tuple(sorted(found, key=lambda problem: (problem.file, problem.line, problem.key)))


class _Linter:
    """Looks at one configuration."""

    def __init__(self, settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], era: str) -> None:
        self._settings = settings
        self._values: Mapping[str, str] = settings.values
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
            other = "3.4" if self._era == "2.7" else "2.7"
            hint = (
                f"read by Hadoop {other[0]} only" if is_queue_key(name, other) else nearest(name, queue_keys(self._era))
            )
            yield self._warn(key, "unknown property of a queue: Hadoop ignores it", hint)
        elif (
            self._rows[path].is_leaf is False and name in queue_keys(self._era) and queue_keys(self._era)[name].of_leaf
        ):
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

    def other_scheduler(self) -> Iterator[Problem]:
        """The settings choose a scheduler that does not read this file."""
        chosen = self._values.get(_CLASS, "").strip()
        if chosen and not chosen.endswith("CapacityScheduler"):
            message = (
                f"{chosen.rpartition('.')[2]} is chosen; it does not read the properties of the capacity scheduler"
            )
            yield self._warn(_CLASS, message)

    # ---------------------------------------------------------------- values that hardly are what is wanted

    def queues(self) -> Iterator[Problem]:
        """What is odd about the limits of each queue."""
        for row in self._rows.values():
            yield from self._stopped(row)
            yield from self._labels(row)
            if row.is_leaf:
                yield from self._applications(row)
                yield from self._users(row)

    def _own(self, row: CapacityQueueRow, name: str) -> str:
        return f"{PREFIX}{row.path}.{name}"

    def _number(self, keys: Iterable[str], default: float) -> tuple[float, str]:
        """The first of some properties that is set, and its key."""
        for key in keys:
            if key in self._values:
                try:
                    return float(self._values[key].strip()), key
                except ValueError:
                    return default, key
        return default, ""

    def _stopped(self, row: CapacityQueueRow) -> Iterator[Problem]:
        if row.state == "STOPPED":
            yield self._warn(self._own(row, "state"), f"{row.path} is stopped: it refuses every application")

    def _applications(self, row: CapacityQueueRow) -> Iterator[Problem]:
        most, key = self._number([self._own(row, "maximum-applications")], -1)
        if most == 0:
            yield self._warn(key, f"{row.path} accepts no application")
        percent, key = self._number(
            [self._own(row, "maximum-am-resource-percent"), f"{PREFIX}maximum-am-resource-percent"], 0.1
        )
        if percent > 1:
            yield self._warn(key, f"{percent:g} is {100 * percent:g} %: the limit is a fraction from 0 to 1")
        elif percent == 0:
            message = f"{row.path} runs one application at a time: no second application master fits in 0 %"
            yield self._warn(key, message)

    def _users(self, row: CapacityQueueRow) -> Iterator[Problem]:
        factor, key = self._number([self._own(row, "user-limit-factor")], 1.0)
        if factor == 0:
            yield self._warn(key, f"no user of {row.path} may use more than one container")
        elif 0 < factor < 1:
            yield self._warn(
                key,
                f"one user of {row.path} may use {100 * factor:g} % of what is guaranteed, even where the rest is free",
            )
        maximum = next((each.maximum for each in row.partitions if not each.label), 1.0)
        capacity = next((each.capacity for each in row.partitions if not each.label), 0.0)
        if key and factor > 1 and capacity and maximum <= capacity:
            yield self._warn(key, f"{row.path} has no room above its capacity, so {factor:g} has no effect")
        percent, key = self._number([self._own(row, "minimum-user-limit-percent")], 100)
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
                yield self._warn(
                    key, f"{row.path} may not use the partition {label}", f"its list is {text.strip() or 'empty'!r}"
                )
