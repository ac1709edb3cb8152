"""Says what stands in an application's way, in the queues and on a node; changes nothing.

It goes the way of an offer that only this application may take, with the same evaluation.

Source: CapacityScheduler#allocateContainersToNode, ParentQueue#assignContainers, LeafQueue#assignContainers,
Hadoop 2.7.2.
"""

from itertools import pairwise

from engine.model.identity import application_name
from engine.model.ledger import Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.capacity.space import NOTHING, Amount, first_size, minus
from engine.schedulers.capacity27.activation import am_excess
from engine.schedulers.capacity27.configuration import NO_LABEL
from engine.schedulers.capacity27.evaluation import (
    ALLOCATE,
    NEXT_ASK,
    RESERVE,
    Evaluation27,
    EvaluationSettings27,
    evaluate,
    obstacle_of,
    on_node,
)
from engine.schedulers.capacity27.limits import excess_in_queue, limit_of_child, over_maximum
from engine.schedulers.capacity27.queue_walk import has_minimum, has_room, may_use_node
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, leaf_of
from engine.schedulers.capacity27.space import Space27


def obstacle_in_queue(space: Space27, attempt: Attempt27) -> Obstacle | None:
    """Return the obstacle that holds on every node: nothing is asked for, or a limit on application masters."""
    if not attempt.pending:
        return Obstacle(Reason.NOTHING_ASKED)
    queue, leaf = leaf_of(attempt)
    if attempt.application.number in leaf.active:
        return None
    excess = am_excess(space, queue, leaf, attempt)
    if excess is None:  # it becomes active with the next change in its queue
        return Obstacle(Reason.NOT_COUNTED)
    is_users, wanted, most = excess
    numbers = space.numbers(minus(wanted, attempt.am), most, attempt.am)
    if is_users:
        return Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, numbers, attempt.user)
    return Obstacle(Reason.AM_SHARE_EXHAUSTED, numbers, queue.path)


def obstacle_on_node(space: Space27, rules: EvaluationSettings27, attempt: Attempt27, node: Node) -> Obstacle | None:
    """Return the obstacle of an active application on a node; None where an offer would allocate."""
    held = node.reserved
    if held is not None:
        group = held.attempt.groups.get(held.priority)
        anywhere = group.anywhere if group is not None else None
        is_wanted = group is not None and anywhere is not None and anywhere.count != 0
        if is_wanted and held.attempt is not attempt:
            holder = application_name(space.model.cluster_timestamp, held.id[0])
            return Obstacle(Reason.NODE_RESERVED, (held.memory_mb, node.free_memory_mb), holder)
        if is_wanted and group is not None and may_use_node(leaf_of(attempt)[0], node):
            found = on_node(space, rules, attempt, group, node, held, NOTHING)
            if not found.drops_reservation:
                return None if found.outcome == ALLOCATE else _does_not_fit(space, found, node)
    if not has_room(space, node) or not has_minimum(space, node):
        wanted = first_size(attempt) or space.minimum
        return Obstacle(Reason.DOES_NOT_FIT, space.numbers(wanted, (node.free_memory_mb, node.free_vcores)))
    queue, _ = leaf_of(attempt)
    limit = _limit_on(space, rules, queue, node, first_size(attempt) or space.minimum)
    if isinstance(limit, Obstacle):
        return limit
    if not may_use_node(queue, node):
        return Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), queue.path)
    if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
        return Obstacle(Reason.BLACKLISTED)
    return _of_asks(space, rules, attempt, node, limit)


def _limit_on(
    space: Space27, rules: EvaluationSettings27, leaf: CapacityQueue27, node: Node, wanted: Amount
) -> Amount | Obstacle:
    """Return the limit of a leaf in the default partition, or of the queue above it where no container fits."""
    path = [leaf]
    while path[0].parent is not None:
        path.insert(0, path[0].parent)
    limit = space.total(NO_LABEL)
    for queue, child in pairwise(path):
        if not may_use_node(queue, node):
            return Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), queue.path)
        reserved = (queue.reserved_memory_mb, queue.reserved_vcores) if rules.continue_looking else None
        if excess_in_queue(space, queue, node.partition, limit, space.minimum, reserved) is None:
            return over_maximum(space, queue, node.partition, limit, wanted)
        limit = limit_of_child(space, queue, child, limit)
    return limit


def _of_asks(
    space: Space27, rules: EvaluationSettings27, attempt: Attempt27, node: Node, limit: Amount
) -> Obstacle | None:
    to_unreserve, last = NOTHING, Obstacle(Reason.NOTHING_ASKED)
    for priority in attempt.priorities:
        found = evaluate(space, rules, attempt, attempt.groups[priority], node, limit, to_unreserve)
        to_unreserve = found.to_unreserve
        if found.outcome == ALLOCATE:
            return None
        if found.outcome == RESERVE:
            return _does_not_fit(space, found, node)
        if found.reason is not Reason.NOTHING_ASKED:
            last = obstacle_of(attempt, found, node.partition)
        if found.outcome != NEXT_ASK:
            break
    return last


def _does_not_fit(space: Space27, found: Evaluation27, node: Node) -> Obstacle:
    """It may only reserve the node, or keep its reservation."""
    request = found.request
    if request is None:
        return Obstacle(found.reason or Reason.DOES_NOT_FIT, found.numbers)
    wanted, free = (request.memory_mb, request.vcores), (node.free_memory_mb, node.free_vcores)
    return Obstacle(Reason.DOES_NOT_FIT, space.numbers(wanted, free))
