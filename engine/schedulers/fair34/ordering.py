"""Members in the order they came, and the sorted view that 3.x makes anew for every walk.

The view is kept between walks and only what changed is moved; where a NaN among the keys equals everything the view is
that of the tree Java would build.

Source: the TreeSets of FSParentQueue#assignContainer and FSLeafQueue#fetchAppsWithDemand, Hadoop 3.4.1.
"""

from bisect import bisect_left
from typing import Protocol, TypeVar

from engine.schedulers.fair.ordering import Ordered, Ordering, Policy
from engine.schedulers.fair.policies import Key
from engine.schedulers.fair34.tree_set import tree_set_order


class Walked(Ordered, Protocol):
    """A member of an ordering that a walk may leave out."""

    @property
    def wants_more(self) -> bool:
        """Whether it is put into the tree at all."""


_Member = TypeVar("_Member", bound=Walked)


class Ordering34(Ordering[_Member]):
    """Members in order of arrival; `sort` answers with another list."""

    __slots__ = ("_sorted",)

    def __init__(self) -> None:
        super().__init__()
        self._sorted: list[_Member] = []

    def remove(self, member: _Member) -> bool:
        """Take a member out; False when it is not there."""
        if member not in self.members:
            return False
        self.members.remove(member)
        if not self._stale:
            at = bisect_left(self._keys, member.key)
            del self._keys[at], self._sorted[at]
            if member.changed:
                self._changed.remove(member)
        return True

    def sort(self, policy: Policy) -> list[_Member]:
        """The members in the policy's order now; valid until the next change."""
        if not self._stale:
            changed = self._changed
            if not changed or (len(changed) * 4 <= len(self.members) and self._move_changed(policy)):
                return self._sorted
        self._sort_anew(policy)
        return self._sorted

    def copy(self, members: list[_Member]) -> "Ordering34[_Member]":
        """An ordering of copied members, which are in this one's order."""
        other: Ordering34[_Member] = Ordering34()
        other.members = members
        for member in members:
            member.changed = True
        return other

    def _move_changed(self, policy: Policy) -> bool:
        """Move what changed; False, with nothing moved, when a key has a NaN."""
        changed, members, keys = self._changed, self._sorted, self._keys
        fresh: list[Key] = []
        for member in changed:
            key = policy.key(member)
            if not policy.regular(key):
                return False
            fresh.append(key)
        # One after the other: the keys of those still to move are out of date, but so is where they stand.
        for member, key in zip(changed, fresh, strict=True):
            member.changed = False
            before = member.key
            if key == before:
                continue
            at = bisect_left(keys, before)
            last = len(keys) - 1
            if (at == last or key < keys[at + 1]) and (at == 0 or keys[at - 1] < key):
                keys[at] = member.key = key  # it changed, but not its place
                continue
            del members[at], keys[at]
            at = bisect_left(keys, key)
            members.insert(at, member)
            keys.insert(at, key)
            member.key = key
        changed.clear()
        return True

    def _sort_anew(self, policy: Policy) -> None:
        regular = True
        for member in self.members:
            if member.changed:
                member.key = policy.key(member)
                member.changed = False
            regular = regular and policy.regular(member.key)
        self._changed.clear()
        self._stale = not regular
        if regular:
            self._sorted = sorted(self.members, key=_key_of)
            self._keys = [member.key for member in self._sorted]
        else:
            compare = policy.compare
            walked = [member for member in self.members if member.wants_more]
            self._sorted = tree_set_order(walked, lambda left, right: compare(left.key, right.key))


def _key_of(member: Ordered) -> Key:
    return member.key
