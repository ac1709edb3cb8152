"""The queues of the fair scheduler of 2.7.2: how they are made and what the allocation file says of each.

They are made from the allocation file or when an application needs one, and never removed except to make room for a
queue of the other kind.

Source: QueueManager, FairSharePolicy, DominantResourceFairnessPolicy, FSLeafQueue#updateDemand,
FSParentQueue#updateDemand, FSAppAttempt#updateDemand, Hadoop 2.7.2.
"""

import math
from math import isnan
from typing import ClassVar, Final

from engine.model.cluster import Cluster
from engine.model.java_values import INT_MAX, divide, float32, int32
from engine.model.request import UNBOUNDED, full_name
from engine.schedulers.fair.order import FIFO, Amount, Key, SharePolicy, compare_keys
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.settings import FairAllocation
from engine.schedulers.fair.tree import DEFAULT, ROOT, QueueTree
from engine.state import State

# The scheduling policies fair and drf as of 2.7.2, whose ratios are float32.

_EXACT = 2**24  # Ints up to here are exact in float32


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


class FairShare27(SharePolicy):
    """Memory over weight, those below their minimum first."""

    is_constant: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__("fair")

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        used_mb = used[0]
        if minimum[0]:
            least_mb = min(minimum[0], demand_memory_mb)
            if used_mb < least_mb:
                return (0, used_mb / max(least_mb, 1), tie)
        if weight == 1.0 and used_mb <= _EXACT:
            return (1, float(used_mb), tie)
        return (1, float32(divide(float32(used_mb), weight)), tie)

    def regular(self, key: Key) -> bool:
        return not isnan(key[1])

    def compare(self, left: Key, right: Key) -> int:
        """By the parts of the keys, where NaN equals everything."""
        if left[0] != right[0]:
            return -1 if left[0] < right[0] else 1
        return _sign(left[1] - right[1]) or compare_keys(left[2], right[2])


class Drf27(SharePolicy):
    """Dominant resource fairness, over the capacity of one cluster."""

    cluster: Amount = (0, 0)

    def __init__(self) -> None:
        super().__init__("drf", (0, 1), total=False)

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """Neediness, then the shares of the dominant and of the other dimension, then start."""
        of_cluster = [_share(amount, pool, weight) for amount, pool in zip(used, self.cluster, strict=True)]
        of_minimum = [_share(amount, pool, 1.0) for amount, pool in zip(used, minimum, strict=True)]
        dominant = 0 if of_cluster[0] > of_cluster[1] else 1
        needy = of_minimum[dominant] < 1.0
        shares = of_minimum if needy else of_cluster
        return (0 if needy else 1, shares[dominant], shares[1 - dominant], tie[0])

    def regular(self, key: Key) -> bool:
        return not (isnan(key[1]) or isnan(key[2]))

    def compare(self, left: Key, right: Key) -> int:
        """By dimension, with the difference of starts cut to an int32."""
        if left[0] != right[0]:
            return -1 if left[0] < right[0] else 1
        return _sign(left[1] - right[1]) or _sign(left[2] - right[2]) or int32(left[3] - right[3])


def exceeds(policy: SharePolicy, usage: Amount, limit: Amount) -> bool:
    """Whether a usage is over a limit in a dimension that counts. Source: #checkIfUsageOverFairShare."""
    return usage[0] > limit[0] or (policy.counts_vcores and usage[1] > limit[1])


def _share(used: int, pool: int, weight: float) -> float:
    return float32(divide(float32(used), float32(float32(pool) * weight)))


FAIR_27: Final = FairShare27()


# The update pass of 2.7.2: demand from the leaves up, then shares from the root down.
#
# Adding up stops at a queue's maximum; applications and queues behind that point keep the demand they had. So the
# order of members, which is that of the last walk, is visible here.


def update_demand(tree: QueueTree[FairAllocation], size_based: bool) -> bool:
    """Recompute demand everywhere; whether any queue's demand or any weight may have changed."""
    return _update_queue(tree.root, size_based) or size_based


def _update_queue(queue: FairQueue, size_based: bool) -> bool:
    demand, most, changed = (0, 0), (queue.max_memory_mb, queue.max_vcores), False
    if isinstance(queue, FairLeaf):
        # Parked applications count, so that a queue is due a share by the time they may run.
        for attempt in (*queue.order.members, *queue.parked):
            if demand == most:
                break
            _update_attempt(attempt, size_based)
            demand = _added(demand, attempt, most)
    elif isinstance(queue, FairParent):
        for child in queue.order.members:
            changed = _update_queue(child, size_based) or changed
            demand = _added(demand, child, most)
            if demand == most:
                break
    # An order that depends on demand has to be found anew only where demand is another one.
    if demand == (queue.demand_memory_mb, queue.demand_vcores):
        return changed
    queue.demand_memory_mb, queue.demand_vcores = demand
    if queue.parent is not None:
        queue.parent.order.touch(queue.standing)
    return True


def _update_attempt(attempt: FairAttempt, size_based: bool) -> None:
    """Recompute an attempt's demand: usage and all asks, each counted at host, rack and `*`."""
    attempt.demand_memory_mb = int32(attempt.used_memory_mb + attempt.asked_memory_mb)
    attempt.demand_vcores = int32(attempt.used_vcores + attempt.asked_vcores)
    if size_based:
        # Differs: with size-based weights a demand that overflows below 0 counts as 0; Hadoop's weight is then no
        # number for ever.
        attempt.weight = float32(math.log1p(max(attempt.demand_memory_mb, 0)) / math.log(2))
        if attempt.runnable:
            attempt.queue.order.touch(attempt.standing)


def _added(demand: Amount, member: FairQueue | FairAttempt, most: Amount) -> Amount:
    """A queue's demand with that of one more member, up to its maximum; a sum wraps before it is cut."""
    memory_mb, vcores = demand[0] + member.demand_memory_mb, demand[1] + member.demand_vcores
    if 0 <= memory_mb <= most[0] and 0 <= vcores <= most[1]:
        return memory_mb, vcores
    return min(int32(memory_mb), most[0]), min(int32(vcores), most[1])


class QueueManager27(metaclass=State):
    cluster: Cluster
    tree: QueueTree[FairAllocation]
    drf: Drf27
    knows_shares: bool = True  # False where only the queues that are there are asked for; shares of many take long
    order_matters: bool = False
    """Whether the order a walk leaves behind can be seen: by ties under drf, by what a maximum or fifo cuts off."""

    def __init__(self, cluster: Cluster, allocation: FairAllocation, now_ms: int) -> None:
        self.cluster = cluster
        self.tree = QueueTree(cluster, allocation, FAIR_27, most=INT_MAX, keeps_arrival=False)
        self.drf = Drf27()
        self._configure(self.tree.root)
        self.leaf(DEFAULT, now_ms, create=True)

    def leaf(self, name: str, now_ms: int, *, create: bool) -> FairLeaf | None:
        """The leaf of this name, made if wanted; None when it is a parent, missing, or would lie under a leaf."""
        queue = self._queue(name, now_ms, leaf=True) if create else self.tree.get(name)
        return queue if isinstance(queue, FairLeaf) else None

    def _queue(self, name: str, now_ms: int, *, leaf: bool) -> FairQueue | None:
        name = full_name(name)
        queue = self.tree.queues.get(name)
        if queue is None:
            queue = self._create(name, now_ms, leaf=leaf)
            if queue is not None and self.knows_shares:
                self.tree.recompute_steady_shares(self.tree.root)
        return queue

    def _create(self, name: str, now_ms: int, *, leaf: bool) -> FairQueue | None:
        tree = self.tree
        missing = [name]
        ancestor = name.rpartition(".")[0]
        while ancestor not in tree.queues:
            missing.append(ancestor)
            ancestor = ancestor.rpartition(".")[0]
        queue = tree.queues[ancestor]
        while missing:
            if not isinstance(queue, FairParent):
                return None
            queue = tree.new(missing.pop(), queue, now_ms, leaf=leaf and not missing)
            self._set_policy(queue, tree.allocation.default_policy)
            self._configure(queue)
            tree.add(queue)
            tree.inherit(queue)
        self.cluster.version += 1
        return queue

    def load(self, allocation: FairAllocation, now_ms: int) -> None:
        """Take over a loaded file; queues come in the order of hash sets. Source: #updateAllocationConfiguration."""
        tree = self.tree
        tree.allocation = allocation
        self.drf.cluster = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        for queue in tree.queues.values():
            self._configure(queue)
        for names, leaf in ((allocation.configured_leaves, True), (allocation.configured_parents, False)):
            for name in names:
                self._make(name, now_ms, leaf=leaf)
        for queue in tree.queues.values():
            self._set_policy(queue, allocation.policy(queue.path))
        tree.recompute_steady_shares(tree.root)
        self._inherit_down(tree.root)
        tree.touch_all()

    def _make(self, name: str, now_ms: int, *, leaf: bool) -> None:
        if name == ROOT or name.startswith(DEFAULT + "."):
            return
        in_the_way = self.tree.in_the_way(name, leaf)
        if in_the_way is None or self.tree.remove_if_empty(in_the_way):
            self._queue(name, now_ms, leaf=leaf)

    def _configure(self, queue: FairQueue) -> None:
        """Copy the file's values of a queue onto it; the real one looks them up each time."""
        allocation, path = self.tree.allocation, queue.path
        queue.weight = allocation.weight(path)
        queue.min_memory_mb, queue.min_vcores = allocation.min_share(path)
        queue.max_memory_mb, queue.max_vcores = allocation.max_share(path)
        self.order_matters = self.order_matters or allocation.max_share(path) != UNBOUNDED
        queue.max_apps = allocation.queue_max_apps(path)
        queue.max_am_share = allocation.max_am_share(path)

    def _set_policy(self, queue: FairQueue, name: str) -> None:
        """Give a queue its policy; one that does not apply to its place is left out, as the real one only warns."""
        policy: SharePolicy = {"fair": FAIR_27, "fifo": FIFO, "drf": self.drf}[name]
        if queue.is_leaf or not policy.leaf_only:
            queue.policy = policy
        self.order_matters = self.order_matters or queue.policy.name != "fair"

    def _inherit_down(self, queue: FairQueue) -> None:
        self.tree.inherit(queue)
        if isinstance(queue, FairParent):
            for child in queue.order.members:
                self._inherit_down(child)

    def nodes_changed(self) -> None:
        total = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        root = self.tree.root
        root.steady_memory_mb, root.steady_vcores = total
        if root.follows_cluster:
            root.fair_memory_mb, root.fair_vcores = total
        self.drf.cluster = total
        for queue in self.tree.queues.values():
            if queue.policy is self.drf and isinstance(queue, FairParent | FairLeaf):
                queue.order.touch_all()
        self.tree.recompute_steady_shares(root)
