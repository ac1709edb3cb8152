"""Computes how much each queue should have, and so how much is to be taken from it.

Each parent's ideal is handed to its children: what they use up to their guarantees first, then, to the one furthest
below its guarantee, in shares of what the hungry ones are guaranteed together.

Source: PreemptableResourceCalculator, AbstractPreemptableResourceCalculator, TempQueuePerPartition,
AbstractPreemptionEntity, ProportionalCapacityPreemptionPolicy#cloneQueues,
AbstractLeafQueue#getTotalPendingResourcesConsideringUserLimit, CapacitySchedulerConfiguration,
ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded, Hadoop 3.4.1.
"""

from collections.abc import Mapping
from math import ceil
from typing import Final, NamedTuple

from engine.model.identity import java_hash_order
from engine.model.java_collections import Comparison, JavaPriorityQueue
from engine.model.java_values import divide, float32, truncate_long
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.space import (
    NOTHING,
    Amount,
    minus,
    minus_at_most,
    non_negative,
    plus,
    smaller_of_each,
    times,
)
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.order import compare_use
from engine.schedulers.capacity34.preemption.within import ApplicationShare, UserShare
from engine.schedulers.capacity34.queue import CapacityQueue, Leaf
from engine.settings import capacity as keys
from engine.settings.capacity_scheduler import BY_PRIORITY_DELAY, MOVES_RESERVATIONS, PREEMPTS_BY_PRIORITY

# A tick's facts of one queue in one partition: what it has, wants and should have.


class QueueShare:
    def __init__(self, queue: CapacityQueue, label: str, space: PartitionResources) -> None:
        share = queue.share(label)
        self.queue = queue
        self.path = queue.path
        self.label = label
        self.total = space.total(label)
        self.absolute = share.absolute
        maximum = share.absolute_maximum if space.is_exclusive(label) else 1.0
        self.guaranteed = share.effective_minimum
        if self.guaranteed == NOTHING:
            self.guaranteed = times(self.total, share.absolute)
        self.maximum = share.effective_maximum if share.effective_maximum != NOTHING else times(self.total, maximum)
        self.used = share.used
        self.reserved = share.reserved
        self.killable = queue.killable_amount(label)
        self.is_disabled = queue.settings.preemption_disabled
        self.priority = 0  # among its siblings, where their parent goes by it
        self.parent: QueueShare | None = None
        self.children: list[QueueShare] = []
        self.pending = self.pending_unreserved = NOTHING
        """What is wanted within users' limits; the second without what is reserved."""
        if queue.leaf is not None:
            self.pending = pending_within_limits(queue.leaf, label, space, less_reserved=False)
            self.pending_unreserved = pending_within_limits(queue.leaf, label, space, less_reserved=True)
        self.ideal: Amount = NOTHING  # what it should have
        self.untouchable: Amount = NOTHING  # above its guarantee, but not to be taken
        self.preemptable: Amount = NOTHING
        self.to_preempt: Amount = NOTHING
        self.to_obtain: Amount = NOTHING  # what this tick takes
        self.normalised = [0.0, 0.0]
        """Its share of what its hungry siblings are guaranteed together, of memory and of vcores."""
        self.applications: list[ApplicationShare] = []  # for a leaf that is looked into, the last ones first
        self.users: dict[str, UserShare] = {}

    def add(self, child: "QueueShare") -> None:
        self.children.append(child)
        child.parent = self
        self.pending = plus(self.pending, child.pending)
        self.pending_unreserved = plus(self.pending_unreserved, child.pending_unreserved)

    def update_extras(self, space: PartitionResources) -> None:
        """Compute the usage above the guarantees, and its preemptable part. Source: #updatePreemptableExtras."""
        for child in self.children:
            child.update_extras(space)
        compare = space.calculator.compare
        extra = minus(self.used, self.guaranteed)
        if compare(self.total, extra, NOTHING) < 0:
            extra = NOTHING
        self.untouchable = self.preemptable = NOTHING
        if not self.children:
            if self.is_disabled:
                self.untouchable = extra
            else:
                self.preemptable = extra
            return
        below = NOTHING
        for child in self.children:
            below = plus(below, child.preemptable)
        if compare(self.total, below, extra) < 0:
            self.untouchable = minus(extra, below)
        self.preemptable = below if compare(self.total, below, extra) <= 0 else extra

    def offer(
        self, available: Amount, space: PartitionResources, cluster: Amount, reserved: bool, beyond: bool
    ) -> Amount:
        """Take from what is available; what is left. Shares are of `cluster`.

        `reserved` is whether reservations count as wanted, `beyond` whether leaves may be given more than both their
        guarantee and what they use.
        """
        compare = space.calculator.compare
        room = minus_at_most(self.maximum, self.ideal)
        wanted = minus(plus(self.used, self.pending if reserved else self.pending_unreserved), self.ideal)
        # Neither beyond its maximum nor more than it wants.
        taken = smaller_of_each(room, available if compare(cluster, available, wanted) <= 0 else wanted)
        # Up to its guarantee, or what it uses already: room is not made for growth beyond that.
        if not beyond and not self.children:
            most = self.used if compare(cluster, self.used, self.guaranteed) >= 0 else self.guaranteed
            most = minus(most, self.ideal)
            most = most if compare(cluster, most, NOTHING) >= 0 else NOTHING
            taken = taken if compare(cluster, taken, most) <= 0 else most
        taken = smaller_of_each(non_negative(taken), available)
        self.ideal = plus(self.ideal, taken)
        return minus(available, taken)

    def assign(self, factor: float, space: PartitionResources, cluster: Amount) -> None:
        """Set how much is to be taken in the end. Source: #assignPreemption."""
        compare = space.calculator.compare
        used, wanted = minus(self.used, self.killable), plus(self.used, self.pending)
        least = wanted if compare(cluster, wanted, self.guaranteed) <= 0 else self.guaranteed
        least = least if compare(cluster, least, self.ideal) >= 0 else self.ideal
        self.to_preempt = times(minus(used, least), factor) if compare(cluster, used, least) > 0 else NOTHING

    def deduct(self, amount: Amount, space: PartitionResources) -> None:
        compare = space.calculator.compare
        if compare(self.total, self.to_obtain, amount) > 0:
            self.to_obtain = minus(self.to_obtain, amount)
        if compare(self.total, self.to_obtain, NOTHING) < 0:
            self.to_obtain = NOTHING


def pending_within_limits(leaf: Leaf, label: str, space: PartitionResources, *, less_reserved: bool) -> Amount:
    """Return the demand of active applications within their users' limits."""
    total, rooms = NOTHING, dict[str, Amount]()
    for attempt in leaf.order:
        room = rooms.get(attempt.user)
        if room is None:
            user = leaf.users.get(attempt.user)
            limit = leaf.users.limit(attempt.user, label, True, leaf.queue, space)
            room = minus_at_most(limit, user.used_in(label))
        pending = attempt.pending_in.get(label, NOTHING)
        if less_reserved:
            pending = minus(pending, attempt.reserved_in.get(label, NOTHING))
        within = smaller_of_each(room, non_negative(pending))
        total = plus(total, within)
        rooms[attempt.user] = minus(room, within)
    return total


class QueueShares:
    """All queues in all partitions, as they stand when a tick begins."""

    __slots__ = ("labels", "leaves", "roots", "shares", "under_served")

    def __init__(self, root: CapacityQueue, labels: Mapping[str, bool], space: PartitionResources) -> None:
        self.labels = java_hash_order([*labels, ""])
        self.shares: dict[tuple[str, str], QueueShare] = {}  # by (path, partition)
        self.roots = [self._copy(root, label, space) for label in self.labels]
        self.leaves = _leaf_names(root)  # paths of the leaves, in the order of the class's set
        self.under_served: dict[str, dict[str, None]] = {}
        """By partition, paths of queues that want more, in the order found."""

    def _copy(self, queue: CapacityQueue, label: str, space: PartitionResources) -> QueueShare:
        share = self.shares[queue.path, label] = QueueShare(queue, label, space)
        for child in queue.children:
            below = self._copy(child, label, space)
            if queue.ordering == "priority-utilization":
                below.priority = child.settings.priority
            share.add(below)
        return share

    def of(self, path: str) -> list[QueueShare]:
        return [self.shares[path, label] for label in self.labels]

    def is_disabled(self, path: str) -> bool:
        return self.shares[path, ""].is_disabled

    def note_under_served(self, share: QueueShare) -> None:
        self.under_served.setdefault(share.label, {})[share.path] = None

    def to_obtain(self, path: str, space: PartitionResources) -> dict[str, Amount]:
        """Return the amount to take from a leaf, by partition. Source: #getResToObtainByPartitionForLeafQueue."""
        cluster = space.cluster
        return {
            share.label: share.to_obtain
            for share in self.of(path)
            if not share.is_disabled and space.calculator.compare(cluster, share.to_obtain, NOTHING) > 0
        }


def _leaf_names(queue: CapacityQueue) -> list[str]:
    if not queue.children:
        return [queue.path] if queue.leaf is not None else []
    return java_hash_order([path for child in queue.children for path in _leaf_names(child)])


# Settings of the preemption policy.

USER_LIMIT_FIRST: Final = "USERLIMIT_FIRST"


class PreemptionSettings(NamedTuple):
    """The knobs of a tick; times in ms, ratios of float properties as float32."""

    observe_only: bool
    wait_ms: int  # How long a container stays selected before it is killed
    per_round: float  # Share of the cluster that may be selected in one tick
    ignored_over: float  # By how much a queue may exceed its guarantee without being looked at
    natural_factor: float  # Share of what is to be obtained that one tick selects
    conservative: bool
    by_priority: bool  # Whether containers are selected where queues of higher priority have reservations
    by_priority_delay_ms: int
    moves_reservations: bool
    by_reservation: bool
    counts_reserved: bool  # Whether what is reserved counts as wanted, too
    balances: bool  # Whether queues above their guarantees are balanced, too
    balance_wait_ms: int
    within_queues: bool
    within_threshold: float  # Use of its guarantee below which a queue is not looked into
    within_limit: float  # Share of its guarantee that one tick may select within a queue
    within_order: str
    within_conservative: bool

    def longest_wait_ms(self) -> int:
        """Return the longest time from a reason to preempt to a kill, without the pass that finds it [ms]."""
        kill_ms = max(self.wait_ms, self.balance_wait_ms if self.balances else 0)
        return 2 * kill_ms + (self.by_priority_delay_ms if self.by_priority else 0)


def read_preemption(properties: Properties) -> PreemptionSettings:
    """The policy's settings; without a monitor nothing reads them, so that nothing in them is refused."""
    if not properties.everywhere(keys.MONITORS):
        properties = Properties(properties.values, Refusals(), properties.table)
    return PreemptionSettings(
        observe_only=properties.everywhere(keys.OBSERVE_ONLY),
        wait_ms=properties.everywhere(keys.WAIT_BEFORE_KILL),
        per_round=properties.everywhere(keys.PER_ROUND),
        ignored_over=properties.everywhere(keys.IGNORED_OVER_CAPACITY),
        natural_factor=properties.everywhere(keys.NATURAL_TERMINATION),
        conservative=properties.everywhere(keys.CONSERVATIVE),
        by_priority=properties.everywhere(PREEMPTS_BY_PRIORITY),
        by_priority_delay_ms=properties.everywhere(BY_PRIORITY_DELAY),
        moves_reservations=properties.everywhere(MOVES_RESERVATIONS),
        by_reservation=properties.everywhere(keys.BY_RESERVATION),
        counts_reserved=properties.everywhere(keys.COUNTS_RESERVED),
        balances=properties.everywhere(keys.BALANCES),
        balance_wait_ms=properties.everywhere(keys.BALANCE_WAIT),
        within_queues=properties.everywhere(keys.WITHIN_QUEUES),
        within_threshold=properties.everywhere(keys.WITHIN_THRESHOLD),
        within_limit=properties.everywhere(keys.WITHIN_LIMIT),
        within_order=(properties.text(keys.WITHIN_ORDER.name) or properties.table.default(keys.WITHIN_ORDER))
        .strip()
        .upper(),
        within_conservative=properties.everywhere(keys.WITHIN_CONSERVATIVE),
    )


STEP = (1, 1)
NOBODY_IS_OWED = 2**31 - 1


class IdealShares:
    """Computes for all queues; `reserved` and `beyond` as in `QueueShare.offer`."""

    __slots__ = ("beyond", "reserved", "settings", "shares", "space")

    def __init__(
        self,
        shares: QueueShares,
        space: PartitionResources,
        settings: PreemptionSettings,
        *,
        reserved: bool,
        beyond: bool,
    ) -> None:
        self.shares = shares
        self.space = space
        self.settings = settings
        self.reserved = reserved
        self.beyond = beyond

    def compute(self, allowed: Amount, *, as_natural: bool) -> None:
        """Set what to obtain from each leaf; `allowed` in this tick, with `as_natural` only a part of it."""
        for root in self.shares.roots:
            root.update_extras(self.space)
            root.ideal = root.guaranteed
            self._below(root, allowed)
        for path in self.shares.leaves:
            for share in () if self.shares.is_disabled(path) else self.shares.of(path):
                share.to_obtain = self._to_obtain(share, as_natural)

    def _to_obtain(self, share: QueueShare, as_natural: bool) -> Amount:
        calculator, cluster = self.space.calculator, self.space.cluster
        # A little beyond the guarantee is let be: taking it would only move containers to and fro.
        if calculator.compare(cluster, share.used, times(share.guaranteed, 1.0 + self.settings.ignored_over)) <= 0:
            return NOTHING
        if not as_natural or calculator.compare(cluster, share.to_preempt, NOTHING) <= 0:
            return share.to_preempt
        # Containers end by themselves meanwhile, so each tick asks for a part only.
        return calculator.times_up(share.to_preempt, self.settings.natural_factor, STEP)

    def _below(self, parent: QueueShare, allowed: Amount) -> None:
        if parent.children:
            self._distribute(parent.children, parent.ideal, allowed)
            for child in parent.children:
                self._below(child, allowed)

    def _distribute(self, queues: list[QueueShare], total: Amount, allowed: Amount) -> None:
        """Source: #computeIdealResourceDistribution."""
        compare = self.space.calculator.compare
        owed = [share for share in queues if compare(total, share.guaranteed, NOTHING) > 0]
        not_owed = [share for share in queues if compare(total, share.guaranteed, NOTHING) <= 0]
        # Queues with a guarantee come first; those without one share what they leave.
        left = self._fix(owed, total, total, evenly=False)
        if not_owed and compare(total, left, NOTHING) > 0:
            self._fix(not_owed, left, total, evenly=True)
        needed = NOTHING
        for share in queues:
            if compare(total, share.used, share.ideal) > 0:
                needed = plus(needed, minus(share.used, share.ideal))
        # What all have too much is more than may go in a tick: each gives up the same part.
        factor = 1.0
        if compare(total, needed, allowed) > 0:
            factor = self.space.calculator.divide(total, allowed, needed)
        for share in queues:
            share.assign(factor, self.space, total)

    def _fix(self, queues: list[QueueShare], left: Amount, total: Amount, *, evenly: bool) -> Amount:
        """Give what is left to those that want more; what the caller believes to be left, which is too much.

        Source: #computeFixpointAllocation, which changes the caller's figure only until it first rounds its own up.
        """
        compare = self.space.calculator.compare
        hungry, order = JavaPriorityQueue[QueueShare](), self._order(total)
        for share in queues:
            if compare(total, share.used, share.guaranteed) > 0:
                # What it uses beyond its guarantee, and may not be taken from it, stays its own.
                share.ideal = plus(smaller_of_each(share.guaranteed, share.used), share.untouchable)
            else:
                share.ideal = share.used
            left = minus(left, share.ideal)
            if compare(total, share.ideal, plus(share.used, share.pending)) < 0:
                hungry.add(share, order)
        believed, first = left, True
        while hungry.items and compare(total, left, NOTHING) > 0:
            self._normalise(hungry.items, evenly)
            in_round = left
            for share in self._most_under_served(hungry, order):
                if not self.space.calculator.any_above_zero(left):
                    break
                part = smaller_of_each(self._part(in_round, share.normalised), left)
                rest = share.offer(part, self.space, total, self.reserved, self.beyond)
                done = minus(part, rest)
                # It took something, so it may take more in the next round.
                if compare(total, done, NOTHING) > 0:
                    hungry.add(share, order)
                left = minus(left, done)
                # From here on the real class counts in an object of its own, which its caller does not see.
                if first:
                    believed, first = left, False
                left = non_negative(left)
        while hungry.items:
            self.shares.note_under_served(hungry.poll(order))
        return believed

    def _order(self, total: Amount) -> Comparison[QueueShare]:
        """Return the order with the furthest below its guarantee first. Source: TQComparator."""

        def compare(one: QueueShare, other: QueueShare) -> int:
            mine, theirs = self._of_guarantee(one, total), self._of_guarantee(other, total)
            return compare_use(mine, theirs, one.priority, other.priority)

        return compare

    def _of_guarantee(self, share: QueueShare, total: Amount) -> float:
        if self.space.calculator.compare(total, share.guaranteed, NOTHING) <= 0:
            # A queue without a guarantee is as well served as can be, so it comes last.
            return NOBODY_IS_OWED
        return self.space.calculator.divide(total, share.ideal, share.guaranteed)

    def _most_under_served(
        self, hungry: JavaPriorityQueue[QueueShare], order: Comparison[QueueShare]
    ) -> list[QueueShare]:
        found: list[QueueShare] = []
        while hungry.items:
            share = hungry.poll(order)
            found.append(share)
            self.shares.note_under_served(share)
            if not hungry.items:
                break
            if order(share, hungry.items[0]) < 0:
                self.shares.note_under_served(hungry.items[0])
                break
        return found

    def _part(self, left: Amount, shares: list[float]) -> Amount:
        """Source: ResourceCalculator#multiplyAndNormalizeUp(Resource, double[], Resource)."""
        if self.space.calculator.by_memory:
            memory_mb = truncate_long(left[0] * shares[0] + 0.5)
            return (memory_mb, 1 if memory_mb > 0 else 0)
        return (ceil(left[0] * shares[0]), ceil(left[1] * shares[1]))

    @staticmethod
    def _normalise(hungry: list[QueueShare], evenly: bool) -> None:
        """Each one's share of what they are guaranteed together, of memory and of vcores. Source: #resetCapacity."""
        guaranteed, absolute = NOTHING, 0.0
        for share in hungry:
            guaranteed = plus(guaranteed, share.guaranteed)
            absolute = float32(absolute + share.absolute)
        for side in (0, 1):
            whole = guaranteed[side]
            by_absolute = (
                not evenly
                and whole != 0
                and any(share.guaranteed[side] == 0 and share.absolute != 0 for share in hungry)
            )
            for share in hungry:
                if evenly or (not by_absolute and (absolute == 0 or whole == 0)):
                    share.normalised[side] = float32(1 / len(hungry))
                elif by_absolute:
                    share.normalised[side] = (
                        float32(divide(share.absolute, absolute)) if absolute else share.normalised[side]
                    )
                else:
                    share.normalised[side] = float32(divide(float32(share.guaranteed[side]), float32(whole)))
