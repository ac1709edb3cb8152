"""Nodes join, leave, change their size or go to another partition: totals, queues and containers follow.

Source: CapacityScheduler#addNode, #removeNode, #updateNodeAndQueueResource, #updateLabelsOnNode, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.decision import Decision
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.amounts import NOTHING, minus
from engine.schedulers.capacity34.commit import Commit
from engine.schedulers.capacity34.overcommit import Overcommit
from engine.schedulers.capacity34.queue import CapacityAttempt
from engine.schedulers.capacity34.space import Space
from engine.schedulers.capacity34.tree import CapacityTree
from engine.schedulers.containers import is_live
from engine.state import State


class NodeChanges(metaclass=State):
    """Carries out what happens to nodes."""

    cluster: Cluster
    space: Space
    tree: CapacityTree
    commit: Commit
    overcommit: Overcommit

    def __init__(
        self,
        cluster: Cluster,
        space: Space,
        tree: CapacityTree,
        commit: Commit,
        overcommit: Overcommit,
    ) -> None:
        self.cluster = cluster
        self.space = space
        self.tree = tree
        self.commit = commit
        self.overcommit = overcommit

    def joined(self, node: Node) -> None:
        """A node of the cluster counts from now on."""
        self.space.join(node)
        self.tree.cluster_changed()

    def leaves(self, node: Node) -> list[Decision]:
        """Its partition loses a node, and its reservation is dropped before its containers are lost."""
        self.space.leave_partition(node)
        return self._drop_on(node)

    def left(self, node: Node) -> None:
        """A node counts no more."""
        self.space.leave(node)
        self.overcommit.forget(node)
        self.tree.cluster_changed()

    def resizes(self, node: Node) -> None:
        """A node counts no more with its former total."""
        self.space.leave_partition(node)
        self.space.leave(node)

    def resized(self, node: Node, overcommit_ms: int = -1, now_ms: int = 0) -> list[Decision]:
        """A node's total has changed; its reservation is dropped, and containers are ended where a timeout says so."""
        self.space.join(node)
        self.tree.cluster_changed()
        decisions = self._drop_on(node)
        self.tree.cluster_changed()
        self.cluster.version += 1
        return [*decisions, *self.overcommit.resized(node, overcommit_ms, now_ms, self.commit.end, self.commit.mark)]

    def label(self, node: Node, label: str) -> list[Decision]:
        """A node goes to another partition, with what runs on it; its reservation is dropped.

        Nothing changes on a node that has the label. Source: CommonNodeLabelsManager#getModifiedNodeLabelsMappings.
        """
        before = node.partition
        if label == before:
            return []
        self.space.leave_partition(node)
        self.space.add_to(label, (node.total_memory_mb, node.total_vcores))
        for container in list(node.containers.values()):
            if is_live(container):
                self._repartition(container, before, label)
        decisions = self._drop_on(node)
        node.partition = label
        self.cluster.version += 1
        self.tree.cluster_changed()
        return decisions

    def _repartition(self, container: Container, before: str, after: str) -> None:
        """Source: FiCaSchedulerApp#nodePartitionUpdated."""
        attempt = container.attempt
        assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
        size = (container.memory_mb, container.vcores)
        leaf = attempt.queue.leaf
        assert leaf is not None, "applications are in leaves"
        attempt.use(before, minus(NOTHING, size))
        attempt.use(after, size)
        self.commit.move_usage(leaf, attempt, size, before, after)
        if container.is_am:
            attempt.am_label = after
            self.commit.move_master(leaf, attempt, size, before, after)

    def _drop_on(self, node: Node) -> list[Decision]:
        return [self.commit.unreserve(node)] if node.reserved is not None else []
