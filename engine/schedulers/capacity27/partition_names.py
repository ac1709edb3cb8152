"""The partitions that asks name: which ones there are, which a queue's asks mean, which they may have.

Source: SchedulerUtils#normalizeNodeLabelExpressionInRequest, #validateResourceRequest, Hadoop 2.7.2.
"""

from collections.abc import Iterable, Mapping

from engine.errors import RefusedError
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.capacity27.configuration import ANY_LABEL
from engine.schedulers.capacity27.queues import CapacityQueue27
from engine.schedulers.capacity27.space import Space27

LABELS = "schedlab.node-labels"
"""The property of a scenario that lists the node labels of its cluster."""


def labels_of(values: Mapping[str, str]) -> frozenset[str]:
    """The node labels of the cluster, of `x,y(exclusive=false)`; 2.7.2 does not tell exclusive ones apart."""
    names = (name.partition("(")[0].strip() for name in values.get(LABELS, "").split(","))
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
