"""Says what one ask of an application would get on a node; pure, and used by offers and probes alike.

The order of the rules is the real class's: the queue's limit, the user's, then for each locality whether its time has
come, the partition, the node's size, what is free, and whether a reservation may be made or given up.

Source: LeafQueue#assignContainers, #assignContainersOnNode, #canAssign, #assignContainer,
#shouldAllocOrReserveNewContainer, FiCaSchedulerApp#getNodeIdToUnreserve, LeafQueue#computeUserLimit, #getHeadroom,
#getAMResourceLimit, #getUserAMResourceLimit, AbstractCSQueue#canAssignToThisQueue,
ParentQueue#getResourceLimitsOfChild, Hadoop 2.7.2.
"""

from typing import Final

from engine.model.java_values import divide, float32, truncate
from engine.model.ledger import Container, Node
from engine.model.request import ANY, NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup, ResourceRequest
from engine.schedulers.capacity.space import NOTHING, Amount, limit_obstacle, minus, plus, smaller_of_each
from engine.schedulers.capacity27.calculators import PartitionResources27, larger, share_up, smaller, times
from engine.schedulers.capacity27.configuration import ANY_LABEL, NO_CAPACITY, NO_LABEL, PartitionCapacity
from engine.schedulers.capacity27.queues import (
    Attempt27,
    CapacityQueue27,
    LeafState27,
    PartitionParts27,
    User27,
    leaf_of,
)
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.state import State

# Computes the most a queue, a user and the application masters of a queue may use; all functions are pure.


def capacity_in(queue: CapacityQueue27, label: str) -> PartitionCapacity:
    """A queue's capacities in a partition."""
    return queue.configuration.capacities.get(label, NO_CAPACITY)


def guaranteed(space: PartitionResources27, queue: CapacityQueue27) -> Amount:
    """A queue's capacity of the whole cluster, rounded up. Source: LeafQueue#updateAbsoluteCapacityResource."""
    return space.calculator.part_up(space.cluster, capacity_in(queue, NO_LABEL).absolute, space.minimum)


def parts_of(space: PartitionResources27, queue: CapacityQueue27, label: str) -> PartitionParts27:
    """Return a queue's capacities of a partition, computed anew where a total or the configuration is another one."""
    parts = queue.parts.get(label)
    if parts is None or parts.changes != space.changes or parts.configuration is not queue.configuration:
        share, calculator, whole = capacity_in(queue, label), space.calculator, space.total(label)
        capacity = calculator.part_up(whole, share.absolute, space.minimum)
        maximum = calculator.part_down(whole, share.absolute_maximum, space.minimum)
        parts = queue.parts[label] = PartitionParts27(queue.configuration, space.changes, capacity, maximum)
    return parts


def used_capacity(space: PartitionResources27, queue: CapacityQueue27) -> float:
    """Return the part of its guarantee in the default partition that a queue uses (float32)."""
    limit = queue.guarantee
    return 0.0 if limit == NOTHING else space.calculator.divide(space.cluster, queue.default_usage, limit)


def absolute_used(space: PartitionResources27, queue: CapacityQueue27) -> float:
    """Return the part of the default partition that a queue uses (float32); 0 of an empty one."""
    if not space.exceeds(space.cluster, NOTHING):
        return 0.0
    return float32(space.calculator.divide(space.cluster, queue.used(NO_LABEL), space.cluster))


def limit_of_child(
    space: PartitionResources27, parent: CapacityQueue27, child: CapacityQueue27, limit: Amount
) -> Amount:
    """Return the limit of a child in the default partition, where that of its parent is `limit`."""
    calculator = space.calculator
    # What the siblings use is not to be had; what the child uses itself is.
    left = plus(minus(limit, parent.used(NO_LABEL)), child.used(NO_LABEL))
    most = smaller(calculator, space.cluster, left, parts_of(space, child, NO_LABEL).maximum)
    return calculator.round_down(most, space.minimum)


def excess_in_queue(
    space: PartitionResources27,
    queue: CapacityQueue27,
    label: str,
    limit: Amount,
    more: Amount,
    could_unreserve: Amount | None,
) -> Amount | None:
    """Return how much has to be unreserved before a queue may use so much more; None when that does not help.

    `NOTHING` when it may. `limit` is what the queue may use in the default partition; `could_unreserve` is None when it
    must not look on with reservations.
    """
    accessible = queue.configuration.accessible
    if label != NO_LABEL and ANY_LABEL not in accessible and label not in accessible:
        return None
    wanted = plus(queue.used(label), more)
    most = parts_of(space, queue, label).maximum
    if label == NO_LABEL:
        most = smaller(space.calculator, space.cluster, most, limit)
    if not space.exceeds(wanted, most):
        return NOTHING
    if could_unreserve is None or label != NO_LABEL or not space.exceeds(could_unreserve, NOTHING):
        return None
    # Giving up all reservations would not be enough.
    if not space.exceeds(most, minus(wanted, could_unreserve)):
        return None
    return minus(wanted, most)


def over_maximum(
    space: PartitionResources27, queue: CapacityQueue27, label: str, limit: Amount, wanted: Amount
) -> Obstacle:
    """A queue is over its maximum in a partition, or one above it, which leaves it `limit` in the default one."""
    for above in queue.ancestors() if label == NO_LABEL else ():
        if space.exceeds(plus(queue.used(label), wanted), parts_of(space, queue, label).maximum):
            break
        queue = above
    most = parts_of(space, queue, label).maximum
    if label == NO_LABEL and not space.exceeds(plus(queue.used(label), wanted), most):
        most = limit
    numbers = space.numbers(queue.used(label), most, wanted)
    return limit_obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, queue.path, label)


def user_limit(
    space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27, ask: Amount, label: str
) -> Amount:
    """Return the limit of each user of a leaf that asks for a container of this size in a partition."""
    calculator, total, setting = space.calculator, space.cluster, leaf.configuration
    capacity = parts_of(space, queue, label).capacity
    if space.by_memory:
        return _user_limit_by_memory(space, queue, leaf, max(capacity[0], ask[0]), ask[0])
    if label != NO_LABEL:
        capacity = larger(calculator, total, NOTHING, capacity)
    capacity = larger(calculator, total, capacity, ask)
    used = queue.used(NO_LABEL)
    # A full queue grows with its use, so that users share what it has, not what it is due.
    current = capacity if calculator.compare(total, used, capacity) < 0 else plus(used, ask)
    by_users = calculator.share(current, len(leaf.active_users))
    by_percent = calculator.share(times(current, setting.user_limit_percent), 100)
    least = larger(calculator, total, by_users, by_percent)
    most = smaller(calculator, total, least, times(capacity, setting.user_limit_factor))
    return calculator.round_up(most, space.minimum)


def _user_limit_by_memory(
    space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27, capacity_mb: int, ask_mb: int
) -> Amount:
    setting, used_mb = leaf.configuration, queue.used(NO_LABEL)[0]
    current_mb = capacity_mb if used_mb < capacity_mb else used_mb + ask_mb
    by_users_mb = share_up(current_mb, len(leaf.active_users))
    by_percent_mb = share_up(truncate(current_mb * setting.user_limit_percent), 100)
    most_mb = truncate(capacity_mb * setting.user_limit_factor)
    return space.calculator.round_up((min(max(by_users_mb, by_percent_mb), most_mb), 0), space.minimum)


def excess_of_user(
    space: PartitionResources27,
    user: User27 | None,
    attempt: Attempt27,
    label: str,
    limit: Amount,
    continue_looking: bool,
) -> Amount | None:
    """Return how much has to be unreserved before a user is within its limit; None when that does not help."""
    used = user.used if user is not None else {}
    in_partition = used.get(label, NOTHING)
    if not space.exceeds(in_partition, limit):
        return NOTHING
    if not continue_looking:
        return None
    without = minus(used.get(NO_LABEL, NOTHING), (attempt.reserved_memory_mb, attempt.reserved_vcores))
    return None if space.exceeds(without, limit) else minus(in_partition, limit)


def headroom(space: PartitionResources27, attempt: Attempt27) -> Amount:
    """The headroom; nothing before its leaf has looked at it. Source: CapacityHeadroomProvider#getHeadroom."""
    queue, user = attempt.visited_in, attempt.visited_by
    if queue is None or queue.leaf is None or user is None:
        return NOTHING
    limit = user_limit(space, queue, queue.leaf, attempt.visited_ask, NO_LABEL)
    of_queue = queue.leaf.current_limit or space.cluster
    left = smaller_of_each(minus(limit, user.used.get(NO_LABEL, NOTHING)), minus(of_queue, queue.used(NO_LABEL)))
    memory_mb, vcores = space.calculator.round_down(left, space.minimum)
    return (max(memory_mb, 0), vcores)


def am_limit(space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27) -> Amount:
    current = leaf.current_limit or space.cluster
    of_queue = larger(space.calculator, space.cluster, guaranteed(space, queue), current)
    return space.calculator.part_up(of_queue, leaf.configuration.am_percent, space.minimum)


def user_am_limit(space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27) -> Amount:
    """Return the limit of the application masters of one user of a leaf."""
    setting = leaf.configuration
    share = max(float32(setting.user_limit_percent / 100), float32(1 / max(len(leaf.active_users), 1)))
    factor = float32(float32(setting.am_percent * share) * setting.user_limit_factor)
    return space.calculator.part_up(guaranteed(space, queue), factor, space.minimum)


ALLOCATE: Final = "allocate"
RESERVE: Final = "reserve"
KEEP: Final = "keep"  # The reservation it has here stays
NEXT_ASK: Final = "next ask"  # Nothing for this ask, and no missed opportunity is counted
NEXT_APPLICATION: Final = "next application"
END_OF_LEAF: Final = "end of leaf"  # No other application of this leaf is offered the node


class Evaluation27:
    __slots__ = (
        "counts_opportunity",
        "drops_reservation",
        "locality",
        "numbers",
        "numbers_used",
        "outcome",
        "reason",
        "request",
        "subject",
        "to_unreserve",
        "victim",
        "was_visited",
    )

    def __init__(
        self,
        outcome: str,
        reason: Reason | None = None,
        numbers: tuple[int, ...] = (),
        request: ResourceRequest | None = None,
        numbers_used: int = 0,
        to_unreserve: Amount = NOTHING,
        was_visited: bool = False,
        drops_reservation: bool = False,
        subject: str = "",
    ) -> None:
        self.subject = subject  # the queue whose maximum it is
        self.outcome = outcome
        self.reason = reason  # why it gets nothing; None when it gets something
        self.numbers = numbers  # the numbers of the reason, in its own order
        self.locality = OFF_SWITCH
        self.request = request  # the request that was matched
        self.victim = ""  # the node whose reservation is given up for it
        self.numbers_used = numbers_used  # container numbers used up on the way, its own included
        self.to_unreserve = to_unreserve  # what has to be unreserved, by the limits met so far in this leaf
        self.was_visited = was_visited  # whether the leaf has computed a headroom for the application
        self.counts_opportunity = False  # whether an opportunity was counted
        self.drops_reservation = drops_reservation
        """Whether the reservation it has here is dropped, without being given back to its queue."""


class EvaluationSettings27(metaclass=State):
    continue_looking: bool
    node_locality_delay: int
    minimum_factor: dict[str, float]
    """By leaf path: how much smaller the smallest container is than the queue's largest (float32)."""

    def __init__(self, continue_looking: bool, node_locality_delay: int, minimum_factor: dict[str, float]) -> None:
        self.continue_looking = continue_looking
        self.node_locality_delay = node_locality_delay
        self.minimum_factor = minimum_factor


def evaluate(
    space: PartitionResources27,
    rules: EvaluationSettings27,
    attempt: Attempt27,
    group: AskGroup,
    node: Node,
    limit: Amount,
    to_unreserve: Amount,
) -> Evaluation27:
    """Evaluate an application's ask on a node that is not reserved and that it has not blacklisted.

    Its leaf may use the node's partition. `limit` is what the leaf may use in the default partition, `to_unreserve`
    what earlier asks in this leaf found to be too much.
    """
    queue, leaf = leaf_of(attempt)
    anywhere = group.anywhere
    if anywhere is None or anywhere.count <= 0:
        return Evaluation27(NEXT_ASK, Reason.NOTHING_ASKED, to_unreserve=to_unreserve)
    ask = (anywhere.memory_mb, anywhere.vcores)
    if not rules.continue_looking and not wants_more(space, rules, attempt, group, ask):
        numbers = space.numbers(ask, (node.free_memory_mb, node.free_vcores))
        return Evaluation27(NEXT_ASK, Reason.RESERVATION_LIMIT, numbers, to_unreserve=to_unreserve)
    wanted_label = anywhere.partition
    most = user_limit(space, queue, leaf, ask, wanted_label)
    held = (attempt.reserved_memory_mb, attempt.reserved_vcores) if rules.continue_looking else None
    excess = excess_in_queue(space, queue, node.partition, limit, ask, held)
    if excess is None:
        full = over_maximum(space, queue, node.partition, limit, ask)
        return Evaluation27(
            END_OF_LEAF,
            full.reason,
            full.numbers,
            to_unreserve=to_unreserve,
            was_visited=True,
            subject=full.subject,
        )
    if excess != NOTHING:
        to_unreserve = excess
    user = leaf.users.get(attempt.user)
    excess = excess_of_user(space, user, attempt, wanted_label, most, rules.continue_looking)
    if excess is None:
        used = user.used.get(wanted_label, NOTHING) if user is not None else NOTHING
        return Evaluation27(
            NEXT_APPLICATION,
            Reason.USER_OVER_LIMIT,
            space.numbers(used, most),
            to_unreserve=to_unreserve,
            was_visited=True,
        )
    if excess != NOTHING and space.exceeds(excess, to_unreserve):
        to_unreserve = excess
    found = on_node(space, rules, attempt, group, node, None, to_unreserve)
    found.to_unreserve, found.was_visited = to_unreserve, True
    return found


def on_node(
    space: PartitionResources27,
    rules: EvaluationSettings27,
    attempt: Attempt27,
    group: AskGroup,
    node: Node,
    reserved: Container | None,
    to_unreserve: Amount,
) -> Evaluation27:
    """Evaluate an ask within its limits on a node, or the reservation that it has there.

    Localities are tried nearest first; each may use up a container number in vain. An ask that gets nothing at any
    ends its application's turn.
    """
    used = 0
    last = Evaluation27(NEXT_ASK, Reason.LOCALITY_NOT_RELAXED)
    for locality in range(NODE_LOCAL, OFF_SWITCH + 1):
        name = ANY if locality == OFF_SWITCH else node.rack if locality == RACK_LOCAL else node.name
        request = group.by_name.get(name)
        if request is None:
            continue
        # The ask insists on what it named; farther places are not looked at.
        if locality != NODE_LOCAL and not request.relax_locality:
            last.outcome, last.numbers_used = NEXT_ASK, used
            return last
        waits = _waits(space, rules, group, node, locality, is_reserved=reserved is not None)
        if waits is not None:
            last = Evaluation27(NEXT_APPLICATION, waits[0], waits[1], drops_reservation=last.drops_reservation)
            continue
        found = _at(space, rules, attempt, group, node, request, reserved, to_unreserve)
        used += found.numbers_used
        found.locality, found.numbers_used, found.counts_opportunity = locality, used, True
        found.drops_reservation = found.drops_reservation or last.drops_reservation
        if found.reason is None:
            return found
        last = found
    last.numbers_used, last.counts_opportunity = used, last.outcome != NEXT_ASK
    return last


def _waits(
    space: PartitionResources27,
    rules: EvaluationSettings27,
    group: AskGroup,
    node: Node,
    locality: int,
    *,
    is_reserved: bool,
) -> tuple[Reason, tuple[int, ...]] | None:
    """Return why a locality may not be used now, None when it may; the opportunity at hand counts."""
    missed = group.missed_opportunities + (0 if is_reserved else 1)
    nodes = len(space.model.nodes)
    if locality == OFF_SWITCH:
        if is_reserved or len(group.by_name) == 1:
            return None  # No place is named, so none is waited for.
        anywhere = group.anywhere
        assert anywhere is not None, "an ask without `*` is not evaluated"
        others = float32(divide(float32(max(len(group.by_name) - 1, 0)), float32(nodes)))
        needed = float32(float32(anywhere.count) * min(others, 1.0))
        return None if needed < float32(missed) else (Reason.DELAY_SCHEDULING, (missed, truncate(needed)))
    rack = group.by_name.get(node.rack)
    if rack is None or rack.count <= 0:
        return (Reason.LOCALITY_NOT_RELAXED, ())
    if locality == RACK_LOCAL:
        needed_missed = min(nodes, rules.node_locality_delay)
        return None if needed_missed < missed else (Reason.DELAY_SCHEDULING, (missed, needed_missed))
    host = group.by_name[node.name]
    return None if host.count > 0 else (Reason.LOCALITY_NOT_RELAXED, ())


def _at(
    space: PartitionResources27,
    rules: EvaluationSettings27,
    attempt: Attempt27,
    group: AskGroup,
    node: Node,
    request: ResourceRequest,
    reserved: Container | None,
    to_unreserve: Amount,
) -> Evaluation27:
    """Evaluate a request on a node at a locality that may be used. Source: LeafQueue#assignContainer."""
    if (request.partition or "").strip() != node.partition:  # SchedulerUtils#checkNodeLabelExpression
        return Evaluation27(NEXT_APPLICATION, Reason.NOT_IN_PARTITION, drops_reservation=reserved is not None)
    ask = (request.memory_mb, request.vcores)
    if space.exceeds(ask, (node.total_memory_mb, node.total_vcores)):
        numbers = space.numbers(ask, (node.total_memory_mb, node.total_vcores))
        return Evaluation27(NEXT_APPLICATION, Reason.NODE_TOO_SMALL, numbers)
    number = 0 if reserved is not None else 1
    free = (node.free_memory_mb, node.free_vcores)
    wants = wants_more(space, rules, attempt, group, ask)
    has_to_unreserve = space.exceeds(to_unreserve, NOTHING)
    if space.calculator.how_many(free, ask) > 0:
        gives_up = reserved is None and rules.continue_looking and node.partition == NO_LABEL
        # With as many reservations as asks, a container is paid for by one of them, so that no node is held in vain.
        if not gives_up or (wants and not has_to_unreserve):
            return Evaluation27(ALLOCATE, request=request, numbers_used=number)
        victim = victim_of(space, attempt, group.priority, to_unreserve if has_to_unreserve else ask)
        if not victim:
            numbers = space.numbers(ask, free)
            return Evaluation27(NEXT_APPLICATION, Reason.RESERVATION_LIMIT, numbers, numbers_used=number)
        found = Evaluation27(ALLOCATE, request=request, numbers_used=number)
        found.victim = victim
        return found
    if reserved is not None:
        return Evaluation27(KEEP, request=request)
    if wants and not (rules.continue_looking and has_to_unreserve):
        return Evaluation27(RESERVE, request=request, numbers_used=number)
    return Evaluation27(NEXT_APPLICATION, Reason.DOES_NOT_FIT, space.numbers(ask, free), numbers_used=number)


def victim_of(space: PartitionResources27, attempt: Attempt27, priority: int, needed: Amount) -> str:
    """The first node whose reservation is large enough to be given up; empty when none is."""
    for held in attempt.reservations_in_order(priority):
        if not space.exceeds(needed, (held.memory_mb, held.vcores)):
            return held.node.id
    return ""


def wants_more(
    space: PartitionResources27, rules: EvaluationSettings27, attempt: Attempt27, group: AskGroup, ask: Amount
) -> bool:
    """Tell whether it wants more than is reserved, with a bonus for waiting. Source: #shouldAllocOrReserve…."""
    wanted = group.anywhere.count if group.anywhere is not None else 0
    held = len(attempt.reserved_at.get(group.priority, ()))
    starved = 0
    if held:
        # Large asks may have fewer: each reservation of theirs holds up more of a node.
        node_factor = space.calculator.ratio(ask, attempt.queue.configuration.maximum)
        kept = float32(float32(attempt.re_reservations.get(group.priority, 0)) / float32(held))
        least = min(node_factor, rules.minimum_factor[attempt.queue.path])
        starved = truncate(float32(kept * float32(1.0 - least)))
    return starved + wanted - held > 0


def minimum_factor(space: PartitionResources27, maximum: Amount) -> float:
    """Return the difference of a queue's largest and the smallest container, as a fraction of the largest (float32)."""
    return space.calculator.ratio(minus(maximum, space.minimum), maximum)


def obstacle_of(attempt: Attempt27, found: Evaluation27, label: str) -> Obstacle:
    """Return the obstacle of an evaluation that gives nothing in a partition, with the queue or user it is about."""
    reason = found.reason
    assert reason is not None, "it gives nothing"
    subject = attempt.user if reason is Reason.USER_OVER_LIMIT else found.subject
    return limit_obstacle(reason, found.numbers, subject, label)
