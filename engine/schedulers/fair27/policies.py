"""The scheduling policies fair and drf as of 2.7.2, whose ratios are float32.

Source: FairSharePolicy, DominantResourceFairnessPolicy, Hadoop 2.7.2.
"""

from math import isnan
from typing import ClassVar, Final

from engine.model.java_number import divide, float32, int32
from engine.schedulers.fair.policies import Amount, Key, Member, SharePolicy, compare_keys

_EXACT = 2**24
"""Ints up to here are exact in float32."""


def _sign(difference: float) -> int:
    """Java's `(int) Math.signum`, where NaN is 0."""
    return (difference > 0) - (difference < 0)


class FairShare27(SharePolicy):
    """Memory over weight, those below their minimum first."""

    is_constant: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__("fair")

    def key(self, member: Member) -> Key:
        """Neediness, the ratio, start and name."""
        used = member.used_memory_mb
        weight = member.weight
        ratio = float(used) if weight == 1.0 and used <= _EXACT else float32(divide(float32(used), weight))
        if member.min_memory_mb:
            minimum = min(member.min_memory_mb, member.demand_memory_mb)
            if used < minimum:
                return (0, used / max(minimum, 1), member.tie)
        return (1, ratio, member.tie)

    def regular(self, key: Key) -> bool:
        """Tell whether the ratio is not NaN."""
        return not isnan(key[1])

    def compare(self, left: Key, right: Key) -> int:
        """By the parts of the keys, where NaN equals everything."""
        if left[0] != right[0]:
            return -1 if left[0] < right[0] else 1
        return _sign(left[1] - right[1]) or compare_keys(left[2], right[2])


class Drf27(SharePolicy):
    """Dominant resource fairness, over the capacity of one cluster."""

    cluster: Amount

    def __init__(self, cluster_memory_mb: int = 0, cluster_vcores: int = 0) -> None:
        super().__init__("drf", (0, 1), total=False)
        self.cluster = (cluster_memory_mb, cluster_vcores)

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
        """Tell whether neither share is NaN."""
        return not (isnan(key[1]) or isnan(key[2]))

    def compare(self, left: Key, right: Key) -> int:
        """By dimension, with the difference of starts cut to an int32."""
        if left[0] != right[0]:
            return -1 if left[0] < right[0] else 1
        return _sign(left[1] - right[1]) or _sign(left[2] - right[2]) or int32(left[3] - right[3])


def exceeds(policy: SharePolicy, usage: Amount, limit: Amount) -> bool:
    """Tell whether a usage is over a limit in any dimension that counts under the policy.

    Source: SchedulingPolicy#checkIfUsageOverFairShare, #checkIfAMResourceUsageOverLimit.
    """
    return usage[0] > limit[0] or (policy.counts_vcores and usage[1] > limit[1])


def _share(used: int, pool: int, weight: float) -> float:
    return float32(divide(float32(used), float32(float32(pool) * weight)))


FAIR_27: Final = FairShare27()
