"""The queues of a capacity scheduler, what a leaf keeps, and the attempts in it: records that name one another.

An application is *parked* while a limit on parallel ones holds it back, then *waiting* until the limit on application
masters lets it become *active*; only active ones are given containers.

Source: AbstractCSQueue, AbstractLeafQueue, FiCaSchedulerApp, SchedulerApplicationAttempt, Hadoop 3.4.1.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import Final

from engine.model.decision import ContainerId
from engine.model.identity import hash_map_order, node_id_hash, request_key_hash
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import ANY, AskGroup, Queue, ResourceRequest
from engine.schedulers.capacity.space import NOTHING, Amount, plus
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.queue_settings import ANY_LABEL, NO_LABEL, LeafSettings, QueueSettings
from engine.schedulers.capacity34.users import LeafTemplate, LeafUser, Share, Users, UserVerdicts, size_of, wishes_of
from engine.state import Dropped, Shared, State

ROOT: Final = "root"

OrderKey = tuple[float, ...]


class ApplicationOrder(metaclass=State):
    """The active applications of a leaf, sorted by a key that is fixed while they are in."""

    members: "list[CapacityAttempt]" = []
    keys: dict[int, OrderKey] = {}  # Key of each member by application number
    due: "Dropped[list[CapacityAttempt] | None]" = None
    """As of `for_walk`; None where others may have to be looked at."""
    changes_of_users: int = 0  # Of its leaf when that was found out

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> "Iterator[CapacityAttempt]":
        """Goes through all of them, without refreshing the order."""
        return iter(self.members)

    def __contains__(self, attempt: object) -> bool:
        return isinstance(attempt, CapacityAttempt) and attempt.application.number in self.keys

    def add(self, attempt: "CapacityAttempt") -> None:
        raise NotImplementedError

    def put(self, attempt: "CapacityAttempt", key: OrderKey) -> None:
        """Put an application in its place; one that is there stays where it is."""
        if attempt.application.number not in self.keys:
            self.keys[attempt.application.number] = key
            self.due = None
            insort(self.members, attempt, key=self.kept_key)

    def remove(self, attempt: "CapacityAttempt") -> bool:
        """Takes an application out; True if it was there."""
        key = self.keys.get(attempt.application.number)
        if key is None:
            return False
        self.due = None
        del self.members[bisect_left(self.members, key, key=self.kept_key)]
        del self.keys[attempt.application.number]
        return True

    def kept_key(self, attempt: "CapacityAttempt") -> OrderKey:
        return self.keys[attempt.application.number]

    def for_assignment(self, label: str) -> "list[CapacityAttempt]":
        """Gives them in order, for a node of a partition."""
        return self.members

    def for_walk(self, leaf: "Leaf", label: str) -> "list[CapacityAttempt]":
        """Gives those that `has_to_look_at` is true of, or was, and the first with nothing reserved."""
        members = self.for_assignment(label)
        if self.due is None or self.changes_of_users != leaf.users.changes:
            self.changes_of_users = leaf.users.changes
            first = next((each for each in members if each.reserved_in[""] == NOTHING), None)
            self.due = [each for each in members if each is first or leaf.has_to_look_at(each)]
        return self.due

    def wish_changed(self) -> None:
        """Notes that an application begins or ends to want something, or has reserved a node."""
        self.due = None

    def peek(self, label: str) -> "list[CapacityAttempt]":
        """Gives the same as `for_assignment`, without refreshing what is kept."""
        return self.members

    def for_preemption(self) -> "list[CapacityAttempt]":
        """Gives them in reverse order, all partitions."""
        return self.members[::-1]

    def usage_changed(self, attempt: "CapacityAttempt") -> None:
        """Notes that an application was given or gave back a container or reservation."""

    def demand_changed(self, attempt: "CapacityAttempt") -> None:
        """Notes that an application changed what it asks for."""


class Leaf(metaclass=State):
    """A leaf's own state; `queue` is the queue it belongs to."""

    queue: "CapacityQueue"
    settings: Shared[LeafSettings]
    users: Users
    verdicts: UserVerdicts
    attempts: "dict[int, CapacityAttempt]" = {}  # By application number
    order: ApplicationOrder  # The active applications
    waiting: "list[CapacityAttempt]" = []  # Applications that are not active yet, by priority, then number
    runnable: "list[CapacityAttempt]" = []  # Waiting and active ones
    parked: "list[CapacityAttempt]" = []
    max_applications: int = 0
    max_per_user: int = 0
    minimum_factor: float = 0.0  # (largest - smallest container) / largest, float32
    cached_limit: Amount = NOTHING  # The queue's limit of the last walk
    current_limit: Amount = NOTHING  # The limit that headroom and limits on application masters go by
    cluster: Amount = NOTHING  # The cluster's total at the last update
    foreign: dict[str, list[Container]] = {}
    """By partition, containers of asks without a label, in order of creation, then id."""
    is_auto_created: bool = False

    def __init__(self, queue: "CapacityQueue", settings: LeafSettings, order: ApplicationOrder) -> None:
        self.queue = queue
        self.settings = settings
        self.users = Users()
        self.verdicts = UserVerdicts()
        self.order = order

    def number_of_applications(self) -> int:
        return len(self.waiting) + len(self.order) + len(self.parked)

    def has_to_look_at(self, attempt: "CapacityAttempt") -> bool:
        """Tell whether a walk finds out more by looking at an attempt once it knows that the queue has room.

        Of one that wants and reserves nothing it only finds out by whose limits its headroom goes: its user is asked
        about again for whoever wants something.
        """
        if attempt.pending or attempt.reserved_in[""] != NOTHING:
            return True
        return attempt.headroom_leaf is not self or attempt.headroom_user is not self.users.by_name.get(attempt.user)


class ChildOrder:
    """The children of a parent in one partition, in order; those that have moved are placed anew at the next look.

    It is derived from the shares of the children, see `queue_order`, and a copy of the state begins without it.
    """

    __slots__ = ("children", "key_of", "keys", "members", "moved")

    def __init__(self, children: "list[CapacityQueue]", keys: list[OrderKey]) -> None:
        """Order children, the parent's list itself, by unique keys that end with the place of each."""
        self.children = children
        self.keys = sorted(keys)
        self.members = [children[int(key[-1])] for key in self.keys]
        self.key_of = dict(zip(children, keys, strict=True))
        self.moved: dict[CapacityQueue, None] = {}  # children whose usage has changed since the last look


class CapacityQueue(Queue["CapacityQueue"]):
    """A queue: a parent with children, or a leaf with what `leaf` holds."""

    settings: Shared[QueueSettings]
    children: "list[CapacityQueue]" = []
    leaf: Leaf | None = None
    template: LeafTemplate | None = None  # For a parent whose leaves are made on submission (the older kind)
    is_dynamic: bool = False  # Whether it was made on submission (the newer kind)
    state: str = ""  # `RUNNING`, `DRAINING` or `STOPPED`; empty before it is set up
    shares: dict[str, Share]
    absolute_mode: bool = False  # Whether its capacity is given as absolute resources
    effective_ratios: dict[str, tuple[float | None, float | None]] = {}
    """Parent: by how much its children's absolute resources are scaled, by partition."""
    ordering: str = "utilization"
    orders: Dropped[dict[str, ChildOrder] | None] = None
    """Parent: its children in order, by partition, as far as a walk has looked at them."""
    killable: dict[str, dict[ContainerId, Container]] = {}
    """By partition, containers in and below it that anyone may kill to take their place."""
    application_count: int = 0  # Parent: applications in and below it
    runnable_below: int = 0  # Parent: applications below it that count against limits on parallel ones
    metrics_reserved: Amount = NOTHING  # What its metrics say is reserved, in the default partition
    last_submitted_ms: int = 0

    def __init__(self, path: str, parent: "CapacityQueue | None", settings: QueueSettings) -> None:
        super().__init__(path, parent)
        self.settings = settings
        self.shares = {NO_LABEL: Share()}

    def share(self, label: str) -> Share:
        try:
            return self.shares[label]
        except KeyError:
            found = self.shares[label] = Share()
            return found

    def wish(self, label: str, amount: Amount) -> None:
        """Add to (or, negative, take from) what it and those above it want of a partition."""
        queue: CapacityQueue | None = self
        while queue is not None:
            share = queue.share(label)
            share.pending = (share.pending[0] + amount[0], share.pending[1] + amount[1])
            queue = queue.parent

    def capacity_changed(self, label: str, space: PartitionResources) -> None:
        """Forget the figures that follow from its capacity of a partition; they are computed anew."""
        share = self.share(label)
        share.largest = space.calculator.round_down(share.effective_maximum, space.minimum)
        _ = share.used_of_guarantee(space.total(label), space.calculator)
        share.used_divisor = None
        if self.parent is not None and self.parent.orders is not None:
            self.parent.orders.pop(label, None)

    def killable_amount(self, label: str) -> Amount:
        """Return the amount of a partition that may be killed in and below it."""
        total = NOTHING
        for container in self.killable.get(label, {}).values():
            total = plus(total, (container.memory_mb, container.vcores))
        return total

    def is_accessible(self, label: str) -> bool:
        accessible = self.settings.accessible
        return not label or ANY_LABEL in accessible or label in accessible

    @property
    def labels(self) -> list[str]:
        """The partitions it deals with, sorted; the default one included. Source: #getNodeLabelsForQueue."""
        accessible = self.settings.accessible
        names = set(self.shares) if ANY_LABEL in accessible else set(accessible)
        return sorted(names | {NO_LABEL})

    def number_of_applications(self) -> int:
        return self.application_count if self.leaf is None else self.leaf.number_of_applications()

    def number_of_runnable(self) -> int:
        return self.runnable_below if self.leaf is None else len(self.leaf.runnable)

    def leaves(self) -> "list[CapacityQueue]":
        if self.leaf is not None:
            return [self]
        return [leaf for child in self.children for leaf in child.leaves()]


class CapacityAttempt(Attempt[CapacityQueue]):
    """An attempt with its usage by partition and what it knows of each priority."""

    priority: int
    am_size: Amount  # What its application master counts for; the smallest container for an unmanaged one
    am_label: str
    label: str = ""  # The partition named at submission
    runnable: bool = True  # Whether no limit on parallel applications holds it back
    used_in: dict[str, Amount]
    reserved_in: dict[str, Amount]
    reserved_count: dict[int, int] = {}  # Reservations by priority
    pending_in: dict[str, Amount]
    labels: set[str] = set()  # Partitions it ever asked for
    re_reservations: dict[int, int] = {}
    """By priority, how often a reservation was confirmed since the last one was made or dropped."""
    missed_unlabelled: dict[int, int] = {}  # By priority, offers passed by with an ask without a label
    cached_used_mb: int = 0  # What its leaf's fair order goes by
    cached_demand_mb: int = 0
    moved: set[int] = set()  # Reservations that were moved to another node, by number
    new_marks: dict[int, Container] = {}  # Containers marked for preemption since its AM was last notified, by number
    headroom_leaf: Leaf | None = None  # Whose limits its headroom is computed from; None before it was first looked at
    headroom_user: LeafUser | None = None

    def __init__(
        self, application: Application, number: int, queue: CapacityQueue, am_size: Amount, am_label: str, now_ms: int
    ) -> None:
        super().__init__(application, number, queue, now_ms, forgets_priorities=True)
        self.priority = application.priority
        self.am_size = am_size
        self.am_label = am_label
        self.used_in = {"": NOTHING}
        self.reserved_in = {"": NOTHING}
        self.pending_in = {"": NOTHING}

    # ---------------------------------------------------------------- asks

    def update_requests(self, requests: Iterable[ResourceRequest]) -> int:
        """Replace counts; the wish of a `*` counts in its partition. By how much more containers are wanted."""
        newest = list({(each.priority, each.resource_name): each for each in requests}.values())
        before = {}
        for each in newest:
            group = self.groups.get(each.priority)
            before[each.priority] = group.anywhere if group is not None else None
        wished = {priority: size_of(anywhere) for priority, anywhere in before.items()}
        wanted_nothing = not self.pending
        change = super().update_requests(newest)
        if wanted_nothing and self.pending and self.queue.leaf is not None:
            self.queue.leaf.order.wish_changed()
        for request in newest:
            if request.resource_name == ANY:
                self.labels.add(request.partition)
                self._replacesize_of(before[request.priority], wished[request.priority], request)
        return change

    def _replacesize_of(self, last: ResourceRequest | None, wish: Amount, request: ResourceRequest) -> None:
        had, has = last is not None and last.count > 0, request.count > 0
        users = self.queue.leaf.users if self.queue.leaf is not None else None
        if not has:
            if not self.pending and users is not None:
                users.deactivate(self.user, self.application.number)
        elif not had and users is not None:
            users.activate(self.user, self.application.number)
        if last is not None:
            self.wish(last.partition, (-wish[0], -wish[1]))
        self.wish(request.partition, size_of(request))

    def wish(self, label: str, amount: Amount) -> None:
        """Add to (or, negative, take from) what it and its queues want of a partition."""
        pending = self.pending_in.get(label, NOTHING)
        self.pending_in[label] = (pending[0] + amount[0], pending[1] + amount[1])
        self.queue.wish(label, amount)

    def take(self, group: AskGroup, node: Node, locality: int) -> tuple[ResourceRequest, ...]:
        anywhere = group.anywhere
        assert anywhere is not None, "a group without `*` has nothing to give"
        taken = super().take(group, node, locality)
        if not self.pending and self.queue.leaf is not None:
            self.queue.leaf.users.deactivate(self.user, self.application.number)
            self.queue.leaf.order.wish_changed()
        self.wish(anywhere.partition, (-anywhere.memory_mb, -anywhere.vcores))
        return taken

    def withdraw(self) -> None:
        for label, (memory_mb, vcores) in wishes_of(self.groups.values()).items():
            self.wish(label, (-memory_mb, -vcores))

    # ---------------------------------------------------------------- usage

    def use(self, label: str, amount: Amount) -> None:
        """Add to (or, negative, take from) what its containers use of a partition."""
        used = self.used_in.get(label, NOTHING)
        self.used_in[label] = (used[0] + amount[0], used[1] + amount[1])

    def take_over(self, containers: Iterable[Container]) -> None:
        for container in containers:
            super().take_over([container])
            self.use(container.node.partition, (container.memory_mb, container.vcores))

    def hold(self, held: Container, sign: int) -> None:
        """Add a reservation to what it has reserved of a partition (1), or take it away (-1)."""
        label, priority = held.node.partition, held.priority
        amount = (sign * held.memory_mb, sign * held.vcores)
        self.reserved_in[label] = plus(self.reserved_in.get(label, NOTHING), amount)
        self.reserved_count[priority] = self.reserved_count.get(priority, 0) + sign
        if self.queue.leaf is not None:
            self.queue.leaf.order.wish_changed()

    def reservations_in_order(self, priority: int) -> list[Container]:
        """Its reservations of a priority, in the order of the class's map."""
        held = [container for container in self.reserved.values() if container.priority == priority]
        if len(held) < 2:
            return held
        return hash_map_order(held, [node_id_hash(each.node.host, each.node.port) for each in held])

    def all_reservations_in_order(self) -> list[Container]:
        """Its reservations of all priorities, in the order of the class's maps."""
        priorities = list(dict.fromkeys(held.priority for held in self.reserved.values()))
        ordered = hash_map_order(priorities, [request_key_hash(each) for each in priorities])
        return [held for priority in ordered for held in self.reservations_in_order(priority)]


def capacity_attempt(attempt: Attempt | None) -> CapacityAttempt:
    """Return an attempt as this scheduler keeps it; every attempt of a live application is one."""
    assert isinstance(attempt, CapacityAttempt), "attempts are the scheduler's own"
    return attempt
