"""The queues of the fair scheduler of 3.x: how they are made and what the allocation file says of each.

Unlike in 2.7 there is no `root.default` of its own, a queue that is not in the allocation file goes when it is empty,
a policy may forbid that of a child, and maximums may be parts of the cluster.

Source: QueueManager, FSQueue, FairScheduler#applyChildDefaults, FairSharePolicy, DominantResourceFairnessPolicy,
DefaultResourceCalculator, DominantResourceCalculator, FSLeafQueue#updateDemand, FSParentQueue#updateDemand,
#updateInternal, Hadoop 3.4.1.
"""

import math
from collections.abc import Mapping
from itertools import pairwise
from math import inf, isnan
from typing import ClassVar, Final

from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.java_values import LONG_MAX, divide, float32
from engine.model.request import Resource, full_name
from engine.schedulers.fair.order import FIFO, Amount, Key, SharePolicy, compare_keys
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.tree import ROOT, QueueTree, change_queue
from engine.schedulers.fair34.placement import trimmed
from engine.schedulers.fair34.settings import UNBOUNDED_34, UNLIMITED, Amount34, FairAllocation34, parse_amount
from engine.state import State

# The scheduling policies fair and drf as of 3.x, whose ratios are doubles, and how amounts compare under a policy.
#
# All keys end in start time and name, so no two members are ever equal.

NEEDY = 0  # First part of a key: below the minimum share

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


class Drf34(SharePolicy):
    """Dominant resource fairness, over the capacity of one cluster; memory dominates where both shares are equal."""

    cluster: Amount = (0, 0)

    def __init__(self) -> None:
        super().__init__("drf", (0, 1))

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """Neediness, then the shares of the dominant and of the other dimension."""
        of_cluster = (divide(used[0], self.cluster[0]), divide(used[1], self.cluster[1]))
        dominant = 1 if of_cluster[1] > of_cluster[0] else 0
        if used[dominant] < minimum[dominant]:
            of_minimum = (divide(used[0], minimum[0]), divide(used[1], minimum[1]))
            return (NEEDY, of_minimum[dominant], of_minimum[1 - dominant], *tie)
        return (1, divide(of_cluster[dominant], weight), divide(of_cluster[1 - dominant], weight), *tie)

    def regular(self, key: Key) -> bool:
        return not (isnan(key[1]) or isnan(key[2]))

    def compare(self, left: Key, right: Key) -> int:
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


# The update pass of 3.x: demand from the leaves up, then shares from the root down; every queue is always visited.


def update_demand(queue: FairQueue, size_based: bool) -> bool:
    """Recompute demand in a queue and below; whether any changed."""
    memory_mb = vcores = 0
    changed = False
    if isinstance(queue, FairLeaf):
        for attempts in (queue.order.members, queue.parked):
            for attempt in attempts:
                before = (attempt.demand_memory_mb, attempt.demand_vcores)
                _update_attempt(attempt, size_based)
                changed = changed or before != (attempt.demand_memory_mb, attempt.demand_vcores)
                memory_mb += attempt.demand_memory_mb
                vcores += attempt.demand_vcores
    elif isinstance(queue, FairParent):
        for child in queue.order.members:
            changed = update_demand(child, size_based) or changed
            memory_mb += child.demand_memory_mb
            vcores += child.demand_vcores
    demand = (min(memory_mb, queue.max_memory_mb), min(vcores, queue.max_vcores))
    if demand == (queue.demand_memory_mb, queue.demand_vcores):
        return changed
    queue.demand_memory_mb, queue.demand_vcores = demand
    if queue.parent is not None:
        queue.parent.order.touch(queue.standing)
    return True


def _update_attempt(attempt: FairAttempt, size_based: bool) -> None:
    """Recompute an attempt's demand: usage and what is asked anywhere. Source: FSAppAttempt#updateDemand."""
    memory_mb, vcores = attempt.used_memory_mb, attempt.used_vcores
    if attempt.pending:
        for group in attempt.groups.values():
            anywhere = group.anywhere
            if anywhere is not None and anywhere.count > 0:
                memory_mb += anywhere.memory_mb * anywhere.count
                vcores += anywhere.vcores * anywhere.count
    if size_based:
        attempt.weight = float32(math.log1p(memory_mb) / math.log(2))
    if attempt.runnable and (size_based or (memory_mb == 0) != (attempt.demand_memory_mb == 0)):
        attempt.queue.order.touch(attempt.standing)
    attempt.demand_memory_mb, attempt.demand_vcores = memory_mb, vcores


_AMOUNTS = {"maxResources": "maximums", "maxChildResources": "child_maximums"}
"""Elements of a queue in any spelling of 3.x → where the allocation keeps them."""


class Available(metaclass=State):
    """Free amounts in the root queue's metrics; brought up to date at certain points, not with every container."""

    memory_mb: int = 0
    vcores: int = 0

    def refresh(self, cluster: Cluster) -> None:
        self.memory_mb = cluster.total_memory_mb - cluster.used_memory_mb
        self.vcores = cluster.total_vcores - cluster.used_vcores


class QueueLimits(metaclass=State):
    """The limits of a queue that 3.x has beyond those of both releases."""

    maximum: Amount34 = UNLIMITED
    """As the file has it; the queue's `max_memory_mb` and `max_vcores` are what that is now."""
    child_maximum: Amount34 | None = None
    """`maxChildResources` of a parent: the maximum of queues below that are not in the file."""
    container_maximum: Resource = UNBOUNDED_34
    is_dynamic: bool = True  # Whether it is not in the allocation file; then it goes when it is empty
    is_preemptable: bool = True


class QueueManager34(metaclass=State):
    cluster: Cluster
    tree: QueueTree[FairAllocation34]
    limits: dict[str, QueueLimits]  # By full queue name
    drf: Drf34
    available: Available
    pending_removals: list[tuple[str, bool]] = []
    """Queues of the file, and whether a leaf, that wait for one of the other kind to become empty."""

    def __init__(self, cluster: Cluster, allocation: FairAllocation34) -> None:
        self.cluster = cluster
        self.tree = QueueTree(cluster, allocation, FAIR_34, most=LONG_MAX, keeps_arrival=True)
        self.limits = {ROOT: QueueLimits()}
        self.limits[ROOT].is_dynamic = False
        self.drf = Drf34()
        self.available = Available()
        root = self.tree.root
        self._configure(root)
        root.policy = self._policy(allocation.policy(ROOT))
        self._inherit(root)

    def leaf(self, name: str, now_ms: int, *, create: bool) -> FairLeaf | None:
        """The leaf of this name, made if wanted; None when it is a parent, missing, or may not be there."""
        name = full_name(name)
        queue = self.tree.queues.get(name)
        if queue is None and create:
            queue = self._create(name, now_ms, leaf=True)
            if queue is not None:
                self.tree.recompute_steady_shares(self.tree.root)
        return queue if isinstance(queue, FairLeaf) else None

    # ---------------------------------------------------------------- what placement rules ask

    def is_configured(self, queue: str) -> bool:
        limits = self.limits.get(full_name(queue))
        return limits is not None and not limits.is_dynamic

    def is_leaf(self, queue: str) -> bool:
        return isinstance(self.tree.get(queue), FairLeaf)

    # ---------------------------------------------------------------- making, removing

    def _create(self, name: str, now_ms: int, *, leaf: bool) -> FairQueue | None:
        """Make a queue and the missing ones above it; None where a leaf or a policy stands in the way.

        What was made before a policy stood in the way stays. Source: QueueManager#createQueue, Hadoop 3.4.1. Raises
        RefusedError with `InvalidQueueNameException`.
        """
        tree = self.tree
        missing: list[str] = []
        path = name
        while path not in tree.queues:
            above, _, own = path.rpartition(".")
            if not own or own != trimmed(own):
                raise RefusedError("InvalidQueueNameException", f"{own!r} in {name!r} is not a queue name")
            missing.append(path)
            path = above
        parent = tree.queues[path]
        while missing:
            if not isinstance(parent, FairParent):
                return None
            policy = self._policy(tree.allocation.policy(missing[-1]))
            if not _allows(parent.policy, policy) or (policy.leaf_only and not (leaf and len(missing) == 1)):
                return None
            path = missing.pop()
            parent = self._make(path, parent, now_ms, leaf=leaf and not missing)
        self.cluster.version += 1
        return parent

    def forbidden_by(self, name: str) -> str:
        """Return the policies that keep a queue from being made, and what would allow it; empty where none do."""
        names = full_name(name).split(".")
        paths = [".".join(names[:length]) for length in range(1, len(names) + 1)]
        for above, path in pairwise(paths):
            outer, inner = (self.tree.allocation.policy(each) for each in (above, path))
            if path not in self.tree.queues and inner not in ALLOWED_BELOW[outer]:
                return f"schedulingPolicy {inner} of {path} is not allowed below {outer} of {above}; {above} needs drf"
        return ""

    def _make(self, path: str, parent: FairParent, now_ms: int, *, leaf: bool) -> FairQueue:
        queue = self.tree.new(path, parent, now_ms, leaf=leaf)
        self.limits[path] = QueueLimits()
        queue.policy = self._policy(self.tree.allocation.policy(path))
        self._configure(queue)
        self._inherit(queue)
        self._limit_as_child(queue)
        self.tree.add(queue)
        return queue

    def remove_empty(self, now_ms: int) -> None:
        """Remove empty queues that are not in the file, and make those of the file that waited for room.

        Steady shares stay as they are. Source: #removeEmptyDynamicQueues, #removePendingIncompatibleQueues.
        """
        queues = self.tree.queues
        for queue in list(queues.values()):
            childless = not isinstance(queue, FairParent) or not queue.order.members
            each = queue if childless and queues.get(queue.path) is queue else None
            while each is not None and self.limits[each.path].is_dynamic and self._remove_if_empty(each):
                self.cluster.version += 1
                each = each.parent
        for name, leaf in list(self.pending_removals):
            in_the_way = self.tree.in_the_way(name, leaf)
            if in_the_way is None:
                self.pending_removals.remove((name, leaf))
            elif self._remove_if_empty(in_the_way):
                self.pending_removals.remove((name, leaf))
                self._make_static(name, now_ms, leaf, only_if_configured=True)

    def _remove_if_empty(self, queue: FairQueue) -> bool:
        if not self.tree.remove_if_empty(queue):
            return False
        self.limits = {path: limits for path, limits in self.limits.items() if path in self.tree.queues}
        return True

    def _make_static(self, name: str, now_ms: int, leaf: bool, *, only_if_configured: bool = False) -> None:
        queue = self.tree.queues.get(name) or self._create(name, now_ms, leaf=leaf)
        if queue is not None and (not only_if_configured or name in self.tree.allocation.configured):
            self.limits[queue.path].is_dynamic = False

    # ---------------------------------------------------------------- configuration

    def load(self, allocation: FairAllocation34, now_ms: int) -> None:
        """Take over a loaded file: policies where they may stand, its queues, then what it says on every queue.

        Raises RefusedError with `NullPointerException`, as in Hadoop: a queue that left the file is not there any more.
        What was done before stays.

        Source: FairScheduler.AllocationReloadListener#onReload, QueueManager#updateAllocationConfiguration, 3.4.1.
        """
        tree = self.tree
        former = tree.allocation.configured
        tree.allocation = allocation
        self._verify_policies(tree.root)
        for names, leaf in ((allocation.configured_leaves, True), (allocation.configured_parents, False)):
            for name in map(full_name, names):
                in_the_way = tree.in_the_way(name, leaf)
                if in_the_way is None or self._remove_if_empty(in_the_way):
                    self._make_static(name, now_ms, leaf)
                else:
                    self.pending_removals.append((name, leaf))
        self._configure_down(tree.root)
        tree.recompute_steady_shares(tree.root)
        tree.touch_all()
        for name in sorted(former - allocation.configured):
            limits = self.limits.get(full_name(name))
            if limits is None:
                raise RefusedError("NullPointerException", f"{name} left the file and is not there any more")
            limits.is_dynamic = True
        for queue in tree.queues.values():
            self._limit_as_child(queue)
        tree.touch_all()

    def _policy(self, name: str) -> SharePolicy:
        return {"fair": FAIR_34, "fifo": FIFO, "drf": self.drf}[name]

    def _verify_policies(self, queue: FairQueue) -> bool:
        allocation = self.tree.allocation
        policy = self._policy(allocation.policy(queue.path))
        if isinstance(queue, FairParent):
            for child in queue.order.members:
                if not _allows(policy, self._policy(allocation.policy(child.path))):
                    return False
                if not self._verify_policies(child):
                    return False
        queue.policy = policy
        return True

    def _configure_down(self, queue: FairQueue) -> None:
        self._configure(queue)
        self._inherit(queue)
        if isinstance(queue, FairParent):
            for child in queue.order.members:
                self._configure_down(child)

    def _configure(self, queue: FairQueue) -> None:
        """Copy the file's values of a queue onto it. Source: AllocationConfiguration#initFSQueue."""
        allocation, path, limits = self.tree.allocation, queue.path, self.limits[queue.path]
        queue.weight = allocation.weight(path)
        queue.min_memory_mb, queue.min_vcores = allocation.min_share(path)
        queue.max_apps = allocation.queue_max_apps(path)
        queue.max_am_share = allocation.max_am_share(path)
        limits.maximum = allocation.maximum_of(path)
        limits.container_maximum = allocation.container_maximum(path)
        limits.child_maximum = None if queue.is_leaf else allocation.child_maximums.get(path)
        self._refresh_maximum(queue)

    def _limit_as_child(self, queue: FairQueue) -> None:
        most = self.limits[queue.parent.path].child_maximum if queue.parent is not None else None
        if most is not None and queue.path not in self.tree.allocation.configured:
            self.limits[queue.path].maximum = most
            self._refresh_maximum(queue)

    def _refresh_maximum(self, queue: FairQueue) -> None:
        """Compute a queue's maximum for the cluster as it is. Source: FSQueue#getMaxShare."""
        maximum = self.limits[queue.path].maximum.of(self.cluster.total_memory_mb, self.cluster.total_vcores)
        queue.max_memory_mb = max(maximum.memory_mb, queue.min_memory_mb)
        queue.max_vcores = max(maximum.vcores, queue.min_vcores)

    def _inherit(self, queue: FairQueue) -> None:
        self.tree.inherit(queue)
        may_be = queue.parent is None or self.limits[queue.parent.path].is_preemptable
        self.limits[queue.path].is_preemptable = may_be and queue.path not in self.tree.allocation.not_preemptable

    def container_maximum(self, name: str) -> Resource:
        """The largest container of a queue, as the nearest queue above that says one has it; unbounded without."""
        queue = self.tree.get(name)
        while queue is not None:
            own = self.limits[queue.path].container_maximum
            if own != UNBOUNDED_34:
                return own
            queue = queue.parent
        return UNBOUNDED_34

    # ---------------------------------------------------------------- nodes, copying

    def nodes_changed(self) -> None:
        total = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        root = self.tree.root
        root.steady_memory_mb, root.steady_vcores = total
        self.drf.cluster = total
        for queue in self.tree.queues.values():
            if self.limits[queue.path].maximum.fixed is None:
                self._refresh_maximum(queue)
            if queue.policy is self.drf and isinstance(queue, FairParent | FairLeaf):
                queue.order.touch_all()
        self.tree.recompute_steady_shares(root)
        self.available.refresh(self.cluster)


def _allows(policy: SharePolicy, below: SharePolicy) -> bool:
    return below.name in ALLOWED_BELOW[policy.name]


def change_queue_34(
    tree: QueueTree[FairAllocation34], allocation: FairAllocation34, key: str, value: str
) -> FairAllocation34:
    """An allocation with one value of one queue replaced; maximums in any spelling of 3.x.

    Raises RefusedError with `IllegalArgumentException` for an unknown queue or element or an unreadable value.
    """
    path, _, element = key.removeprefix("queue.").rpartition(".")
    queue = tree.get(path)
    if queue is None or element not in _AMOUNTS:
        return change_queue(tree, allocation, key, value)
    try:
        amount = parse_amount(value.strip())
    except ValueError as error:
        raise RefusedError("IllegalArgumentException", f"{key}: {error}") from error
    changed = allocation.copy()
    getattr(changed, _AMOUNTS[element])[queue.path] = amount
    return changed
