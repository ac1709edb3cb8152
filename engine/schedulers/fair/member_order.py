"""The members of a queue and their order by its policy, at the price of what changed.

2.7 sorts the list of members in place, stably, for every walk, so that its order can be seen elsewhere. 3.x keeps the
members in order of arrival and makes a sorted view of them for every walk. Here only members whose usage changed are
moved, where the policy's comparison is a total order. Under drf in 2.7 (ties keep the list's history) and with a NaN
among the ratios (which equals everything) everything is sorted as Java does it: by a stable sort in 2.7, by adding to
a TreeSet in 3.x.

Source: Collections#sort in FSParentQueue and FSLeafQueue#assignContainer, Hadoop 2.7.2; the TreeSets of
FSParentQueue#assignContainer and FSLeafQueue#fetchAppsWithDemand, Hadoop 3.4.1.
"""

from bisect import bisect_left
from functools import cmp_to_key
from typing import Generic, Protocol, TypeVar

from engine.model.java_tree_set import tree_set_order
from engine.schedulers.fair.policies import Key, Member, SharePolicy
from engine.state import State


class Ordered(Member, Protocol):
    """A member of an order."""

    key: Key
    """Its ordering key as of the last sort."""
    changed: bool
    """Whether the key may be out of date; then the order knows of it."""

    @property
    def wants_more(self) -> bool:
        """Tell whether 3.x puts it into its tree at all."""


_Member = TypeVar("_Member", bound=Ordered)


def _key_of(member: Ordered) -> Key:
    return member.key


class MemberOrder(Generic[_Member], metaclass=State):
    """Members of one queue; new ones come last until the next sort."""

    members: list[_Member] = []
    _view: list[_Member] | None
    """The members as last sorted, where `members` keep the order of arrival."""
    _keys: list[Key] = []
    """Keys of the sorted members, in order, while they are sorted by a total order."""
    _changed: list[_Member] = []
    _stale: bool = True
    """Whether the next sort has to look at everything."""

    def __init__(self, *, keeps_arrival: bool) -> None:
        """Without members.

        Where it `keeps_arrival` (3.x), `members` stay in order of arrival; else they are sorted in place (2.7).
        """
        self._view = [] if keeps_arrival else None

    def add(self, member: _Member) -> None:
        """Append a member."""
        member.changed = True
        self.members.append(member)
        self._stale = True

    def remove(self, member: _Member) -> bool:
        """Take a member out, leaving the others in place; False when it is not there."""
        if member not in self.members:
            return False
        view = self._view
        if not self._stale:
            at = (self.members if view is None else view).index(member)
            del self._keys[at]
            if view is not None:
                del view[at]
            if member.changed:
                self._changed.remove(member)
        self.members.remove(member)
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

    def sort(self, policy: SharePolicy) -> list[_Member]:
        """The members in the policy's order now; valid until the next change."""
        changed = self._changed
        if self._stale or (changed and not self._is_moved(changed, policy)):
            self._sort_all(policy)
        view = self._view
        return self.members if view is None else view

    def _is_moved(self, changed: list[_Member], policy: SharePolicy) -> bool:
        """Move what changed; False, with nothing moved, where a full sort is cheaper, or right: ties, NaN in a key."""
        if not policy.total or len(changed) > max(1, len(self.members) // 4):
            return False
        if len(changed) == 1:
            member = changed[0]
            key = policy.key(member)
            if not policy.regular(key):
                return False
            self._move(member, key)
            changed.clear()
            return True
        fresh: list[Key] = []
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
        member.changed = False
        before = member.key
        if key == before:
            return
        keys = self._keys
        members = self.members if self._view is None else self._view
        # Who was served last mostly stood first.
        at = 0 if members[0] is member else bisect_left(keys, before)
        last = len(keys) - 1
        if (at == last or key < keys[at + 1]) and (at == 0 or keys[at - 1] < key):
            keys[at] = member.key = key  # it changed, but not its place
            return
        del members[at], keys[at]
        at = bisect_left(keys, key)
        members.insert(at, member)
        keys.insert(at, key)
        member.key = key

    def _sort_all(self, policy: SharePolicy) -> None:
        regular = True
        for member in self.members:
            if member.changed:
                member.key = policy.key(member)
                member.changed = False
            regular = regular and policy.regular(member.key)
        self._changed.clear()
        self._stale = not regular
        if regular:
            if self._view is None:
                self.members.sort(key=_key_of)
            else:
                self._view = sorted(self.members, key=_key_of)
            self._keys = [member.key for member in (self._view or self.members)]
        else:
            self._sort_irregular(policy)

    def _sort_irregular(self, policy: SharePolicy) -> None:
        """Sort by a comparison that is no total order."""
        compare = policy.compare
        if self._view is None:
            self.members.sort(key=cmp_to_key(lambda left, right: compare(left.key, right.key)))
        else:
            walked = [member for member in self.members if member.wants_more]
            self._view = tree_set_order(walked, lambda left, right: compare(left.key, right.key))
