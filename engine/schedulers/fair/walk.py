"""Down the queues to the first application that takes something of a node, best member first.

Source: FSParentQueue#assignContainer, FSLeafQueue#assignContainer, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Protocol

from engine.model.ledger import Node
from engine.schedulers.activity import Obstacle, Reason, Recorder
from engine.schedulers.fair.evaluation import maximum_obstacle
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent


class Assign(Protocol):
    """Gives an attempt a container of a node, or the node itself, if the rules let it."""

    recorder: Recorder | None

    def assign(self, attempt: FairAttempt, node: Node, now_ms: int) -> bool:
        """Tell whether anything was done."""


def walk(parent: FairParent, node: Node, now_ms: int, to: Assign, *, counted_only: bool) -> bool:
    """Offer a node below a queue, depth first; the first that places or reserves ends the walk.

    With `counted_only` applications whose demand, as of the last update, they have are passed over (3.x).
    """
    # At its maximum a queue is still walked: whether one container more fits is asked of every ask, in `rules`.
    if parent.used_memory_mb > parent.max_memory_mb or parent.used_vcores > parent.max_vcores:
        return False
    # What was placed before has moved its queues back, so the order is asked anew for each container.
    for standing in parent.order.sort(parent.policy):
        child = standing.member
        if isinstance(child, FairLeaf):
            if _walk_leaf(child, node, now_ms, to, counted_only):
                return True
        elif isinstance(child, FairParent) and walk(child, node, now_ms, to, counted_only=counted_only):
            return True
    return False


def _walk_leaf(leaf: FairLeaf, node: Node, now_ms: int, to: Assign, counted_only: bool) -> bool:
    if leaf.used_memory_mb > leaf.max_memory_mb or leaf.used_vcores > leaf.max_vcores:
        if to.recorder is not None:
            for attempt in [each for each in leaf.order.members if each.pending]:
                to.recorder.passed_over(attempt, node, maximum_obstacle(leaf))
        return False
    for standing in leaf.order.sort(leaf.policy):
        attempt = standing.member
        # 3.x counts demand at updates only: what is asked since has to wait for the next one.
        if not attempt.pending or (
            counted_only
            and attempt.demand_memory_mb == attempt.used_memory_mb
            and attempt.demand_vcores == attempt.used_vcores
        ):
            continue
        if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
            if to.recorder is not None:
                to.recorder.passed_over(attempt, node, Obstacle(Reason.BLACKLISTED))
            continue
        if to.assign(attempt, node, now_ms):
            return True
    return False


def blacklisted(attempt: FairAttempt, node: Node) -> Obstacle | None:
    """The obstacle of an application that has blacklisted the node or its rack."""
    if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
        return Obstacle(Reason.BLACKLISTED)
    return None
