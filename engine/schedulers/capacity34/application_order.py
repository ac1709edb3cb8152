"""In which order a leaf's active applications are served.

`fifo`: higher priority, then lower number. `fair`: less used memory (divided by the logarithm of the demand where
sized), then earlier start, those without demand last, then lower number; its keys are kept and only computed anew
for applications that were given or gave back something.

Source: FifoOrderingPolicy, FairOrderingPolicy, FifoOrderingPolicyWithExclusivePartitions,
AbstractComparatorOrderingPolicy, Hadoop 3.4.1.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log, log1p
from typing import Final

from engine.schedulers.capacity34.leaf_settings import LeafSettings
from engine.schedulers.capacity34.queue import ApplicationOrder, CapacityAttempt
from engine.state import State

Key = tuple[float, ...]


class SortedOrder(metaclass=State):
    """Applications sorted by a key that is fixed while they are in."""

    members: list[CapacityAttempt] = []
    keys: dict[int, Key] = {}
    """Key of each member by application number."""

    def put(self, attempt: CapacityAttempt, key: Key) -> None:
        """Put an application in its place; one that is there stays where it is."""
        if attempt.application.number not in self.keys:
            self.keys[attempt.application.number] = key
            insort(self.members, attempt, key=self.key_of)

    def take(self, attempt: CapacityAttempt) -> bool:
        """Take an application out; whether it was there."""
        key = self.keys.get(attempt.application.number)
        if key is None:
            return False
        del self.members[bisect_left(self.members, key, key=self.key_of)]
        del self.keys[attempt.application.number]
        return True

    def key_of(self, attempt: CapacityAttempt) -> Key:
        """The key it stands by."""
        return self.keys[attempt.application.number]


class FifoOrder(metaclass=State):
    """By priority, then number."""

    sorted: SortedOrder

    def __init__(self, settings: LeafSettings | None = None) -> None:
        self.sorted = SortedOrder()

    def __len__(self) -> int:
        return len(self.sorted.members)

    def __iter__(self) -> Iterator[CapacityAttempt]:
        return iter(self.sorted.members)

    def __contains__(self, attempt: object) -> bool:
        return isinstance(attempt, CapacityAttempt) and attempt.application.number in self.sorted.keys

    def for_assignment(self, label: str) -> Sequence[CapacityAttempt]:
        """In order."""
        return self.sorted.members

    def peek(self, label: str) -> Sequence[CapacityAttempt]:
        """In order."""
        return self.sorted.members

    def for_preemption(self) -> list[CapacityAttempt]:
        """In reverse order."""
        return self.sorted.members[::-1]

    def add(self, attempt: CapacityAttempt) -> None:
        """An application becomes active."""
        self.sorted.put(attempt, (-attempt.priority, attempt.application.number))

    def remove(self, attempt: CapacityAttempt) -> bool:
        """An application leaves; whether it was there."""
        return self.sorted.take(attempt)

    def usage_changed(self, attempt: CapacityAttempt) -> None:
        """Does not matter."""

    def demand_changed(self, attempt: CapacityAttempt) -> None:
        """Does not matter."""


class FairOrder(metaclass=State):
    """By memory used, as last looked at."""

    sorted: SortedOrder
    size_based: bool
    changed: dict[int, CapacityAttempt] = {}
    """Applications whose keys are to be computed anew, by number."""

    def __init__(self, settings: LeafSettings) -> None:
        self.sorted = SortedOrder()
        self.size_based = settings.size_based

    def __len__(self) -> int:
        return len(self.sorted.members)

    def __iter__(self) -> Iterator[CapacityAttempt]:
        return iter(self.sorted.members)

    def __contains__(self, attempt: object) -> bool:
        return isinstance(attempt, CapacityAttempt) and attempt.application.number in self.sorted.keys

    def for_assignment(self, label: str) -> Sequence[CapacityAttempt]:
        """In order, refreshed."""
        self._refresh()
        return self.sorted.members

    def peek(self, label: str) -> Sequence[CapacityAttempt]:
        """In order, as it would be once refreshed."""
        if not self.changed:
            return self.sorted.members
        keys = {number: self._key_of(attempt, *self._looked_at(attempt)) for number, attempt in self.changed.items()}
        members = [each for each in self.sorted.members if each.application.number not in keys]
        members += self.changed.values()
        return sorted(members, key=lambda each: keys.get(each.application.number) or self.sorted.key_of(each))

    def for_preemption(self) -> list[CapacityAttempt]:
        """In reverse order, refreshed."""
        self._refresh()
        return self.sorted.members[::-1]

    def add(self, attempt: CapacityAttempt) -> None:
        """An application becomes active."""
        self.sorted.put(attempt, self._key(attempt))

    def remove(self, attempt: CapacityAttempt) -> bool:
        """An application leaves; whether it was there."""
        self.changed.pop(attempt.application.number, None)
        return self.sorted.take(attempt)

    def usage_changed(self, attempt: CapacityAttempt) -> None:
        """Its key is computed anew before the next look."""
        self.changed[attempt.application.number] = attempt

    def demand_changed(self, attempt: CapacityAttempt) -> None:
        """Note a changed demand: where the order is by size, the key is computed anew before the next look."""
        if self.size_based:
            self.changed[attempt.application.number] = attempt

    def key_of(self, attempt: CapacityAttempt) -> Key:
        """Return the sort key, as of the last look."""
        return self._key(attempt)

    def _refresh(self) -> None:
        for attempt in self.changed.values():
            self.sorted.take(attempt)
            attempt.cached_used_mb, attempt.cached_demand_mb = self._looked_at(attempt)
            self.sorted.put(attempt, self._key(attempt))
        self.changed.clear()

    @staticmethod
    def _looked_at(attempt: CapacityAttempt) -> tuple[int, int]:
        """Return (memory used, memory used and wanted) now [MB]."""
        used_mb = sum(memory_mb for memory_mb, _ in attempt.used_in.values())
        return used_mb, used_mb + sum(memory_mb for memory_mb, _ in attempt.pending_in.values())

    def _key(self, attempt: CapacityAttempt) -> Key:
        return self._key_of(attempt, attempt.cached_used_mb, attempt.cached_demand_mb)

    def _key_of(self, attempt: CapacityAttempt, used_mb: int, demand_mb: int) -> Key:
        magnitude = float(used_mb)
        if self.size_based and magnitude:
            weight = log1p(demand_mb) / log(2)
            # Use counts in proportion to demand, so that large applications are not always last.
            magnitude = magnitude / weight if weight else magnitude
        return (magnitude, attempt.started_ms, demand_mb == 0, attempt.application.number)


class PartitionedOrder(metaclass=State):
    """First in, first out within each of some partitions, and within all others together."""

    by_label: dict[str, FifoOrder]

    def __init__(self, settings: LeafSettings) -> None:
        self.by_label = {label: FifoOrder() for label in ("", *settings.order_partitions)}

    def __len__(self) -> int:
        return sum(len(order) for order in self.by_label.values())

    def __iter__(self) -> Iterator[CapacityAttempt]:
        return iter(self._together().sorted.members)

    def __contains__(self, attempt: object) -> bool:
        return any(attempt in order for order in self.by_label.values())

    def for_assignment(self, label: str) -> Sequence[CapacityAttempt]:
        """Return the applications of this partition alone."""
        return self._of(label).sorted.members

    def peek(self, label: str) -> Sequence[CapacityAttempt]:
        """Return the applications of this partition alone."""
        return self._of(label).sorted.members

    def for_preemption(self) -> list[CapacityAttempt]:
        """In reverse order, all partitions."""
        return self._together().for_preemption()

    def add(self, attempt: CapacityAttempt) -> None:
        """An application becomes active."""
        self._of(attempt.label).add(attempt)

    def remove(self, attempt: CapacityAttempt) -> bool:
        """An application leaves; whether it was there."""
        return self._of(attempt.label).remove(attempt)

    def usage_changed(self, attempt: CapacityAttempt) -> None:
        """Does not matter."""

    def demand_changed(self, attempt: CapacityAttempt) -> None:
        """Does not matter."""

    def _of(self, label: str) -> FifoOrder:
        return self.by_label[label if label in self.by_label else ""]

    def _together(self) -> FifoOrder:
        together = FifoOrder()
        for order in self.by_label.values():
            for attempt in order:
                together.add(attempt)
        return together


_ORDERS: Final[Mapping[str, Callable[[LeafSettings], ApplicationOrder]]] = {
    "fifo": FifoOrder,
    "fair": FairOrder,
    "fifo-with-partitions": PartitionedOrder,
    "fifo-for-pending-apps": FifoOrder,
}
"""By the name in a configuration."""


def make_order(settings: LeafSettings) -> ApplicationOrder:
    """An empty order of active applications."""
    return _ORDERS[settings.order](settings)
