"""In which order a parent's children are offered a node.

Those with capacity come before those without; then the one that uses less of its guarantee. With priorities, a higher
one comes first among queues that are all below, or all at or above, their guarantees. Equal ones: the larger absolute
resources, else the larger share, else the order of declaration.

Source: PriorityUtilizationQueueOrderingPolicy, Hadoop 3.4.1.
"""

from functools import cmp_to_key
from math import isnan
from typing import Final, NamedTuple

from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity34.queue import CapacityQueue
from engine.schedulers.capacity34.share import OrderKey, Share
from engine.schedulers.capacity34.space import Space

_NO_KEY: Final[OrderKey] = ()
"""Of a queue that has to be compared with each of its siblings."""

_COMPARABLE: Final = (1 << 3, 1 << 4)
"""Bits of the lengths of keys that can be sorted by: all without absolute resources, or all with them."""

_AT_GUARANTEE: Final = 2**33
"""More than any two priorities are apart."""
_WITHOUT_CAPACITY: Final = 2**34
_INACCESSIBLE: Final = 2**35


class _Figures(NamedTuple):
    queue: CapacityQueue
    accessible: bool
    absolute: float
    used: float
    """Of the guarantee, or of the partition where there is none."""
    priority: int
    minimum: Amount


def children_in_order(queue: CapacityQueue, label: str, space: Space) -> list[CapacityQueue]:
    """The children of a parent, whom to offer a node of a partition first.

    They are sorted by keys, each of which stays until its queue's usage or capacity changes. Where comparing is no
    total order (some have absolute resources and some have none, or a share is not a number) it is done one by one.
    """
    children = queue.children
    if len(children) == 1:
        return children
    keys: list[OrderKey] = []
    lengths = 0
    for child in children:
        share = child.shares.get(label)
        key = _NO_KEY if share is None else share.order_key
        if key is None:
            assert share is not None, "one without a share has a key"
            key = share.order_key = _order_key(child, share, queue.ordering, label, space)
        keys.append(key)
        lengths |= 1 << len(key)
    if lengths in _COMPARABLE:
        return [children[place] for place in sorted(range(len(children)), key=keys.__getitem__)]
    figures = [_figures(child, queue.ordering, label, space) for child in children]
    return [each.queue for each in sorted(figures, key=_by_comparison)]


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


def _order_key(queue: CapacityQueue, share: Share, ordering: str, label: str, space: Space) -> OrderKey:
    """Return a sort key with the order of `_compare`."""
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
    return (rank, used, -share.absolute) if minimum == NOTHING else (rank, used, -minimum[0], -minimum[1])


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


_by_comparison = cmp_to_key(_compare)
