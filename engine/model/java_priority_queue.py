"""Java's PriorityQueue, which decides the order of equal elements.

`heapq` keeps the same law but sifts otherwise, so equals come out in another order. That also decides where the
comparison is no total order.

Source: java.util.PriorityQueue#siftUp, #siftDown (JDK 8 and later).
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from engine.state import State

_Item = TypeVar("_Item")

Comparison = Callable[[_Item, _Item], int]
"""Negative, 0 or positive, as the first is before, equal to or behind the second."""


class JavaPriorityQueue(Generic[_Item], metaclass=State):
    """A heap; `items` is its array, whose first is before all others. The comparison is given with each call."""

    items: list[_Item] = []

    def add(self, item: _Item, compare: Comparison[_Item]) -> None:
        items, place = self.items, len(self.items)
        items.append(item)
        while place:
            above = (place - 1) // 2
            if compare(item, items[above]) >= 0:
                break
            items[place] = items[above]
            place = above
        items[place] = item

    def poll(self, compare: Comparison[_Item]) -> _Item:
        """Take out the first item; the last one sinks from there, past those that are before it.

        The queue must not be empty.
        """
        items = self.items
        first, last = items[0], items.pop()
        size = len(items)
        if not size:
            return first
        place = 0
        while (child := 2 * place + 1) < size:
            if child + 1 < size and compare(items[child], items[child + 1]) > 0:
                child += 1
            if compare(last, items[child]) <= 0:
                break
            items[place] = items[child]
            place = child
        items[place] = last
        return first


Keyed = tuple[int, int]  # (key, number)


def by_key(one: Keyed, other: Keyed) -> int:
    """The comparison of pairs by their first number alone."""
    return one[0] - other[0]
