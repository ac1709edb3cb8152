"""A tick's facts of the applications and users of a leaf that it looks into.

Source: TempAppPerPartition, TempUserPerPartition, IntraQueueCandidatesSelector.TAPriorityComparator,
.TAFairOrderingComparator, Hadoop 3.4.1.
"""

from collections.abc import Callable

from engine.schedulers.capacity.space import NOTHING, Amount, minus
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.order import FairOrder
from engine.schedulers.capacity34.queue import CapacityAttempt, Leaf


class UserShare:
    __slots__ = ("am_used", "ideal", "limit", "quota_is_done", "selected", "used")

    def __init__(self, used: Amount, am_used: Amount, limit: Amount) -> None:
        self.used = used
        self.am_used = am_used
        self.limit = limit  # the user's limit without the user's application masters
        self.ideal: Amount = NOTHING
        self.selected: Amount = NOTHING
        self.quota_is_done = False  # whether as much is to be taken as the user is above the limit

    @property
    def used_by_tasks(self) -> Amount:
        return minus(self.used, self.am_used)

    def is_above_limit(self, space: PartitionResources) -> bool:
        return space.calculator.compare(space.cluster, self.used_by_tasks, self.limit) > 0


class ApplicationShare:
    __slots__ = (
        "am_used",
        "attempt",
        "ideal",
        "owed",
        "pending",
        "selected",
        "to_obtain",
        "to_preempt",
        "used",
        "user",
    )

    def __init__(self, attempt: CapacityAttempt, label: str, user: UserShare) -> None:
        self.attempt = attempt
        self.user = user
        self.used = attempt.used_in.get(label, NOTHING)
        self.am_used = NOTHING if attempt.waits_for_master else am_amount(attempt, label)
        self.pending = attempt.pending_in.get(label, NOTHING)
        self.ideal: Amount = NOTHING
        self.selected: Amount = NOTHING
        self.to_preempt: Amount = NOTHING  # what it has above its ideal
        self.to_obtain: Amount = NOTHING  # what this tick takes from it
        self.owed: Amount = NOTHING  # what it should get from others

    @property
    def used_by_tasks(self) -> Amount:
        return minus(self.used, self.am_used)

    def deduct(self, amount: Amount, space: PartitionResources, total: Amount) -> None:
        if space.calculator.compare(total, self.to_obtain, amount) > 0:
            self.to_obtain = minus(self.to_obtain, amount)


def am_amount(attempt: CapacityAttempt, label: str) -> Amount:
    """Return the amount that an attempt's master counts for in a partition."""
    return attempt.am_size if attempt.am_label == label else NOTHING


def service_order(
    leaf: Leaf, space: PartitionResources, *, fairly: bool
) -> Callable[[ApplicationShare, ApplicationShare], int]:
    """Return the comparison of applications by who is served first; `fairly` in a leaf with a fair order."""
    return _fairly(space) if fairly and isinstance(leaf.order, FairOrder) else _by_priority


def _by_priority(one: ApplicationShare, other: ApplicationShare) -> int:
    by_priority = other.attempt.priority - one.attempt.priority
    return by_priority or one.attempt.application.number - other.attempt.application.number


def _fairly(space: PartitionResources) -> Callable[[ApplicationShare, ApplicationShare], int]:
    """Not an order: of two users who use as much memory but other vcores, each one comes after the other."""

    def compare(one: ApplicationShare, other: ApplicationShare) -> int:
        mine, theirs = one.attempt, other.attempt
        if mine.user == theirs.user:
            order = mine.queue.leaf.order if mine.queue.leaf is not None else None
            assert isinstance(order, FairOrder), "only asked where the order is fair"
            my_key, their_key = order.key_of(mine), order.key_of(theirs)
            return (my_key > their_key) - (my_key < their_key)
        used, used_there = one.user.used_by_tasks, other.user.used_by_tasks
        if used == used_there:
            return mine.application.number - theirs.application.number
        return -1 if space.calculator.compare(space.cluster, used, used_there) < 0 else 1

    return compare
