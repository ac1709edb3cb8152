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

NO_OFFERS: Final = 1 << 62
"""An instant that never comes: while nobody is there no offer gives anything."""


class Cluster(metaclass=State):
    """The nodes, applications and totals a control plane believes in."""

    cluster_timestamp: int
    """When the ResourceManager started [epoch ms]; part of every id."""
    nodes: dict[str, Node] = {}
    """Nodes that are up, by id, in order of joining."""
    down: dict[str, Node] = {}
    """Nodes that left and have not come back, empty."""
    node_order: ConcurrentHashOrder
    """The ids of `nodes` in the order of the scheduler's own map."""
    applications: dict[int, Application] = {}
    """Live applications by number, in order of submission."""
    finished: Owned[deque[Application]]
    total_memory_mb: int = 0
    total_vcores: int = 0
    doubled_memory_mb: int = 0
    """What is counted in the total for nodes that were added while they were there."""
    doubled_vcores: int = 0
    used_memory_mb: int = 0
    """Charge of all live containers."""
    used_vcores: int = 0
    metrics_memory_mb: int = 0
    """What the root queue's metrics say is allocated; headroom and preemption go by it."""
    metrics_vcores: int = 0
    pending: int = 0
    """Containers wanted by all attempts."""
    live: int = 0
    """Live containers."""
    reservations: int = 0
    """Nodes that are reserved."""
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
        self.nodes[node.id] = node
        self.total_memory_mb += memory_mb
        self.total_vcores += vcores
        self.version += 1
        return node

    def remove_node(self, node: Node, happening: str) -> None:
        """A node leaves by a move of the node table; its containers must have ended before."""
        del self.nodes[node.id]
        self.node_order.remove(node.id, node_id_hash(node.host, node.port))
        node.state = move(NODE, node.state, happening)
        self.down[node.id] = node
        self.version += 1

    def change_total(self, memory_mb: int, vcores: int) -> None:
        """Add to (or, negative, take from) the cluster's total."""
        self.total_memory_mb += memory_mb
        self.total_vcores += vcores
        self.version += 1

    def update_requests(self, attempt: Attempt, requests: Iterable[ResourceRequest]) -> None:
        """Replace counts of an attempt's asks."""
        self.pending += attempt.update_requests(requests)
        self.version += 1

    def recover_requests(self, attempt: Attempt, requests: Iterable[ResourceRequest]) -> None:
        """Put back what a container that was lost before its AM fetched it had answered; each request counts one more.

        Source: AppSchedulingInfo#updateResourceRequests with recoverPreemptedRequest.
        """
        if attempt.stopped:
            requests = ()
        again = []
        for request in requests:
            last = attempt.group(request.priority).by_name.get(request.resource_name)
            again.append(request.with_count(last.count + 1 if last is not None else 1))
        self.update_requests(attempt, again)

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
        """Give a container to an attempt on a node; the caller has made sure that it may.

        Args:
            request: The request of the group that matched at this locality.
            size: The request or, when one is fulfilled, the reservation.
        """
        memory_mb, vcores = size.memory_mb, size.vcores
        container = Container(attempt, number, node, request.priority, memory_mb, vcores, now_ms)
        container.state = "ALLOCATED"
        container.recoverable = attempt.take(group, node, locality)
        attempt.live[number] = container
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
        """A container that runs on a node that has registered again; it is nobody's news."""
        container = Container(attempt, attempt.ledger_number(name), node, priority, memory_mb, vcores, created_ms)
        container.id = name
        container.happen("RECOVER")
        attempt.live[container.number] = container
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
        """Hold a node for an attempt."""
        container = Container(attempt, number, node, priority, memory_mb, vcores, now_ms)
        container.happen("RESERVE")
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
        container.happen(happening)
        self._count_reserved(attempt, -container.memory_mb, -container.vcores)
        return container

    def fetch(self, attempt: Attempt) -> list[Container]:
        """Hand the attempt's new containers to its AM, in order of allocation."""
        containers = attempt.newly_allocated
        if containers:
            attempt.newly_allocated = []
            for container in containers:
                container.happen("ACQUIRE")
                container.recoverable = ()
            self.version += 1
        return containers

    def end(self, container: Container, happening: str, now_ms: int) -> bool:
        """A live container ends: its application and queues stop paying; its node is left to `vacate`.

        Returns:
            Whether the requests it answered should be put back: it was killed before its AM fetched it.
        """
        attempt = container.attempt
        recover = container.state == "ALLOCATED" and happening == "KILL"
        if container.state == "ALLOCATED":
            attempt.newly_allocated.remove(container)
        container.happen(happening)
        number = container.number
        if number in attempt.live:
            del attempt.live[number]
            attempt.charge(-container.memory_mb, -container.vcores)
            self.used_memory_mb -= container.memory_mb
            self.used_vcores -= container.vcores
            self.metrics_memory_mb -= container.memory_mb
            self.metrics_vcores -= container.vcores
            self.live -= 1
            application = attempt.application
            held_ms = now_ms - container.created_ms
            application.memory_mb_ms += container.memory_mb * held_ms
            application.vcore_ms += container.vcores * held_ms
        if attempt.marked:
            attempt.marked.pop(number, None)
        self.version += 1
        return recover

    def vacate(self, container: Container) -> None:
        """The node lets go of a container that has ended."""
        if container.node.vacate(container):
            self.version += 1

    def stop(self, attempt: Attempt) -> None:
        """An attempt asks for nothing more."""
        attempt.withdraw()
        attempt.stopped = True
        self.pending -= attempt.pending
        attempt.pending = attempt.asked_memory_mb = attempt.asked_vcores = 0
        attempt.groups = {}
        attempt.priorities = []
        self.version += 1

    def retire(self, application: Application) -> None:
        """An application that ended moves to the remembered ones."""
        del self.applications[application.number]
        application.attempt = None
        self.finished.appendleft(application)
        self.version += 1

    def container(self, container_id: ContainerId) -> Container | None:
        """A live container by its id; None when it has ended or never was."""
        application = self.applications.get(container_id[0])
        attempt = application.attempt if application is not None else None
        return None if attempt is None else attempt.live.get(attempt.ledger_number(container_id))

    def _count_reserved(self, attempt: Attempt, memory_mb: int, vcores: int) -> None:
        attempt.reserved_memory_mb += memory_mb
        attempt.reserved_vcores += vcores
        attempt.queue.reserve(memory_mb, vcores)
        self.version += 1
