"""What only a leaf has: applications in their orders, users, limits on application masters.

An application is *parked* while a limit on parallel ones holds it back, then *waiting* until the limit on application
masters lets it become *active*; only active ones are given containers.

Source: AbstractLeafQueue, Hadoop 3.4.1.
"""

from bisect import insort

from engine.model.java_number import float32
from engine.model.ledger import Container
from engine.schedulers.capacity.amounts import NOTHING, Amount, minus, plus
from engine.schedulers.capacity34.application_order import ApplicationOrder
from engine.schedulers.capacity34.attempt import CapacityAttempt
from engine.schedulers.capacity34.leaf_settings import LeafSettings
from engine.schedulers.capacity34.queue import CapacityQueue
from engine.schedulers.capacity34.space import Space
from engine.schedulers.capacity34.user_verdicts import UserVerdicts
from engine.schedulers.capacity34.users import UNLIMITED_FACTOR, LeafUser, Users
from engine.state import Shared, State


class Leaf(metaclass=State):
    """A leaf's own state; `queue` is the queue it belongs to."""

    queue: CapacityQueue
    settings: Shared[LeafSettings]
    users: Users
    verdicts: UserVerdicts
    attempts: dict[int, CapacityAttempt] = {}
    """By application number."""
    order: ApplicationOrder
    """The active applications."""
    waiting: list[CapacityAttempt] = []
    """Those not yet active, by priority, then number."""
    runnable: list[CapacityAttempt] = []
    """Waiting and active ones."""
    parked: list[CapacityAttempt] = []
    max_applications: int = 0
    max_per_user: int = 0
    minimum_factor: float = 0.0
    """(largest - smallest container) / largest, float32."""
    cached_limit: Amount = NOTHING
    """The queue's limit of the last walk."""
    current_limit: Amount = NOTHING
    """The limit that headroom and limits on application masters go by."""
    cluster: Amount = NOTHING
    """The cluster's total at the last update."""
    foreign: dict[str, list[Container]] = {}
    """By partition, containers of asks without a label, in order of creation, then id."""
    is_auto_created: bool = False

    def __init__(self, queue: CapacityQueue, settings: LeafSettings) -> None:
        self.queue = queue
        self.settings = settings
        self.users = Users()
        self.verdicts = UserVerdicts()
        self.order = settings.make_order()

    def number_of_applications(self) -> int:
        """Waiting, active and parked ones."""
        return len(self.waiting) + len(self.order) + len(self.parked)

    # ---------------------------------------------------------------- applications come and go

    def submit(self, attempt: CapacityAttempt, space: Space) -> None:
        """Take an attempt in; a parked one only waits for its turn. Source: #addApplicationAttempt."""
        user = self.users.get(attempt.user)
        self.attempts[attempt.application.number] = attempt
        if not attempt.runnable:
            self.parked.append(attempt)
            return
        self.runnable.append(attempt)
        user.pending += 1
        insort(self.waiting, attempt, key=pending_key)
        if space.calculator.compare(self.cluster, self.cluster, NOTHING) > 0:
            self.activate(space)

    def remove(self, attempt: CapacityAttempt, space: Space) -> None:
        """Let an attempt go. Source: #removeApplicationAttempt."""
        user = self.users.get(attempt.user)
        if attempt in self.runnable:
            self.runnable.remove(attempt)
        elif attempt in self.parked:
            self.parked.remove(attempt)
        was_active = self.order.remove(attempt)
        if not was_active:
            if attempt in self.waiting:
                self.waiting.remove(attempt)
        else:
            share = self.queue.share(attempt.am_label)
            share.am_used = minus(share.am_used, attempt.am_size)
            user.am_used[attempt.am_label] = minus(user.am_used.get(attempt.am_label, NOTHING), attempt.am_size)
        self.attempts.pop(attempt.application.number, None)
        if was_active:
            user.active -= 1
        else:
            user.pending -= 1
        if user.pending + user.active == 0:
            self.users.remove(attempt.user)
        self.activate(space)

    def change_priority(self, attempt: CapacityAttempt, priority: int) -> None:
        """An application's priority changes; it moves in its order."""
        is_active = self.order.remove(attempt)
        if not is_active and attempt in self.waiting:
            self.waiting.remove(attempt)
        attempt.priority = priority
        if is_active:
            self.order.add(attempt)
        else:
            insort(self.waiting, attempt, key=pending_key)

    # ---------------------------------------------------------------- limits on application masters

    def am_limit(self, label: str, space: Space) -> Amount:
        """What masters may use of a partition, computed and kept. Source: #calculateAndGetAMResourceLimit."""
        share = self.queue.share(label)
        base, now = share.effective_minimum, NOTHING if label else self.current_limit
        if space.calculator.fits(base, now):
            base = now
        share.am_limit = space.calculator.times_up(base, share.am_percent, space.minimum)
        return share.am_limit

    def user_am_limit(self, label: str, user: str, space: Space) -> Amount:
        """What one user's application masters may use. Source: #getUserAMResourceLimitPerPartition."""
        users = self.users
        known = users.by_name.get(user)
        weight = 1.0 if known is None else known.weight
        part = max(float32(users.minimum_percent / 100), float32(1 / max(users.number_active, 1)))
        share = self.queue.share(label)
        if users.factor == UNLIMITED_FACTOR:
            factor = share.am_percent
        else:
            weighted = min(float32(part * weight), 1.0)
            factor = float32(float32(share.am_percent * weighted) * users.factor)
        limit = space.calculator.times_up(share.effective_minimum, factor, space.minimum)
        return limit if space.calculator.compare(self.cluster, limit, share.am_limit) <= 0 else share.am_limit

    def activate(self, space: Space) -> None:
        """Make waiting applications active as far as application masters may go; at least one.

        An application that does not fit is passed by, so that a smaller one behind it may begin before it. A user's
        limit is computed for the first one of a partition and holds for all others too.

        Source: AbstractLeafQueue#activateApplications.
        """
        user_limits: dict[str, Amount] = {}
        for label in self.queue.labels:
            self.am_limit(label, space)
        for attempt in list(self.waiting):
            label = attempt.am_label
            share = self.queue.share(label)
            used = plus(attempt.am_size, share.am_used)
            if not space.calculator.fits(used, share.am_limit) and not self._none_active(share.am_used, space):
                continue
            user = self.users.get(attempt.user)
            limit = user_limits.get(label)
            if limit is None:
                limit = user_limits[label] = self.user_am_limit(label, attempt.user, space)
            by_user = plus(attempt.am_size, user.am_used.get(label, NOTHING))
            if not space.calculator.fits(by_user, limit) and not self._none_active(share.am_used, space):
                continue
            user.pending -= 1
            user.active += 1
            self.order.add(attempt)
            share.am_used = used
            user.am_used[label] = by_user
            self.waiting.remove(attempt)

    def _none_active(self, am_used: Amount, space: Space) -> bool:
        """Whether nothing is there that an application master would be one too many to."""
        return len(self.order) < 1 or space.calculator.compare(self.cluster, am_used, NOTHING) <= 0

    # ---------------------------------------------------------------- headroom

    def remember_limit(self, limit: Amount, space: Space) -> None:
        """Keep the limit a walk gave. Source: #updateCurrentResourceLimits."""
        most = space.calculator.round_down(self.queue.share("").effective_maximum, space.minimum)
        self.cached_limit = most if space.calculator.compare(space.cluster, most, limit) <= 0 else limit

    def user_limit_and_headroom(
        self, attempt: CapacityAttempt, label: str, respects: bool, space: Space, known: Amount | None = None
    ) -> Amount:
        """The user's limit, computed unless known; from now on the attempt's headroom is known, too.

        Source: AbstractLeafQueue#computeUserLimitAndSetHeadroom.
        """
        user = self.users.by_name.get(attempt.user)
        if user is None:
            return NOTHING
        limit = self.users.limit(attempt.user, label, respects, self, space) if known is None else known
        self.current_limit = self.cached_limit
        attempt.headroom_leaf, attempt.headroom_user = self, user
        return limit

    def headroom(
        self, attempt: CapacityAttempt, user: LeafUser, label: str, space: Space, used_of_cluster: Amount
    ) -> Amount:
        """What an application may hope for in one partition, by its user's limit and the queue's.

        Source: AbstractLeafQueue#getHeadroom.
        """
        calculator = space.calculator
        limit = self.users.limit(attempt.user, label, True, self, space)
        share = self.queue.share(label)
        queue_limit = share.effective_maximum if label else self.current_limit
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


def headroom_of(attempt: CapacityAttempt, root: CapacityQueue, space: Space) -> Amount:
    """What an application may still hope for in the partitions it asks for. Source: CapacityHeadroomProvider."""
    leaf, user = attempt.headroom_leaf, attempt.headroom_user
    if leaf is None or user is None:
        return NOTHING
    total = NOTHING
    for label in sorted(attempt.labels) or [""]:
        total = plus(total, leaf.headroom(attempt, user, label, space, root.share(label).used))
    return (max(total[0], 0), total[1])
