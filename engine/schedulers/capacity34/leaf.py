"""The applications of a leaf: how they come and go, the limits on application masters, and headroom.

Source: AbstractLeafQueue, Hadoop 3.4.1.
"""

from bisect import insort

from engine.model.java_values import float32
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf
from engine.schedulers.capacity34.users import UNLIMITED_FACTOR, LeafUser

# ---------------------------------------------------------------- applications come and go


def submit(leaf: Leaf, attempt: CapacityAttempt, space: PartitionResources) -> None:
    """Take an attempt in; a parked one only waits for its turn. Source: #addApplicationAttempt."""
    user = leaf.users.get(attempt.user)
    leaf.attempts[attempt.application.number] = attempt
    if not attempt.runnable:
        leaf.parked.append(attempt)
        return
    leaf.runnable.append(attempt)
    leaf.users.count(user, pending=1)
    insort(leaf.waiting, attempt, key=pending_key)
    if space.calculator.compare(leaf.cluster, leaf.cluster, NOTHING) > 0:
        activate(leaf, space)


def remove(leaf: Leaf, attempt: CapacityAttempt, space: PartitionResources) -> None:
    """Let an attempt go. Source: #removeApplicationAttempt."""
    user = leaf.users.get(attempt.user)
    if attempt in leaf.runnable:
        leaf.runnable.remove(attempt)
    elif attempt in leaf.parked:
        leaf.parked.remove(attempt)
    was_active = leaf.order.remove(attempt)
    if not was_active:
        if attempt in leaf.waiting:
            leaf.waiting.remove(attempt)
    else:
        share = leaf.queue.share(attempt.am_label)
        share.am_used = minus(share.am_used, attempt.am_size)
        user.am_used[attempt.am_label] = minus(user.am_used.get(attempt.am_label, NOTHING), attempt.am_size)
    leaf.attempts.pop(attempt.application.number, None)
    leaf.users.count(user, pending=0 if was_active else -1, active=-1 if was_active else 0)
    if user.pending + user.active == 0:
        leaf.users.remove(attempt.user)
    activate(leaf, space)


def move_to_priority(leaf: Leaf, attempt: CapacityAttempt, priority: int) -> None:
    is_active = leaf.order.remove(attempt)
    if not is_active and attempt in leaf.waiting:
        leaf.waiting.remove(attempt)
    attempt.priority = priority
    if is_active:
        leaf.order.add(attempt)
    else:
        insort(leaf.waiting, attempt, key=pending_key)


# ---------------------------------------------------------------- limits on application masters


def am_limit(leaf: Leaf, label: str, space: PartitionResources) -> Amount:
    """Compute and keep the limit of masters in a partition. Source: #calculateAndGetAMResourceLimit."""
    share = leaf.queue.share(label)
    base, now = share.effective_minimum, NOTHING if label else leaf.current_limit
    if space.calculator.fits(base, now):
        base = now
    share.am_limit = space.calculator.times_up(base, share.am_percent, space.minimum)
    return share.am_limit


def user_am_limit(leaf: Leaf, label: str, user: str, space: PartitionResources) -> Amount:
    """Return the limit of one user's application masters. Source: #getUserAMResourceLimitPerPartition."""
    users = leaf.users
    known = users.by_name.get(user)
    weight = 1.0 if known is None else known.weight
    part = max(float32(users.minimum_percent / 100), float32(1 / max(users.number_active, 1)))
    share = leaf.queue.share(label)
    if users.factor == UNLIMITED_FACTOR:
        factor = share.am_percent
    else:
        weighted = min(float32(part * weight), 1.0)
        factor = float32(float32(share.am_percent * weighted) * users.factor)
    limit = space.calculator.times_up(share.effective_minimum, factor, space.minimum)
    return limit if space.calculator.compare(leaf.cluster, limit, share.am_limit) <= 0 else share.am_limit


def activate(leaf: Leaf, space: PartitionResources) -> None:
    """Make waiting applications active as far as application masters may go; at least one.

    An application that does not fit is passed by, so that a smaller one behind it may begin before it. A user's
    limit is computed for the first one of a partition and holds for all others too.

    Source: AbstractLeafQueue#activateApplications.
    """
    user_limits: dict[str, Amount] = {}
    for label in leaf.queue.labels:
        am_limit(leaf, label, space)
    for attempt in list(leaf.waiting):
        label = attempt.am_label
        share = leaf.queue.share(label)
        used = plus(attempt.am_size, share.am_used)
        if not space.calculator.fits(used, share.am_limit) and not _none_active(leaf, share.am_used, space):
            continue
        user = leaf.users.get(attempt.user)
        limit = user_limits.get(label)
        if limit is None:
            limit = user_limits[label] = user_am_limit(leaf, label, attempt.user, space)
        by_user = plus(attempt.am_size, user.am_used.get(label, NOTHING))
        if not space.calculator.fits(by_user, limit) and not _none_active(leaf, share.am_used, space):
            continue
        leaf.users.count(user, pending=-1, active=1)
        leaf.order.add(attempt)
        share.am_used = used
        user.am_used[label] = by_user
        leaf.waiting.remove(attempt)


def _none_active(leaf: Leaf, am_used: Amount, space: PartitionResources) -> bool:
    return len(leaf.order) < 1 or space.calculator.compare(leaf.cluster, am_used, NOTHING) <= 0


# ---------------------------------------------------------------- headroom


def remember_limit(leaf: Leaf, limit: Amount, space: PartitionResources) -> None:
    """Keep the limit a walk gave. Source: #updateCurrentResourceLimits."""
    most = leaf.queue.share("").largest
    leaf.cached_limit = limit if space.exceeds(most, limit) else most


def user_limit_and_headroom(
    leaf: Leaf,
    attempt: CapacityAttempt,
    label: str,
    respects: bool,
    space: PartitionResources,
    known: Amount | None = None,
) -> Amount:
    """The user's limit, computed unless known; from now on the attempt's headroom is known, too.

    Source: AbstractLeafQueue#computeUserLimitAndSetHeadroom.
    """
    user = leaf.users.by_name.get(attempt.user)
    if user is None:
        return NOTHING
    limit = leaf.users.limit(attempt.user, label, respects, leaf.queue, space) if known is None else known
    leaf.current_limit = leaf.cached_limit
    attempt.headroom_leaf, attempt.headroom_user = leaf, user
    return limit


def headroom_in(
    leaf: Leaf, attempt: CapacityAttempt, user: LeafUser, label: str, space: PartitionResources, used_of_cluster: Amount
) -> Amount:
    """Return the headroom of an application in one partition, by its user's limit and the queue's.

    Source: AbstractLeafQueue#getHeadroom.
    """
    calculator = space.calculator
    limit = leaf.users.limit(attempt.user, label, True, leaf.queue, space)
    share = leaf.queue.share(label)
    queue_limit = share.effective_maximum if label else leaf.current_limit
    by_user = (limit[0] - user.used_in(label)[0], limit[1] - user.used_in(label)[1])
    by_queue = (queue_limit[0] - share.used[0], queue_limit[1] - share.used[1])
    room = (max(min(by_user[0], by_queue[0]), 0), max(min(by_user[1], by_queue[1]), 0))
    room = calculator.round_down(room, space.minimum)
    total = space.total(label)
    free = minus(total, used_of_cluster)
    return free if calculator.compare(total, free, room) <= 0 else room


def pending_key(attempt: CapacityAttempt) -> tuple[int, int]:
    """Order of waiting applications: higher priority, then lower number."""
    return (-attempt.priority, attempt.application.number)


def headroom_of(attempt: CapacityAttempt, root: CapacityQueue, space: PartitionResources) -> Amount:
    """Return the headroom of an application in the partitions it asks for. Source: CapacityHeadroomProvider."""
    leaf, user = attempt.headroom_leaf, attempt.headroom_user
    if leaf is None or user is None:
        return NOTHING
    total = NOTHING
    for label in sorted(attempt.labels) or [""]:
        total = plus(total, headroom_in(leaf, attempt, user, label, space, root.share(label).used))
    return (max(total[0], 0), total[1])
