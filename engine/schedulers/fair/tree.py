"""The queues of the fair scheduler, by full name.

They are made from the allocation file or when an application needs one, and never removed except to make room for a
queue of the other kind.

Source: QueueManager, Hadoop 2.7.2.
"""

from collections.abc import Mapping
from typing import ClassVar

from engine.model.cluster import Cluster
from engine.model.java_number import INT_MAX
from engine.model.resource import UNBOUNDED
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.policies import FAIR, FIFO, Drf, SharePolicy
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.shares import queue_shares

ROOT = "root"
DEFAULT = "root.default"


def full_name(name: str) -> str:
    """The name with `root.` in front unless it is there."""
    return name if name == ROOT or name.startswith(ROOT + ".") else f"{ROOT}.{name}"


class QueueTree:
    """All queues by full name."""

    most: ClassVar[int] = INT_MAX
    """The largest amount this release counts to."""

    def __init__(self, cluster: Cluster, allocation: FairAllocation, now_ms: int) -> None:
        self.cluster = cluster
        self.allocation = allocation
        self.drf = Drf()
        self.order_matters = False
        """Whether the order a walk leaves behind can be seen: by ties under drf, by what a maximum or fifo cuts off."""
        self.root = FairParent(ROOT, None)
        self.queues: dict[str, FairQueue] = {ROOT: self.root}
        self.leaves: list[FairLeaf] = []
        """In order of creation."""
        self._configure(self.root)
        self.leaf(DEFAULT, now_ms, create=True)

    # ---------------------------------------------------------------- looking up, making, removing

    def leaf(self, name: str, now_ms: int, create: bool) -> FairLeaf | None:
        """The leaf of this name, made if wanted; None when it is a parent, missing, or would lie under a leaf."""
        queue = self._queue(name, now_ms, create, leaf=True)
        return queue if isinstance(queue, FairLeaf) else None

    def get(self, name: str) -> FairQueue | None:
        """The queue of this name, with or without `root.`."""
        return self.queues.get(full_name(name))

    def _queue(self, name: str, now_ms: int, create: bool, leaf: bool) -> FairQueue | None:
        name = full_name(name)
        queue = self.queues.get(name)
        if queue is None and create:
            queue = self._create(name, now_ms, leaf)
            if queue is not None:
                self.recompute_steady_shares(self.root)
        return queue

    def _create(self, name: str, now_ms: int, leaf: bool) -> FairQueue | None:
        missing = [name]
        ancestor = name.rpartition(".")[0]
        while ancestor not in self.queues:
            missing.append(ancestor)
            ancestor = ancestor.rpartition(".")[0]
        parent = self.queues[ancestor]
        if not isinstance(parent, FairParent):
            return None
        queue: FairQueue = parent
        while missing:
            path = missing.pop()
            queue = FairLeaf(path, parent, now_ms) if leaf and not missing else FairParent(path, parent)
            self._set_policy(queue, self.allocation.default_policy)
            self._configure(queue)
            parent.order.add(queue)
            self.queues[path] = queue
            self._inherit(queue)
            if isinstance(queue, FairParent):
                parent = queue
            elif isinstance(queue, FairLeaf):
                self.leaves.append(queue)
        self.cluster.version += 1
        return queue

    def _make_room(self, name: str, leaf: bool) -> bool:
        """Remove an empty queue of the other kind, or an empty leaf above the name; False where one is not empty."""
        if name == ROOT or name.startswith(DEFAULT + "."):
            return False
        queue = self.queues.get(name)
        if queue is not None:
            return queue.is_leaf == leaf or self._remove_if_empty(queue)
        ancestor = name.rpartition(".")[0]
        while ancestor:
            above = self.queues.get(ancestor)
            if isinstance(above, FairLeaf):
                return self._remove_if_empty(above)
            ancestor = ancestor.rpartition(".")[0]
        return True

    def _remove_if_empty(self, queue: FairQueue) -> bool:
        if any(leaf.order.members or leaf.parked for leaf in queue.leaves()):
            return False
        self._remove(queue)
        return True

    def _remove(self, queue: FairQueue) -> None:
        if isinstance(queue, FairParent):
            for child in list(queue.order.members):
                self._remove(child)
        elif isinstance(queue, FairLeaf):
            self.leaves.remove(queue)
        del self.queues[queue.path]
        if queue.parent is not None:
            queue.parent.order.remove(queue)

    # ---------------------------------------------------------------- configuration

    def load(self, allocation: FairAllocation, now_ms: int) -> None:
        """Take over a loaded file: make its queues, set what it says on every queue.

        Source: QueueManager#updateAllocationConfiguration; the order of creation is that of its hash sets.
        """
        self.allocation = allocation
        self.drf.cluster = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        for queue in self.queues.values():
            self._configure(queue)
        for name in allocation.configured_leaves:
            if self._make_room(name, leaf=True):
                self._queue(name, now_ms, create=True, leaf=True)
        for name in allocation.configured_parents:
            if self._make_room(name, leaf=False):
                self._queue(name, now_ms, create=True, leaf=False)
        for queue in self.queues.values():
            self._set_policy(queue, allocation.policy(queue.path))
        self.recompute_steady_shares(self.root)
        self._inherit_down(self.root)
        self.touch_all()

    def touch_all(self) -> None:
        """Every ordering key may have changed."""
        for queue in self.queues.values():
            if isinstance(queue, FairParent | FairLeaf):
                queue.order.touch_all()
        self.cluster.version += 1

    def _configure(self, queue: FairQueue) -> None:
        """Copy the file's values of a queue onto it; the real one looks them up each time."""
        allocation, path = self.allocation, queue.path
        queue.weight = allocation.weight(path)
        queue.min_memory_mb, queue.min_vcores = allocation.min_share(path)[:2]
        queue.max_memory_mb, queue.max_vcores = allocation.max_share(path)[:2]
        self.order_matters = self.order_matters or allocation.max_share(path) != UNBOUNDED
        queue.max_apps = allocation.queue_max_apps(path)
        queue.max_am_share = allocation.max_am_share(path)

    def _set_policy(self, queue: FairQueue, name: str) -> None:
        """Give a queue its policy; one that does not apply to its place is left out, as the real one only warns."""
        policy: SharePolicy = {"fair": FAIR, "fifo": FIFO, "drf": self.drf}[name]
        if queue.is_leaf or not policy.leaf_only:
            queue.policy = policy
        self.order_matters = self.order_matters or queue.policy is not FAIR

    def _inherit(self, queue: FairQueue) -> None:
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

    def _inherit_down(self, queue: FairQueue) -> None:
        self._inherit(queue)
        if isinstance(queue, FairParent):
            for child in queue.order.members:
                self._inherit_down(child)

    # ---------------------------------------------------------------- steady shares

    def nodes_changed(self) -> None:
        """The cluster's total changed: root's share is the total itself."""
        total = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        root = self.root
        root.steady_memory_mb, root.steady_vcores = total
        if root.follows_cluster:
            root.fair_memory_mb, root.fair_vcores = total
        self.drf.cluster = total
        for queue in self.queues.values():
            if queue.policy is self.drf and isinstance(queue, FairParent | FairLeaf):
                queue.order.touch_all()
        self.recompute_steady_shares(root)

    def recompute_steady_shares(self, parent: FairParent) -> None:
        """Shares as if every queue were busy; for display only."""
        children = parent.order.members
        if not children:
            return
        for dimension in parent.policy.dimensions:
            total = parent.steady_memory_mb if dimension == 0 else parent.steady_vcores
            shares = queue_shares(children, total, dimension, steady=True, most=self.most)
            for child, share in zip(children, shares, strict=True):
                if dimension == 0:
                    child.steady_memory_mb = share
                else:
                    child.steady_vcores = share
        for child in children:
            if isinstance(child, FairParent):
                self.recompute_steady_shares(child)

    # ---------------------------------------------------------------- copying

    def copy(self, now_ms: int = 0) -> "QueueTree":
        """A copy without attempts and without a cluster; the caller puts both in."""
        other = QueueTree.__new__(QueueTree)
        other.cluster = self.cluster
        other.allocation = self.allocation
        other.drf = Drf(*self.drf.cluster)
        other.order_matters = self.order_matters
        other.queues = {}
        for path, queue in self.queues.items():
            parent = other.queues.get(queue.parent.path) if queue.parent is not None else None
            assert parent is None or isinstance(parent, FairParent), "parents are made before their children"
            mine: FairQueue = (
                FairLeaf(path, parent, now_ms) if isinstance(queue, FairLeaf) else FairParent(path, parent)
            )
            queue.copy_settings(mine)
            mine.policy = other.drf if queue.policy is self.drf else queue.policy
            other.queues[path] = mine
        other.copy_members(self)
        return other

    def copy_members(self, original: "QueueTree") -> None:
        """Order the queues as in the original, whose copies they are."""
        root = self.queues[ROOT]
        assert isinstance(root, FairParent), "root is a parent"
        self.root = root
        self.leaves = [
            leaf for leaf in (self.queues[leaf.path] for leaf in original.leaves) if isinstance(leaf, FairLeaf)
        ]
        for path, queue in original.queues.items():
            mine = self.queues[path]
            if isinstance(queue, FairParent) and isinstance(mine, FairParent):
                mine.order = queue.order.copy([self.queues[child.path] for child in queue.order.members])
                mine.count_runnable(queue.runnable_count)
            elif isinstance(queue, FairLeaf) and isinstance(mine, FairLeaf):
                for slot in ("am_memory_mb", "am_vcores", "last_fair_share_ms", "last_min_share_ms"):
                    setattr(mine, slot, getattr(queue, slot))

    def seat(self, original: "QueueTree", attempts: Mapping[int, FairAttempt]) -> None:
        """Put the copies of another tree's attempts, by application number, where those are."""
        for path, queue in original.queues.items():
            mine = self.queues[path]
            if isinstance(queue, FairLeaf) and isinstance(mine, FairLeaf):
                mine.order = queue.order.copy([attempts[member.application.number] for member in queue.order.members])
                mine.parked = [attempts[parked.application.number] for parked in queue.parked]
