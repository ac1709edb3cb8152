"""The scheduling policies fair and drf as of 2.7.2, whose ratios are float32.

Source: FairSharePolicy, DominantResourceFairnessPolicy, Hadoop 2.7.2.
"""

from math import isnan
from typing import ClassVar, Final

from engine.model.java_number import divide, float32, int32
from engine.schedulers.fair.policies import Amount, Key, SharePolicy, compare_keys

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

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """Neediness, the ratio, start and name."""
        used_mb = used[0]
        if minimum[0]:
            least_mb = min(minimum[0], demand_memory_mb)
            if used_mb < least_mb:
                return (0, used_mb / max(least_mb, 1), tie)
        if weight == 1.0 and used_mb <= _EXACT:
            return (1, float(used_mb), tie)
        return (1, float32(divide(float32(used_mb), weight)), tie)

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

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """Neediness, then the shares of the dominant and of the other dimension, then start."""
        of_cluster = [_share(amount, pool, weight) for amount, pool in zip(used, self.cluster, strict=True)]
        of_minimum = [_share(amount, pool, 1.0) for amount, pool in zip(used, minimum, strict=True)]
        dominant = 0 if of_cluster[0] > of_cluster[1] else 1
        needy = of_minimum[dominant] < 1.0
        shares = of_minimum if needy else of_cluster
        return (0 if needy else 1, shares[dominant], shares[1 - dominant], tie[0])

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
