"""A tick's facts of one queue in one partition: what it has, wants and should have.

Source: TempQueuePerPartition, AbstractPreemptionEntity, ProportionalCapacityPreemptionPolicy#cloneQueues,
AbstractLeafQueue#getTotalPendingResourcesConsideringUserLimit, Hadoop 3.4.1.
"""

from collections.abc import Mapping

from engine.model.identity import java_hash_order
from engine.schedulers.capacity.space import NOTHING, Amount, larger_of_each, minus, plus, smaller_of_each, times
from engine.schedulers.capacity34.preemption.within import ApplicationShare, UserShare
from engine.schedulers.capacity34.queue import CapacityQueue, Leaf
from engine.schedulers.capacity34.space import Space


class QueueShare:
    """One queue in one partition."""

    __slots__ = (
        "absolute",
        "applications",
        "children",
        "guaranteed",
        "ideal",
        "is_disabled",
        "killable",
        "label",
        "maximum",
        "normalised",
        "parent",
        "path",
        "pending",
        "pending_unreserved",
        "preemptable",
        "priority",
        "queue",
        "reserved",
        "to_obtain",
        "to_preempt",
        "total",
        "untouchable",
        "used",
        "users",
    )

    def __init__(self, queue: CapacityQueue, label: str, space: Space) -> None:
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
        self.priority = 0
        """Among its siblings, where their parent goes by it."""
        self.parent: QueueShare | None = None
        self.children: list[QueueShare] = []
        self.pending = self.pending_unreserved = NOTHING
        """What is wanted within users' limits; the second without what is reserved."""
        if queue.leaf is not None:
            self.pending = pending_within_limits(queue.leaf, label, space, less_reserved=False)
            self.pending_unreserved = pending_within_limits(queue.leaf, label, space, less_reserved=True)
        self.ideal: Amount = NOTHING
        """What it should have."""
        self.untouchable: Amount = NOTHING
        """Above its guarantee, but not to be taken."""
        self.preemptable: Amount = NOTHING
        self.to_preempt: Amount = NOTHING
        self.to_obtain: Amount = NOTHING
        """What this tick takes."""
        self.normalised = [0.0, 0.0]
        """Its share of what its hungry siblings are guaranteed together, of memory and of vcores."""
        self.applications: list[ApplicationShare] = []
        """For a leaf that is looked into, the last ones first."""
        self.users: dict[str, UserShare] = {}

    def add(self, child: "QueueShare") -> None:
        """Take in a child; what it wants is wanted here, too."""
        self.children.append(child)
        child.parent = self
        self.pending = plus(self.pending, child.pending)
        self.pending_unreserved = plus(self.pending_unreserved, child.pending_unreserved)

    def update_extras(self, space: Space) -> None:
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

    def offer(self, available: Amount, space: Space, cluster: Amount, reserved: bool, beyond: bool) -> Amount:
        """Take from what is available; what is left.

        Args:
            cluster: What shares are taken of.
            reserved: Whether reservations count as wanted.
            beyond: Whether leaves may be given more than both their guarantee and what they use.
        """
        compare = space.calculator.compare
        room = larger_of_each(minus(self.maximum, self.ideal), NOTHING)
        wanted = minus(plus(self.used, self.pending if reserved else self.pending_unreserved), self.ideal)
        # Neither beyond its maximum nor more than it wants.
        taken = smaller_of_each(room, available if compare(cluster, available, wanted) <= 0 else wanted)
        # Up to its guarantee, or what it uses already: room is not made for growth beyond that.
        if not beyond and not self.children:
            most = self.used if compare(cluster, self.used, self.guaranteed) >= 0 else self.guaranteed
            most = minus(most, self.ideal)
            most = most if compare(cluster, most, NOTHING) >= 0 else NOTHING
            taken = taken if compare(cluster, taken, most) <= 0 else most
        taken = smaller_of_each(larger_of_each(taken, NOTHING), available)
        self.ideal = plus(self.ideal, taken)
        return minus(available, taken)

    def assign(self, factor: float, space: Space, cluster: Amount) -> None:
        """Set how much is to be taken in the end. Source: #assignPreemption."""
        compare = space.calculator.compare
        used, wanted = minus(self.used, self.killable), plus(self.used, self.pending)
        least = wanted if compare(cluster, wanted, self.guaranteed) <= 0 else self.guaranteed
        least = least if compare(cluster, least, self.ideal) >= 0 else self.ideal
        self.to_preempt = times(minus(used, least), factor) if compare(cluster, used, least) > 0 else NOTHING

    def deduct(self, amount: Amount, space: Space) -> None:
        """A container was selected by an earlier rule; less is to be taken here."""
        compare = space.calculator.compare
        if compare(self.total, self.to_obtain, amount) > 0:
            self.to_obtain = minus(self.to_obtain, amount)
        if compare(self.total, self.to_obtain, NOTHING) < 0:
            self.to_obtain = NOTHING


def pending_within_limits(leaf: Leaf, label: str, space: Space, *, less_reserved: bool) -> Amount:
    """Return the demand of active applications within their users' limits."""
    total, rooms = NOTHING, dict[str, Amount]()
    for attempt in leaf.order:
        room = rooms.get(attempt.user)
        if room is None:
            user = leaf.users.get(attempt.user)
            limit = leaf.users.limit(attempt.user, label, True, leaf.queue, space)
            room = larger_of_each(minus(limit, user.used_in(label)), NOTHING)
        pending = attempt.pending_in.get(label, NOTHING)
        if less_reserved:
            pending = minus(pending, attempt.reserved_in.get(label, NOTHING))
        within = smaller_of_each(room, larger_of_each(pending, NOTHING))
        total = plus(total, within)
        rooms[attempt.user] = minus(room, within)
    return total


class QueueShares:
    """All queues in all partitions, as they stand when a tick begins."""

    __slots__ = ("labels", "leaves", "roots", "shares", "under_served")

    def __init__(self, root: CapacityQueue, labels: Mapping[str, bool], space: Space) -> None:
        self.labels = java_hash_order([*labels, ""])
        self.shares: dict[tuple[str, str], QueueShare] = {}
        """By (path, partition)."""
        self.roots = [self._copy(root, label, space) for label in self.labels]
        self.leaves = _leaf_names(root)
        """Paths of the leaves, in the order of the class's set."""
        self.under_served: dict[str, dict[str, None]] = {}
        """By partition, paths of queues that want more, in the order found."""

    def _copy(self, queue: CapacityQueue, label: str, space: Space) -> QueueShare:
        share = self.shares[queue.path, label] = QueueShare(queue, label, space)
        for child in queue.children:
            below = self._copy(child, label, space)
            if queue.ordering == "priority-utilization":
                below.priority = child.settings.priority
            share.add(below)
        return share

    def of(self, path: str) -> list[QueueShare]:
        """A queue in every partition."""
        return [self.shares[path, label] for label in self.labels]

    def is_disabled(self, path: str) -> bool:
        """Tell whether nothing may be taken from a queue."""
        return self.shares[path, ""].is_disabled

    def note_under_served(self, share: QueueShare) -> None:
        """A queue wants more."""
        self.under_served.setdefault(share.label, {})[share.path] = None

    def to_obtain(self, path: str, space: Space) -> dict[str, Amount]:
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
