"""The limits that a walk hands down the tree, and the checks that a queue and a user are below theirs.

Source: ResourceLimits, AbstractParentQueue#getResourceLimitsOfChild, AbstractCSQueue, AbstractLeafQueue, Hadoop 3.4.1.
"""

from engine.schedulers.capacity.space import NOTHING, Amount, minus
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf
from engine.schedulers.capacity34.space import Space


class Limits:
    """The most one queue may use now, and what its walk found out."""

    __slots__ = ("allow_kill", "blocked", "headroom", "limit", "to_unreserve")

    def __init__(self, limit: Amount) -> None:
        self.limit = limit
        self.headroom = limit
        """The limit less what is used."""
        self.to_unreserve: Amount = NOTHING
        """What an application has to give up of its reservations, for its user's limit."""
        self.blocked: Amount | None = None
        """Headroom of children that stand at their limits; their siblings may not have it."""
        self.allow_kill = False
        """Whether containers selected for preemption may be killed for this queue."""


def limits_of_child(
    queue: CapacityQueue, child: CapacityQueue, limits: Limits, label: str, space: Space, *, net: bool
) -> Limits:
    """Return the limits of a child: those of its parent, less the usage of the parent's other children.

    `limits` are the parent's, whose limit is capped by its maximum from now on; with `net` headroom of blocked children
    is taken off.
    """
    share = queue.share(label)
    if space.exceeds(limits.limit, share.effective_maximum):
        limits.limit = share.effective_maximum
    memory_mb, vcores = limits.limit
    if net and limits.blocked is not None:
        memory_mb, vcores = memory_mb - limits.blocked[0], vcores - limits.blocked[1]
    own = child.share(label).used
    killable = queue.killable_amount(label) if queue.killable else NOTHING
    free = (memory_mb - share.used[0] + killable[0] + own[0], vcores - share.used[1] + killable[1] + own[1])
    return Limits(space.calculator.round_down(free, space.minimum))


def may_assign_to(
    queue: CapacityQueue, label: str, limits: Limits, unreservable: Amount, respects: bool, space: Space
) -> bool:
    """True if a queue is below its limit, at least if reservations were given up; notes its headroom.

    Source: AbstractCSQueue#canAssignToThisQueue.
    """
    share = queue.share(label)
    if respects:
        most = share.effective_maximum
        if space.exceeds(most, limits.limit):
            most = limits.limit
    else:
        most = space.total(label)
    used = share.used
    # What may be killed below counts as free: whoever is below its guarantee takes its place.
    if queue.leaf is None and queue.killable:
        used = minus(used, queue.killable_amount(label))
    limits.headroom = (most[0] - used[0], most[1] - used[1])
    if space.exceeds(most, used):
        return True
    # With its own reservations given up it may be below its limit.
    if not space.continue_looking or not space.exceeds(unreservable, NOTHING):
        return False
    return space.exceeds(most, minus(used, unreservable))


def may_assign_to_user(
    leaf: Leaf, attempt: CapacityAttempt, label: str, limit: Amount, limits: Limits, space: Space
) -> bool:
    """True if a user is not above their limit, or would not be without the attempt's reservations.

    Source: AbstractLeafQueue#canAssignToUser.
    """
    user = leaf.users.by_name.get(attempt.user)
    if user is None:
        return False
    limits.to_unreserve = NOTHING
    used = user.used_in(label)
    if not space.exceeds(used, limit):
        return True
    # A reservation counts as used; without this setting none is given up for a container elsewhere.
    if not leaf.settings.continue_looking:
        return False
    without = minus(user.used_in(""), attempt.reserved_in[""])
    if space.exceeds(without, limit):
        return False
    limits.to_unreserve = minus(used, limit)
    return True
