"""Figures of the CapacityScheduler that follow what an earlier life left.

Source: LeafQueue#recoverContainer, ParentQueue#recoverContainer, Hadoop 2.7.2.
"""

from engine.model.ledger import Attempt, Container
from engine.schedulers.capacity27.queue_walk import release
from engine.schedulers.capacity27.queues import Attempt27, leaf_of
from engine.schedulers.capacity27.space import Space27
from engine.state import State


class CapacityRecovery27(metaclass=State):
    """Implements `RecoveryRules`."""

    space: Space27

    def __init__(self, space: Space27) -> None:
        self.space = space

    def charge(self, container: Container) -> None:
        """Leaf, user and the queues above pay; none of these moves among its siblings."""
        attempt = container.attempt
        assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
        amount = (container.memory_mb, container.vcores)
        release(self.space, attempt, container.node.partition, amount, reorder=False)

    def count_master(self, container: Container) -> None:
        """Nothing follows: it was counted when its attempt began."""

    def charge_reservation(self, held: Container) -> None:
        """Leaf, user and the queues above pay as for a container."""
        assert isinstance(held.attempt, Attempt27), "attempts are the scheduler's own"
        held.attempt.reserve_at(held.priority, held.node.id)
        self.charge(held)

    def order_anew(self, attempt: Attempt) -> None:
        """The leaf and the queues above it find their places among their siblings."""
        assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
        queue, _ = leaf_of(attempt)
        while (parent := queue.parent) is not None:
            parent.put_back(queue)
            queue = parent
