"""The members of a queue and their order by its policy, at the price of what changed.

2.7 sorts the list of members in place, stably, for every walk, so that its order can be seen elsewhere. 3.x keeps the
members in order of arrival and makes a sorted view of them for every walk. Here only members whose usage changed are
moved, where the policy's comparison is a total order. Under drf in 2.7 (ties keep the list's history) and with a NaN
among the ratios (which equals everything) everything is sorted as Java does it: by its stable sort in 2.7, by adding to
a TreeSet in 3.x.

Source: Collections#sort in FSParentQueue and FSLeafQueue#assignContainer, Hadoop 2.7.2; the TreeSets of
FSParentQueue#assignContainer and FSLeafQueue#fetchAppsWithDemand, Hadoop 3.4.1; SchedulingPolicy, FifoPolicy, Hadoop
2.7.2 and 3.4.1.
"""

from bisect import bisect_left
from typing import Any, ClassVar, Final, Generic, TypeVar

from engine.model.java_collections import java_sorted, tree_set_order
from engine.model.request import Resource
from engine.state import Shared, State

# The interface of a queue's scheduling policy: order of members, dimensions that count. Both releases have fifo.
#
# A policy gives every member a key; a smaller key comes first.

Key = Shared[tuple[Any, ...]]  # What a policy orders by; compared left to right
Amount = tuple[int, int]  # (memory [MB], vcores)


class SharePolicy(metaclass=State):
    name: str  # In an allocation file
    dimensions: tuple[int, ...]  # Those it shares out; 0 is memory, 1 is vcores
    total: bool  # Whether no two members are ever equal, so that only the keys decide the order
    leaf_only: bool  # Whether only leaves may have it
    counts_vcores: bool

    def __init__(
        self, name: str, dimensions: tuple[int, ...] = (0,), *, total: bool = True, leaf_only: bool = False
    ) -> None:
        self.name = name
        self.dimensions = dimensions
        self.total = total
        self.leaf_only = leaf_only
        self.counts_vcores = len(dimensions) > 1

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """The ordering key of a queue or attempt; `tie` decides between equals: start time, then name."""
        raise NotImplementedError

    def regular(self, key: Key) -> bool:
        """Tell whether no part of a key is NaN, which equals everything."""
        return True

    def compare(self, left: Key, right: Key) -> int:
        return compare_keys(left, right)

    def headroom(self, share: Amount, usage: Amount, available: Resource) -> Resource:
        memory_mb = min(available.memory_mb, max(share[0] - usage[0], 0))
        if not self.counts_vcores:
            return Resource(memory_mb, available.vcores)
        return Resource(memory_mb, min(available.vcores, max(share[1] - usage[1], 0)))


class Fifo(SharePolicy):
    """By start time and name."""

    is_constant: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__("fifo", leaf_only=True)

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        return tie


def compare_keys(left: Key, right: Key) -> int:
    """By the parts of keys without NaN."""
    return -1 if left < right else int(left > right)


FIFO: Final = Fifo()

_Member = TypeVar("_Member")


class MemberSortKey(Generic[_Member], metaclass=State):
    """The place of a member in the order of its queue; there is one class for each kind of member."""

    member: _Member
    key: Key = ()  # Its ordering key as of the last sort
    fresh: Key = ()  # Its key while it is about to be moved
    changed: bool = True  # Whether the key may be out of date; then the order knows of it

    def __init__(self, member: _Member) -> None:
        self.member = member

    def key_now(self, policy: SharePolicy) -> Key:
        raise NotImplementedError

    def wants_more(self) -> bool:
        """Tell whether 3.x puts the member into its tree at all."""
        return True


def _key_of(standing: MemberSortKey[_Member]) -> Key:
    return standing.key


class MemberOrder(Generic[_Member], metaclass=State):
    """Keeps the order of one queue's members; new ones come last until the next sort."""

    standings: list[MemberSortKey[_Member]] = []  # In order of arrival, or sorted in place
    _view: list[MemberSortKey[_Member]] | None  # As last sorted, where `standings` keep the order of arrival
    _keys: list[Key] = []  # Keys of those sorted, in order, while they are sorted by a total order
    _changed: list[MemberSortKey[_Member]] = []  # Those whose keys may be out of date
    _stale: bool = True  # Whether the next sort has to look at everything

    def __init__(self, *, keeps_arrival: bool) -> None:
        """Begin; `standings` keep the order of arrival (3.x, `keeps_arrival`), or are sorted in place (2.7)."""
        self._view = [] if keeps_arrival else None

    @property
    def members(self) -> list[_Member]:
        return [standing.member for standing in self.standings]

    @property
    def is_sorted(self) -> bool:
        return not (self._stale or self._changed)

    def add(self, standing: MemberSortKey[_Member]) -> None:
        standing.changed = True
        self.standings.append(standing)
        self._stale = True

    def remove(self, standing: MemberSortKey[_Member]) -> bool:
        """Take a member out, leaving the others in place; False when it is not there."""
        if standing not in self.standings:
            return False
        view = self._view
        if not self._stale:
            at = (self.standings if view is None else view).index(standing)
            del self._keys[at]
            if view is not None:
                del view[at]
            if standing.changed:
                self._changed.remove(standing)
        self.standings.remove(standing)
        return True

    def touch(self, standing: MemberSortKey[_Member]) -> None:
        if not standing.changed:
            standing.changed = True
            self._changed.append(standing)

    def touch_all(self) -> None:
        for standing in self.standings:
            standing.changed = True
        self._stale = True

    def sort(self, policy: SharePolicy) -> list[MemberSortKey[_Member]]:
        """The members in the policy's order now; valid until the next change."""
        if self._stale or (self._changed and not self._is_moved(policy)):
            self._sort_all(policy)
        view = self._view
        return self.standings if view is None else view

    def _is_moved(self, policy: SharePolicy) -> bool:
        """Move what changed; False, with nothing moved, where a full sort is cheaper, or right: ties, NaN in a key."""
        changed = self._changed
        if not policy.total or len(changed) > max(1, len(self.standings) // 4):
            return False
        for standing in changed:
            key = standing.fresh = standing.key_now(policy)
            if not policy.regular(key):
                return False
        # One after the other: the keys of those still to move are out of date, but so is where they stand.
        for standing in changed:
            self._move(standing)
        changed.clear()
        return True

    def _move(self, standing: MemberSortKey[_Member]) -> None:
        standings = self.standings if self._view is None else self._view
        keys, key = self._keys, standing.fresh
        # The member served last mostly stood first.
        at = 0 if standings[0] is standing else bisect_left(keys, standing.key)
        standing.key = key
        standing.changed = False
        if (at + 1 == len(keys) or key < keys[at + 1]) and (at == 0 or keys[at - 1] < key):
            keys[at] = key  # it changed, but not its place
            return
        standings.pop(at)
        keys.pop(at)
        at = bisect_left(keys, key)
        standings.insert(at, standing)
        keys.insert(at, key)

    def _sort_all(self, policy: SharePolicy) -> None:
        regular = True
        for standing in self.standings:
            if standing.changed:
                standing.key = standing.key_now(policy)
                standing.changed = False
            regular = regular and policy.regular(standing.key)
        self._changed.clear()
        self._stale = not regular
        if not regular:
            self._sort_irregular(policy)
        elif self._view is None:
            self.standings.sort(key=_key_of)
            self._keys = [standing.key for standing in self.standings]
        else:
            self._view = sorted(self.standings, key=_key_of)
            self._keys = [standing.key for standing in self._view]

    def _sort_irregular(self, policy: SharePolicy) -> None:
        compare = policy.compare
        if self._view is None:
            self.standings[:] = java_sorted(self.standings, lambda left, right: compare(left.key, right.key))
        else:
            walked = [standing for standing in self.standings if standing.wants_more()]
            self._view = tree_set_order(walked, lambda left, right: compare(left.key, right.key))
