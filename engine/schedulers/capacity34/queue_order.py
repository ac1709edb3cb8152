"""In which order a parent's children are offered a node.

Those with capacity come before those without; then the one that uses less of its guarantee. With priorities, a higher
one comes first among queues that are all below, or all at or above, their guarantees. Equal ones: the larger absolute
resources, else the larger share, else the order of declaration.

Source: PriorityUtilizationQueueOrderingPolicy, Hadoop 3.4.1.
"""

from math import isnan
from typing import Final, NamedTuple

from engine.model.java_sort import java_sorted
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity34.queue import CapacityQueue, ChildOrder, OrderKey
from engine.schedulers.capacity34.share import Share
from engine.schedulers.capacity34.space import Space

_NO_KEY: Final[OrderKey] = ()
"""The key of a queue that has to be compared with each of its siblings."""

_AT_GUARANTEE: Final = 2**33
"""More than any two priorities are apart."""
_WITHOUT_CAPACITY: Final = 2**34
_INACCESSIBLE: Final = 2**35


class _Figures(NamedTuple):
    queue: CapacityQueue
    accessible: bool
    absolute: float
    used: float
    """The used part of the guarantee, or of the partition where there is none."""
    priority: int
    minimum: Amount


def children_in_order(queue: CapacityQueue, label: str, space: Space) -> list[CapacityQueue]:
    """The children of a parent, whom to offer a node of a partition first.

    They are sorted by keys; the order stays, and only those whose usage has changed are placed anew. Where comparing is
    no total order (some have absolute resources and some have none, or a share is not a number) it is done one by one.
    """
    children = queue.children
    if len(children) == 1:
        return children
    order = None if queue.orders is None else queue.orders.get(label)
    if order is not None and order.children is children and _follow(order, queue.ordering, label, space):
        return order.members
    keys = [_order_key(child, place, queue.ordering, label, space) for place, child in enumerate(children)]
    if len(set(map(len, keys))) == 1 and keys[0]:
        if queue.orders is None:
            queue.orders = {}
        order = queue.orders[label] = ChildOrder(children, keys)
        return order.members
    figures = [_figures(child, queue.ordering, label, space) for child in children]
    return [each.queue for each in java_sorted(figures, _compare)]


def _follow(order: ChildOrder, ordering: str, label: str, space: Space) -> bool:
    """Place those anew that have moved; False where one can be compared with its siblings no more."""
    for child in order.moved:
        old = order.key_of[child]
        key = _order_key(child, int(old[-1]), ordering, label, space)
        if len(key) != len(old):
            return False
        order.place(child, key)
    order.moved.clear()
    return True


def _figures(queue: CapacityQueue, ordering: str, label: str, space: Space) -> _Figures:
    share = queue.shares.get(label)
    priority = _priority(queue, ordering)
    accessible = not label or queue.is_accessible(label)
    if share is None:
        return _Figures(queue, accessible, 0.0, 0.0, priority, NOTHING)
    return _Figures(queue, accessible, share.absolute, _used(share, label, space), priority, share.minimum_resource)


def _priority(queue: CapacityQueue, ordering: str) -> int:
    return queue.settings.priority if ordering == "priority-utilization" else 0


def _used(share: Share, label: str, space: Space) -> float:
    return share.used_ratio if share.absolute > 0 else share.absolute_used(space.total(label), space.calculator)


def _order_key(queue: CapacityQueue, place: int, ordering: str, label: str, space: Space) -> OrderKey:
    """Return a sort key with the order of `_compare`, and at last its place among its siblings."""
    share = queue.shares.get(label)
    if share is None:
        return _NO_KEY
    used, minimum = _used(share, label, space), share.minimum_resource
    if isnan(used):
        return _NO_KEY
    rank = -_priority(queue, ordering)
    if label and not queue.is_accessible(label):
        rank += _INACCESSIBLE
    if share.absolute <= 0:
        rank += _WITHOUT_CAPACITY
    if used >= 1:
        rank += _AT_GUARANTEE
    if minimum == NOTHING:
        return (rank, used, -share.absolute, place)
    return (rank, used, -minimum[0], -minimum[1], place)


def compare_use(left: float, right: float, left_priority: int, right_priority: int) -> int:
    """Compare two by use and by priority."""
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
