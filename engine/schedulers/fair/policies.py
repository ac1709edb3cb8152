"""The three scheduling policies of a queue: fair, fifo and drf.

A policy gives every member a key; a smaller key comes first. Ratios are float32 where Java's are.

Source: FairSharePolicy, FifoPolicy, DominantResourceFairnessPolicy, Hadoop 2.7.2.
"""

from math import isnan
from typing import Any, Final, Protocol

from engine.model.java_number import divide, float32, int32
from engine.model.resource import Resource

Key = tuple[Any, ...]
"""What a policy orders by; compared left to right."""

_EXACT = 2**24
"""Ints up to here are exact in float32."""

Amount = tuple[int, int]
"""(memory [MB], vcores)."""


class Member(Protocol):
    """What a policy looks at: a queue or an application attempt."""

    used_memory_mb: int
    used_vcores: int
    demand_memory_mb: int
    min_memory_mb: int
    min_vcores: int
    weight: float
    tie: Key
    """Decides between equals: start time, then name."""


def _sign(difference: float) -> int:
    """Java's `(int) Math.signum`, where NaN is 0."""
    return (difference > 0) - (difference < 0)


class SharePolicy:
    """How a queue orders its members and judges usage."""

    name: str
    total = True
    leaf_only = False
    dimensions: tuple[int, ...] = (0,)
    """Which dimensions it shares out: 0 is memory, 1 is vcores."""

    def key(self, member: Member) -> Key:
        """The member's ordering key now."""
        raise NotImplementedError

    def regular(self, key: Key) -> bool:
        """Whether the key has no NaN."""
        raise NotImplementedError

    def compare(self, left: Key, right: Key) -> int:
        """The real comparison of two keys."""
        raise NotImplementedError

    def over_fair_share(self, usage: Amount, share: Amount) -> bool:
        """Whether a queue below may be preempted from."""
        return usage[0] > share[0]

    def over_am_limit(self, usage: Amount, limit: Amount) -> bool:
        """Whether application masters use too much."""
        return usage[0] > limit[0]

    def headroom(self, share: Amount, usage: Amount, available: Resource) -> Resource:
        """What is left of the share and of what is available; memory only."""
        return Resource(min(available.memory_mb, max(share[0] - usage[0], 0)), available.vcores)


class _Fair(SharePolicy):
    name = "fair"

    def key(self, member: Member) -> Key:
        used = member.used_memory_mb
        weight = member.weight
        ratio = float(used) if weight == 1.0 and used <= _EXACT else float32(divide(float32(used), weight))
        if member.min_memory_mb:
            minimum = min(member.min_memory_mb, member.demand_memory_mb)
            if used < minimum:
                return (0, used / max(minimum, 1), member.tie)
        return (1, ratio, member.tie)

    def regular(self, key: Key) -> bool:
        return not isnan(key[1])

    def compare(self, left: Key, right: Key) -> int:
        if left[0] != right[0]:
            return -1 if left[0] < right[0] else 1
        return _sign(left[1] - right[1]) or _compare(left[2], right[2])


class _Fifo(SharePolicy):
    name = "fifo"
    leaf_only = True

    def key(self, member: Member) -> Key:
        return member.tie

    def regular(self, key: Key) -> bool:
        return True

    def compare(self, left: Key, right: Key) -> int:
        return _compare(left, right)


class Drf(SharePolicy):
    """Dominant resource fairness, over the capacity of one cluster."""

    name = "drf"
    total = False
    dimensions = (0, 1)

    def __init__(self, cluster_memory_mb: int = 0, cluster_vcores: int = 0) -> None:
        self.cluster: Amount = (cluster_memory_mb, cluster_vcores)

    def key(self, member: Member) -> Key:
        """Neediness, then the shares of the dominant and of the other dimension, then start."""
        usage = (member.used_memory_mb, member.used_vcores)
        of_cluster = [_share(used, pool, member.weight) for used, pool in zip(usage, self.cluster, strict=True)]
        of_minimum = [
            _share(used, pool, 1.0) for used, pool in zip(usage, (member.min_memory_mb, member.min_vcores), strict=True)
        ]
        dominant = 0 if of_cluster[0] > of_cluster[1] else 1
        needy = of_minimum[dominant] < 1.0
        shares = of_minimum if needy else of_cluster
        return (0 if needy else 1, shares[dominant], shares[1 - dominant], member.tie[0])

    def regular(self, key: Key) -> bool:
        """Whether neither share is NaN."""
        return not (isnan(key[1]) or isnan(key[2]))

    def compare(self, left: Key, right: Key) -> int:
        """By dimension, with the difference of starts cut to an int32."""
        if left[0] != right[0]:
            return -1 if left[0] < right[0] else 1
        return _sign(left[1] - right[1]) or _sign(left[2] - right[2]) or int32(left[3] - right[3])

    def over_fair_share(self, usage: Amount, share: Amount) -> bool:
        """Over in any dimension."""
        return usage[0] > share[0] or usage[1] > share[1]

    def over_am_limit(self, usage: Amount, limit: Amount) -> bool:
        """Over in any dimension."""
        return usage[0] > limit[0] or usage[1] > limit[1]

    def headroom(self, share: Amount, usage: Amount, available: Resource) -> Resource:
        """What is left in both dimensions."""
        return Resource(
            min(available.memory_mb, max(share[0] - usage[0], 0)),
            min(available.vcores, max(share[1] - usage[1], 0)),
        )


def _share(used: int, pool: int, weight: float) -> float:
    return float32(divide(float32(used), float32(float32(pool) * weight)))


def _compare(left: Key, right: Key) -> int:
    return -1 if left < right else int(left > right)


FAIR: Final = _Fair()
FIFO: Final = _Fifo()
