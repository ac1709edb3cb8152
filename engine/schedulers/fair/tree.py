"""The queues of a fair scheduler, by full name; what makes and configures them stands in each release's package.

Source: ComputeFairShares, FifoPolicy#computeShares, Hadoop 2.7.2 and 3.4.1.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from engine.errors import RefusedError, nearest
from engine.fork import fork
from engine.model.cluster import Cluster
from engine.model.java_values import INT_MAX, int32, parse_float, truncate
from engine.model.request import full_name
from engine.schedulers.fair.order import SharePolicy
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.settings import (
    QUEUE_SETTINGS,
    RESERVATION_RULES,
    FairAllocation,
    FairSettings,
    with_queue_setting,
)
from engine.settings.site import MAXIMA
from engine.state import Shared, State

# Fair shares: each dimension by itself, by doubling and 25 halvings, truncated per member.
#
# A ratio R is sought such that members with `w * R`, kept between their minimum and maximum, use up what is there. The
# result is the upper end of the last interval; sums of truncated shares may stay below the total, and minimums may
# take them above it. Members with equal weight and limits are counted together.
#
# 2.7 counts in int32, whose sums wrap; 3.x in int64, whose sums stay at the largest. `most` tells them apart.

ITERATIONS = 25
MAX_RATIO = 2.0**1000
"""Where doubling ends. Differs: with a weight that is no number Hadoop never ends computing shares; here it does."""

_Limits = tuple[float, int, int]  # Weight, minimum, maximum


def fair_shares(limits: Sequence[_Limits], total: int, most: int = INT_MAX) -> Mapping[_Limits, int]:
    """The share of each kind of member, given one limit per member, of a total after the fixed shares.

    >>> fair_shares([(1.0, 0, INT_MAX), (3.0, 0, INT_MAX)], 4096)
    {(1.0, 0, 2147483647): 1024, (3.0, 0, 2147483647): 3072}
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
    """Shares of siblings in one dimension (0 is memory, 1 vcores), in their order; with `steady` also of idle ones."""
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
    """Give the attempts of a leaf their shares; under fifo all to the earliest, and no others change."""
    if not attempts:
        return
    if policy.leaf_only:
        earliest = min(attempts, key=lambda attempt: attempt.started_ms)
        earliest.fair_memory_mb, earliest.fair_vcores = memory_mb, vcores
        return
    for dimension in policy.dimensions:
        _share_dimension(attempts, memory_mb if dimension == 0 else vcores, dimension, most)


def _share_dimension(attempts: Sequence[FairAttempt], total: int, dimension: int, most: int) -> None:
    limits: list[_Limits] = [(attempt.weight, 0, most) for attempt in attempts if attempt.weight > 0]
    shares = {weight: share for (weight, _, _), share in fair_shares(limits, total, most).items()}
    for attempt in attempts:
        share = shares.get(attempt.weight, 0)
        if dimension == 0:
            attempt.fair_memory_mb = share
        else:
            attempt.fair_vcores = share


ROOT = "root"
DEFAULT = "root.default"

_Allocation = TypeVar("_Allocation", bound=FairAllocation)


class QueueTree(Generic[_Allocation], metaclass=State):
    cluster: Cluster
    allocation: Shared[_Allocation]
    most: int
    new_policy: SharePolicy
    keeps_arrival: bool
    root: FairParent
    queues: dict[str, FairQueue]
    leaves: list[FairLeaf] = []  # In order of creation

    def __init__(
        self, cluster: Cluster, allocation: _Allocation, policy: SharePolicy, *, most: int, keeps_arrival: bool
    ) -> None:
        """The root alone; new queues have `policy` at first, `keeps_arrival` is of `MemberOrder`."""
        self.cluster = cluster
        self.allocation = allocation
        self.most = most
        self.new_policy = policy
        self.keeps_arrival = keeps_arrival
        self.root = FairParent(ROOT, None, policy, keeps_arrival=keeps_arrival)
        self.queues = {ROOT: self.root}

    def get(self, name: str) -> FairQueue | None:
        """The queue of this name, with or without `root.`."""
        return self.queues.get(full_name(name))

    def new(self, path: str, parent: FairParent, now_ms: int, *, leaf: bool) -> FairQueue:
        if leaf:
            return FairLeaf(path, parent, self.new_policy, now_ms, keeps_arrival=self.keeps_arrival)
        return FairParent(path, parent, self.new_policy, keeps_arrival=self.keeps_arrival)

    def add(self, queue: FairQueue) -> None:
        assert queue.parent is not None, "there is one root"
        queue.parent.order.add(queue.standing)
        self.queues[queue.path] = queue
        if isinstance(queue, FairLeaf):
            self.leaves.append(queue)

    def remove(self, queue: FairQueue) -> None:
        if isinstance(queue, FairParent):
            for child in list(queue.order.members):
                self.remove(child)
        elif isinstance(queue, FairLeaf):
            self.leaves.remove(queue)
        del self.queues[queue.path]
        if queue.parent is not None:
            queue.parent.order.remove(queue.standing)

    def remove_if_empty(self, queue: FairQueue) -> bool:
        """Take a queue out unless an application is in it or below; whether it is out."""
        if not all(leaf.is_empty for leaf in queue.leaves()):
            return False
        self.remove(queue)
        return True

    def in_the_way(self, name: str, leaf: bool) -> FairQueue | None:
        """The queue that must go before there can be one of this name and kind: of the other kind, or a leaf above."""
        if name == ROOT or name.startswith(DEFAULT + "."):
            return None
        queue = self.queues.get(name)
        if queue is not None:
            return None if queue.is_leaf == leaf else queue
        ancestor = name.rpartition(".")[0]
        while ancestor:
            above = self.queues.get(ancestor)
            if isinstance(above, FairLeaf):
                return above
            ancestor = ancestor.rpartition(".")[0]
        return None

    def touch_all(self) -> None:
        for queue in self.queues.values():
            if isinstance(queue, FairParent | FairLeaf):
                queue.order.touch_all()
        self.cluster.version += 1

    def inherit(self, queue: FairQueue) -> None:
        """Set timeouts and threshold from the file or the parent. Source: FSQueue#updatePreemptionVariables."""
        allocation, path, parent = self.allocation, queue.path, queue.parent
        queue.min_share_timeout_ms = allocation.min_share_timeout_ms(path)
        queue.fair_share_timeout_ms = allocation.fair_share_timeout_ms(path)
        queue.threshold = allocation.fair_share_threshold(path)
        if parent is None:
            return
        if queue.min_share_timeout_ms == -1:
            queue.min_share_timeout_ms = parent.min_share_timeout_ms
        if queue.fair_share_timeout_ms == -1:
            queue.fair_share_timeout_ms = parent.fair_share_timeout_ms
        if queue.threshold < 0:
            queue.threshold = parent.threshold

    def update_shares(self, *, counts_attempts: bool) -> bool:
        """Recompute instantaneous shares everywhere; whether any queue's changed, or any attempt's where they count."""
        root, cluster = self.root, self.cluster
        total = (cluster.total_memory_mb, cluster.total_vcores)
        changed = total != (root.fair_memory_mb, root.fair_vcores)
        root.fair_memory_mb, root.fair_vcores = total
        return self._share_below(root, counts_attempts) or changed

    def _share_below(self, queue: FairQueue, counts_attempts: bool) -> bool:
        if isinstance(queue, FairLeaf):
            members = queue.order.members
            before = [(attempt.fair_memory_mb, attempt.fair_vcores) for attempt in members] if counts_attempts else []
            share_out(members, queue.policy, queue.fair_memory_mb, queue.fair_vcores, self.most)
            return counts_attempts and before != [(attempt.fair_memory_mb, attempt.fair_vcores) for attempt in members]
        assert isinstance(queue, FairParent), "a queue is a leaf or a parent"
        changed = share_children(queue, self.most)
        for child in queue.order.members:
            changed = self._share_below(child, counts_attempts) or changed
        return changed

    def recompute_steady_shares(self, parent: FairParent) -> None:
        """Shares as if every queue were busy; for display only."""
        children = parent.order.members
        if not children:
            return
        for dimension in parent.policy.dimensions:
            total = parent.steady_memory_mb if dimension == 0 else parent.steady_vcores
            shares = queue_shares(children, total, dimension, self.most, steady=True)
            for child, share in zip(children, shares, strict=True):
                if dimension == 0:
                    child.steady_memory_mb = share
                else:
                    child.steady_vcores = share
        for child in children:
            if isinstance(child, FairParent):
                self.recompute_steady_shares(child)


# Settings of the fair scheduler that an operator may change while it runs.

SWITCHES = ("preemption", "preemption.threshold", "reservation.rule", "reservation.ratio")
"""Switches of the scheduler as a whole."""


def change_settings(
    settings: FairSettings,
    allocation: _Allocation,
    values: Mapping[str, str],
    change_queue: Callable[[_Allocation, str, str], _Allocation],
) -> _Allocation:
    """Change settings, in place, all or none; the allocation to be loaded, the same one where no queue changes.

    `values` are one of `SWITCHES`, or `queue.<path>.<element>` as in the file; `change_queue` gives an allocation with
    one value of one queue replaced. Raises RefusedError with `IllegalArgumentException` for an unknown key or value.
    """
    changed = fork(settings)
    for key, value in values.items():
        if key.startswith("queue."):
            allocation = change_queue(allocation, key, value)
        else:
            _change_switch(changed, key, value)
    settings.take_over(changed)
    return allocation


def _change_switch(settings: FairSettings, key: str, value: str) -> None:
    """Throw a switch of the whole scheduler, or raise RefusedError with `IllegalArgumentException`."""
    if key == "preemption" and value in ("true", "false"):
        settings.preemption = value == "true"
    elif key == "reservation.rule" and value in RESERVATION_RULES:
        settings.reservation_rule = value
    elif key == "reservation.ratio":
        settings.reservable_nodes = _ratio(key, value)
    elif key == "preemption.threshold":
        settings.utilization_threshold = _ratio(key, value)
    elif key in [each.name for each in MAXIMA]:
        raise RefusedError(
            "UnsupportedOperationException", f"{key} is read when a ResourceManager starts; it takes a restart"
        )
    elif key in SWITCHES:
        raise _refused(f"{key} cannot be {value!r}")
    else:
        raise _refused(f"there is no setting {key}", nearest(key, (*SWITCHES, "queue.<path>.<element>")))


def change_queue(tree: QueueTree[_Allocation], allocation: _Allocation, key: str, value: str) -> _Allocation:
    """An allocation with one value of one queue replaced, by `queue.<full path>.<element>` and its text in the file.

    Raises RefusedError with `IllegalArgumentException` for an unknown queue or element or an unreadable value.
    """
    path, _, element = key.removeprefix("queue.").rpartition(".")
    queue = tree.get(path)
    if queue is None:
        raise _refused(f"there is no queue {path}", nearest(path, tree.queues))
    try:
        return with_queue_setting(allocation, queue.path, element, value)
    except KeyError:
        raise _refused(f"a queue has no setting {element}", nearest(element, QUEUE_SETTINGS)) from None
    except ValueError as error:
        raise _refused(f"{key}: {error}") from error


def _ratio(key: str, value: str) -> float:
    try:
        return parse_float(value)
    except ValueError as error:
        raise _refused(f"{key}: {error}") from error


def _refused(message: str, hint: str = "") -> RefusedError:
    return RefusedError("IllegalArgumentException", f"{message}; {hint}" if hint else message)
