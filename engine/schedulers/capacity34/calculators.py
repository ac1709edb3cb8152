"""The two resource calculators: memory alone, or the dominant share of memory and vcores.

Calculating by memory alone answers with 1 vcore for any memory and 0 for none, and the vcores of such an answer count
wherever amounts are compared side by side.

Source: DefaultResourceCalculator, DominantResourceCalculator, ResourceCalculator, RMNodeLabelsManager,
ClusterNodeTracker, Hadoop 3.4.1.
"""

from collections.abc import Mapping
from math import ceil
from typing import ClassVar

from engine.model.java_values import EXACT_MB, divide, float32, java_div, truncate_long
from engine.model.ledger import Node
from engine.schedulers.capacity.space import NOTHING, Amount, ClusterSpace, minus, plus
from engine.state import Shared

DEFAULT_CALCULATOR = "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator"
DOMINANT_CALCULATOR = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
INFINITE = float("inf")


def up(value: int, step: int) -> int:
    """The next multiple of a step. Source: ResourceCalculator#roundUp.

    >>> up(5, 4), up(-7, 4), up(5, 0)
    (8, -4, 0)
    """
    if value >= 0 and step > 0:
        return -(-value // step) * step
    return java_div(value + step - 1, step) * step if step else 0


def down(value: int, step: int) -> int:
    """The multiple of a step towards zero. Source: ResourceCalculator#roundDown."""
    return value - value % step if value >= 0 and step > 0 else java_div(value, step) * step


def quotient_up(value: int, by: float) -> int:
    """The quotient by a float32, rounded up; 0 for 0. Source: ResourceCalculator#divideAndCeil(long, float)."""
    return _ceil(float32(float32(value) / by)) if by else 0


def _ratio(part: int, whole: int) -> float:
    """Source: ResourceCalculator#divideSafelyAsFloat."""
    return 0.0 if part == 0 and whole == 0 else float32(divide(float32(part), float32(whole)))


def _with_vcore(memory_mb: int) -> Amount:
    """Source: Resources#createResource(long)."""
    return (memory_mb, 1 if memory_mb > 0 else 0)


class MemoryCalculator:
    """Memory alone counts. Source: DefaultResourceCalculator."""

    __slots__ = ()
    by_memory: ClassVar[bool] = True  # Whether vcores limit nothing

    def compare(self, cluster: Amount, left: Amount, right: Amount) -> int:
        return left[0] - right[0]

    def fits(self, small: Amount, big: Amount) -> bool:
        return small[0] <= big[0]

    def ratio(self, part: Amount, whole: Amount) -> float:
        memory_mb, whole_mb = part[0], whole[0]
        single = memory_mb if -EXACT_MB <= memory_mb <= EXACT_MB else float32(memory_mb)
        if whole_mb > 0:
            return float32(single / (whole_mb if whole_mb <= EXACT_MB else float32(whole_mb)))
        return _ratio(memory_mb, whole_mb)

    def divide(self, cluster: Amount, part: Amount, whole: Amount) -> float:
        return _ratio(part[0], whole[0])

    def divisor(self, cluster: Amount, whole: Amount) -> float:
        return float32(whole[0])

    def quotient(self, cluster: Amount, part: Amount, divisor: float) -> float:
        memory_mb = part[0]
        if not memory_mb:
            return 0.0
        single = memory_mb if -EXACT_MB <= memory_mb <= EXACT_MB else float32(memory_mb)
        return float32(single / divisor if divisor else divide(single, divisor))

    def containers_in(self, available: Amount, size: Amount) -> int:
        free_mb, size_mb = available[0], size[0]
        return free_mb // size_mb if free_mb >= 0 and size_mb > 0 else java_div(free_mb, size_mb)

    def round_up(self, amount: Amount, step: Amount) -> Amount:
        memory_mb = up(amount[0], step[0])
        return (memory_mb, 1 if memory_mb > 0 else 0)

    def round_down(self, amount: Amount, step: Amount) -> Amount:
        memory_mb = down(amount[0], step[0])
        return (memory_mb, 1 if memory_mb > 0 else 0)

    def times_up(self, amount: Amount, factor: float, step: Amount) -> Amount:
        """Multiply memory, round it to whole MB, then up."""
        return _with_vcore(up(truncate_long(amount[0] * factor + 0.5), step[0]))

    def times_down(self, amount: Amount, factor: float, step: Amount) -> Amount:
        return _with_vcore(down(truncate_long(amount[0] * factor), step[0]))

    def divided_up(self, amount: Amount, by: float) -> Amount:
        return _with_vcore(quotient_up(amount[0], by))

    def divided_up_whole(self, amount: Amount, by: int) -> Amount:
        return _with_vcore(java_div(amount[0] + by - 1, by))

    def any_above_zero(self, amount: Amount) -> bool:
        return amount[0] > 0

    def normalise(self, ask: Amount, minimum: Amount, maximum: Amount) -> Amount:
        return _with_vcore(min(up(max(ask[0], minimum[0]), minimum[0]), maximum[0]))


class DominantCalculator:
    """The dominant share counts, then the other one. Source: DominantResourceCalculator."""

    __slots__ = ()
    by_memory: ClassVar[bool] = False

    def compare(self, cluster: Amount, left: Amount, right: Amount) -> int:
        """By dominant share of the cluster; of an empty cluster, 0 unless one side is at least as large in both."""
        if left == right:
            return 0
        if cluster == NOTHING:
            more = left[0] > right[0] or left[1] > right[1]
            less = left[0] < right[0] or left[1] < right[1]
            return more - less
        of_left, of_right = _shares(cluster, left), _shares(cluster, right)
        return (of_left > of_right) - (of_left < of_right)

    def fits(self, small: Amount, big: Amount) -> bool:
        return small[0] <= big[0] and small[1] <= big[1]

    def ratio(self, part: Amount, whole: Amount) -> float:
        return max(0.0, _ratio(part[0], whole[0]), _ratio(part[1], whole[1]))

    def divide(self, cluster: Amount, part: Amount, whole: Amount) -> float:
        """Divide the dominant shares, each at least 0; a side the cluster has nothing of does not count."""
        return self.quotient(cluster, part, self.divisor(cluster, whole))

    def divisor(self, cluster: Amount, whole: Amount) -> float:
        share = 0.0
        for index in (0, 1):
            if cluster[index]:
                share = max(share, whole[index] / cluster[index])
        return share

    def quotient(self, cluster: Amount, part: Amount, divisor: float) -> float:
        return float32(divide(self.divisor(cluster, part), divisor))

    def containers_in(self, available: Amount, size: Amount) -> int:
        return min([java_div(free, wanted) for free, wanted in zip(available, size, strict=True) if wanted] or [2**31])

    def round_up(self, amount: Amount, step: Amount) -> Amount:
        """Round both up; a step of 0 leaves a side as it is."""
        memory_mb, vcores = amount
        return (up(memory_mb, step[0]) if step[0] else memory_mb, up(vcores, step[1]) if step[1] else vcores)

    def round_down(self, amount: Amount, step: Amount) -> Amount:
        """Round both down; a step of 0 leaves a side as it is."""
        memory_mb, vcores = amount
        return (
            down(memory_mb, step[0]) if step[0] else memory_mb,
            down(vcores, step[1]) if step[1] else vcores,
        )

    def times_up(self, amount: Amount, factor: float, step: Amount) -> Amount:
        product = (_ceil(float32(amount[0] * factor)), _ceil(float32(amount[1] * factor)))
        return self.round_up(product, step)

    def times_down(self, amount: Amount, factor: float, step: Amount) -> Amount:
        return self.round_down((truncate_long(amount[0] * factor), truncate_long(amount[1] * factor)), step)

    def divided_up(self, amount: Amount, by: float) -> Amount:
        return (quotient_up(amount[0], by), quotient_up(amount[1], by))

    def divided_up_whole(self, amount: Amount, by: int) -> Amount:
        return (java_div(amount[0] + by - 1, by), java_div(amount[1] + by - 1, by))

    def any_above_zero(self, amount: Amount) -> bool:
        return amount[0] > 0 or amount[1] > 0

    def normalise(self, ask: Amount, minimum: Amount, maximum: Amount) -> Amount:
        rounded = self.round_up((max(ask[0], minimum[0]), max(ask[1], minimum[1])), minimum)
        return (min(rounded[0], maximum[0]), min(rounded[1], maximum[1]))


def _shares(cluster: Amount, amount: Amount) -> tuple[float, float]:
    """Both shares of the cluster, the larger one first; of nothing a share is infinite."""
    memory = amount[0] / cluster[0] if cluster[0] else INFINITE
    vcores = amount[1] / cluster[1] if cluster[1] else INFINITE
    return (vcores, memory) if vcores > memory else (memory, vcores)


def _ceil(value: float) -> int:
    return ceil(value) if -1e15 < value < 1e15 else truncate_long(value)


Calculator = MemoryCalculator | DominantCalculator
"""How amounts are compared, divided and rounded; `cluster` is what shares are taken of."""

CALCULATORS: dict[str, type[MemoryCalculator] | type[DominantCalculator]] = {
    DEFAULT_CALCULATOR: MemoryCalculator,
    DOMINANT_CALCULATOR: DominantCalculator,
}
"""By their class names. Source: yarn.scheduler.capacity.resource-calculator."""


# The amounts to share in 3.4.1: nodes that join and leave, and which partitions are exclusive.


class PartitionResources(ClusterSpace):
    """Totals by partition, which change with their nodes."""

    calculator: Shared[Calculator]
    maximum: Amount  # The largest container as configured
    exclusive: Mapping[str, bool] | None
    """Label → whether its partition is exclusive; None where node labels are switched off."""
    flexible: bool = False
    """Whether each resource of a capacity has a kind of its own (`legacy-queue-mode.enabled` is false)."""
    nodes: int = 0
    labelled: set[str] = set()  # Ids of the nodes whose label was ever set, if only to none
    continue_looking: bool = True  # Whether applications with reservations may be given something else in their place

    def __init__(
        self, calculator: Calculator, minimum: Amount, maximum: Amount, exclusive: Mapping[str, bool] | None
    ) -> None:
        super().__init__(calculator.by_memory, minimum)
        self.calculator = calculator
        self.maximum = maximum
        self.exclusive = exclusive

    def exceeds(self, left: Amount, right: Amount) -> bool:
        if self.by_memory:
            return left[0] > right[0]
        return self.calculator.compare(self.cluster, left, right) > 0

    def is_exclusive(self, label: str) -> bool:
        """Tell whether only asks for the label may use its partition."""
        return self.exclusive is None or self.exclusive.get(label, True)

    def knows(self, label: str) -> bool:
        return not label or (self.exclusive is not None and label in self.exclusive)

    def join(self, node: Node) -> None:
        size = (node.total_memory_mb, node.total_vcores)
        self.cluster = plus(self.cluster, size)
        self.nodes += 1
        self.add_to(node.partition, size)
        if node.partition:
            self.labelled.add(node.id)

    def leave_partition(self, node: Node) -> None:
        """A node's partition loses it; the cluster still counts it until `leave`."""
        self.add_to(node.partition, (-node.total_memory_mb, -node.total_vcores))

    def leave(self, node: Node) -> None:
        self.cluster = minus(self.cluster, (node.total_memory_mb, node.total_vcores))
        self.nodes -= 1
