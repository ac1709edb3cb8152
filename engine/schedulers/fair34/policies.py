"""The three scheduling policies of a queue as of 3.x: fair, fifo and drf.

All end in start time and name, so no two members are ever equal; ratios are doubles. A policy also says how amounts
compare (its calculator) and what policies its children may have.

Source: FairSharePolicy, FifoPolicy, DominantResourceFairnessPolicy, DefaultResourceCalculator,
DominantResourceCalculator, Hadoop 3.4.1.
"""

from math import inf, isnan
from typing import Final

from engine.model.java_number import divide
from engine.schedulers.fair.policies import Amount, Drf, Key, Member, SharePolicy

NEEDY = 0
"""First part of a key: below the minimum share."""


class Policy34(SharePolicy):
    """How a queue of 3.x orders its members and compares amounts."""

    allowed_below: tuple[str, ...] = ()
    """Policies the queue's children may have."""

    def below(self, usage: Amount, share: Amount, cluster: Amount) -> bool:
        """Whether a usage is less than a share, by the dominant dimension where there are several."""
        return usage[0] < share[0]

    def at_least(self, amount: Amount, bound: Amount, cluster: Amount) -> bool:
        """Whether an amount is not less than another."""
        return amount[0] >= bound[0]


class _Fair34(Policy34):
    name = "fair"
    allowed_below = ("fair", "fifo")

    def key(self, member: Member) -> Key:
        """Wanting something, neediness, how far from the minimum, usage per weight."""
        used, weight = member.used_memory_mb, member.weight
        rank, of_minimum = 1, 0.0
        if not member.demand_memory_mb:
            rank = 3
        elif member.min_memory_mb:
            minimum = min(member.min_memory_mb, member.demand_memory_mb)
            if used < minimum:
                rank, of_minimum = NEEDY, used / minimum if minimum > 1 else float(used)
        if weight > 0:
            return (rank, of_minimum, used / weight, *member.tie)
        return (rank, of_minimum, inf, -weight, used, *member.tie)

    def regular(self, key: Key) -> bool:
        """Always: a ratio is never NaN."""
        return True

    def compare(self, left: Key, right: Key) -> int:
        """By the parts of the keys."""
        return -1 if left < right else int(left > right)


class _Fifo34(Policy34):
    name = "fifo"
    leaf_only = True

    def key(self, member: Member) -> Key:
        """Start time and name."""
        return member.tie

    def regular(self, key: Key) -> bool:
        """Always."""
        return True

    def compare(self, left: Key, right: Key) -> int:
        """By the parts of the keys."""
        return -1 if left < right else int(left > right)


class Drf34(Policy34, Drf):
    """Dominant resource fairness, over the capacity of one cluster; memory dominates where both shares are equal."""

    name = "drf"
    total = True
    dimensions = (0, 1)
    allowed_below = ("fair", "fifo", "drf")

    def key(self, member: Member) -> Key:
        """Neediness, then the shares of the dominant and of the other dimension."""
        usage, weight = (member.used_memory_mb, member.used_vcores), member.weight
        of_cluster = (divide(usage[0], self.cluster[0]), divide(usage[1], self.cluster[1]))
        dominant = 1 if of_cluster[1] > of_cluster[0] else 0
        minimum = (member.min_memory_mb, member.min_vcores)
        if usage[dominant] < minimum[dominant]:
            of_minimum = (divide(usage[0], minimum[0]), divide(usage[1], minimum[1]))
            return (NEEDY, of_minimum[dominant], of_minimum[1 - dominant], *member.tie)
        return (1, divide(of_cluster[dominant], weight), divide(of_cluster[1 - dominant], weight), *member.tie)

    def regular(self, key: Key) -> bool:
        """Whether neither share is NaN."""
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
        return -1 if left[3:] < right[3:] else int(left[3:] > right[3:])

    def below(self, usage: Amount, share: Amount, cluster: Amount) -> bool:
        """By the larger part of the cluster alone."""
        if cluster[0] == 0 and cluster[1] == 0:
            return usage != share and usage[0] <= share[0] and usage[1] <= share[1]
        return usage != share and max(_parts(usage, cluster)) < max(_parts(share, cluster))

    def at_least(self, amount: Amount, bound: Amount, cluster: Amount) -> bool:
        """By the larger part of the cluster, then by the smaller one."""
        if amount == bound:
            return True
        if cluster[0] == 0 and cluster[1] == 0:
            return not (amount[0] <= bound[0] and amount[1] <= bound[1])
        return sorted(_parts(amount, cluster), reverse=True) >= sorted(_parts(bound, cluster), reverse=True)


def _parts(amount: Amount, cluster: Amount) -> tuple[float, float]:
    return (divide(amount[0], cluster[0]), divide(amount[1], cluster[1]))


FAIR_34: Final = _Fair34()
FIFO_34: Final = _Fifo34()
