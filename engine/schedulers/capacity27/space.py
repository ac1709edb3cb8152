"""What there is to share in 2.7.2: which node belongs to which partition, and how large each is.

A node that is resized keeps counting with its former size: the label manager of 2.7.2 is not notified.

Source: RMNodeLabelsManager#activateNode, #deactivateNode, #getResourceByLabel, Hadoop 2.7.2.
"""

from engine.model.cluster import Cluster
from engine.schedulers.capacity.amounts import Amount, minus
from engine.schedulers.capacity.space import ClusterSpace
from engine.schedulers.capacity27.calculators import Calculator27


class Space27(ClusterSpace[Calculator27]):
    """Totals by partition, as the label manager counts them; `cluster` is as of the last `refresh`."""

    model: Cluster
    """The cluster itself."""
    known: frozenset[str]
    """Labels of the cluster; asks for others are refused."""
    nodes: dict[str, tuple[str, Amount]] = {}
    """(label, total) by node id."""
    ups: dict[tuple[Amount, float], Amount] = {}
    """What `part_up` has answered since the last `refresh`."""
    downs: dict[tuple[Amount, float], Amount] = {}

    def __init__(self, model: Cluster, known: frozenset[str], calculator: Calculator27, minimum: Amount) -> None:
        super().__init__(calculator, minimum)
        self.model = model
        self.known = known

    def refresh(self) -> None:
        """The cluster's total has changed."""
        self.cluster = (self.model.total_memory_mb, self.model.total_vcores)
        self.ups.clear()
        self.downs.clear()

    def part_up(self, whole: Amount, fraction: float) -> Amount:
        """A fraction of an amount, rounded up to smallest containers."""
        part = self.ups.get((whole, fraction))
        if part is None:
            part = self.ups[whole, fraction] = self.calculator.part_up(whole, fraction, self.minimum)
        return part

    def part_down(self, whole: Amount, fraction: float) -> Amount:
        """A fraction of an amount, rounded down to smallest containers."""
        part = self.downs.get((whole, fraction))
        if part is None:
            part = self.downs[whole, fraction] = self.calculator.part_down(whole, fraction, self.minimum)
        return part

    def join(self, node_id: str, label: str, total: Amount) -> None:
        """A node joins its partition."""
        self.nodes[node_id] = (label, total)
        self.add_to(label, total)

    def leave(self, node_id: str) -> None:
        """A node leaves its partition."""
        label, total = self.nodes.pop(node_id)
        self.totals[label] = minus(self.total(label), total)

    def relabel(self, node_id: str, label: str) -> None:
        """A node moves to another partition."""
        _, total = self.nodes[node_id]
        self.leave(node_id)
        self.join(node_id, label, total)
