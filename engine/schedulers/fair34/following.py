"""Figures of the fair scheduler that follow nodes, and what an earlier life left.

Source: FairScheduler#addNode, #removeNode, FSAppAttempt#recoverContainer, FSLeafQueue#recoverContainer, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.decision import Decision
from engine.model.ledger import Attempt, Container, Node
from engine.schedulers.fair.schedulable import count_as_master, fair_attempt
from engine.schedulers.fair34.node_promises import NodePromises
from engine.schedulers.fair34.nodes import NodeIndex
from engine.schedulers.fair34.queue_manager import Available, QueueManager34
from engine.state import State


class FairNodes34(metaclass=State):
    """Implements `NodeRules`; maximums and steady shares follow the cluster's total."""

    queues: QueueManager34
    index: NodeIndex
    promises: NodePromises
    updates_promptly: bool = True
    """Whether an update pass follows every node that joins or leaves, before anything else happens."""
    update_is_due: bool = False
    """Whether an update pass is to be made before anything else happens, since the nodes are others now."""

    def __init__(self, queues: QueueManager34, index: NodeIndex, promises: NodePromises) -> None:
        self.queues = queues
        self.index = index
        self.promises = promises

    def joined(self, node: Node) -> None:
        """The total has changed."""
        self.queues.nodes_changed()
        self.index.add(node)
        self.update_is_due = self.updates_promptly

    def leaves(self, node: Node) -> list[Decision]:
        """Nothing follows until the containers have ended."""
        return []

    def left(self, node: Node) -> None:
        """The total has changed; nothing is promised there."""
        self.queues.nodes_changed()
        self.index.remove(node)
        self.promises.forget(node)
        self.update_is_due = self.updates_promptly

    def resizes(self, node: Node) -> None:
        """Nothing comes before."""

    def resized(self, node: Node) -> list[Decision]:
        """The total has changed; the node leaves and joins the list of nodes."""
        self.queues.nodes_changed()
        self.index.remove(node)
        self.index.add(node)
        return []


class FairRecovery34(metaclass=State):
    """Implements `RecoveryRules`; queues add up what their applications use and have reserved."""

    cluster: Cluster
    available: Available

    def __init__(self, cluster: Cluster, available: Available) -> None:
        self.cluster = cluster
        self.available = available

    def charge(self, container: Container) -> None:
        """The first container that is recovered counts as the master."""
        if not container.attempt.unmanaged:
            self.count_master(container)
        self.available.refresh(self.cluster)

    def count_master(self, container: Container) -> None:
        """The AM share of its leaf counts it, unless it counts one."""
        attempt = fair_attempt(container.attempt)
        if not attempt.am_running:
            count_as_master(attempt, container)

    def charge_reservation(self, held: Container) -> None:
        """Nothing follows."""

    def order_anew(self, attempt: Attempt) -> None:
        """Nothing follows: queues are compared whenever they are walked."""
