"""The nodes as 3.x keeps them: in the order of a hash map, by name and by rack.

Source: ClusterNodeTracker, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.identity import hash_map_order, node_id_hash
from engine.model.ledger import Node
from engine.model.request import ANY
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
