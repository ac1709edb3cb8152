"""Down the queues to the first application that takes something of a node, best member first.

Source: FSParentQueue#assignContainer, FSLeafQueue#assignContainer, FSAppAttempt#assignContainer,
#getAllowedLocalityLevel(ByTime), Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Collection
from math import ceil
from typing import Final, Protocol

from engine.model.java_values import float32
from engine.model.ledger import Container, Node
from engine.model.request import NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup, ResourceRequest
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.settings import FairSettings
from engine.schedulers.obstacle_texts import Obstacle, Reason, Recorder

# Delay scheduling and matching: at which locality an ask may be placed on a node, and which request that is.
#
# Pure functions, the same in both releases.


def next_locality(
    group: AskGroup, missed: int, settings: FairSettings, nodes: int, now_ms: int, started_ms: int
) -> int:
    """The level allowed from now on, one step further at most; `missed` opportunities include the present one."""
    by_time = settings.continuous
    node_bound, rack_bound = settings.locality_delays if by_time else settings.locality_thresholds
    # A negative bound switches delays off.
    if node_bound < 0 or rack_bound < 0:
        return OFF_SWITCH
    level = group.allowed_locality
    # The first look begins at the node; the last level is never left.
    if level in (0, OFF_SWITCH):
        return level or NODE_LOCAL
    bound = node_bound if level == NODE_LOCAL else rack_bound
    if by_time:
        since_ms = started_ms if group.level_changed_ms is None else group.level_changed_ms
        waited_enough = now_ms - since_ms > bound
    else:
        waited_enough = missed > nodes * bound
    return level + 1 if waited_enough else level


def match(group: AskGroup, node: Node, allowed: int) -> int:
    """At which locality a group is placed on a node where one is allowed; 0 when it has to wait or insists."""
    by_name = group.by_name
    anywhere = group.anywhere
    assert anywhere is not None, "only a group that fits the node is matched"
    # No host or rack is named, so there is nothing to wait for.
    if len(by_name) == 1:
        return OFF_SWITCH if anywhere.relax_locality else 0
    rack, host = by_name.get(node.rack), by_name.get(node.name)
    if rack is not None:
        if rack.count and host is not None and host.count:
            return NODE_LOCAL
        # The ask insists on hosts of this rack, and this is none of them.
        if not rack.relax_locality:
            return 0
        if rack.count and allowed >= RACK_LOCAL:
            return RACK_LOCAL
    return OFF_SWITCH if anywhere.relax_locality and allowed == OFF_SWITCH else 0


def matched(group: AskGroup, node: Node, locality: int) -> ResourceRequest:
    """The request that is placed on a node at a locality, as `match` found it; that of `*` for 0."""
    if locality == NODE_LOCAL:
        return group.by_name[node.name]
    if locality == RACK_LOCAL:
        return group.by_name[node.rack]
    anywhere = group.anywhere
    assert anywhere is not None, "only a group that fits the node is matched"
    return anywhere


def reservation_allowed(
    attempt: FairAttempt, node: Node, locality: int, settings: FairSettings, nodes: Collection[Node]
) -> bool:
    """Tell whether the reservation rule lets the attempt hold this node beside those it holds elsewhere.

    Differs: 2.7.2 knows only `strict` (always). `limited` is the rule of 3.x (FSAppAttempt#reservationExceedsThreshold,
    `yarn.scheduler.fair.reservable-nodes`) on the 2.7.2 policy, `off` never reserves; no real class decides these.
    """
    if settings.reservation_rule == "strict" or (settings.reservation_rule == "limited" and locality == NODE_LOCAL):
        return True
    if settings.reservation_rule == "off":
        return False
    if locality == RACK_LOCAL:
        held = sum(container.node.rack == node.rack for container in attempt.reserved.values())
        available = sum(other.rack == node.rack for other in nodes)
    else:
        held, available = len(attempt.reserved), len(nodes)
    # A node that is held already does not count against itself.
    held -= node.id in attempt.reserved
    return held < ceil(float32(available * settings.reservable_nodes))


# Answers of a release's rules: whether an attempt gets an ask on a node, and if not, why.
#
# The answers are made once, so that an offer that asks for one makes no object; an obstacle with its numbers is made of
# an answer only where a recorder asks for them.


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
        self.reason = reason  # the obstacle's; None to allocate or reserve
        self.locality = locality  # how the ask matched the node; 0 where it was not matched
        self.reserves = reserves
        self.is_counted = is_counted  # whether an offer counts as an opportunity that the ask had
        self.ends_turn = ends_turn  # whether an offer does not go on to the attempt's next priority


def _at_each_locality(reason: Reason | None = None, *, reserves: bool = False) -> tuple[Evaluation, ...]:
    return tuple(Evaluation(reason, locality, reserves=reserves) for locality in range(4))


ALLOCATE: Final = _at_each_locality()  # By locality, as are the others of which there are several

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
    """An evaluation that does not allocate; `allowed` is the locality there, `am_share` the leaf's for masters."""
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


def kept_for(held: Container, node: Node) -> Obstacle:
    numbers = (held.memory_mb, node.free_memory_mb, held.vcores, node.free_vcores)
    return Obstacle(Reason.NODE_RESERVED, numbers, held.attempt.name if isinstance(held.attempt, FairAttempt) else "")


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
            # A leaf is put in order even where nobody in it wants anything: of equals who stood first stays so.
            is_due = child.wanting or not child.order.is_sorted
            if is_due and _walk_leaf(child, node, now_ms, to, counted_only):
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
    standings = leaf.order.sort(leaf.policy)
    for standing in standings if leaf.wanting else ():
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
