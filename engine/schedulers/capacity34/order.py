"""In which order a leaf's active applications are served.

`fifo`: higher priority, then lower number. `fair`: less used memory (divided by the logarithm of the demand where
sized), then earlier start, those without demand last, then lower number; its keys are kept and only computed anew
for applications that were given or gave back something.

Source: FifoOrderingPolicy, FairOrderingPolicy, FifoOrderingPolicyWithExclusivePartitions,
AbstractComparatorOrderingPolicy, PriorityUtilizationQueueOrderingPolicy, WorkflowPriorityMappingsManager, Hadoop 3.4.1.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping
from math import isnan, log, log1p
from typing import Final, NamedTuple

from engine.model.java_collections import java_sorted
from engine.model.java_values import parse_int, trim
from engine.schedulers.capacity.properties import ILLEGAL_ARGUMENT, Properties
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity34.calculators import Calculator, PartitionResources
from engine.schedulers.capacity34.queue import (
    ApplicationOrder,
    CapacityAttempt,
    CapacityQueue,
    ChildOrder,
    Leaf,
    OrderKey,
)
from engine.schedulers.capacity34.queue_settings import LeafSettings
from engine.schedulers.capacity34.users import Share
from engine.settings.capacity import TAG_PREFIX
from engine.settings.capacity_scheduler import WORKFLOW_MAPPINGS, WORKFLOW_OVERRIDE


class FifoOrder(ApplicationOrder):
    """By priority, then number."""

    def __init__(self, settings: LeafSettings | None = None) -> None:
        """No setting counts."""

    def add(self, attempt: CapacityAttempt) -> None:
        self.put(attempt, (-attempt.priority, attempt.application.number))


class FairOrder(ApplicationOrder):
    """By memory used, as last looked at."""

    size_based: bool
    changed: dict[int, CapacityAttempt] = {}  # Applications whose keys are to be computed anew, by number

    def __init__(self, settings: LeafSettings) -> None:
        self.size_based = settings.size_based

    def for_assignment(self, label: str) -> list[CapacityAttempt]:
        self._refresh()
        return self.members

    def peek(self, label: str) -> list[CapacityAttempt]:
        if not self.changed:
            return self.members
        keys = {number: self._key_of(attempt, *self._looked_at(attempt)) for number, attempt in self.changed.items()}
        members = [each for each in self.members if each.application.number not in keys]
        members += self.changed.values()
        return sorted(members, key=lambda each: keys.get(each.application.number) or self.kept_key(each))

    def for_preemption(self) -> list[CapacityAttempt]:
        self._refresh()
        return self.members[::-1]

    def add(self, attempt: CapacityAttempt) -> None:
        self.put(attempt, self.key_of(attempt))

    def remove(self, attempt: CapacityAttempt) -> bool:
        self.changed.pop(attempt.application.number, None)
        return super().remove(attempt)

    def usage_changed(self, attempt: CapacityAttempt) -> None:
        self.changed[attempt.application.number] = attempt

    def demand_changed(self, attempt: CapacityAttempt) -> None:
        """Note a changed demand: where the order is by size, the key is computed anew before the next look."""
        if self.size_based:
            self.changed[attempt.application.number] = attempt

    def _refresh(self) -> None:
        for attempt in self.changed.values():
            super().remove(attempt)
            attempt.cached_used_mb, attempt.cached_demand_mb = self._looked_at(attempt)
            self.put(attempt, self.key_of(attempt))
        self.changed.clear()

    @staticmethod
    def _looked_at(attempt: CapacityAttempt) -> tuple[int, int]:
        """Return (memory used, memory used and wanted) now [MB]."""
        used_mb = sum(memory_mb for memory_mb, _ in attempt.used_in.values())
        return used_mb, used_mb + sum(memory_mb for memory_mb, _ in attempt.pending_in.values())

    def key_of(self, attempt: CapacityAttempt) -> OrderKey:
        return self._key_of(attempt, attempt.cached_used_mb, attempt.cached_demand_mb)

    def _key_of(self, attempt: CapacityAttempt, used_mb: int, demand_mb: int) -> OrderKey:
        magnitude = float(used_mb)
        if self.size_based and magnitude:
            weight = log1p(demand_mb) / log(2)
            # Use counts in proportion to demand, so that large applications are not always last.
            magnitude = magnitude / weight if weight else magnitude
        return (magnitude, attempt.started_ms, demand_mb == 0, attempt.application.number)


class PartitionedOrder(ApplicationOrder):
    """First in, first out within each of some partitions, and within all others together."""

    by_label: dict[str, FifoOrder]

    def __init__(self, settings: LeafSettings) -> None:
        self.by_label = {label: FifoOrder() for label in ("", *settings.order_partitions)}

    def __len__(self) -> int:
        return sum(len(order) for order in self.by_label.values())

    def __iter__(self) -> Iterator[CapacityAttempt]:
        return iter(self._together())

    def __contains__(self, attempt: object) -> bool:
        return any(attempt in order for order in self.by_label.values())

    def for_assignment(self, label: str) -> list[CapacityAttempt]:
        return self._of(label).members

    def for_walk(self, leaf: Leaf, label: str) -> list[CapacityAttempt]:
        return self._of(label).for_walk(leaf, label)

    def wish_changed(self) -> None:
        for order in self.by_label.values():
            order.wish_changed()

    def peek(self, label: str) -> list[CapacityAttempt]:
        return self._of(label).members

    def for_preemption(self) -> list[CapacityAttempt]:
        return self._together().for_preemption()

    def add(self, attempt: CapacityAttempt) -> None:
        self._of(attempt.label).add(attempt)

    def remove(self, attempt: CapacityAttempt) -> bool:
        return self._of(attempt.label).remove(attempt)

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
    return _ORDERS[settings.order](settings)


# In which order a parent's children are offered a node.
#
# Those with capacity come before those without; then the one that uses less of its guarantee. With priorities, a
# higher one comes first among queues that are all below, or all at or above, their guarantees. Equal ones: the larger
# absolute resources, else the larger share, else the order of declaration.

_NO_KEY: Final[OrderKey] = ()  # The key of a queue that has to be compared with each of its siblings


class _Figures(NamedTuple):
    queue: CapacityQueue
    accessible: bool
    absolute: float
    used: float  # The used part of the guarantee, or of the partition where there is none
    priority: int
    minimum: Amount


def children_in_order(queue: CapacityQueue, label: str, space: PartitionResources) -> list[CapacityQueue]:
    """The children of a parent in the order in which they are offered a node of a partition.

    They are sorted by keys; the order stays, and only those whose usage has changed are placed anew. Where comparing is
    no total order (some have absolute resources and some have none, or a share is not a number) it is done one by one.
    """
    children = queue.children
    if len(children) == 1:
        return children
    order = None if queue.orders is None else queue.orders.get(label)
    if order is not None and order.children is children and _follow(order, label, space):
        return order.members
    keys = [_order_key(child, place, queue.ordering, label, space) for place, child in enumerate(children)]
    if len(set(map(len, keys))) == 1 and keys[0]:
        if queue.orders is None:
            queue.orders = {}
        order = queue.orders[label] = ChildOrder(children, keys)
        return order.members
    figures = [_figures(child, queue.ordering, label, space) for child in children]
    return [each.queue for each in java_sorted(figures, _compare)]


def _follow(order: ChildOrder, label: str, space: PartitionResources) -> bool:
    """Place those anew that have moved; False where one can be compared with its siblings no more."""
    keys, members = order.keys, order.members
    total, calculator = space.total(label), space.calculator
    for child in order.moved:
        old, used = order.key_of[child], _used(child.shares[label], total, calculator)
        if isnan(used):
            return False
        key = order.key_of[child] = (old[0], used >= 1, old[2], used, *old[4:])
        place = bisect_left(keys, old)
        del keys[place], members[place]
        place = bisect_left(keys, key)
        keys.insert(place, key)
        members.insert(place, child)
    order.moved.clear()
    return True


def _figures(queue: CapacityQueue, ordering: str, label: str, space: PartitionResources) -> _Figures:
    share = queue.shares.get(label)
    priority = _priority(queue, ordering)
    accessible = not label or queue.is_accessible(label)
    if share is None:
        return _Figures(queue, accessible, 0.0, 0.0, priority, NOTHING)
    used = _used(share, space.total(label), space.calculator)
    return _Figures(queue, accessible, share.absolute, used, priority, share.minimum_resource)


def _priority(queue: CapacityQueue, ordering: str) -> int:
    return queue.settings.priority if ordering == "priority-utilization" else 0


def _used(share: Share, total: Amount, calculator: Calculator) -> float:
    if share.absolute > 0:
        return share.used_of_guarantee(total, calculator)
    return share.absolute_used(total, calculator)


def _order_key(queue: CapacityQueue, place: int, ordering: str, label: str, space: PartitionResources) -> OrderKey:
    """Return a sort key with the order of `_compare`, and at last its place among its siblings."""
    share = queue.shares.get(label)
    if share is None:
        return _NO_KEY
    used, minimum = _used(share, space.total(label), space.calculator), share.minimum_resource
    if isnan(used):
        return _NO_KEY
    rank = 2 * (not queue.is_accessible(label)) + (share.absolute <= 0)
    size = (-share.absolute,) if minimum == NOTHING else (-minimum[0], -minimum[1])
    return (rank, used >= 1, -_priority(queue, ordering), used, *size, place)


def compare_use(left: float, right: float, left_priority: int, right_priority: int) -> int:
    if left_priority != right_priority and (left < 1) == (right < 1):
        return -1 if left_priority > right_priority else 1
    return (left > right) - (left < right)


def _compare(left: _Figures, right: _Figures) -> int:
    if left.accessible != right.accessible:
        return -1 if left.accessible else 1
    if (left.absolute > 0) != (right.absolute > 0):
        return -1 if left.absolute > 0 else 1
    order = compare_use(left.used, right.used, left.priority, right.priority)
    if order:
        return order
    if NOTHING not in (left.minimum, right.minimum):
        return (left.minimum < right.minimum) - (left.minimum > right.minimum)
    return (left.absolute < right.absolute) - (left.absolute > right.absolute)


# Priorities of applications by the workflow that their tags name.
#
# A mapping is `workflow:queue:priority`; the one of the nearest queue on the way up counts, the root's never does.

MAPPINGS: Final = WORKFLOW_MAPPINGS.everywhere


class WorkflowPriorities:
    __slots__ = ("by_queue", "enabled", "tag_prefix")

    def __init__(self, properties: Properties) -> None:
        self.enabled = properties.everywhere(WORKFLOW_OVERRIDE)
        self.tag_prefix = properties.text(TAG_PREFIX.name) or properties.table.default(TAG_PREFIX)
        self.by_queue: dict[tuple[str, str], int] = {}  # (path of a queue, workflow in lower case) → priority
        for text in re.split(r"\s*[,\n]\s*", trim(properties.text(MAPPINGS) or "")):
            if text:
                self._read(text, properties)

    def _read(self, text: str, properties: Properties) -> None:
        parts = [trim(part) for part in text.split(":") if trim(part)]
        try:
            workflow, queue, number = parts
            self.by_queue[queue, workflow.lower()] = parse_int(number)
        except ValueError:
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{text!r} is not workflow:queue:priority", MAPPINGS)

    def of(self, tags: Collection[str], queue: CapacityQueue) -> int | None:
        """The priority for an application with some tags in a leaf; None where no mapping is about it."""
        if not self.enabled:
            return None
        workflow = ""
        for tag in map(trim, sorted(tag.lower() for tag in tags)):
            if tag.startswith(self.tag_prefix):
                workflow = tag.removeprefix(self.tag_prefix)
        above: CapacityQueue | None = queue
        while workflow and above is not None and above.parent is not None:
            priority = self.by_queue.get((above.path, workflow))
            if priority is not None:
                return priority
            above = above.parent
        return None
