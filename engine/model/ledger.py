"""Applications, their attempts, containers and nodes, as the control plane believes them to be.

They name one another. `Application` is what a client sees (RMApp): state, user, totals over all attempts. `Attempt` is
what a scheduler sees (SchedulerApplicationAttempt with its AppSchedulingInfo): asks, live containers, reservations;
policies extend it. A `Container` is placed on a `Node` and charged to an attempt.

Source: RMAppImpl, SchedulerApplicationAttempt, AppSchedulingInfo, Hadoop 2.7.2; LocalityAppPlacementAllocator, 3.4.1.
"""

from bisect import insort
from collections.abc import Iterable
from typing import Final, Generic

from typing_extensions import TypeVar

from engine.model.decision import ContainerId
from engine.model.lifecycle import APPLICATION, CONTAINER, FINAL_APPLICATION_STATES, move
from engine.model.request import ANY, AskGroup, Queue, Resource, ResourceRequest
from engine.state import Lazy, State

AnyQueue_co = TypeVar("AnyQueue_co", bound=Queue, default=Queue, covariant=True)
"""The policy's own class of queues that hold applications."""

LEDGER_BITS: Final = 48  # Bits of a container's number where it stands beside that of its attempt; 40 are in use


class Application(metaclass=State):
    number: int
    user: str
    queue: str  # Full name of its queue once it was accepted, before that the name asked for
    requested: str  # The queue its client named
    moved_to: str = ""  # The queue an operator moved it to, as named then; empty when it was not moved
    am: Resource | None  # Size of its AM's container, as normalised; None for an unmanaged application
    name: str = ""
    type: str = "YARN"
    priority: int = 0
    priority_given: bool = False  # Whether the submission named a priority
    changed_priority: int | None = None
    """The priority an operator changed it to; None while none has. `priority` stays that of the submission."""
    tags: tuple[str, ...] = ()  # Words its client gave it, such as the workflow it belongs to
    partition: str = ""  # The partition its containers are wanted in where an ask names none
    master_partition: str | None = None
    """The partition its masters are wanted in, as of its admission; None where the queue at their start decides."""
    state: str = "NEW"
    submitted_ms: int
    finished_ms: int | None = None
    attempt: "Attempt | None" = None  # The current attempt; None before the scheduler took it and after its end
    attempts_made: int = 0
    failed_ms: tuple[int, ...] = ()  # When attempts failed that count [epoch ms]; a preempted AM's does not
    failures_validity_ms: int | None = None  # How long a failure counts; None for ever
    keeps_containers: bool = False  # Whether its running containers outlive a failed attempt
    may_be_last: bool = False  # Whether the failure of its attempt, as far as was known when that began, ends it
    max_attempts: int = 2
    memory_mb_ms: int = 0  # Memory held over time by its ended containers [MB x ms]
    vcore_ms: int = 0
    preempted: int = 0  # How many of its containers were preempted since one of them ended by itself
    preempted_since_ms: int = 0  # When the first of them was [epoch ms]
    diagnostics: str = ""
    unregistered: tuple[str, str] | None = None
    """(final state, diagnostics) its AM gave when it unregistered; None before."""
    waiting_since_ms: int | None  # Since when something it asked for is missing; None while it misses nothing

    def __init__(self, number: int, user: str, queue: str, am: Resource | None, now_ms: int) -> None:
        self.number = number
        self.user = user
        self.queue = self.requested = queue
        self.am = am
        self.submitted_ms = self.waiting_since_ms = now_ms

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_APPLICATION_STATES

    def failures(self, now_ms: int) -> int:
        """Failed attempts that count. Source: RMAppImpl#getNumFailedAppAttempts."""
        if self.failures_validity_ms is None:
            return len(self.failed_ms)
        return sum(each > now_ms - self.failures_validity_ms for each in self.failed_ms)

    def transition(self, happening: str) -> None:
        """Change state along the application table; raises `InvariantError` on an illegal move."""
        self.state = move(APPLICATION, self.state, happening)


class Container(metaclass=State):
    """An amount of one node given to, or reserved for, one attempt. Source: RMContainerImpl."""

    attempt: "Attempt"
    id: ContainerId
    number: int
    """By which its attempt keeps it: its own number, or another one where it outlived the attempt that got it."""
    node: "Node"
    priority: int
    memory_mb: int
    vcores: int
    state: str
    created_ms: int  # When it was allocated or, for a reservation, reserved
    is_am: bool
    recoverable: tuple[ResourceRequest, ...]
    """The requests it answered, each for one container; put back when it is killed before its AM fetched it."""
    partition: str  # The partition its ask named; its node may be in another one
    warned_ms: int | None  # When it was marked for preemption

    def __init__(
        self, attempt: "Attempt", number: int, node: "Node", priority: int, memory_mb: int, vcores: int, now_ms: int
    ) -> None:
        self.attempt = attempt
        self.id = (attempt.application.number, attempt.number, number)
        self.number = number
        self.node = node
        self.priority = priority
        self.memory_mb = memory_mb
        self.vcores = vcores
        self.state = "NEW"
        self.created_ms = now_ms
        self.is_am = False
        self.recoverable = ()
        self.partition = ""
        self.warned_ms = None

    def transition(self, happening: str) -> None:
        """Change state along the container table; raises `InvariantError` on an illegal move."""
        try:
            self.state = CONTAINER[self.state][happening]
        except KeyError:
            self.state = move(CONTAINER, self.state, happening)


class Node(metaclass=State):
    """One machine: its totals, what is placed on it, and its reservation. Source: SchedulerNode, FSSchedulerNode.

    A container counts here until the node has let go of it, which in 3.x is later than its application and queue stop
    paying for it.
    """

    id: str
    host: str
    name: str  # What requests and blacklists call it
    port: int
    rack: str
    partition: str
    state: str = "RUNNING"
    joined: int  # Ordinal among all nodes that ever joined
    total_memory_mb: int
    total_vcores: int
    used_memory_mb: int = 0
    used_vcores: int = 0
    free_memory_mb: int  # Total less used; negative on an over-committed node
    free_vcores: int
    _containers: Lazy[dict[ContainerId, Container]] = {}
    reserved: Container | None = None
    heartbeat_ms: int = 0  # When it last reported; 0 before the first time
    idle_version: int = -1  # The scheduler's version at which an offer of this node last changed nothing

    def __init__(
        self, host: str, port: int, rack: str, memory_mb: int, vcores: int, joined: int, partition: str = ""
    ) -> None:
        self.id = f"{host}:{port}"
        self.host = self.name = host
        self.port = port
        self.rack = rack
        self.partition = partition
        self.joined = joined
        self.total_memory_mb = memory_mb
        self.total_vcores = vcores
        self.free_memory_mb = memory_mb
        self.free_vcores = vcores

    @property
    def containers(self) -> dict[ContainerId, Container]:
        """What is placed here, in order of placement; reservations are not."""
        containers = self._containers
        if not isinstance(containers, dict):
            containers = self._containers = containers()
        return containers

    @containers.setter
    def containers(self, containers: dict[ContainerId, Container]) -> None:
        self._containers = containers

    @property
    def placed(self) -> Lazy[dict[ContainerId, Container]]:
        """The same as `containers`, to find single ones in by `get`."""
        return self._containers

    def place(self, container: Container) -> None:
        self._containers[container.id] = container
        self.used_memory_mb += container.memory_mb
        self.used_vcores += container.vcores
        self.free_memory_mb -= container.memory_mb
        self.free_vcores -= container.vcores

    def vacate(self, container: Container) -> bool:
        """Let go of a container; False when it is not placed here (any more)."""
        try:
            del self._containers[container.id]
        except KeyError:
            return False
        self.used_memory_mb -= container.memory_mb
        self.used_vcores -= container.vcores
        self.free_memory_mb += container.memory_mb
        self.free_vcores += container.vcores
        return True

    def resize(self, memory_mb: int, vcores: int) -> None:
        """Change the total; what is placed stays, so free may become negative."""
        self.total_memory_mb = memory_mb
        self.total_vcores = vcores
        self.free_memory_mb = memory_mb - self.used_memory_mb
        self.free_vcores = vcores - self.used_vcores


class Attempt(Generic[AnyQueue_co], metaclass=State):
    """One attempt of an application, as a scheduler sees it; in a queue of the policy's own class."""

    forgets_priorities: bool
    application: Application
    number: int
    user: str
    queue: AnyQueue_co
    unmanaged: bool
    started_ms: int
    stopped: bool = False
    recovered: bool = False  # Whether it came back from a state store, and its master has not registered since
    groups: dict[int, AskGroup] = {}  # By priority; a group stays when nothing of it is left
    priorities: list[int] = []  # The priorities of `groups`, lowest number first
    pending: int = 0  # Containers still wanted, over all priorities
    asked_memory_mb: int = 0  # Size times count over all requests, so that a container is counted at host, rack and `*`
    asked_vcores: int = 0
    _live: Lazy[dict[int, Container]] = {}
    newly_allocated: list[Container] = []  # Allocated and not yet fetched by the AM, in order
    reserved: dict[str, Container] = {}  # Reservations by node id
    blacklist: set[str] = set()
    used_memory_mb: int = 0
    used_vcores: int = 0
    reserved_memory_mb: int = 0
    reserved_vcores: int = 0
    last_container_number: int = 0  # The last container number used up, also by a reservation or in vain
    am_memory_mb: int = 0  # What the AM asked for, as the scheduler overheard it
    am_vcores: int = 0
    am_running: bool = False
    master: int | None = None
    """Number of its AM's container; None before it was fetched, and for an unmanaged application."""
    marked: dict[int, Container] = {}  # Live containers marked for preemption, by number, in order of marking

    def __init__(
        self,
        application: Application,
        number: int,
        queue: AnyQueue_co,
        now_ms: int,
        *,
        forgets_priorities: bool = False,
    ) -> None:
        """Begin attempt `number`, the first is 1, in a leaf.

        With `forgets_priorities` a `*` of nothing takes all asks of its priority with it, and of two asks for one place
        in one call the last one counts, as in 3.x.
        """
        self.forgets_priorities = forgets_priorities
        self.application = application
        self.number = number
        self.user = application.user
        self.queue = queue
        self.unmanaged = application.am is None
        self.started_ms = now_ms

    @property
    def live(self) -> dict[int, Container]:
        """The containers allocated and not ended, by `Container.number`."""
        live = self._live
        if not isinstance(live, dict):
            live = self._live = live()
        return live

    @live.setter
    def live(self, live: dict[int, Container]) -> None:
        self._live = live

    @property
    def has_live(self) -> bool:
        return bool(self._live)

    @property
    def has_live_beside_master(self) -> bool:
        return any(number != self.master for number in self._live)

    def live_container(self, number: int) -> Container | None:
        return self._live.get(number)

    def pays_for(self, container: Container) -> bool:
        return self._live.get(container.number) is container

    def add_live(self, container: Container) -> None:
        self._live[container.number] = container

    def remove_live(self, container: Container) -> bool:
        """Forget what has ended; False when it has it not (any more)."""
        try:
            del self._live[container.number]
        except KeyError:
            return False
        return True

    @property
    def waits_for_master(self) -> bool:
        """Tell whether its AM's container is still to be fetched. Source: #isWaitingForAMContainer, Hadoop 3.4.1."""
        return not self.unmanaged and self.master is None

    @property
    def asks_for_master(self) -> bool:
        return self.waits_for_master and not self.groups

    def withdraw(self) -> None:
        """It asks for nothing more; figures beside the cluster's that count its asks follow."""

    def next_container_number(self) -> int:
        self.last_container_number += 1
        return self.last_container_number

    def charge(self, memory_mb: int, vcores: int) -> None:
        """Add to (or, negative, take from) what the attempt and its queues use."""
        self.used_memory_mb += memory_mb
        self.used_vcores += vcores
        queue: Queue | None = self.queue
        while queue is not None:
            queue.used_memory_mb += memory_mb
            queue.used_vcores += vcores
            queue = queue.parent

    def ledger_number(self, container: ContainerId) -> int:
        """By which it keeps a container: negative for those of earlier attempts, whose numbers began at 1, too."""
        return container[2] if container[1] == self.number else -(container[1] << LEDGER_BITS | container[2])

    def part_with_running(self) -> list[Container]:
        """Containers that outlive the attempt; its queues go on paying for them. Source: #removeApplicationAttempt."""
        kept = [each for each in self.live.values() if each.state == "RUNNING" and not each.is_am]
        for container in kept:
            del self.live[container.number]
            self.marked.pop(container.number, None)
            self.used_memory_mb -= container.memory_mb
            self.used_vcores -= container.vcores
        return kept

    def take_over(self, containers: Iterable[Container]) -> None:
        """Have what outlived the attempt before. Source: #transferStateFromPreviousAttempt."""
        for container in containers:
            container.attempt, container.number = self, self.ledger_number(container.id)
            self.live[container.number] = container
            self.used_memory_mb += container.memory_mb
            self.used_vcores += container.vcores

    def group(self, priority: int) -> AskGroup:
        group = self.groups.get(priority)
        if group is None:
            group = self.groups[priority] = AskGroup(priority)
            insort(self.priorities, priority)
        return group

    def update_requests(self, requests: Iterable[ResourceRequest]) -> int:
        """Replace counts by (priority, resource name); by how much more containers are wanted."""
        before = self.pending
        if self.forgets_priorities:
            requests = {(each.priority, each.resource_name): each for each in requests}.values()
        for request in requests:
            group = self.groups.get(request.priority) or self.group(request.priority)
            if request.resource_name == ANY:
                last = group.anywhere
                self.pending += max(request.count, 0) - (max(last.count, 0) if last is not None else 0)
                group.anywhere = request
            replaced = group.by_name.get(request.resource_name)
            if replaced is not None:
                self.asked_memory_mb -= replaced.memory_mb * replaced.count
                self.asked_vcores -= replaced.vcores * replaced.count
            self.asked_memory_mb += request.memory_mb * request.count
            self.asked_vcores += request.vcores * request.count
            group.by_name[request.resource_name] = request
        for request in requests if self.forgets_priorities else ():
            if request.resource_name == ANY and request.count <= 0:
                for forgotten in self.groups[request.priority].forget():
                    self.asked_memory_mb -= forgotten.memory_mb * forgotten.count
                    self.asked_vcores -= forgotten.vcores * forgotten.count
        return self.pending - before

    def take(self, group: AskGroup, node: Node, locality: int) -> tuple[ResourceRequest, ...]:
        """Count one container of a group as given on a node; returns the requests it answered."""
        answered = group.take(node.name, node.rack, locality)
        self.pending -= 1
        for request in answered:
            self.asked_memory_mb -= request.memory_mb
            self.asked_vcores -= request.vcores
        return answered


def change_queue(attempt: Attempt, queue: Queue) -> None:
    """Have an attempt in another queue; what it uses stays with who paid for it."""
    if attempt.pending:
        attempt.queue.wanting -= 1
        queue.wanting += 1
    attempt.queue = queue
