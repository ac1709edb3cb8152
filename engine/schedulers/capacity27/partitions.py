"""The partitions of a cluster: which node belongs to which label, and how large each is.

A node that is resized keeps counting with its former size: the label manager of 2.7.2 is not notified.

Source: RMNodeLabelsManager#activateNode, #deactivateNode, #getResourceByLabel, Hadoop 2.7.2.
"""

from typing import ClassVar

from engine.schedulers.capacity.amounts import NOTHING, Amount, minus, plus
from engine.state import OWNED, SHARED, Slots


class Partitions27:
    """Nodes and their totals by label; the default partition is the empty label."""

    STATE: ClassVar[Slots] = {"known": SHARED, "nodes": OWNED, "totals": OWNED}
    __slots__ = STATE

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known
        """Labels of the cluster; asks for others are refused."""
        self.nodes: dict[str, tuple[str, Amount]] = {}
        """(label, total) by node id."""
        self.totals: dict[str, Amount] = {}

    def total(self, label: str) -> Amount:
        """The size of a partition."""
        return self.totals.get(label, NOTHING)

    def add(self, node_id: str, label: str, total: Amount) -> None:
        """A node joins its partition."""
        self.nodes[node_id] = (label, total)
        self.totals[label] = plus(self.total(label), total)

    def remove(self, node_id: str) -> None:
        """A node leaves its partition."""
        label, total = self.nodes.pop(node_id)
        self.totals[label] = minus(self.total(label), total)

    def relabel(self, node_id: str, label: str) -> None:
        """A node moves to another partition."""
        _, total = self.nodes[node_id]
        self.remove(node_id)
        self.add(node_id, label, total)
