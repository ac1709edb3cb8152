"""The cluster: owner of nodes, applications and totals, and the only place that changes them.

It keeps two ledgers. *Charge* is what queue, user and application pay for; *placement* is what a node has not let go
of. A container that ends leaves the charge ledger at once (`end`) and the placement ledger when the policy's release
says so (`vacate`): together in 2.7, later in 3.x.

Policies decide, the cluster changes; it depends on no policy and no clock. `version` changes with everything a
decision may depend on, so an offer that changed nothing need not be repeated while the version stays.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from engine.model.decision import ContainerId
from engine.model.identity import ConcurrentHashOrder, node_id_hash
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.lifecycle import NODE, move
from engine.model.request import AskGroup, ResourceRequest
from engine.state import Owned, State

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
