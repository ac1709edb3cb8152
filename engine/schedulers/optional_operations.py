"""Operations that only some schedulers have: another priority for an application, another partition for a node."""

from typing import Protocol, runtime_checkable

from engine.errors import RefusedError
from engine.model.decision import Decision
from engine.model.ledger import Application, Node
from engine.schedulers.interface import YarnScheduler


@runtime_checkable
class ChangesPriorities(Protocol):
    """A scheduler whose applications have priorities."""

    def change_priority(self, application: Application, priority: int) -> None:
        """An application's priority changes; raises `RefusedError` where its user may not have it."""


@runtime_checkable
class LabelsNodes(Protocol):
    """A scheduler with node labels."""

    def label_node(self, node: Node, partition: str, now_ms: int) -> list[Decision]:
        """A node moves to another partition; raises `RefusedError` for one that the cluster does not have."""


def change_priority(scheduler: YarnScheduler, application: Application, priority: int) -> None:
    """Change an application's priority.

    Differs: where applications have none the real classes take it without effect; here it is refused.

    Raises:
        RefusedError: The scheduler has no priorities, or the application's user may not have this one.
    """
    if not isinstance(scheduler, ChangesPriorities):
        raise RefusedError("UnsupportedOperationException", f"applications of {scheduler.name} have no priority")
    scheduler.change_priority(application, priority)


def relabel(scheduler: YarnScheduler, node: Node, partition: str, now_ms: int) -> list[Decision]:
    """Move a node to another partition.

    Raises:
        RefusedError: The scheduler has no partitions, or not this one.
    """
    if not isinstance(scheduler, LabelsNodes):
        raise RefusedError("UnsupportedOperationException", f"{scheduler.name} has no node labels")
    return scheduler.label_node(node, partition, now_ms)
