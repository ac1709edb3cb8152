"""Decides which applications of a leaf may be given containers: the limits on application masters.

Source: LeafQueue#activateApplications, #addApplicationAttempt, #removeApplicationAttempt, Hadoop 2.7.2.
"""

from bisect import insort

from engine.schedulers.capacity.space import Amount, minus, plus
from engine.schedulers.capacity27.limits import am_limit, user_am_limit
from engine.schedulers.capacity27.queue_walk import charge, release
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, LeafState27, leaf_of
from engine.schedulers.capacity27.space import Space27


def am_excess(
    space: Space27, queue: CapacityQueue27, leaf: LeafState27, attempt: Attempt27
) -> tuple[bool, Amount, Amount] | None:
    """The limit that keeps an application from becoming active; None when none does.

    Returns:
        (whether it is the user's limit and not the queue's, what the masters would use, the limit).
    """
    if not leaf.active:
        return None
    user = leaf.users.get(attempt.user)
    for is_users, used, most in (
        (False, leaf.am_used, am_limit(space, queue, leaf)),
        (True, user.am_used if user is not None else (0, 0), user_am_limit(space, queue, leaf)),
    ):
        wanted = plus(attempt.am, used)
        if space.exceeds(wanted, most):
            return (is_users, wanted, most)
    return None


def activate(space: Space27, queue: CapacityQueue27, leaf: LeafState27) -> None:
    """Activate what the limits allow, by application number; one that is held back does not stop the next."""
    for number in list(leaf.pending):
        attempt = leaf.attempts[number]
        if am_excess(space, queue, leaf, attempt) is not None:
            continue
        user = leaf.user(attempt.user)
        user.pending -= 1
        user.active += 1
        user.am_used = plus(user.am_used, attempt.am)
        leaf.am_used = plus(leaf.am_used, attempt.am)
        leaf.pending.remove(number)
        insort(leaf.active, number)
        space.model.version += 1


def add_attempt(space: Space27, queue: CapacityQueue27, leaf: LeafState27, attempt: Attempt27) -> None:
    """An attempt comes into a leaf."""
    number = attempt.application.number
    leaf.user(attempt.user).pending += 1
    insort(leaf.pending, number)
    leaf.attempts[number] = attempt
    activate(space, queue, leaf)


def remove_attempt(space: Space27, queue: CapacityQueue27, leaf: LeafState27, attempt: Attempt27) -> None:
    """An attempt leaves a leaf; a user goes with the last of its attempts."""
    number, user = attempt.application.number, leaf.user(attempt.user)
    if number in leaf.active:
        leaf.active.remove(number)
        leaf.am_used = minus(leaf.am_used, attempt.am)
        user.am_used = minus(user.am_used, attempt.am)
        user.active -= 1
    else:
        leaf.pending.remove(number)
        user.pending -= 1
    del leaf.attempts[number]
    if not user.applications:
        del leaf.users[user.name]
    activate(space, queue, leaf)


def move_attempt(space: Space27, attempt: Attempt27, target: CapacityQueue27) -> None:
    """An attempt goes to another leaf with its containers; what it has reserved stays charged to the old one.

    Source: CapacityScheduler#moveApplication.
    """
    queue, leaf = leaf_of(attempt)
    assert target.leaf is not None, "applications move to leaves"
    for container in attempt.live.values():
        label = container.node.partition
        release(space, attempt, label, (-container.memory_mb, -container.vcores), reorder=False)
        target.leaf.user(attempt.user).charge(label, (container.memory_mb, container.vcores))
        above: CapacityQueue27 | None = target
        while above is not None:
            charge(space, above, label, (container.memory_mb, container.vcores))
            above = above.parent
    remove_attempt(space, queue, leaf, attempt)
    leaf.count_asking(attempt, asks=False)
    attempt.move(target)
    target.leaf.count_asking(attempt, asks=True)
    add_attempt(space, target, target.leaf, attempt)
