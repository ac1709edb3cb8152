"""The state of a queue: what it uses of each partition, its order among its siblings, its users and applications.

The usage here is the scheduler's own: reservations count, and containers on nodes of a partition count there alone.
The charge that the model keeps in `Queue` counts live containers wherever they run.

Source: AbstractCSQueue, LeafQueue, LeafQueue.User, ParentQueue, ActiveUsersManager, FiCaSchedulerApp, Hadoop 2.7.2.
"""

from collections.abc import Iterable

from engine.model.identity import hash_map_order, node_id_hash, priority_hash
from engine.model.java_collections import JavaTreeSet
from engine.model.ledger import Application, Attempt, Container, change_queue
from engine.model.request import Queue
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity27.configuration import LeafConfiguration27, QueueConfiguration27
from engine.state import Shared, State


class User27(metaclass=State):
    """One user of a leaf queue, from the first of its applications there to the end of the last."""

    name: str
    used: dict[str, Amount] = {}  # By partition, reservations included
    am_used: Amount = NOTHING  # Masters of active applications
    pending: int = 0
    active: int = 0

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def applications(self) -> int:
        return self.pending + self.active

    def charge(self, label: str, amount: Amount) -> None:
        used = self.used.get(label, NOTHING)
        self.used[label] = (used[0] + amount[0], used[1] + amount[1])


class LeafState27(metaclass=State):
    configuration: LeafConfiguration27
    users: dict[str, User27] = {}
    attempts: "dict[int, Attempt27]" = {}  # All of its attempts by application number
    active: list[int] = []  # Application numbers that may be given containers, lowest first
    pending: list[int] = []  # Applications that wait for the limit on application masters, lowest first
    am_used: Amount = NOTHING
    active_users: dict[str, tuple[int, ...]] = {}
    """Users with an outstanding ask → their applications that have one, also those that are not active."""
    current_limit: Amount | None = None
    """What the queue may use at most, as it was when it last looked at an application; None: the whole cluster."""

    def __init__(self, configuration: LeafConfiguration27) -> None:
        self.configuration = configuration

    def user(self, name: str) -> User27:
        user = self.users.get(name)
        if user is None:
            user = self.users[name] = User27(name)
        return user

    def count_asking(self, attempt: "Attempt27", asks: bool) -> None:
        number, name = attempt.application.number, attempt.user
        others = tuple(one for one in self.active_users.get(name, ()) if one != number)
        if asks:
            self.active_users[name] = (*others, number)
        elif others:
            self.active_users[name] = others
        else:
            self.active_users.pop(name, None)


class PartitionParts27(metaclass=State):
    """A queue's capacities of one partition as amounts, as they follow from a total and a configuration."""

    configuration: Shared[QueueConfiguration27]
    changes: int  # Of the totals until then
    capacity: Amount  # Rounded up
    maximum: Amount  # Rounded down

    def __init__(self, configuration: QueueConfiguration27, changes: int, capacity: Amount, maximum: Amount) -> None:
        self.configuration = configuration
        self.changes = changes
        self.capacity = capacity
        self.maximum = maximum


class CapacityQueue27(Queue["CapacityQueue27"]):
    """A queue; `leaf` is None for a parent, `children` is None for a leaf."""

    configuration: Shared[QueueConfiguration27]
    default_usage: Amount = NOTHING  # What is used of the default partition, reservations included
    usage: dict[str, Amount] = {}  # What is used of each other partition
    guarantee: Amount = NOTHING  # Its capacity of the cluster
    parts: dict[str, PartitionParts27] = {}
    """By partition, its capacities as last computed; read through `limits.parts_of`."""
    used_capacity: float = 0.0  # As of `evaluation.used_capacity`; of the root as of the cluster's last change
    leaf: LeafState27 | None
    children: "JavaTreeSet[CapacityQueue27] | None"
    """In the order of `compare_siblings` as it was when each was last put in; see `put_back`."""

    def __init__(self, configuration: QueueConfiguration27, parent: "CapacityQueue27 | None") -> None:
        super().__init__(configuration.path, parent)
        self.configuration = configuration
        self.leaf = LeafState27(configuration.leaf) if configuration.leaf is not None else None
        self.children = None if configuration.leaf is not None else JavaTreeSet()

    def used(self, label: str) -> Amount:
        return self.usage.get(label, NOTHING) if label else self.default_usage

    def reorder(self, children: "Iterable[CapacityQueue27]") -> None:
        self.children = JavaTreeSet()
        for child in children:
            self.children.add(child, compare_siblings)

    def put_back(self, child: "CapacityQueue27") -> None:
        """Order a child of a parent anew, after it was given something or a container of it ended.

        Its siblings stay where they are, even if their usage has changed since they were put in.
        """
        assert self.children is not None, "a parent has children"
        self.children.remove(child)
        self.children.add(child, compare_siblings)


def compare_siblings(left: CapacityQueue27, right: CapacityQueue27) -> int:
    """By used capacity, then by path. Source: CapacityScheduler#queueComparator."""
    if left.used_capacity < right.used_capacity:
        return -1
    if left.used_capacity > right.used_capacity:
        return 1
    return (left.path > right.path) - (left.path < right.path)


class Attempt27(Attempt[CapacityQueue27]):
    am: Amount  # What counts against the limits on application masters: an unmanaged one counts as a smallest container
    re_reservations: dict[int, int] = {}
    """By priority, how often a reservation was kept since the last one was made or dropped."""
    reserved_at: dict[int, list[str]] = {}  # By priority, the ids of reserved nodes in order of reservation
    most_reserved: dict[int, int] = {}  # By priority, the most nodes reserved at once since there was none
    new_marks: dict[int, Container] = {}  # Containers marked for preemption since the AM's last call, by number
    visited_in: CapacityQueue27 | None = None
    """The leaf that last computed a headroom for it; None before the first time, when the headroom is 0."""
    visited_by: User27 | None = None  # Its user in that leaf
    visited_ask: Amount = NOTHING  # The size asked for then

    def __init__(self, application: Application, number: int, queue: CapacityQueue27, now_ms: int, am: Amount) -> None:
        super().__init__(application, number, queue, now_ms)
        self.am = am

    def move(self, queue: CapacityQueue27) -> None:
        used, reserved = (self.used_memory_mb, self.used_vcores), (self.reserved_memory_mb, self.reserved_vcores)
        self.charge(-used[0], -used[1])
        self.queue.reserve(-reserved[0], -reserved[1])
        change_queue(self, queue)
        self.charge(*used)
        queue.reserve(*reserved)

    def reserve_at(self, priority: int, node_id: str) -> None:
        nodes = self.reserved_at.setdefault(priority, [])
        nodes.append(node_id)
        self.most_reserved[priority] = max(self.most_reserved.get(priority, 0), len(nodes))
        self.re_reservations[priority] = 0

    def unreserve_at(self, priority: int, node_id: str) -> None:
        nodes = self.reserved_at[priority]
        nodes.remove(node_id)
        self.re_reservations[priority] = 0
        if not nodes:
            del self.reserved_at[priority], self.most_reserved[priority]

    def reservations_in_order(self, priority: int) -> list[Container]:
        """Return its reservations of a priority, in the order of the class's HashMap of node ids."""
        nodes = [self.reserved[node_id].node for node_id in self.reserved_at.get(priority, ())]
        hashes = [node_id_hash(node.host, node.port) for node in nodes]
        return [self.reserved[node.id] for node in hash_map_order(nodes, hashes, self.most_reserved.get(priority))]

    def all_reservations_in_order(self) -> list[Container]:
        """Return its reservations of all priorities, in the order of the class's HashMaps."""
        priorities = list(self.reserved_at)
        ordered = hash_map_order(priorities, [priority_hash(each) for each in priorities])
        return [held for priority in ordered for held in self.reservations_in_order(priority)]


def attempt_27(attempt: Attempt | None) -> Attempt27:
    """Return an attempt as this scheduler keeps it; every attempt of a live application is one."""
    assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
    return attempt


def leaf_of(attempt: Attempt27) -> tuple[CapacityQueue27, LeafState27]:
    """The leaf an attempt belongs to, and what only a leaf keeps."""
    queue = attempt.queue
    assert queue.leaf is not None, "an attempt belongs to a leaf"
    return queue, queue.leaf
