"""A heap that keeps equal members in the order Java's does.

Source: java.util.PriorityQueue#siftUp, #siftDown, #poll, JDK 8 and later.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

_Member = TypeVar("_Member")


class JavaHeap(Generic[_Member]):
    """`members` is the array, the least one first; None is smaller than another by `compare` alone."""

    __slots__ = ("compare", "members")

    def __init__(self, compare: Callable[[_Member, _Member], int]) -> None:
        self.compare = compare
        self.members: list[_Member] = []

    def add(self, member: _Member) -> None:
        """Put a member in."""
        members, place = self.members, len(self.members)
        members.append(member)
        while place > 0:
            above = (place - 1) // 2
            if self.compare(member, members[above]) >= 0:
                break
            members[place] = members[above]
            place = above
        members[place] = member

    def remove(self) -> _Member:
        """Take the least one out."""
        members = self.members
        least, member = members[0], members.pop()
        if members:
            self._sink(member)
        return least

    def _sink(self, member: _Member) -> None:
        members, place, count = self.members, 0, len(self.members)
        while place < count // 2:
            child = 2 * place + 1
            if child + 1 < count and self.compare(members[child], members[child + 1]) > 0:
                child += 1
            if self.compare(member, members[child]) <= 0:
                break
            members[place] = members[child]
            place = child
        members[place] = member
