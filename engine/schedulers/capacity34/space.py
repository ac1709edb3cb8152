"""The amounts to share in 3.4.1: nodes that join and leave, and which partitions are exclusive.

Source: RMNodeLabelsManager, ClusterNodeTracker, Hadoop 3.4.1.
"""

from collections.abc import Mapping

from engine.model.ledger import Node
from engine.schedulers.capacity.space import Amount, ClusterSpace, minus, plus
from engine.schedulers.capacity34.calculators import Calculator
from engine.state import Shared


class Space(ClusterSpace):
    """Totals by partition, which change with their nodes."""

    calculator: Shared[Calculator]
    maximum: Amount
    """The largest container as configured."""
    exclusive: Mapping[str, bool] | None
    """Label → whether its partition is exclusive; None where node labels are switched off."""
    flexible: bool = False
    """Whether each resource of a capacity has a kind of its own (`legacy-queue-mode.enabled` is false)."""
    nodes: int = 0
    continue_looking: bool = True
    """Whether applications with reservations may be given something else in their place."""

    def __init__(
        self, calculator: Calculator, minimum: Amount, maximum: Amount, exclusive: Mapping[str, bool] | None
    ) -> None:
        super().__init__(calculator.by_memory, minimum)
        self.calculator = calculator
        self.maximum = maximum
        self.exclusive = exclusive

    def exceeds(self, left: Amount, right: Amount) -> bool:
        """Tell whether an amount is larger than another."""
        if self.by_memory:
            return left[0] > right[0]
        return self.calculator.compare(self.cluster, left, right) > 0

    def is_exclusive(self, label: str) -> bool:
        """Tell whether only asks for the label may use its partition."""
        return self.exclusive is None or self.exclusive.get(label, True)

    def knows(self, label: str) -> bool:
        """Tell whether the cluster has a label."""
        return not label or (self.exclusive is not None and label in self.exclusive)

    def join(self, node: Node) -> None:
        """A node counts."""
        size = (node.total_memory_mb, node.total_vcores)
        self.cluster = plus(self.cluster, size)
        self.nodes += 1
        self.add_to(node.partition, size)

    def leave_partition(self, node: Node) -> None:
        """A node's partition loses it; the cluster still counts it until `leave`."""
        self.add_to(node.partition, (-node.total_memory_mb, -node.total_vcores))

    def leave(self, node: Node) -> None:
        """A node counts no more."""
        self.cluster = minus(self.cluster, (node.total_memory_mb, node.total_vcores))
        self.nodes -= 1
