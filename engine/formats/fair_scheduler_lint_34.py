"""Values of an accepted fair-scheduler.xml that Hadoop 3.4.1 reads and then cannot use, as warnings."""

from engine.formats.fair_scheduler_elements import Draft, dotted
from engine.formats.fair_scheduler_lint import amount_in_words
from engine.model.cluster import Cluster
from engine.schedulers.fair34.allocation import FairAllocation34, default_allocation_34
from engine.schedulers.fair34.tree import QueueTree34


def warn_of_values_34(draft: Draft, allocation: FairAllocation34) -> None:
    """Add a warning for every value without effect and for every queue that cannot be made."""
    for queue, least in allocation.min_resources.items():
        maximum = allocation.maximums.get(queue)
        most = None if maximum is None else maximum.fixed
        if most is not None and not least.fits_in(most):
            message = f"{amount_in_words(least)} is more than the maximum of {amount_in_words(most)}"
            _warn(draft, message, queue, "minResources")
    _warn_of_missing_vcores(draft, allocation)
    for queue, weight in allocation.weights.items():
        if not weight > 0:
            _warn(draft, f"weight {weight:g}: the queue gets no fair share", queue, "weight")
    if "root" in allocation.weights:
        _warn(draft, "a weight of root has no effect, as it has no siblings", "root", "weight")
    _warn_of_queues(draft, allocation)


def _warn_of_missing_vcores(draft: Draft, allocation: FairAllocation34) -> None:
    """An amount that names its memory alone has -1 vcores, unless a minimum lifts it."""
    least = allocation.min_resources
    amounts = [
        *(("maxResources", queue, most.fixed) for queue, most in allocation.maximums.items()),
        *(("maxChildResources", queue, most.fixed) for queue, most in allocation.child_maximums.items()),
        *(("maxContainerAllocation", queue, most) for queue, most in allocation.container_maximums.items()),
    ]
    for name, queue, amount in amounts:
        is_lifted = name == "maxResources" and queue in least and least[queue].vcores > 0
        if amount is not None and amount.vcores < 0 and not is_lifted:
            _warn(draft, "names no vcores: Hadoop takes -1 and refuses whatever is asked for", queue, name, "vcores=N")


def _warn_of_queues(draft: Draft, allocation: FairAllocation34) -> None:
    made = queues_made(allocation)
    for queue in dict.fromkeys((*allocation.configured_leaves, *allocation.configured_parents)):
        full = queue if queue == "root" or queue.startswith("root.") else f"root.{queue}"
        if full not in made:
            policy = allocation.policy(queue)
            message = f"is never made: its policy {policy} may not stand there, or a queue above it is not made"
            hint = "drf may not stand below fair, and nothing below fifo"
            _warn(draft, message, queue, "queue", hint)
        elif full != queue:
            message = f"becomes {full}, without the values given here: Hadoop keeps them under {queue}"
            _warn(draft, message, queue, "queue", 'write <queue name="root">')


def queues_made(allocation: FairAllocation34) -> dict[str, bool]:
    """The queues that are there after the file was loaded, and whether each is a parent."""
    tree = QueueTree34(Cluster(1), default_allocation_34({}))
    tree.load_34(allocation, 0)
    return {path: not queue.is_leaf for path, queue in tree.queues.items()}


def _warn(draft: Draft, message: str, queue: str, name: str, hint: str = "") -> None:
    line = draft.lines.get((queue, name), 0)
    draft.problems.warn(message, line=line, key=dotted(queue, name), hint=hint)
