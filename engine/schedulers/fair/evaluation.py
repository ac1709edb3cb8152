"""Answers of a release's rules: whether an attempt gets an ask on a node, and if not, why.

The answers are made once, so that an offer that asks for one makes no object; an obstacle with its numbers is made of
an answer only where somebody wants to know.
"""

from typing import Final

from engine.model.ledger import Container, Node
from engine.model.request import AskGroup
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.fair.locality import matched
from engine.schedulers.fair.policies import Amount
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairQueue


class Evaluation:
    """The answer to "may this attempt get this ask on this node": allocate, reserve, or an obstacle."""

    __slots__ = ("ends_turn", "is_counted", "locality", "reason", "reserves")

    def __init__(
        self,
        reason: Reason | None = None,
        locality: int = 0,
        *,
        reserves: bool = False,
        is_counted: bool = True,
        ends_turn: bool = True,
    ) -> None:
        self.reason = reason
        """The obstacle's; None to allocate or reserve."""
        self.locality = locality
        """How the ask matched the node; 0 where it was not matched."""
        self.reserves = reserves
        self.is_counted = is_counted
        """Whether an offer counts as an opportunity that the ask had."""
        self.ends_turn = ends_turn
        """Whether an offer does not go on to the attempt's next priority."""


def _at_each_locality(reason: Reason | None = None, *, reserves: bool = False) -> tuple[Evaluation, ...]:
    return tuple(Evaluation(reason, locality, reserves=reserves) for locality in range(4))


ALLOCATE: Final = _at_each_locality()
"""By locality, as are the others of which there are several."""

RESERVE: Final = _at_each_locality(reserves=True)
DOES_NOT_FIT: Final = _at_each_locality(Reason.DOES_NOT_FIT)
RESERVATION_LIMIT: Final = _at_each_locality(Reason.RESERVATION_LIMIT)
RESERVATION_OVER_MAXIMUM: Final = _at_each_locality(Reason.QUEUE_WOULD_EXCEED_MAXIMUM)
NOTHING_ASKED: Final = Evaluation(Reason.NOTHING_ASKED, is_counted=False, ends_turn=False)
NODE_TOO_SMALL: Final = Evaluation(Reason.NODE_TOO_SMALL, is_counted=False, ends_turn=False)
LOCALITY_NOT_RELAXED: Final = Evaluation(Reason.LOCALITY_NOT_RELAXED, is_counted=False, ends_turn=False)
OVER_MAXIMUM: Final = Evaluation(Reason.QUEUE_WOULD_EXCEED_MAXIMUM, is_counted=False, ends_turn=False)
AM_SHARE_EXHAUSTED: Final = Evaluation(Reason.AM_SHARE_EXHAUSTED, is_counted=False)
AM_SHARE_EXHAUSTED_COUNTED: Final = Evaluation(Reason.AM_SHARE_EXHAUSTED)
RESERVATION_WAITS: Final = Evaluation(Reason.DOES_NOT_FIT, is_counted=False)
"""What the node is reserved for does not fit yet."""

DELAYED: Final = Evaluation(Reason.DELAY_SCHEDULING, ends_turn=False)


def obstacle_of(
    evaluation: Evaluation, attempt: FairAttempt, group: AskGroup, node: Node, allowed: int, am_share: Amount
) -> Obstacle:
    """An evaluation that does not allocate, with its numbers.

    `allowed` is the locality the ask is allowed there, `am_share` what the leaf's application masters may use.
    """
    reason = evaluation.reason or Reason.DOES_NOT_FIT
    anywhere = group.anywhere
    if reason in (Reason.NOTHING_ASKED, Reason.LOCALITY_NOT_RELAXED) or anywhere is None:
        return Obstacle(reason)
    if reason is Reason.NODE_TOO_SMALL:
        return Obstacle(reason, (anywhere.memory_mb, node.total_memory_mb, anywhere.vcores, node.total_vcores))
    if reason is Reason.DELAY_SCHEDULING:
        return Obstacle(reason, (group.missed_opportunities, allowed))
    if reason is Reason.AM_SHARE_EXHAUSTED:
        return am_share_obstacle(attempt.queue, (anywhere.memory_mb, anywhere.vcores), am_share)
    request = matched(group, node, evaluation.locality)
    numbers = (request.memory_mb, node.free_memory_mb, request.vcores, node.free_vcores)
    if reason is not Reason.QUEUE_WOULD_EXCEED_MAXIMUM:
        return Obstacle(reason, numbers)
    exceeded = attempt.queue.exceeded_by(request.memory_mb, request.vcores)
    return Obstacle(reason, numbers, (exceeded or attempt.queue).path)


def am_share_obstacle(leaf: FairLeaf, wanted: Amount, share: Amount) -> Obstacle:
    """A leaf's share for application masters has no room for one more of a size."""
    numbers = (leaf.am_memory_mb, share[0], wanted[0], leaf.am_vcores, share[1], wanted[1])
    return Obstacle(Reason.AM_SHARE_EXHAUSTED, numbers, leaf.path)


def maximum_obstacle(queue: FairQueue, wanted: Amount = (0, 0)) -> Obstacle:
    """A queue is over its maximum or, where something is wanted, would be with one more container of that size."""
    memory_mb, vcores = wanted
    numbers = (queue.used_memory_mb, queue.max_memory_mb, memory_mb, queue.used_vcores, queue.max_vcores, vcores)
    return Obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, queue.path)


def name_of_holder(held: Container) -> str:
    """The name of the application a node is reserved for."""
    return held.attempt.name if isinstance(held.attempt, FairAttempt) else ""
