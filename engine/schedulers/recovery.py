"""A restart of the ResourceManager as policies meet it.

What they charge for containers that nodes bring back, and what stands in an application's way before a policy is asked.
The cluster's ledgers have the containers already. Source: Queue#recoverContainer and what implements it,
SchedulerApplicationAttempt#recoverContainer, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.model.cluster import NO_OFFERS
from engine.model.ledger import Attempt, Container, Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.capacity.amounts import Amount
from engine.schedulers.capacity27.queue_walk import release
from engine.schedulers.capacity27.queues import Attempt27, leaf_of
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.capacity34.attempt import CapacityAttempt
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.schedulers.fair.schedulable import FairAttempt, fair_attempt
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.assignment import count_as_master
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.schedulers.fifo import FifoScheduler
from engine.schedulers.interface import YarnScheduler


def charge_recovered(scheduler: YarnScheduler, container: Container) -> None:
    """Let a policy's own figures follow."""
    _CHARGES[type(scheduler)](scheduler, container)


def _fifo(scheduler: FifoScheduler, container: Container) -> None:
    scheduler.update_headrooms()


def _fair_27(scheduler: FairScheduler27, container: Container) -> None:
    """Queues add up what their applications use; the AM share does not count a recovered master."""


def _fair_34(scheduler: FairScheduler34, container: Container) -> None:
    """The first container that is recovered counts as the master. Source: FSAppAttempt#recoverContainer, 3.4.1."""
    attempt = fair_attempt(container.attempt)
    if not (attempt.am_running or attempt.unmanaged):
        count_as_master(attempt, container)
    scheduler.queues.available.refresh(scheduler.cluster)


def _capacity_27(scheduler: CapacityScheduler27, container: Container) -> None:
    """Leaf, user and the queues above pay; none of these moves among its siblings. Source: LeafQueue, 2.7.2."""
    attempt = container.attempt
    assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
    amount = (container.memory_mb, container.vcores)
    release(scheduler.space, attempt, container.node.partition, amount, reorder=False)


def _capacity_34(scheduler: CapacityScheduler34, container: Container) -> None:
    scheduler.commit.recovered(container)


_CHARGES: Final[Mapping[type, Callable[[Any, Container], None]]] = {
    FifoScheduler: _fifo,
    FairScheduler27: _fair_27,
    FairScheduler34: _fair_34,
    CapacityScheduler27: _capacity_27,
    CapacityScheduler34: _capacity_34,
}
"""Policy → what it charges; Any: each function takes the policy it stands beside."""


def count_master(scheduler: YarnScheduler, container: Container) -> None:
    """Let a policy's figures of masters follow, as they would had it given this container itself.

    The real classes do so for what they give only; a Capacity Scheduler counts a master when its attempt begins.
    """
    attempt = container.attempt
    attempt.am_memory_mb, attempt.am_vcores = container.memory_mb, container.vcores
    if isinstance(attempt, FairAttempt) and not attempt.am_running:
        count_as_master(attempt, container)


def reserve_recovered(
    scheduler: YarnScheduler, attempt: Attempt, node: Node, priority: int, size: Amount, since_ms: int
) -> Container:
    """Hold a node as it was held before, and let a policy's own figures follow."""
    number = attempt.next_container_number()
    held = scheduler.cluster.reserve(attempt, node, priority, *size, number, since_ms)
    if isinstance(scheduler, CapacityScheduler27):
        assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
        attempt.reserve_at(priority, node.id)
        release(scheduler.space, attempt, node.partition, size, reorder=False)
    elif isinstance(scheduler, CapacityScheduler34):
        scheduler.commit.charge_reservation(held)
    order_anew(attempt)
    return held


def order_anew(attempt: Attempt) -> None:
    """Put an attempt and its queues where their use belongs among the others, where a policy keeps them in order."""
    if isinstance(attempt, Attempt27):
        queue, _ = leaf_of(attempt)
        while (parent := queue.parent) is not None:
            parent.put_back(queue)
            queue = parent
    elif isinstance(attempt, CapacityAttempt) and attempt.queue.leaf is not None:
        attempt.queue.leaf.order.usage_changed(attempt)


NO_RESOURCE_MANAGER: Final = Obstacle(Reason.NO_RESOURCE_MANAGER)
MASTER_NOT_BACK: Final = Obstacle(Reason.MASTER_NOT_BACK)
RECOVERY_WAIT: Final = Obstacle(Reason.RECOVERY_WAIT)


def obstacle_before_nodes(scheduler: YarnScheduler, attempt: Attempt) -> Obstacle | None:
    """What stands in the way whatever the node: recovery first, then what the policy finds in the queues."""
    closed_until_ms = scheduler.cluster.offers_after_ms
    if closed_until_ms == NO_OFFERS and attempt.pending:
        return NO_RESOURCE_MANAGER
    if attempt.recovered:
        return MASTER_NOT_BACK
    if closed_until_ms >= 0 and attempt.pending:
        return RECOVERY_WAIT
    return scheduler.obstacle(attempt)
