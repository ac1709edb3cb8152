"""The queues of the fair scheduler of 2.7.2: how they are made and what the allocation file says of each.

They are made from the allocation file or when an application needs one, and never removed except to make room for a
queue of the other kind.

Source: QueueManager, Hadoop 2.7.2.
"""

from engine.model.cluster import Cluster
from engine.model.java_number import INT_MAX
from engine.model.queue import full_name
from engine.model.resource import UNBOUNDED
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.policies import FIFO, SharePolicy
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.tree import DEFAULT, ROOT, QueueTree
from engine.schedulers.fair27.policies import FAIR_27, Drf27
from engine.state import State


class QueueManager27(metaclass=State):
    """Makes and configures the queues of one tree."""

    cluster: Cluster
    tree: QueueTree[FairAllocation]
    drf: Drf27
    knows_shares: bool = True
    """False where only the queues that are there are asked for; shares of many take long."""
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
        """Take over a loaded file: make its queues, set what it says on every queue.

        Source: QueueManager#updateAllocationConfiguration; the order of creation is that of its hash sets.
        """
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
        """Make a queue of the file, unless one of the other kind that is not empty is in its way."""
        if name == ROOT or name.startswith(DEFAULT + "."):
            return
        in_the_way = self.tree.in_the_way(name, leaf)
        if in_the_way is None or self.tree.remove_if_empty(in_the_way):
            self._queue(name, now_ms, leaf=leaf)

    def _configure(self, queue: FairQueue) -> None:
        """Copy the file's values of a queue onto it; the real one looks them up each time."""
        allocation, path = self.tree.allocation, queue.path
        queue.weight = allocation.weight(path)
        queue.min_memory_mb, queue.min_vcores = allocation.min_share(path)[:2]
        queue.max_memory_mb, queue.max_vcores = allocation.max_share(path)[:2]
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
        """The cluster's total changed: root's share is the total itself."""
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
