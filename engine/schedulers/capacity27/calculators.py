"""The two resource calculators of Hadoop 2.7.2: by memory alone, and by the dominant share.

Amounts are (memory [MB], vcores). Ratios are float32, amounts int32 rounded as Java rounds them.

Source: DefaultResourceCalculator, DominantResourceCalculator, ResourceCalculator, Resources,
RMNodeLabelsManager#activateNode, #deactivateNode, #getResourceByLabel,
SchedulerUtils#normalizeNodeLabelExpressionInRequest, #validateResourceRequest, Hadoop 2.7.2.
"""

from collections.abc import Iterable, Mapping
from math import ceil, isnan, nan
from typing import ClassVar

from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.java_values import EXACT_MB, INT_MAX, divide, float32, java_div, truncate
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.capacity.properties import StatedLabel, no_such_label
from engine.schedulers.capacity.space import NOTHING, Amount, ClusterSpace, minus
from engine.schedulers.capacity27.configuration import ANY_LABEL
from engine.schedulers.capacity27.queues import CapacityQueue27
from engine.settings.capacity_queue import DEFAULT_LABEL
from engine.settings.capacity_scheduler import NODE_LABELS
from engine.state import Shared


def times(amount: Amount, factor: float) -> Amount:
    """The product, rounded towards zero; too large for an int32 is its largest. Source: Resources#multiply."""
    return (truncate(amount[0] * factor), truncate(amount[1] * factor))


def smaller(calculator: "Calculator27", total: Amount, left: Amount, right: Amount) -> Amount:
    """The smaller of two amounts; the first of equal ones. Source: Resources#min."""
    return left if calculator.compare(total, left, right) <= 0 else right


def larger(calculator: "Calculator27", total: Amount, left: Amount, right: Amount) -> Amount:
    """The larger of two amounts; the first of equal ones. Source: Resources#max."""
    return left if calculator.compare(total, left, right) >= 0 else right


def share_up(value: int, divisor: int) -> int:
    """The quotient, rounded up; by 0 gives nothing."""
    return java_div(value + divisor - 1, divisor) if divisor else 0


def _up(value: int, step: int) -> int:
    return share_up(value, step) * step


def _down(value: int, step: int) -> int:
    return java_div(value, step) * step


def _how_many(free: int, size: int) -> int:
    """Differs: for an ask of 0 MB and 0 vcores Hadoop divides by zero and fails; here any number of those fits."""
    return java_div(free, size) if size else INT_MAX


class MemoryCalculator27:
    """By memory alone; what it computes has 1 vcore, or 0 without memory. Source: Resources#createResource(int)."""

    __slots__ = ()

    by_memory: ClassVar[bool] = True  # Whether vcores limit nothing

    def compare(self, total: Amount, left: Amount, right: Amount) -> int:
        return left[0] - right[0]

    def how_many(self, free: Amount, size: Amount) -> int:
        return _how_many(free[0], size[0])

    def divide(self, total: Amount, part: Amount, whole: Amount) -> float:
        return self.ratio(part, whole)

    def ratio(self, part: Amount, whole: Amount) -> float:
        memory_mb = part[0] if -EXACT_MB <= part[0] <= EXACT_MB else float32(part[0])
        divisor = whole[0] if -EXACT_MB <= whole[0] <= EXACT_MB else float32(whole[0])
        return float32(memory_mb / divisor if divisor else divide(memory_mb, divisor))

    def share(self, amount: Amount, divisor: int) -> Amount:
        return _of_memory(share_up(amount[0], divisor))

    def normalise(self, ask: Amount, minimum: Amount, maximum: Amount) -> Amount:
        return _of_memory(min(_up(max(ask[0], minimum[0]), minimum[0]), maximum[0]))

    def round_up(self, amount: Amount, step: Amount) -> Amount:
        return _of_memory(_up(amount[0], step[0]))

    def round_down(self, amount: Amount, step: Amount) -> Amount:
        return _of_memory(_down(amount[0], step[0]))

    def part_up(self, amount: Amount, factor: float, step: Amount) -> Amount:
        """By memory, to the nearest MB before the step."""
        return _of_memory(_up(truncate(amount[0] * factor + 0.5), step[0]))

    def part_down(self, amount: Amount, factor: float, step: Amount) -> Amount:
        return _of_memory(_down(truncate(amount[0] * factor), step[0]))


def _of_memory(memory_mb: int) -> Amount:
    return (memory_mb, 1 if memory_mb > 0 else 0)


class DominantCalculator27:
    """Compares the larger shares of the cluster, then the smaller ones; computes with both resources."""

    __slots__ = ()

    by_memory: ClassVar[bool] = False

    def compare(self, total: Amount, left: Amount, right: Amount) -> int:
        """By shares; without a cluster by the resources themselves, where contradictory ones count as equal."""
        if left == right:
            return 0
        if 0 in total:
            more = left[0] > right[0] or left[1] > right[1]
            less = left[0] < right[0] or left[1] < right[1]
            return int(more) - int(less)
        mine, other = _shares(total, left), _shares(total, right)
        if max(mine) != max(other):
            return 1 if max(mine) > max(other) else -1
        return (min(mine) > min(other)) - (min(mine) < min(other))

    def how_many(self, free: Amount, size: Amount) -> int:
        return min(_how_many(free[0], size[0]), _how_many(free[1], size[1]))

    def divide(self, total: Amount, part: Amount, whole: Amount) -> float:
        return float32(divide(_largest(_shares(total, part)), _largest(_shares(total, whole))))

    def ratio(self, part: Amount, whole: Amount) -> float:
        return _largest(_shares(whole, part))

    def share(self, amount: Amount, divisor: int) -> Amount:
        return (share_up(amount[0], divisor), share_up(amount[1], divisor))

    def normalise(self, ask: Amount, minimum: Amount, maximum: Amount) -> Amount:
        return (
            min(_up(max(ask[0], minimum[0]), minimum[0]), maximum[0]),
            min(_up(max(ask[1], minimum[1]), minimum[1]), maximum[1]),
        )

    def round_up(self, amount: Amount, step: Amount) -> Amount:
        return (_up(amount[0], step[0]), _up(amount[1], step[1]))

    def round_down(self, amount: Amount, step: Amount) -> Amount:
        return (_down(amount[0], step[0]), _down(amount[1], step[1]))

    def part_up(self, amount: Amount, factor: float, step: Amount) -> Amount:
        """Each resource by itself, up to whole units before the step."""
        return (_up(_ceil(amount[0] * factor), step[0]), _up(_ceil(amount[1] * factor), step[1]))

    def part_down(self, amount: Amount, factor: float, step: Amount) -> Amount:
        return (_down(truncate(amount[0] * factor), step[0]), _down(truncate(amount[1] * factor), step[1]))


def _ceil(value: float) -> int:
    return ceil(value) if abs(value) < INT_MAX else truncate(value)


def _largest(shares: tuple[float, float]) -> float:
    return max(shares) if not (isnan(shares[0]) or isnan(shares[1])) else nan


def _shares(total: Amount, amount: Amount) -> tuple[float, float]:
    return (
        float32(divide(float32(amount[0]), float32(total[0]))),
        float32(divide(float32(amount[1]), float32(total[1]))),
    )


Calculator27 = MemoryCalculator27 | DominantCalculator27  # How amounts are compared, divided and rounded


# The amounts to share in 2.7.2: which node belongs to which partition, and how large each is.
#
# A node that is resized keeps counting with its former size: the label manager of 2.7.2 is not notified.


class PartitionResources27(ClusterSpace):
    """Totals by partition, as the label manager counts them; `cluster` is as of the last `refresh`."""

    calculator: Shared[Calculator27]
    model: Cluster  # The cluster itself
    known: frozenset[str]  # Labels of the cluster; asks for others are refused
    nodes: dict[str, tuple[str, Amount]] = {}  # (label, total) by node id

    def __init__(self, model: Cluster, known: frozenset[str], calculator: Calculator27, minimum: Amount) -> None:
        super().__init__(calculator.by_memory, minimum)
        self.calculator = calculator
        self.model = model
        self.known = known

    def exceeds(self, left: Amount, right: Amount) -> bool:
        if self.by_memory:
            return left[0] > right[0]
        return self.calculator.compare(self.cluster, left, right) > 0

    def refresh(self) -> None:
        self.cluster = (self.model.total_memory_mb, self.model.total_vcores)

    def join(self, node_id: str, label: str, total: Amount) -> None:
        self.nodes[node_id] = (label, total)
        self.add_to(label, total)

    def leave(self, node_id: str) -> None:
        label, total = self.nodes.pop(node_id)
        self.add_to(label, minus(NOTHING, total))

    def relabel(self, node_id: str, label: str) -> None:
        _, total = self.nodes[node_id]
        self.leave(node_id)
        self.join(node_id, label, total)


def labels_of(values: Mapping[str, str]) -> frozenset[str]:
    """The node labels of the cluster, of `x,y(exclusive=false)`; 2.7.2 does not tell exclusive ones apart."""
    names = (name.partition("(")[0].strip() for name in values.get(NODE_LABELS, "").split(","))
    return frozenset(filter(None, names))


def name_partition(asks: Iterable[ResourceRequest], leaf: CapacityQueue27 | None) -> None:
    """An ask at `*` that names no partition means the queue's default one."""
    for ask in asks:
        if leaf is not None and ask.resource_name == ANY and not ask.partition:
            ask.partition = leaf.configuration.default_label


def check_partition(
    ask: ResourceRequest, leaf: CapacityQueue27 | None, space: PartitionResources27, of_masters: StatedLabel
) -> None:
    """Raise RefusedError for an ask for a partition it may not have; `leaf` is None where no queue is known yet."""
    label = ask.partition.strip()
    if not label:
        return
    if ask.resource_name != ANY:
        message = f"only an ask at * may name a partition, not one at {ask.resource_name}"
    elif "&&" in label:
        message = f"{label!r} names more than one partition"
    elif leaf is None:
        return
    elif ANY_LABEL not in leaf.configuration.accessible and label not in leaf.configuration.accessible:
        message = f"the queue may not use the partition {label}"
    elif label not in space.known:
        own = StatedLabel(DEFAULT_LABEL.of(leaf.path), leaf.configuration.default_label)
        message = no_such_label(label, of_masters, own)
    else:
        return
    raise RefusedError("InvalidResourceRequestException", message)
