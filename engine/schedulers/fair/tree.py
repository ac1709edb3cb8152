"""The queues of a fair scheduler, by full name; what makes and configures them stands in each release's package."""

from typing import Generic, TypeVar

from engine.model.cluster import Cluster
from engine.model.queue import full_name
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.policies import SharePolicy
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.shares import queue_shares
from engine.state import Shared, State

ROOT = "root"
DEFAULT = "root.default"

_Allocation = TypeVar("_Allocation", bound=FairAllocation)


class QueueTree(Generic[_Allocation], metaclass=State):
    """All queues, below a root."""

    cluster: Cluster
    allocation: Shared[_Allocation]
    most: int
    new_policy: SharePolicy
    keeps_arrival: bool
    root: FairParent
    queues: dict[str, FairQueue]
    leaves: list[FairLeaf] = []
    """In order of creation."""

    def __init__(
        self, cluster: Cluster, allocation: _Allocation, policy: SharePolicy, *, most: int, keeps_arrival: bool
    ) -> None:
        """A tree of the root alone.

        New queues have `policy` until they are given another; for `keeps_arrival` see `MemberOrder`.
        """
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
        """A queue that is not in the tree yet."""
        if leaf:
            return FairLeaf(path, parent, self.new_policy, now_ms, keeps_arrival=self.keeps_arrival)
        return FairParent(path, parent, self.new_policy, keeps_arrival=self.keeps_arrival)

    def add(self, queue: FairQueue) -> None:
        """Put a new queue below its parent."""
        assert queue.parent is not None, "there is one root"
        queue.parent.order.add(queue.standing)
        self.queues[queue.path] = queue
        if isinstance(queue, FairLeaf):
            self.leaves.append(queue)

    def remove(self, queue: FairQueue) -> None:
        """Take a queue out, with all below."""
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
        """Every ordering key may have changed."""
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
