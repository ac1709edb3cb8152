"""Fair shares: each dimension by itself, by doubling and 25 halvings, truncated per member.

A ratio R is sought such that members with `w * R`, kept between their minimum and maximum, use up what is there. The
result is the upper end of the last interval; sums of truncated shares may stay below the total, and minimums may take
them above it. Members with equal weight and limits are counted together.

2.7 counts in int32, whose sums wrap; 3.x in int64, whose sums stay at the largest. `most` tells them apart.

Source: ComputeFairShares, FifoPolicy#computeShares, Hadoop 2.7.2 and 3.4.1.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from engine.model.java_number import INT_MAX, int32, truncate
from engine.schedulers.fair.policies import SharePolicy
from engine.schedulers.fair.schedulable import FairAttempt, FairParent, FairQueue

ITERATIONS = 25
MAX_RATIO = 2.0**1000
"""Where doubling ends. Differs: with a weight that is no number Hadoop never ends computing shares; here it does."""

_Limits = tuple[float, int, int]
"""Weight, minimum, maximum."""


def fair_shares(limits: Sequence[_Limits], total: int, most: int = INT_MAX) -> Mapping[_Limits, int]:
    """The share of each kind of member, none of which has a fixed share.

    >>> fair_shares([(1.0, 0, INT_MAX), (3.0, 0, INT_MAX)], 4096)
    {(1.0, 0, 2147483647): 1024, (3.0, 0, 2147483647): 3072}

    Args:
        limits: One (weight, minimum, maximum) per member.
        total: What is there to share, after the fixed shares.
        most: The largest amount there can be: 2^31 - 1 in 2.7, 2^63 - 1 in 3.x.
    """
    if not limits:
        return {}
    return _solve(tuple(Counter(limits).items()), total, most)


@lru_cache(maxsize=4096)
def _solve(kinds: tuple[tuple[_Limits, int], ...], total: int, largest: int) -> Mapping[_Limits, int]:
    """The share of each kind; remembered, since most passes find the members of the last one."""
    most = min(sum(maximum * count for (_, _, maximum), count in kinds), largest)
    total = min(max(total, 0), most)

    def used(ratio: float) -> int:
        taken = sum(_share(kind, ratio, largest) * count for kind, count in kinds)
        return int32(taken) if largest == INT_MAX else min(taken, largest)

    right = 1.0
    # Doubling finds a ratio that is too large; halving then comes within a rounding of the right one.
    while used(right) < total and right < MAX_RATIO:
        right *= 2.0
    left = 0.0
    for _ in range(ITERATIONS):
        middle = (left + right) / 2.0
        planned = used(middle)
        if planned == total:
            right = middle
            break
        if planned < total:
            left = middle
        else:
            right = middle
    return {kind: _share(kind, right, largest) for kind, _ in kinds}


def _share(kind: _Limits, ratio: float, largest: int) -> int:
    weight, minimum, maximum = kind
    share = min(max(weight * ratio, minimum), maximum)
    return truncate(share) if largest == INT_MAX else min(int(share), largest)


def queue_shares(queues: Sequence[FairQueue], total: int, dimension: int, most: int, *, steady: bool) -> list[int]:
    """Shares of sibling queues in one dimension, in their order.

    `dimension` is 0 for memory, 1 for vcores; with `steady` idle queues count too.
    """
    shares: list[int | None] = []
    limits: list[_Limits] = []
    taken = 0
    for queue in queues:
        limit = _limits_of(queue, dimension)
        fixed = _fixed_share(limit, steady or queue.runnable_count > 0)
        # A queue without a running application takes no part, so that its share goes to the others.
        shares.append(fixed)
        if fixed is None:
            limits.append(limit)
        else:
            taken = min(taken + fixed, most)
    free = fair_shares(limits, int32(total - taken) if most == INT_MAX else total - taken, most)
    return [
        free[_limits_of(queue, dimension)] if share is None else share
        for queue, share in zip(queues, shares, strict=True)
    ]


def share_children(parent: FairParent, most: int) -> bool:
    """Give the children of a queue their instantaneous shares; whether any changed."""
    children, changed = parent.order.members, False
    for dimension in parent.policy.dimensions:
        total = parent.fair_memory_mb if dimension == 0 else parent.fair_vcores
        shares = queue_shares(children, total, dimension, most, steady=False)
        for child, share in zip(children, shares, strict=True):
            if dimension == 0:
                changed = changed or child.fair_memory_mb != share
                child.fair_memory_mb = share
            else:
                changed = changed or child.fair_vcores != share
                child.fair_vcores = share
    return changed


def _limits_of(queue: FairQueue, dimension: int) -> _Limits:
    if dimension == 0:
        return (queue.weight, queue.min_memory_mb, queue.max_memory_mb)
    return (queue.weight, queue.min_vcores, queue.max_vcores)


def _fixed_share(limit: _Limits, active: bool) -> int | None:
    """The share of a queue that takes no part in the sharing; None when it does."""
    weight, minimum, maximum = limit
    if maximum <= 0 or not active:
        return 0
    if weight <= 0:
        return max(minimum, 0)
    return None


def share_out(attempts: Sequence[FairAttempt], policy: SharePolicy, memory_mb: int, vcores: int, most: int) -> None:
    """Give the attempts of a leaf their shares.

    Under fifo the earliest gets everything and the others keep what they had.
    """
    if not attempts:
        return
    if policy.leaf_only:
        earliest = min(attempts, key=lambda attempt: attempt.started_ms)
        earliest.fair_memory_mb, earliest.fair_vcores = memory_mb, vcores
        return
    for dimension in policy.dimensions:
        _share_dimension(attempts, memory_mb if dimension == 0 else vcores, dimension, most)


def _share_dimension(attempts: Sequence[FairAttempt], total: int, dimension: int, most: int) -> None:
    shares: dict[float, int] = {}
    limits: list[_Limits] = [(attempt.weight, 0, most) for attempt in attempts if attempt.weight > 0]
    for (weight, _, _), share in fair_shares(limits, total, most).items():
        shares[weight] = share
    for attempt in attempts:
        share = shares.get(attempt.weight, 0)
        if dimension == 0:
            attempt.fair_memory_mb = share
        else:
            attempt.fair_vcores = share
