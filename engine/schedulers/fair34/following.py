"""Figures of the fair scheduler that follow nodes, and what an earlier life left.

Source: FairScheduler#addNode, #removeNode, FSAppAttempt#recoverContainer, FSLeafQueue#recoverContainer, Hadoop 3.4.1.

Source: ClusterNodeTracker, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.decision import Decision
from engine.model.identity import hash_map_order, node_id_hash
from engine.model.ledger import Attempt, Container, Node
from engine.model.request import ANY
from engine.schedulers.fair.schedulable import count_as_master, fair_attempt
from engine.schedulers.fair34.node_promises import NodePromises
from engine.schedulers.fair34.queue_manager import Available, QueueManager34
from engine.state import State


class NodeIndex(metaclass=State):
    """Nodes of one cluster by what asks call them."""

    cluster: Cluster
    _ids: dict[str, None] = {}
    """In the order they were put into the map; a resized node is put there anew."""
    _most: int = 0
    _order: tuple[str, ...] | None = None
    _by_name: dict[str, str] = {}
    _by_rack: dict[str, list[str]] = {}

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def add(self, node: Node) -> None:
        """A node joined."""
        self._ids[node.id] = None
        self._most = max(self._most, len(self._ids))
        self._by_name[node.name] = node.id
        self._by_rack.setdefault(node.rack, []).append(node.id)
        self._order = None

    def remove(self, node: Node) -> None:
        """A node left."""
        del self._ids[node.id]
        self._by_name.pop(node.name, None)
        rack = self._by_rack[node.rack]
        rack.remove(node.id)
        if not rack:
            del self._by_rack[node.rack]
        self._order = None

    def named(self, name: str) -> list[Node]:
        """The nodes a resource name means: all in hash order, one host, or a rack in order of joining."""
        nodes = self.cluster.nodes
        if name == ANY:
            return [nodes[node_id] for node_id in self._hash_order()]
        if name in self._by_name:
            return [nodes[self._by_name[name]]]
        return [nodes[node_id] for node_id in self._by_rack.get(name, ())]

    def _hash_order(self) -> tuple[str, ...]:
        if self._order is None:
            ids = list(self._ids)
            nodes = [self.cluster.nodes[node_id] for node_id in ids]
            self._order = tuple(hash_map_order(ids, [node_id_hash(node.host, node.port) for node in nodes], self._most))
        return self._order


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
