"""A restart of the ResourceManager as policies meet it.

A policy lets its own figures follow, where it has some (`RecoveryRules`); the cluster's ledgers have the containers
already. Recovery itself stands in an application's way before the policy is asked.

Source: AbstractYarnScheduler#recoverContainersOnNode, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from engine.model.cluster import NO_OFFERS
from engine.model.ledger import Attempt, Container, Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.yarn_scheduler import YarnScheduler


def charge_recovered(scheduler: YarnScheduler, container: Container) -> None:
    """Let the policy pay for a container that its node brought back."""
    if scheduler.recovery is not None:
        scheduler.recovery.charge(container)


def count_master(scheduler: YarnScheduler, container: Container) -> None:
    """Let the policy count a container as a master, as where it had given it itself."""
    attempt = container.attempt
    attempt.am_memory_mb, attempt.am_vcores = container.memory_mb, container.vcores
    if scheduler.recovery is not None:
        scheduler.recovery.count_master(container)


def reserve_recovered(
    scheduler: YarnScheduler, attempt: Attempt, node: Node, priority: int, size: tuple[int, int], since_ms: int
) -> None:
    """Hold a node as it was held before."""
    number = attempt.next_container_number()
    held = scheduler.cluster.reserve(attempt, node, priority, *size, number, since_ms)
    if scheduler.recovery is not None:
        scheduler.recovery.charge_reservation(held)
        scheduler.recovery.order_anew(attempt)


def order_anew(scheduler: YarnScheduler, attempt: Attempt) -> None:
    """Put an attempt and its queues where their use belongs among the others, where the policy keeps them in order."""
    if scheduler.recovery is not None:
        scheduler.recovery.order_anew(attempt)


NO_RESOURCE_MANAGER: Final = Obstacle(Reason.NO_RESOURCE_MANAGER)
MASTER_NOT_BACK: Final = Obstacle(Reason.MASTER_NOT_BACK)
RECOVERY_WAIT: Final = Obstacle(Reason.RECOVERY_WAIT)


def obstacle_before_nodes(scheduler: YarnScheduler, attempt: Attempt) -> Obstacle | None:
    """Return the obstacle that holds on every node: recovery first, then that of the policy in the queues."""
    closed_until_ms = scheduler.cluster.offers_after_ms
    if closed_until_ms == NO_OFFERS and attempt.pending:
        return NO_RESOURCE_MANAGER
    if attempt.recovered:
        return MASTER_NOT_BACK
    if closed_until_ms >= 0 and attempt.pending:
        return RECOVERY_WAIT
    return scheduler.policy.obstacle(attempt)
