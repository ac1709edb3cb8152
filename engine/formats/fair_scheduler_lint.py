"""Values of an accepted fair-scheduler.xml that have no effect or contradict each other, as warnings."""

from engine.formats.fair_scheduler_elements import Draft, dotted
from engine.model.resource import Resource


def warn_of_values(draft: Draft) -> None:
    """Add a warning for every value that Hadoop 2.7.2 reads and then cannot use."""
    _warn_of_limits(draft)
    _warn_of_policies(draft)
    _warn_of_kinds(draft)


def _warn(draft: Draft, message: str, queue: str, name: str, hint: str = "") -> None:
    line = draft.lines.get((queue, name), 0)
    draft.problems.warn(message, line=line, key=dotted(queue, name), hint=hint)


def amount_in_words(resource: Resource) -> str:
    """Memory and vcores for a message."""
    return f"{resource.memory_mb} MB, {resource.vcores} vcores"


def _warn_of_limits(draft: Draft) -> None:
    allocation = draft.allocation
    for queue, least in allocation.min_resources.items():
        most = allocation.max_resources.get(queue)
        if most is not None and not least.fits_in(most):
            _warn(
                draft,
                f"{amount_in_words(least)} is more than the maximum of {amount_in_words(most)}",
                queue,
                "minResources",
            )
    for queue, weight in allocation.weights.items():
        if not weight > 0:
            _warn(draft, f"weight {weight:g}: the queue gets no fair share", queue, "weight")
    if "root" in allocation.weights:
        _warn(draft, "a weight of root has no effect, as it has no siblings", "root", "weight")


def _warn_of_policies(draft: Draft) -> None:
    allocation = draft.allocation
    parents = {"root", *allocation.configured_parents}
    for queue, policy in allocation.policies.items():
        if policy == "fifo" and queue in parents:
            _warn(draft, "fifo is for leaf queues; Hadoop keeps the policy the queue had", queue, "schedulingPolicy")
    if allocation.default_policy == "fifo" and ("", "defaultQueueSchedulingPolicy") in draft.lines:
        message = "fifo is for leaf queues; parent queues keep fair"
        _warn(draft, message, "", "defaultQueueSchedulingPolicy")


def _warn_of_kinds(draft: Draft) -> None:
    allocation = draft.allocation
    leaves = set(allocation.configured_leaves)
    for queue in allocation.configured_parents:
        if queue in leaves:
            _warn(draft, "is given both as a leaf and as a parent; Hadoop makes it a parent", queue, "queue")
        if queue in allocation.max_am_shares:
            _warn(draft, "has no effect on a parent queue; a queue's share is not inherited", queue, "maxAMShare")
    for queue in (*allocation.configured_leaves, *allocation.configured_parents):
        if queue.startswith("root.default."):
            _warn(draft, "is never made: root.default stays a leaf", queue, "queue")
        elif queue != "root" and not queue.startswith("root."):
            message = f"becomes root.{queue}, without the values given here: Hadoop keeps them under {queue}"
            _warn(draft, message, queue, "queue", 'write <queue name="root">')
