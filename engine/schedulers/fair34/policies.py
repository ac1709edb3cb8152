"""The scheduling policies fair and drf as of 3.x, whose ratios are doubles, and how amounts compare under a policy.

All keys end in start time and name, so no two members are ever equal.

Source: FairSharePolicy, DominantResourceFairnessPolicy, DefaultResourceCalculator, DominantResourceCalculator,
Hadoop 3.4.1.
"""

from collections.abc import Mapping
from math import inf, isnan
from typing import ClassVar, Final

from engine.model.java_number import divide
from engine.schedulers.fair.policies import Amount, Key, SharePolicy, compare_keys

NEEDY = 0
"""First part of a key: below the minimum share."""

ALLOWED_BELOW: Final[Mapping[str, tuple[str, ...]]] = {
    "fair": ("fair", "fifo"),
    "fifo": (),
    "drf": ("fair", "fifo", "drf"),
}
"""Policy of a queue → policies its children may have."""


class FairShare34(SharePolicy):
    """Memory over weight, those below their minimum first, those that want nothing last."""

    is_constant: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__("fair")

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """Wanting something, neediness, how far from the minimum of the needy, usage per weight."""
        used_mb = used[0]
        if weight > 0:
            ratio = used_mb / weight
        else:
            ratio, tie = inf, (-weight, used_mb, *tie)
        if not demand_memory_mb:
            return (3, ratio, tie)
        if minimum[0]:
            least_mb = min(minimum[0], demand_memory_mb)
            if used_mb < least_mb:
                return (NEEDY, used_mb / least_mb if least_mb > 1 else float(used_mb), ratio, tie)
        return (1, ratio, tie)

    def regular(self, key: Key) -> bool:
        """Always: a ratio is never NaN."""
        return True

    def compare(self, left: Key, right: Key) -> int:
        """By the parts of the keys."""
        return compare_keys(left, right)


class Drf34(SharePolicy):
    """Dominant resource fairness, over the capacity of one cluster; memory dominates where both shares are equal."""

    cluster: Amount

    def __init__(self, cluster_memory_mb: int = 0, cluster_vcores: int = 0) -> None:
        super().__init__("drf", (0, 1))
        self.cluster = (cluster_memory_mb, cluster_vcores)

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """Neediness, then the shares of the dominant and of the other dimension."""
        of_cluster = (divide(used[0], self.cluster[0]), divide(used[1], self.cluster[1]))
        dominant = 1 if of_cluster[1] > of_cluster[0] else 0
        if used[dominant] < minimum[dominant]:
            of_minimum = (divide(used[0], minimum[0]), divide(used[1], minimum[1]))
            return (NEEDY, of_minimum[dominant], of_minimum[1 - dominant], *tie)
        return (1, divide(of_cluster[dominant], weight), divide(of_cluster[1 - dominant], weight), *tie)

    def regular(self, key: Key) -> bool:
        """Tell whether neither share is NaN."""
        return not (isnan(key[1]) or isnan(key[2]))

    def compare(self, left: Key, right: Key) -> int:
        """By the parts of the keys, where NaN equals everything."""
        if left[0] != right[0]:
            return -1 if left[0] < right[0] else 1
        for one, other in ((left[1], right[1]), (left[2], right[2])):
            if one < other:
                return -1
            if one > other:
                return 1
        return compare_keys(left[3:], right[3:])


def below(policy: SharePolicy, usage: Amount, share: Amount, cluster: Amount) -> bool:
    """Tell whether a usage is less than a share: by memory or, where the policy counts vcores, by the larger part."""
    if not policy.counts_vcores:
        return usage[0] < share[0]
    if cluster[0] == 0 and cluster[1] == 0:
        return usage != share and usage[0] <= share[0] and usage[1] <= share[1]
    return usage != share and max(_parts(usage, cluster)) < max(_parts(share, cluster))


def at_least(policy: SharePolicy, amount: Amount, bound: Amount, cluster: Amount) -> bool:
    """Tell whether an amount is not less than another: by memory, or by the larger part and then by the smaller one."""
    if not policy.counts_vcores:
        return amount[0] >= bound[0]
    if amount == bound:
        return True
    if cluster[0] == 0 and cluster[1] == 0:
        return not (amount[0] <= bound[0] and amount[1] <= bound[1])
    return sorted(_parts(amount, cluster), reverse=True) >= sorted(_parts(bound, cluster), reverse=True)


def _parts(amount: Amount, cluster: Amount) -> tuple[float, float]:
    return (divide(amount[0], cluster[0]), divide(amount[1], cluster[1]))


FAIR_34: Final = FairShare34()
