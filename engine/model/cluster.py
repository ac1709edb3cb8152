"""The cluster: owner of nodes, applications and totals, and the only place that changes them.

It keeps two ledgers. *Charge* is what queue, user and application pay for; *placement* is what a node has not let go
of. A container that ends leaves the charge ledger at once (`end`) and the placement ledger when the policy's release
says so (`vacate`): together in 2.7, later in 3.x.

Policies decide, the cluster changes; it depends on no policy and no clock. `version` changes with everything a
decision may depend on, so an offer that changed nothing need not be repeated while the version stays.

Source: String#hashCode, NodeId#hashCode, ApplicationId#hashCode, ContainerId#hashCode, HashMap, ConcurrentHashMap
(JDK 8 and later), Hadoop 2.7.2.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from engine.model.decision import ContainerId
from engine.model.java_values import int32
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.lifecycle import NODE, move
from engine.model.request import AskGroup, ResourceRequest
from engine.state import Owned, State

# Real ids and Java's hash orders.
#
# Logs, REST answers and some decisions hang on them: a ConcurrentHashMap of NodeIds decides which of two equally free
# nodes a continuous pass visits first, a HashSet of queue names decides in which order Fair 2.7 creates its queues.
# All arithmetic is Java int32 with wraparound.

_Key = TypeVar("_Key")

_MASK = 0xFFFFFFFF


def string_hash(text: str) -> int:
    """Java's `String#hashCode` over UTF-16 units, as a signed int32.

    >>> string_hash("root.default")
    497640757
    """
    result = 0
    for unit in text.encode("ascii") if text.isascii() else _utf_16_units(text):
        result = (31 * result + unit) & _MASK
    return int32(result)


def _utf_16_units(text: str) -> Sequence[int]:
    encoded = text.encode("utf-16-be", "surrogatepass")
    return [encoded[index] << 8 | encoded[index + 1] for index in range(0, len(encoded), 2)]


@lru_cache(maxsize=2**17)  # the order of a node's reservations asks for it again and again
def node_id_hash(host: str, port: int) -> int:
    """Hash of a NodeId. Source: NodeId#hashCode, Hadoop 2.7.2."""
    return int32((8501 * 493217 + string_hash(host)) * 493217 + port)


def application_id_hash(cluster_timestamp: int, number: int) -> int:
    """Hash of an ApplicationId. Source: ApplicationId#hashCode, Hadoop 2.7.2."""
    folded = cluster_timestamp ^ (cluster_timestamp >> 32)
    return int32((6521 * 371237 + folded) * 371237 + number)


def attempt_id_hash(cluster_timestamp: int, application: int, attempt: int) -> int:
    """Hash of an ApplicationAttemptId. Source: ApplicationAttemptId#hashCode, Hadoop 2.7.2."""
    return int32((5501 * 347671 + application_id_hash(cluster_timestamp, application)) * 347671 + attempt)


def container_id_hash(cluster_timestamp: int, container: ContainerId) -> int:
    """Hash of a ContainerId. Source: ContainerId#hashCode, ApplicationAttemptId#hashCode, Hadoop 2.7.2."""
    application, attempt, number = container
    attempt_hash = attempt_id_hash(cluster_timestamp, application, attempt)
    return int32(31 * int32(number ^ (number >> 32)) + attempt_hash)


def priority_hash(priority: int) -> int:
    """Hash of a Priority. Source: Priority#hashCode, Hadoop 2.7.2."""
    return int32(517861 * 9511 + priority)


def request_key_hash(priority: int) -> int:
    """Hash of a SchedulerRequestKey whose allocation id is 0. Source: SchedulerRequestKey#hashCode, Hadoop 3.4.1."""
    return int32(31 * 31 * priority_hash(priority))


def _spread(hash_code: int) -> int:
    unsigned = hash_code & _MASK
    return unsigned ^ (unsigned >> 16)


def _table_size(count: int) -> int:
    capacity = 16
    while count > capacity * 3 // 4:
        capacity *= 2
    return capacity


def java_hash_order(names: Iterable[str]) -> list[str]:
    """The names in the iteration order of a `HashSet<String>` grown from its default size by adding them in turn.

    Duplicates count once. Bins are lists; a bin of 8 or more (a tree in Java) keeps its insertion order here.
    `Differs:` names stand in the order of Java 8 and later; a ResourceManager on Java 6 or 7 has another order.
    """
    unique = list(dict.fromkeys(names))
    mask = _table_size(len(unique)) - 1
    return sorted(unique, key=lambda name: _spread(string_hash(name)) & mask)


def hash_map_order(keys: Sequence[_Key], hashes: Sequence[int], most: int | None = None) -> list[_Key]:
    """Distinct keys, in order of insertion, in the iteration order of a HashMap that once held `most` entries."""
    mask = _table_size(max(most or 0, len(keys))) - 1
    order = sorted(range(len(keys)), key=lambda index: _spread(hashes[index]) & mask)
    return [keys[index] for index in order]


class ConcurrentHashOrder(metaclass=State):
    """The iteration order, `keys`, of a `ConcurrentHashMap`, which resizing may turn around within a bin."""

    _bins: list[tuple[tuple[int, str], ...]]
    _count: int = 0

    def __init__(self) -> None:
        self._bins = [()] * 16

    def add(self, key: str, hash_code: int) -> None:
        spread = _spread(hash_code) & 0x7FFFFFFF
        self._bins[spread & (len(self._bins) - 1)] += ((spread, key),)
        self._count += 1
        while self._count >= len(self._bins) - len(self._bins) // 4:
            self._grow()

    def remove(self, key: str, hash_code: int) -> None:
        spread = _spread(hash_code) & 0x7FFFFFFF
        at = spread & (len(self._bins) - 1)
        self._bins[at] = tuple(entry for entry in self._bins[at] if entry != (spread, key))
        self._count -= 1

    def keys(self) -> list[str]:
        return [key for entries in self._bins for _, key in entries]

    def _grow(self) -> None:
        size = len(self._bins)
        bins: list[tuple[tuple[int, str], ...]] = [()] * (size * 2)
        for index, entries in enumerate(self._bins):
            if not entries:
                continue
            # Java keeps the longest tail that goes to one side as it is and prepends the others one by one.
            tail = len(entries) - 1
            while tail > 0 and (entries[tail - 1][0] & size) == (entries[-1][0] & size):
                tail -= 1
            sides: tuple[list[tuple[int, str]], list[tuple[int, str]]] = ([], [])
            sides[1 if entries[-1][0] & size else 0].extend(entries[tail:])
            for entry in entries[:tail]:
                sides[1 if entry[0] & size else 0].insert(0, entry)
            bins[index], bins[index + size] = map(tuple, sides)
        self._bins = bins


@lru_cache(maxsize=2**14)  # a picture of a large cluster names the holder of each reserved node
def application_name(cluster_timestamp: int, number: int) -> str:
    """`application_<timestamp>_<number, at least four digits>`.

    >>> application_name(1510360200000, 183354)
    'application_1510360200000_183354'
    """
    return f"application_{cluster_timestamp}_{number:04d}"


EPOCH_BITS: Final = 40
"""A container's number is its count, with the ResourceManager's epoch above so many bits. Source: ContainerId."""


def epoch_and_count(number: int) -> tuple[int, int]:
    """The two parts of a container's number.

    >>> epoch_and_count(5), epoch_and_count((1 << 40) + 5)
    ((0, 5), (1, 5))
    """
    return number >> EPOCH_BITS, number & ((1 << EPOCH_BITS) - 1)


def container_name(cluster_timestamp: int, container: ContainerId) -> str:
    """`container_<timestamp>_<number>_<attempt, two digits>_<container, six digits>`; of a later life with its epoch.

    >>> container_name(1, (7, 1, 2)), container_name(1, (7, 1, (1 << 40) + 2))
    ('container_1_0007_01_000002', 'container_e01_1_0007_01_000002')
    """
    application, attempt, number = container
    epoch, count = epoch_and_count(number)
    life = f"e{epoch:02d}_" if epoch else ""
    return f"container_{life}{cluster_timestamp}_{application:04d}_{attempt:02d}_{count:06d}"


def container_of_name(name: str) -> ContainerId | None:
    """The container of an id or of its last three numbers, an epoch before them included; None when it is none.

    >>> container_of_name("container_e01_1_0007_01_000002") == (7, 1, (1 << 40) + 2), container_of_name("7_1_2")
    (True, (7, 1, 2))
    """
    parts = name.removeprefix("container_").split("_")
    epoch = parts[0][1:] if parts[0].startswith("e") else "0"
    if len(parts) < 3 or not all(part.isdecimal() for part in (epoch, *parts[-3:])):
        return None
    application, attempt, count = map(int, parts[-3:])
    return application, attempt, (int(epoch) << EPOCH_BITS) + count


FINISHED_REMEMBERED = 1000
"""How many ended applications are kept. Source: yarn.resourcemanager.max-completed-applications, bounded lower."""

NO_OFFERS: Final = 1 << 62  # An instant that never comes: while nobody is there no offer gives anything


class Cluster(metaclass=State):
    cluster_timestamp: int  # When the ResourceManager started [epoch ms]; part of every id
    nodes: dict[str, Node] = {}  # Nodes that are up, by id, in order of joining
    down: dict[str, Node] = {}  # Nodes that left and have not come back, empty
    roomy: dict[str, Node] = {}
    """Nodes that may have room, by id; each other one has been seen by `has_room` to have none for `sought`."""
    sought: tuple[int, int] = (0, 0)  # The (memory, vcores) that room was last looked for
    node_order: ConcurrentHashOrder  # The ids of `nodes` in the order of the scheduler's own map
    applications: dict[int, Application] = {}  # Live applications by number, in order of submission
    wanting: dict[int, Attempt] = {}  # Attempts that want something, by number of their application
    finished: Owned[deque[Application]]
    total_memory_mb: int = 0
    total_vcores: int = 0
    doubled_memory_mb: int = 0  # What is counted in the total for nodes that were added while they were there
    doubled_vcores: int = 0
    used_memory_mb: int = 0  # Charge of all live containers
    used_vcores: int = 0
    metrics_memory_mb: int = 0  # What the root queue's metrics say is allocated; headroom and preemption go by it
    metrics_vcores: int = 0
    pending: int = 0  # Containers wanted by all attempts
    live: int = 0  # Live containers
    reservations: int = 0  # Nodes that are reserved
    nodes_joined: int = 0
    offers_after_ms: int = -1
    """The last instant at which offers give nothing, since the ResourceManager recovers [epoch ms]; else -1."""
    version: int = 0

    def __init__(self, cluster_timestamp: int) -> None:
        self.cluster_timestamp = cluster_timestamp
        self.node_order = ConcurrentHashOrder()
        self.finished = deque(maxlen=FINISHED_REMEMBERED)

    def add_node(
        self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str = "", with_port: bool = False
    ) -> Node:
        """A node joins (again), empty.

        One that is already there is replaced by an empty one, and its former total stays counted: a ResourceManager
        never lets that happen, the scheduler does it. Source: FairScheduler#addNode, Hadoop 2.7.2.

        `with_port` makes `host:port` its name in requests. Source: yarn.scheduler.include-port-in-node-name.
        """
        node = Node(host, port, rack, memory_mb, vcores, self.nodes_joined, partition)
        if with_port:
            node.name = node.id
        former = self.down.pop(node.id, None)
        node.state = move(NODE, former.state if former else "NEW", "JOIN")
        self.nodes_joined += 1
        doubled = self.nodes.get(node.id)
        if doubled is None:
            self.node_order.add(node.id, node_id_hash(host, port))
        else:
            self.doubled_memory_mb += doubled.total_memory_mb
            self.doubled_vcores += doubled.total_vcores
        self.nodes[node.id] = self.roomy[node.id] = node
        self.total_memory_mb += memory_mb
        self.total_vcores += vcores
        self.version += 1
        return node

    def remove_node(self, node: Node, happening: str) -> None:
        """A node leaves by a move of the node table; its containers must have ended before."""
        del self.nodes[node.id]
        self.roomy.pop(node.id, None)
        self.node_order.remove(node.id, node_id_hash(node.host, node.port))
        node.state = move(NODE, node.state, happening)
        self.down[node.id] = node
        self.version += 1

    def change_total(self, memory_mb: int, vcores: int) -> None:
        """Add to (or, negative, take from) the cluster's total."""
        self.total_memory_mb += memory_mb
        self.total_vcores += vcores
        self.version += 1

    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> None:
        self.change_total(memory_mb - node.total_memory_mb, vcores - node.total_vcores)
        node.resize(memory_mb, vcores)
        self.roomy[node.id] = node

    def has_room(self, memory_mb: int, vcores: int) -> bool:
        """Tell whether some node has so much free; quick where the same is sought again and again."""
        if memory_mb < self.sought[0] or vcores < self.sought[1]:
            self.roomy = dict(self.nodes)
        self.sought = (memory_mb, vcores)
        while self.roomy:
            name, node = self.roomy.popitem()
            if node.free_memory_mb >= memory_mb and node.free_vcores >= vcores:
                self.roomy[name] = node
                return True
        return False

    def update_requests(self, attempt: Attempt, requests: Iterable[ResourceRequest]) -> None:
        wanted_something = attempt.pending
        self.pending += attempt.update_requests(requests)
        if attempt.pending and not wanted_something:
            attempt.queue.wanting += 1
            self.wanting[attempt.application.number] = attempt
        elif wanted_something and not attempt.pending:
            self._wants_nothing(attempt)
        self.version += 1

    def _wants_nothing(self, attempt: Attempt) -> None:
        attempt.queue.wanting -= 1
        del self.wanting[attempt.application.number]

    def recover_requests(self, attempt: Attempt, requests: Iterable[ResourceRequest], now_ms: int) -> None:
        """Each request of a container that was never fetched counts one more. Source: recoverPreemptedRequest."""
        if attempt.stopped:
            requests = ()
        again = []
        for request in requests:
            last = attempt.group(request.priority).by_name.get(request.resource_name)
            again.append(request.with_count(last.count + 1 if last is not None else 1))
        self.update_requests(attempt, again)
        if again and attempt.pending and attempt.application.waiting_since_ms is None:
            attempt.application.waiting_since_ms = now_ms

    def allocate(
        self,
        attempt: Attempt,
        group: AskGroup,
        request: ResourceRequest,
        size: ResourceRequest | Container,
        node: Node,
        locality: int,
        number: int,
        now_ms: int,
    ) -> Container:
        """Give a container to an attempt; `request` matched at this locality, `size` is that or a reservation."""
        memory_mb, vcores = size.memory_mb, size.vcores
        container = Container(attempt, number, node, request.priority, memory_mb, vcores, now_ms)
        container.state = "ALLOCATED"
        container.recoverable = attempt.take(group, node, locality)
        attempt.add_live(container)
        attempt.newly_allocated.append(container)
        attempt.charge(memory_mb, vcores)
        node.place(container)
        self.used_memory_mb += memory_mb
        self.used_vcores += vcores
        # The metrics count what was asked, and give back what the container had: they drift when an ask changed its
        # size while it held a reservation. Source: AppSchedulingInfo#allocate, FSAppAttempt#containerCompleted, 2.7.2.
        self.metrics_memory_mb += request.memory_mb
        self.metrics_vcores += request.vcores
        self.pending -= 1
        if not attempt.pending:
            attempt.application.waiting_since_ms = None
            self._wants_nothing(attempt)
        self.live += 1
        self.version += 1
        return container

    def recover(
        self,
        attempt: Attempt,
        name: ContainerId,
        node: Node,
        priority: int,
        memory_mb: int,
        vcores: int,
        created_ms: int,
    ) -> Container:
        """A container that runs on a node that has registered again; it is no news."""
        container = Container(attempt, attempt.ledger_number(name), node, priority, memory_mb, vcores, created_ms)
        container.id = name
        container.transition("RECOVER")
        attempt.add_live(container)
        attempt.charge(memory_mb, vcores)
        node.place(container)
        self.used_memory_mb += memory_mb
        self.used_vcores += vcores
        self.metrics_memory_mb += memory_mb
        self.metrics_vcores += vcores
        self.live += 1
        self.version += 1
        return container

    def reserve(
        self, attempt: Attempt, node: Node, priority: int, memory_mb: int, vcores: int, number: int, now_ms: int
    ) -> Container:
        container = Container(attempt, number, node, priority, memory_mb, vcores, now_ms)
        container.transition("RESERVE")
        node.reserved = container
        attempt.reserved[node.id] = container
        self.reservations += 1
        self._count_reserved(attempt, memory_mb, vcores)
        return container

    def unreserve(self, node: Node, happening: str = "KILL") -> Container:
        """Drop a node's reservation, for good (`KILL`) or because it is being fulfilled (`START`)."""
        container = node.reserved
        assert container is not None, "nothing is reserved here"
        attempt = container.attempt
        node.reserved = None
        del attempt.reserved[node.id]
        self.reservations -= 1
        container.transition(happening)
        self._count_reserved(attempt, -container.memory_mb, -container.vcores)
        return container

    def fetch(self, attempt: Attempt) -> list[Container]:
        containers = attempt.newly_allocated
        if containers:
            attempt.newly_allocated = []
            for container in containers:
                container.transition("ACQUIRE")
                container.recoverable = ()
            self.version += 1
        return containers

    def end(self, container: Container, happening: str, now_ms: int) -> bool:
        """Stop paying for a live container; whether its requests are to be put back, as its AM never fetched it."""
        attempt = container.attempt
        is_new = container.state == "ALLOCATED"
        if is_new:
            attempt.newly_allocated.remove(container)
        container.transition(happening)
        if attempt.remove_live(container):
            memory_mb, vcores = container.memory_mb, container.vcores
            attempt.charge(-memory_mb, -vcores)
            self.used_memory_mb -= memory_mb
            self.used_vcores -= vcores
            self.metrics_memory_mb -= memory_mb
            self.metrics_vcores -= vcores
            self.live -= 1
            application = attempt.application
            held_ms = now_ms - container.created_ms
            application.memory_mb_ms += memory_mb * held_ms
            application.vcore_ms += vcores * held_ms
        if attempt.marked:
            attempt.marked.pop(container.number, None)
        self.version += 1
        return is_new and happening == "KILL"

    def vacate(self, container: Container) -> None:
        node = container.node
        if node.vacate(container):
            self.version += 1
            self.roomy[node.id] = node

    def stop(self, attempt: Attempt) -> None:
        attempt.withdraw()
        attempt.stopped = True
        if attempt.pending:
            self._wants_nothing(attempt)
        self.pending -= attempt.pending
        attempt.pending = attempt.asked_memory_mb = attempt.asked_vcores = 0
        attempt.groups = {}
        attempt.priorities = []
        self.version += 1

    def retire(self, application: Application) -> None:
        del self.applications[application.number]
        application.attempt = None
        self.finished.appendleft(application)
        self.version += 1

    def container(self, container_id: ContainerId) -> Container | None:
        """A live container by its id; None when it has ended or never was."""
        application = self.applications.get(container_id[0])
        attempt = application.attempt if application is not None else None
        return None if attempt is None else attempt.live_container(attempt.ledger_number(container_id))

    def _count_reserved(self, attempt: Attempt, memory_mb: int, vcores: int) -> None:
        attempt.reserved_memory_mb += memory_mb
        attempt.reserved_vcores += vcores
        attempt.queue.reserve(memory_mb, vcores)
        self.version += 1
