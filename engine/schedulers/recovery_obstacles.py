"""What stands in an application's way before its policy is asked: no ResourceManager, or one that recovers."""

from typing import Final

from engine.model.application import Attempt
from engine.model.cluster import NO_OFFERS
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.interface import YarnScheduler

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
