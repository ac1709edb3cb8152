"""What a queue, a user and the application masters of a queue may use at most; all functions are pure.

Source: LeafQueue#computeUserLimit, #getHeadroom, #getAMResourceLimit, #getUserAMResourceLimit,
AbstractCSQueue#canAssignToThisQueue, ParentQueue#getResourceLimitsOfChild, Hadoop 2.7.2.
"""

from typing import ClassVar

from engine.model.cluster import Cluster
from engine.model.java_number import float32
from engine.schedulers.capacity.amounts import NOTHING, Amount, minus, plus, smaller_of_each, times
from engine.schedulers.capacity27.calculators import Calculator27, larger, smaller
from engine.schedulers.capacity27.configuration import ANY_LABEL, NO_CAPACITY, NO_LABEL, PartitionCapacity
from engine.schedulers.capacity27.partitions import Partitions27
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, LeafState27, User27
from engine.state import REFERENCE, SHARED, Slots


class Measures27:
    """What every limit is measured with: the cluster, its partitions, the calculator and the smallest container."""

    STATE: ClassVar[Slots] = {
        "calculator": REFERENCE,
        "cluster": REFERENCE,
        "minimum": SHARED,
        "partitions": REFERENCE,
    }
    __slots__ = STATE

    def __init__(self, cluster: Cluster, partitions: Partitions27, calculator: Calculator27, minimum: Amount) -> None:
        self.cluster = cluster
        self.partitions = partitions
        self.calculator = calculator
        self.minimum = minimum

    @property
    def total(self) -> Amount:
        """The whole cluster."""
        return (self.cluster.total_memory_mb, self.cluster.total_vcores)

    def exceeds(self, left: Amount, right: Amount) -> bool:
        """Whether an amount is larger than another."""
        return self.calculator.compare(self.total, left, right) > 0

    def numbers(self, *amounts: Amount) -> tuple[int, ...]:
        """The memories of some amounts, then their vcores where those count, for an obstacle."""
        memories = tuple(amount[0] for amount in amounts)
        return memories + tuple(amount[1] for amount in amounts) if self.calculator.counts_vcores else memories


def capacity_in(queue: CapacityQueue27, label: str) -> PartitionCapacity:
    """A queue's capacities in a partition."""
    return queue.configuration.capacities.get(label, NO_CAPACITY)


def guaranteed(measures: Measures27, queue: CapacityQueue27) -> Amount:
    """A queue's capacity of the whole cluster, rounded up. Source: LeafQueue#updateAbsoluteCapacityResource."""
    absolute = capacity_in(queue, NO_LABEL).absolute
    return measures.calculator.part_up(measures.total, absolute, measures.minimum)


def maximum_in(measures: Measures27, queue: CapacityQueue27, label: str) -> Amount:
    """A queue's maximum capacity of a partition, rounded down."""
    absolute = capacity_in(queue, label).absolute_maximum
    return measures.calculator.part_down(measures.partitions.total(label), absolute, measures.minimum)


def limit_of_child(measures: Measures27, parent: CapacityQueue27, child: CapacityQueue27, limit: Amount) -> Amount:
    """What a child may use in the default partition where its parent may use `limit`."""
    calculator = measures.calculator
    left = plus(minus(limit, parent.used(NO_LABEL)), child.used(NO_LABEL))
    most = smaller(calculator, measures.total, left, maximum_in(measures, child, NO_LABEL))
    return calculator.round_down(most, measures.minimum)


def excess_in_queue(
    measures: Measures27,
    queue: CapacityQueue27,
    label: str,
    limit: Amount,
    more: Amount,
    could_unreserve: Amount | None,
) -> Amount | None:
    """How much has to be unreserved before a queue may use so much more; None when that does not help.

    Args:
        measures: The measures.
        queue: A parent or a leaf.
        label: The node's partition.
        limit: What the queue may use in the default partition.
        more: What it wants to use.
        could_unreserve: What it could give up of its reservations; None when it must not look on with reservations.

    Returns:
        `NOTHING` when it may.
    """
    accessible = queue.configuration.accessible
    if label != NO_LABEL and ANY_LABEL not in accessible and label not in accessible:
        return None
    wanted = plus(queue.used(label), more)
    most = maximum_in(measures, queue, label)
    if label == NO_LABEL:
        most = smaller(measures.calculator, measures.total, most, limit)
    if not measures.exceeds(wanted, most):
        return NOTHING
    if could_unreserve is None or label != NO_LABEL or not measures.exceeds(could_unreserve, NOTHING):
        return None
    if not measures.exceeds(most, minus(wanted, could_unreserve)):
        return None
    return minus(wanted, most)


def user_limit(measures: Measures27, queue: CapacityQueue27, leaf: LeafState27, ask: Amount, label: str) -> Amount:
    """What each user of a leaf may use while it asks for a container of this size in a partition."""
    calculator, total, setting = measures.calculator, measures.total, leaf.configuration
    whole = measures.partitions.total(label)
    capacity = calculator.part_up(whole, capacity_in(queue, label).absolute, measures.minimum)
    if label != NO_LABEL:
        capacity = larger(calculator, total, NOTHING, capacity)
    capacity = larger(calculator, total, capacity, ask)
    used = queue.used(NO_LABEL)
    current = capacity if calculator.compare(total, used, capacity) < 0 else plus(used, ask)
    by_users = calculator.share(current, len(leaf.active_users))
    by_percent = calculator.share(times(current, setting.user_limit_percent), 100)
    least = larger(calculator, total, by_users, by_percent)
    most = smaller(calculator, total, least, times(capacity, setting.user_limit_factor))
    return calculator.round_up(most, measures.minimum)


def excess_of_user(
    measures: Measures27, user: User27 | None, attempt: Attempt27, label: str, limit: Amount, continue_looking: bool
) -> Amount | None:
    """How much has to be unreserved before a user is within its limit; None when that does not help."""
    used = user.used if user is not None else {}
    in_partition = used.get(label, NOTHING)
    if not measures.exceeds(in_partition, limit):
        return NOTHING
    if not continue_looking:
        return None
    without = minus(used.get(NO_LABEL, NOTHING), (attempt.reserved_memory_mb, attempt.reserved_vcores))
    return None if measures.exceeds(without, limit) else minus(in_partition, limit)


def headroom(measures: Measures27, attempt: Attempt27) -> Amount:
    """What an application may still hope for; nothing before its leaf has looked at it.

    Source: CapacityHeadroomProvider#getHeadroom.
    """
    queue, user = attempt.visited_in, attempt.visited_by
    if queue is None or queue.leaf is None or user is None:
        return NOTHING
    limit = user_limit(measures, queue, queue.leaf, attempt.visited_ask, NO_LABEL)
    of_queue = queue.leaf.current_limit or measures.total
    left = smaller_of_each(minus(limit, user.used.get(NO_LABEL, NOTHING)), minus(of_queue, queue.used(NO_LABEL)))
    memory_mb, vcores = measures.calculator.round_down(left, measures.minimum)
    return (max(memory_mb, 0), vcores)


def am_limit(measures: Measures27, queue: CapacityQueue27, leaf: LeafState27) -> Amount:
    """What the application masters of a leaf may use together."""
    current = leaf.current_limit or measures.total
    of_queue = larger(measures.calculator, measures.total, guaranteed(measures, queue), current)
    return measures.calculator.part_up(of_queue, leaf.configuration.am_percent, measures.minimum)


def user_am_limit(measures: Measures27, queue: CapacityQueue27, leaf: LeafState27) -> Amount:
    """What the application masters of one user of a leaf may use."""
    setting = leaf.configuration
    share = max(float32(setting.user_limit_percent / 100), float32(1 / max(len(leaf.active_users), 1)))
    factor = float32(float32(setting.am_percent * share) * setting.user_limit_factor)
    return measures.calculator.part_up(guaranteed(measures, queue), factor, measures.minimum)
