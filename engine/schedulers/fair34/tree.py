"""The queues of the fair scheduler of 3.x, by full name.

Unlike in 2.7 there is no `root.default` of its own, a queue that is not in the allocation file goes when it is empty,
a policy may forbid that of a child, and maximums may be parts of the cluster.

Source: QueueManager, FSQueue, FairScheduler#applyChildDefaults, Hadoop 3.4.1.
"""

from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.java_values import LONG_MAX
from engine.model.resource import Resource
from engine.schedulers.fair.policies import SharePolicy
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.tree import DEFAULT, ROOT, QueueTree, full_name
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.fair34.placement import trimmed
from engine.schedulers.fair34.policies import FAIR_34, FIFO_34, Drf34, Policy34
from engine.schedulers.fair34.resources import UNBOUNDED_34
from engine.schedulers.fair34.schedulable import Available, FairLeaf34, FairParent34, is_empty


class QueueTree34(QueueTree):
    """All queues by full name."""

    most = LONG_MAX
    allocation: FairAllocation34

    def __init__(self, cluster: Cluster, allocation: FairAllocation34) -> None:
        self.cluster = cluster
        self.allocation = allocation
        self.drf = Drf34()
        self.order_matters = False
        self.available = Available()
        self.pending_removals: list[tuple[str, bool]] = []
        """Queues of the file, and whether a leaf, that wait for one of the other kind to become empty."""
        root = FairParent34(ROOT, None)
        root.is_dynamic = False
        self.root = root
        self.queues = {ROOT: root}
        self.leaves = []
        self._configure(root)
        self._set_policy(root, allocation.policy(ROOT))
        self._inherit(root)

    # ---------------------------------------------------------------- what placement rules ask

    def is_configured(self, queue: str) -> bool:
        """Whether the queue is there and came from the allocation file."""
        found = self.get(queue)
        return isinstance(found, FairLeaf34 | FairParent34) and not found.is_dynamic

    def is_leaf(self, queue: str) -> bool:
        """Whether the queue is there and is a leaf."""
        return isinstance(self.get(queue), FairLeaf34)

    # ---------------------------------------------------------------- making, removing

    def _create(self, name: str, now_ms: int, leaf: bool) -> FairQueue | None:
        """Make a queue and the missing ones above it; None where a leaf or a policy stands in the way.

        What was made before a policy stood in the way stays. Source: QueueManager#createQueue, Hadoop 3.4.1.

        Raises:
            RefusedError: `InvalidQueueNameException`.
        """
        missing: list[str] = []
        path = name
        while path not in self.queues:
            above, _, own = path.rpartition(".")
            if not own or own != trimmed(own):
                raise RefusedError("InvalidQueueNameException", f"{own!r} in {name!r} is not a queue name")
            missing.append(path)
            path = above
        parent: FairQueue = self.queues[path]
        while missing:
            if not isinstance(parent, FairParent34):
                return None
            policy = self._policy(self.allocation.policy(missing[-1]))
            if not _allows(parent.policy, policy) or (policy.leaf_only and not (leaf and len(missing) == 1)):
                return None
            path = missing.pop()
            parent = self._make(path, parent, now_ms, leaf=leaf and not missing)
        self.cluster.version += 1
        return parent

    def _make(self, path: str, parent: FairParent34, now_ms: int, *, leaf: bool) -> FairQueue:
        queue = FairLeaf34(path, parent, now_ms, self.available) if leaf else FairParent34(path, parent)
        self._set_policy(queue, self.allocation.policy(path))
        self._configure(queue)
        self._inherit(queue)
        parent.order.add(queue)
        self._limit_as_child(queue)
        self.queues[path] = queue
        if isinstance(queue, FairLeaf34):
            self.leaves.append(queue)
        return queue

    def _conflict(self, name: str, leaf: bool) -> bool | None:
        """Whether an empty queue of the other kind was removed to make room; None when there was none."""
        if name == ROOT or name.startswith(DEFAULT + "."):
            return None
        queue = self.queues.get(name)
        if queue is not None:
            return None if queue.is_leaf == leaf else self._remove_if_empty(queue)
        ancestor = name.rpartition(".")[0]
        while ancestor:
            above = self.queues.get(ancestor)
            if isinstance(above, FairLeaf34):
                return self._remove_if_empty(above)
            ancestor = ancestor.rpartition(".")[0]
        return None

    def remove_empty(self, now_ms: int) -> None:
        """Remove empty queues that are not in the file, and make those of the file that waited for room.

        Steady shares stay as they are. Source: #removeEmptyDynamicQueues, #removePendingIncompatibleQueues.
        """
        for queue in list(self.queues.values()):
            childless = not isinstance(queue, FairParent34) or not queue.order.members
            if childless and self.queues.get(queue.path) is queue:
                self._remove_dynamic(queue)
        for name, leaf in list(self.pending_removals):
            removed = self._conflict(name, leaf)
            if removed is False:
                continue
            self.pending_removals.remove((name, leaf))
            if removed:
                self._make_static(name, now_ms, leaf, only_if_configured=True)

    def _remove_dynamic(self, queue: FairQueue | None) -> None:
        while isinstance(queue, FairLeaf34 | FairParent34) and queue.is_dynamic and is_empty(queue):
            self._remove(queue)
            self.cluster.version += 1
            queue = queue.parent

    def _make_static(self, name: str, now_ms: int, leaf: bool, *, only_if_configured: bool = False) -> None:
        queue = self.queues.get(name) or self._create(name, now_ms, leaf)
        if isinstance(queue, FairLeaf34 | FairParent34) and (
            not only_if_configured or name in self.allocation.configured
        ):
            queue.is_dynamic = False

    # ---------------------------------------------------------------- configuration

    def load_34(self, allocation: FairAllocation34, now_ms: int) -> None:
        """Take over a loaded file: policies where they may stand, its queues, then what it says on every queue.

        Raises:
            RefusedError: `NullPointerException`, as in Hadoop: a queue that left the file is not there any more. What
                was done before stays.

        Source: FairScheduler.AllocationReloadListener#onReload, QueueManager#updateAllocationConfiguration, 3.4.1.
        """
        former = self.allocation.configured
        self.allocation = allocation
        self._verify_policies(self.root)
        for names, leaf in ((allocation.configured_leaves, True), (allocation.configured_parents, False)):
            for name in map(full_name, names):
                if self._conflict(name, leaf) is False:
                    self.pending_removals.append((name, leaf))
                else:
                    self._make_static(name, now_ms, leaf)
        self._configure_down(self.root)
        self.recompute_steady_shares(self.root)
        self.touch_all()
        for name in sorted(former - allocation.configured):
            queue = self.queues.get(full_name(name))
            if not isinstance(queue, FairLeaf34 | FairParent34):
                raise RefusedError("NullPointerException", f"{name} left the file and is not there any more")
            queue.is_dynamic = True
        for queue in self.queues.values():
            self._limit_as_child(queue)
        self.touch_all()

    def _policy(self, name: str) -> SharePolicy:
        return {"fair": FAIR_34, "fifo": FIFO_34, "drf": self.drf}[name]

    def _set_policy(self, queue: FairQueue, name: str) -> None:
        queue.policy = self._policy(name)

    def _verify_policies(self, queue: FairQueue) -> bool:
        """Give every queue its policy from the bottom up, until one does not allow that of a child."""
        policy = self._policy(self.allocation.policy(queue.path))
        if isinstance(queue, FairParent):
            for child in queue.order.members:
                if not _allows(policy, self._policy(self.allocation.policy(child.path))):
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
        allocation, path = self.allocation, queue.path
        assert isinstance(queue, FairLeaf34 | FairParent34), "queues of 3.x"
        queue.weight = allocation.weight(path)
        queue.min_memory_mb, queue.min_vcores = allocation.min_share(path)[:2]
        queue.maximum = allocation.maximum_of(path)
        queue.max_apps = allocation.queue_max_apps(path)
        queue.max_am_share = allocation.max_am_share(path)
        queue.container_maximum = allocation.container_maximum(path)
        if isinstance(queue, FairParent34):
            queue.child_maximum = allocation.child_maximums.get(path)
        self._refresh_maximum(queue)

    def _limit_as_child(self, queue: FairQueue) -> None:
        """Give a queue that is not in the file the maximum its parent has for such."""
        parent = queue.parent
        if not isinstance(parent, FairParent34) or parent.child_maximum is None:
            return
        if queue.path not in self.allocation.configured and isinstance(queue, FairLeaf34 | FairParent34):
            queue.maximum = parent.child_maximum
            self._refresh_maximum(queue)

    def _refresh_maximum(self, queue: FairLeaf34 | FairParent34) -> None:
        """Compute a queue's maximum for the cluster as it is. Source: FSQueue#getMaxShare."""
        maximum = queue.maximum.of(self.cluster.total_memory_mb, self.cluster.total_vcores)
        queue.max_memory_mb = max(maximum.memory_mb, queue.min_memory_mb)
        queue.max_vcores = max(maximum.vcores, queue.min_vcores)

    def _inherit(self, queue: FairQueue) -> None:
        super()._inherit(queue)
        assert isinstance(queue, FairLeaf34 | FairParent34), "queues of 3.x"
        parent = queue.parent
        queue.is_preemptable = queue.path not in self.allocation.not_preemptable
        if isinstance(parent, FairParent34) and not parent.is_preemptable:
            queue.is_preemptable = False

    def container_maximum(self, name: str) -> Resource:
        """The largest container of a queue, as the nearest queue above that says one has it; unbounded without."""
        queue = self.get(name)
        while queue is not None:
            assert isinstance(queue, FairLeaf34 | FairParent34), "queues of 3.x"
            if queue.container_maximum != UNBOUNDED_34:
                return queue.container_maximum
            queue = queue.parent
        return UNBOUNDED_34

    # ---------------------------------------------------------------- shares

    def nodes_changed(self) -> None:
        """The cluster's total changed; root's instantaneous share follows at the next update."""
        total = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        self.root.steady_memory_mb, self.root.steady_vcores = total
        self.drf.cluster = total
        for queue in self.queues.values():
            assert isinstance(queue, FairLeaf34 | FairParent34), "queues of 3.x"
            if queue.maximum.fixed is None:
                self._refresh_maximum(queue)
            if queue.policy is self.drf:
                queue.order.touch_all()
        self.recompute_steady_shares(self.root)

    # ---------------------------------------------------------------- copying

    def copy(self, now_ms: int = 0) -> "QueueTree34":
        """A copy without attempts and without a cluster; the caller puts both in."""
        other = QueueTree34.__new__(QueueTree34)
        other.__dict__.update(self.__dict__)
        other.drf = Drf34(*self.drf.cluster)
        other.available = Available()
        other.available.memory_mb, other.available.vcores = self.available.memory_mb, self.available.vcores
        other.pending_removals = list(self.pending_removals)
        other.queues = {}
        for queue in sorted(self.queues.values(), key=lambda each: each.path.count(".")):
            parent = other.queues.get(queue.parent.path) if queue.parent is not None else None
            assert parent is None or isinstance(parent, FairParent34), "parents are made before their children"
            mine: FairQueue = (
                FairLeaf34(queue.path, parent, now_ms, other.available)
                if isinstance(queue, FairLeaf)
                else FairParent34(queue.path, parent)
            )
            _copy_settings(queue, mine)
            mine.policy = other.drf if queue.policy is self.drf else queue.policy
            other.queues[queue.path] = mine
        other.queues = {path: other.queues[path] for path in self.queues}
        other.copy_members(self)
        return other


def _copy_settings(queue: FairQueue, mine: FairQueue) -> None:
    queue.copy_settings(mine)
    for slot in ("container_maximum", "is_dynamic", "is_preemptable", "maximum"):
        setattr(mine, slot, getattr(queue, slot))
    if isinstance(queue, FairParent34) and isinstance(mine, FairParent34):
        mine.child_maximum = queue.child_maximum


def _allows(policy: SharePolicy, below: SharePolicy) -> bool:
    return isinstance(policy, Policy34) and below.name in policy.allowed_below
