"""A list that is sorted in place, stably, each time it is walked, as Fair 2.7 does, at the price of what changed.

Where the policy's comparison is a total order, only members whose usage changed are moved. Under drf (ties keep the
list's history) and with a NaN among the ratios (which equals everything) the whole list is sorted as Java does it.

Source: Collections#sort in FSParentQueue and FSLeafQueue#assignContainer, Hadoop 2.7.2.
"""

from bisect import bisect_left
from functools import cmp_to_key
from typing import Any, Generic, Protocol, TypeVar

from engine.schedulers.fair.policies import Key


class Ordered(Protocol):
    """A member of an ordering."""

    key: Key
    """Its ordering key as of the last sort."""
    changed: bool
    """Whether the key may be out of date; then the ordering knows of it."""


class Policy(Protocol):
    """How members compare."""

    total: bool
    """Whether no two members are ever equal, so that only the keys decide the order."""

    def key(self, member: Any) -> Key:
        """The member's key now."""

    def regular(self, key: Key) -> bool:
        """Whether the key has no NaN, so that keys compare as Java compares."""

    def compare(self, left: Key, right: Key) -> int:
        """Java's comparison, in which NaN equals everything."""


_Member = TypeVar("_Member", bound=Ordered)


def _key_of(member: Ordered) -> Key:
    return member.key


class Ordering(Generic[_Member]):
    """Members in the order of the last sort; new ones at the end until the next."""

    __slots__ = ("_changed", "_keys", "_stale", "members")

    def __init__(self) -> None:
        self.members: list[_Member] = []
        self._keys: list[Key] = []
        """Keys of the members, in order, while the list is sorted by a total order."""
        self._changed: list[_Member] = []
        self._stale = True
        """Whether the next sort has to look at everything."""

    def add(self, member: _Member) -> None:
        """Append a member."""
        member.changed = True
        self.members.append(member)
        self._stale = True

    def remove(self, member: _Member) -> bool:
        """Take a member out, leaving the others in place; False when it is not there."""
        if member not in self.members:
            return False
        at = self.members.index(member)
        del self.members[at]
        if not self._stale:
            del self._keys[at]
            if member.changed:
                self._changed.remove(member)
        return True

    def touch(self, member: _Member) -> None:
        """Note that a member's key may have changed."""
        if not member.changed:
            member.changed = True
            self._changed.append(member)

    def touch_all(self) -> None:
        """Note that every key may have changed."""
        for member in self.members:
            member.changed = True
        self._stale = True

    def sort(self, policy: Policy) -> list[_Member]:
        """Sort in place; the members."""
        if not self._stale:
            changed = self._changed
            if not changed:
                return self.members
            if policy.total and len(changed) * 4 <= len(self.members) and self._reposition(policy):
                return self.members
        self._sort_all(policy)
        return self.members

    def copy(self, members: list[_Member]) -> "Ordering[_Member]":
        """An ordering of copied members, which are in this one's order."""
        other: Ordering[_Member] = Ordering()
        other.members = members
        for member in members:
            member.changed = True
        return other

    def _reposition(self, policy: Policy) -> bool:
        """Move what changed; False, with nothing moved, when a key has a NaN."""
        changed = self._changed
        if len(changed) == 1:
            member = changed[0]
            key = policy.key(member)
            if not policy.regular(key):
                return False
            self._move(member, key)
            changed.clear()
            return True
        fresh = []
        for member in changed:
            key = policy.key(member)
            if not policy.regular(key):
                return False
            fresh.append(key)
        # One after the other: the keys of those still to move are out of date, but so is where they stand.
        for member, key in zip(changed, fresh, strict=True):
            self._move(member, key)
        changed.clear()
        return True

    def _move(self, member: _Member, key: Key) -> None:
        members, keys = self.members, self._keys
        # Who was served last mostly stood first.
        at = 0 if members[0] is member else bisect_left(keys, member.key)
        del members[at], keys[at]
        at = bisect_left(keys, key)
        members.insert(at, member)
        keys.insert(at, key)
        member.key = key
        member.changed = False

    def _sort_all(self, policy: Policy) -> None:
        regular = True
        for member in self.members:
            if member.changed:
                member.key = policy.key(member)
                member.changed = False
            regular = regular and policy.regular(member.key)
        self._changed.clear()
        if regular:
            self.members.sort(key=_key_of)
            self._keys = [member.key for member in self.members]
        else:
            compare = policy.compare
            self.members.sort(key=cmp_to_key(lambda left, right: compare(left.key, right.key)))
        self._stale = not regular
