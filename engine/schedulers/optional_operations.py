"""Operations that only some policies have; the others refuse them."""

from collections.abc import Mapping

from engine.errors import RefusedError
from engine.model.decision import Decision
from engine.model.ledger import Application, Node
from engine.schedulers.yarn_scheduler import YarnScheduler


def change_priority(scheduler: YarnScheduler, application: Application, priority: int) -> None:
    """Change an application's priority.

    Differs: under a scheduler whose applications have no priority Hadoop takes a new priority without effect; here it
    is refused.

    Raises:
        RefusedError: The policy has no priorities, or the application's user may not have this one.
    """
    if scheduler.priorities is None:
        raise RefusedError("UnsupportedOperationException", f"applications of {scheduler.policy.name} have no priority")
    scheduler.priorities.change_priority(application, priority)


def relabel(scheduler: YarnScheduler, node: Node, partition: str, now_ms: int) -> list[Decision]:
    """Move a node to another partition.

    Raises:
        RefusedError: The policy has no partitions, or not this one.
    """
    if scheduler.labels is None:
        raise RefusedError("UnsupportedOperationException", f"{scheduler.policy.name} has no node labels")
    return scheduler.labels.label_node(node, partition, now_ms)


def move_to_queue(scheduler: YarnScheduler, application: Application, queue: str) -> None:
    """Move an application to another queue.

    Raises:
        RefusedError: The policy has no queues, or the application may not go there.
    """
    if scheduler.queues is None:
        message = f"{scheduler.policy.name} does not support moving applications between queues"
        raise RefusedError("YarnException", message)
    scheduler.queues.move_to_queue(application, queue)


def change_settings(scheduler: YarnScheduler, values: Mapping[str, str]) -> None:
    """Change settings while it runs, all or none.

    Raises:
        RefusedError: One of them cannot change.
    """
    if scheduler.queues is None:
        message = f"{scheduler.policy.name} has no setting that can change while it runs: {', '.join(values)}"
        raise RefusedError("IllegalArgumentException", f"{message}; it takes a restart")
    scheduler.queues.change_settings(values)


def reload(scheduler: YarnScheduler, allocation: object, now_ms: int) -> None:
    """Take over a newly loaded allocation file.

    Raises:
        RefusedError: The policy has none of this kind.
    """
    if scheduler.queues is None:
        raise RefusedError("UnsupportedOperationException", f"{scheduler.policy.name} has no allocation file")
    scheduler.queues.reload(allocation, now_ms)
