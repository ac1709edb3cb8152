"""In which order a parent's children are offered a node.

Those with capacity come before those without; then the one that uses less of its guarantee. With priorities, a higher
one comes first among queues that are all below, or all at or above, their guarantees. Equal ones: the larger absolute
resources, else the larger share, else the order of declaration.

Source: PriorityUtilizationQueueOrderingPolicy, Hadoop 3.4.1.
"""

from functools import cmp_to_key
from typing import NamedTuple

from engine.schedulers.capacity.amounts import NOTHING, Amount
from engine.schedulers.capacity34.queue import CapacityQueue


class _Figures(NamedTuple):
    queue: CapacityQueue
    accessible: bool
    absolute: float
    used: float
    """Of the guarantee, or of the partition where there is none."""
    priority: int
    minimum: Amount


def children_in_order(queue: CapacityQueue, label: str) -> list[CapacityQueue]:
    """The children of a parent, whom to offer a node of a partition first."""
    children = queue.children
    if len(children) == 1:
        return children
    figures = [_figures(child, label, queue.ordering == "priority-utilization") for child in children]
    return [each.queue for each in sorted(figures, key=_by_comparison)]


def _figures(queue: CapacityQueue, label: str, with_priority: bool) -> _Figures:
    share = queue.shares.get(label)
    priority = queue.settings.priority if with_priority else 0
    accessible = not label or queue.is_accessible(label)
    if share is None:
        return _Figures(queue, accessible, 0.0, 0.0, priority, NOTHING)
    used = share.used_ratio if share.absolute > 0 else share.absolute_used
    return _Figures(queue, accessible, share.absolute, used, priority, share.minimum_resource)


def compare_use(left: float, right: float, left_priority: int, right_priority: int) -> int:
    """Who comes first by what is used and by priority."""
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


_by_comparison = cmp_to_key(_compare)
