"""Values of an accepted fair-scheduler.xml that have no effect or contradict each other, as warnings."""

from engine.formats.fair_scheduler_elements import AnyAllocation, Draft
from engine.model.cluster import Cluster
from engine.model.resource import Resource
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair34.allocation import FairAllocation34, default_allocation_34
from engine.schedulers.fair34.queue_manager import QueueManager34


def warn_of_values_27(draft: Draft[FairAllocation]) -> None:
    """Add a warning for every value that Hadoop 2.7.2 reads and then cannot use."""
    _warn_of_minimums(draft, draft.allocation.max_resources)
    _warn_of_weights(draft)
    _warn_of_policies_27(draft)
    _warn_of_kinds_27(draft)


def warn_of_values_34(draft: Draft[FairAllocation34]) -> None:
    """Add a warning for every value that Hadoop 3.4.1 reads and then cannot use, and every queue it cannot make."""
    maximums = {queue: most.fixed for queue, most in draft.allocation.maximums.items() if most.fixed is not None}
    _warn_of_minimums(draft, maximums)
    _warn_of_missing_vcores_34(draft)
    _warn_of_weights(draft)
    _warn_of_queues_34(draft)


def queues_made(allocation: FairAllocation34) -> dict[str, bool]:
    """The queues that are there after the file was loaded, and whether each is a parent."""
    queues = QueueManager34(Cluster(1), default_allocation_34({}))
    queues.load(allocation, 0)
    return {path: not queue.is_leaf for path, queue in queues.tree.queues.items()}


def _warn_of_minimums(draft: Draft[AnyAllocation], maximums: dict[str, Resource]) -> None:
    for queue, least in draft.allocation.min_resources.items():
        most = maximums.get(queue)
        if most is not None and not least.fits_in(most):
            message = f"{_amount(least)} is more than the maximum of {_amount(most)}"
            draft.warn_of_value(message, queue, "minResources")


def _amount(resource: Resource) -> str:
    return f"{resource.memory_mb} MB, {resource.vcores} vcores"


def _warn_of_weights(draft: Draft[AnyAllocation]) -> None:
    weights = draft.allocation.weights
    for queue, weight in weights.items():
        if not weight > 0:
            draft.warn_of_value(f"weight {weight:g}: the queue gets no fair share", queue, "weight")
    if "root" in weights:
        draft.warn_of_value("a weight of root has no effect, as it has no siblings", "root", "weight")


def _warn_of_policies_27(draft: Draft[FairAllocation]) -> None:
    allocation = draft.allocation
    parents = {"root", *allocation.configured_parents}
    for queue, policy in allocation.policies.items():
        if policy == "fifo" and queue in parents:
            message = "fifo is for leaf queues; Hadoop keeps the policy the queue had"
            draft.warn_of_value(message, queue, "schedulingPolicy")
    if allocation.default_policy == "fifo" and ("", "defaultQueueSchedulingPolicy") in draft.lines:
        message = "fifo is for leaf queues; parent queues keep fair"
        draft.warn_of_value(message, "", "defaultQueueSchedulingPolicy")


def _warn_of_kinds_27(draft: Draft[FairAllocation]) -> None:
    allocation = draft.allocation
    leaves = set(allocation.configured_leaves)
    for queue in allocation.configured_parents:
        if queue in leaves:
            draft.warn_of_value("is given both as a leaf and as a parent; Hadoop makes it a parent", queue, "queue")
        if queue in allocation.max_am_shares:
            message = "has no effect on a parent queue; a queue's share is not inherited"
            draft.warn_of_value(message, queue, "maxAMShare")
    for queue in (*allocation.configured_leaves, *allocation.configured_parents):
        if queue.startswith("root.default."):
            draft.warn_of_value("is never made: root.default stays a leaf", queue, "queue")
        elif queue != "root" and not queue.startswith("root."):
            _warn_of_lost_values(draft, queue)


def _warn_of_lost_values(draft: Draft[AnyAllocation], queue: str) -> None:
    message = f"becomes root.{queue}, without the values given here: Hadoop keeps them under {queue}"
    draft.warn_of_value(message, queue, "queue", 'write <queue name="root">')


def _warn_of_missing_vcores_34(draft: Draft[FairAllocation34]) -> None:
    """An amount that names its memory alone has -1 vcores, unless a minimum lifts it."""
    allocation = draft.allocation
    least = allocation.min_resources
    amounts = [
        *(("maxResources", queue, most.fixed) for queue, most in allocation.maximums.items()),
        *(("maxChildResources", queue, most.fixed) for queue, most in allocation.child_maximums.items()),
        *(("maxContainerAllocation", queue, most) for queue, most in allocation.container_maximums.items()),
    ]
    for name, queue, amount in amounts:
        is_lifted = name == "maxResources" and queue in least and least[queue].vcores > 0
        if amount is not None and amount.vcores < 0 and not is_lifted:
            message = "names no vcores: Hadoop takes -1 and refuses every request"
            draft.warn_of_value(message, queue, name, "vcores=N")


def _warn_of_queues_34(draft: Draft[FairAllocation34]) -> None:
    allocation = draft.allocation
    made = queues_made(allocation)
    for queue in dict.fromkeys((*allocation.configured_leaves, *allocation.configured_parents)):
        full = queue if queue == "root" or queue.startswith("root.") else f"root.{queue}"
        if full not in made:
            policy = allocation.policy(queue)
            message = f"is never made: its policy {policy} may not stand there, or a queue above it is not made"
            draft.warn_of_value(message, queue, "queue", "drf may not stand below fair, and nothing below fifo")
        elif full != queue:
            _warn_of_lost_values(draft, queue)
