"""The amounts to share in 2.7.2: which node belongs to which partition, and how large each is.

A node that is resized keeps counting with its former size: the label manager of 2.7.2 is not notified.

Source: RMNodeLabelsManager#activateNode, #deactivateNode, #getResourceByLabel, Hadoop 2.7.2.

Source: SchedulerUtils#normalizeNodeLabelExpressionInRequest, #validateResourceRequest, Hadoop 2.7.2.
"""

from collections.abc import Iterable, Mapping

from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.capacity.space import NOTHING, Amount, ClusterSpace, minus
from engine.schedulers.capacity27.calculators import Calculator27
from engine.schedulers.capacity27.configuration import ANY_LABEL
from engine.schedulers.capacity27.queues import CapacityQueue27
from engine.settings.capacity_scheduler import NODE_LABELS
from engine.state import Shared


class Space27(ClusterSpace):
    """Totals by partition, as the label manager counts them; `cluster` is as of the last `refresh`."""

    calculator: Shared[Calculator27]
    model: Cluster
    """The cluster itself."""
    known: frozenset[str]
    """Labels of the cluster; asks for others are refused."""
    nodes: dict[str, tuple[str, Amount]] = {}
    """(label, total) by node id."""

    def __init__(self, model: Cluster, known: frozenset[str], calculator: Calculator27, minimum: Amount) -> None:
        super().__init__(calculator.by_memory, minimum)
        self.calculator = calculator
        self.model = model
        self.known = known

    def exceeds(self, left: Amount, right: Amount) -> bool:
        """Tell whether an amount is larger than another."""
        if self.by_memory:
            return left[0] > right[0]
        return self.calculator.compare(self.cluster, left, right) > 0

    def refresh(self) -> None:
        """The cluster's total has changed."""
        self.cluster = (self.model.total_memory_mb, self.model.total_vcores)

    def join(self, node_id: str, label: str, total: Amount) -> None:
        """A node joins its partition."""
        self.nodes[node_id] = (label, total)
        self.add_to(label, total)

    def leave(self, node_id: str) -> None:
        """A node leaves its partition."""
        label, total = self.nodes.pop(node_id)
        self.add_to(label, minus(NOTHING, total))

    def relabel(self, node_id: str, label: str) -> None:
        """A node moves to another partition."""
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


def check_partition(ask: ResourceRequest, leaf: CapacityQueue27 | None, space: Space27) -> None:
    """Refuse an ask for a partition that it may not have; `leaf` is None where the queue is not known yet.

    Raises:
        RefusedError: `InvalidResourceRequestException`.
    """
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
        message = f"there is no partition {label}"
    else:
        return
    raise RefusedError("InvalidResourceRequestException", message)
