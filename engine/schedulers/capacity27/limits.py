"""Computes the most a queue, a user and the application masters of a queue may use; all functions are pure.

Source: LeafQueue#computeUserLimit, #getHeadroom, #getAMResourceLimit, #getUserAMResourceLimit,
AbstractCSQueue#canAssignToThisQueue, ParentQueue#getResourceLimitsOfChild, Hadoop 2.7.2.
"""

from engine.model.java_number import float32, truncate
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.capacity.partition_limit import limit_obstacle
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus, smaller_of_each
from engine.schedulers.capacity27.calculators import larger, share_up, smaller, times
from engine.schedulers.capacity27.configuration import ANY_LABEL, NO_CAPACITY, NO_LABEL, PartitionCapacity
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, LeafState27, PartitionParts27, User27
from engine.schedulers.capacity27.space import Space27


def capacity_in(queue: CapacityQueue27, label: str) -> PartitionCapacity:
    """A queue's capacities in a partition."""
    return queue.configuration.capacities.get(label, NO_CAPACITY)


def guaranteed(space: Space27, queue: CapacityQueue27) -> Amount:
    """A queue's capacity of the whole cluster, rounded up. Source: LeafQueue#updateAbsoluteCapacityResource."""
    return space.calculator.part_up(space.cluster, capacity_in(queue, NO_LABEL).absolute, space.minimum)


def guaranteed_in(space: Space27, queue: CapacityQueue27, label: str) -> Amount:
    """A queue's capacity of a partition, rounded up."""
    return parts_of(space, queue, label).capacity


def parts_of(space: Space27, queue: CapacityQueue27, label: str) -> PartitionParts27:
    """Return a queue's capacities of a partition, computed anew where its total or the configuration is another one."""
    parts, whole, configuration = queue.parts.get(label), space.total(label), queue.configuration
    if parts is None or parts.configuration is not configuration or parts.whole != whole:
        share, calculator = capacity_in(queue, label), space.calculator
        capacity = calculator.part_up(whole, share.absolute, space.minimum)
        maximum = calculator.part_down(whole, share.absolute_maximum, space.minimum)
        parts = queue.parts[label] = PartitionParts27(configuration, whole, capacity, maximum)
    return parts


def maximum_in(space: Space27, queue: CapacityQueue27, label: str) -> Amount:
    """A queue's maximum capacity of a partition, rounded down."""
    return parts_of(space, queue, label).maximum


def absolute_used(space: Space27, queue: CapacityQueue27) -> float:
    """Return the part of the default partition that a queue uses (float32); 0 of an empty one."""
    if not space.exceeds(space.cluster, NOTHING):
        return 0.0
    return float32(space.calculator.divide(space.cluster, queue.used(NO_LABEL), space.cluster))


def limit_of_child(space: Space27, parent: CapacityQueue27, child: CapacityQueue27, limit: Amount) -> Amount:
    """Return the limit of a child in the default partition, where that of its parent is `limit`."""
    calculator = space.calculator
    # What the siblings use is not to be had; what the child uses itself is.
    left = plus(minus(limit, parent.used(NO_LABEL)), child.used(NO_LABEL))
    most = smaller(calculator, space.cluster, left, maximum_in(space, child, NO_LABEL))
    return calculator.round_down(most, space.minimum)


def excess_in_queue(
    space: Space27,
    queue: CapacityQueue27,
    label: str,
    limit: Amount,
    more: Amount,
    could_unreserve: Amount | None,
) -> Amount | None:
    """Return how much has to be unreserved before a queue may use so much more; None when that does not help.

    Args:
        label: The node's partition.
        limit: What the queue may use in the default partition.
        could_unreserve: What it could give up of its reservations; None when it must not look on with reservations.

    Returns:
        `NOTHING` when it may.
    """
    accessible = queue.configuration.accessible
    if label != NO_LABEL and ANY_LABEL not in accessible and label not in accessible:
        return None
    wanted = plus(queue.used(label), more)
    most = maximum_in(space, queue, label)
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


def over_maximum(space: Space27, queue: CapacityQueue27, label: str, limit: Amount, wanted: Amount) -> Obstacle:
    """A queue is over its maximum in a partition, or one above it, which leaves it `limit` in the default one."""
    most = maximum_in(space, queue, label)
    above = queue.parent
    while above is not None and label == NO_LABEL and not space.exceeds(plus(queue.used(label), wanted), most):
        queue, above, most = above, above.parent, maximum_in(space, above, label)
    if label == NO_LABEL and not space.exceeds(plus(queue.used(label), wanted), most):
        most = limit
    numbers = space.numbers(queue.used(label), most, wanted)
    return limit_obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, queue.path, label)


def user_limit(space: Space27, queue: CapacityQueue27, leaf: LeafState27, ask: Amount, label: str) -> Amount:
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
    space: Space27, queue: CapacityQueue27, leaf: LeafState27, capacity_mb: int, ask_mb: int
) -> Amount:
    """Compute as `user_limit` does, where only the memory of each step matters."""
    setting, used_mb = leaf.configuration, queue.used(NO_LABEL)[0]
    current_mb = capacity_mb if used_mb < capacity_mb else used_mb + ask_mb
    by_users_mb = share_up(current_mb, len(leaf.active_users))
    by_percent_mb = share_up(truncate(current_mb * setting.user_limit_percent), 100)
    most_mb = truncate(capacity_mb * setting.user_limit_factor)
    return space.calculator.round_up((min(max(by_users_mb, by_percent_mb), most_mb), 0), space.minimum)


def excess_of_user(
    space: Space27, user: User27 | None, attempt: Attempt27, label: str, limit: Amount, continue_looking: bool
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


def headroom(space: Space27, attempt: Attempt27) -> Amount:
    """Return the headroom of an application; nothing before its leaf has looked at it.

    Source: CapacityHeadroomProvider#getHeadroom.
    """
    queue, user = attempt.visited_in, attempt.visited_by
    if queue is None or queue.leaf is None or user is None:
        return NOTHING
    limit = user_limit(space, queue, queue.leaf, attempt.visited_ask, NO_LABEL)
    of_queue = queue.leaf.current_limit or space.cluster
    left = smaller_of_each(minus(limit, user.used.get(NO_LABEL, NOTHING)), minus(of_queue, queue.used(NO_LABEL)))
    memory_mb, vcores = space.calculator.round_down(left, space.minimum)
    return (max(memory_mb, 0), vcores)


def am_limit(space: Space27, queue: CapacityQueue27, leaf: LeafState27) -> Amount:
    """Return the limit of all application masters of a leaf together."""
    current = leaf.current_limit or space.cluster
    of_queue = larger(space.calculator, space.cluster, guaranteed(space, queue), current)
    return space.calculator.part_up(of_queue, leaf.configuration.am_percent, space.minimum)


def user_am_limit(space: Space27, queue: CapacityQueue27, leaf: LeafState27) -> Amount:
    """Return the limit of the application masters of one user of a leaf."""
    setting = leaf.configuration
    share = max(float32(setting.user_limit_percent / 100), float32(1 / max(len(leaf.active_users), 1)))
    factor = float32(float32(setting.am_percent * share) * setting.user_limit_factor)
    return space.calculator.part_up(guaranteed(space, queue), factor, space.minimum)
