"""Figures of the fair scheduler that follow nodes, and what an earlier life left.

Source: FairScheduler#addNode, #removeNode, FSLeafQueue#recoverContainer, FSParentQueue#recoverContainer, Hadoop 2.7.2.
"""

from typing import ClassVar

from engine.model.decision import Decision
from engine.model.ledger import Attempt, Container, Node
from engine.schedulers.fair.schedulable import count_as_master, fair_attempt
from engine.schedulers.fair27.queue_manager import QueueManager27
from engine.state import State


class FairNodes27(metaclass=State):
    """Implements `NodeRules`; shares follow the cluster's total."""

    queues: QueueManager27

    def __init__(self, queues: QueueManager27) -> None:
        self.queues = queues

    def joined(self, node: Node) -> None:
        """The total has changed."""
        self.queues.nodes_changed()

    def leaves(self, node: Node) -> list[Decision]:
        """Nothing follows until the containers have ended."""
        return []

    def left(self, node: Node) -> None:
        """The total has changed."""
        self.queues.nodes_changed()

    def resizes(self, node: Node) -> None:
        """Nothing comes before."""

    def resized(self, node: Node) -> list[Decision]:
        """The total has changed."""
        self.queues.nodes_changed()
        return []


class FairRecovery27(metaclass=State):
    """Implements `RecoveryRules`; queues add up what their applications use and have reserved."""

    is_constant: ClassVar[bool] = True

    def charge(self, container: Container) -> None:
        """Nothing follows: the AM share does not count a recovered master."""

    def count_master(self, container: Container) -> None:
        """The AM share of its leaf counts it, unless it counts one."""
        attempt = fair_attempt(container.attempt)
        if not attempt.am_running:
            count_as_master(attempt, container)

    def charge_reservation(self, held: Container) -> None:
        """Nothing follows."""

    def order_anew(self, attempt: Attempt) -> None:
        """Nothing follows: queues are compared whenever they are walked."""
