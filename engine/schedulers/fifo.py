"""The FIFO scheduler: one queue, applications by id, a node filled as far as memory goes in one heartbeat.

No ACLs, limits, preemption, reservations or locality delay; vcores are not looked at. An application's headroom is
what the last offer to any node computed. The releases differ in how containers end and asks are kept, see
`containers` and `am_calls`, and in what 3.x subtracts twice.

Source: FifoScheduler, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.decision import Allocated, ContainerId, Decision, Unreserved
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.queue import Queue
from engine.model.request import LOCALITY_NAMES, NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup, ResourceRequest
from engine.model.resource import INT_MAX, NONE, Resource
from engine.schedulers.activity import Obstacle, Reason, Recorder
from engine.schedulers.am_calls import change_blacklist, check_asks, fetch_34, resize
from engine.schedulers.calculator import MaximumAllocation, normalise_memory, validate
from engine.schedulers.containers import (
    complete_27,
    complete_34,
    end_attempt,
    is_live,
    release,
    remove_node,
    resize_node,
    settle,
    unreserve,
)
from engine.schedulers.fifo_view import FifoView
from engine.schedulers.settings import (
    PORT_IN_NODE_NAME,
    HadoopSettings,
    allocation_bounds,
    maximum_at_start,
    with_defaults_34,
)
from engine.state import Dropped, State

DEFAULT_QUEUE = "default"


class FifoScheduler(metaclass=State):
    """The policies `fifo` (2.7.2) and, with `is_34`, `fifo-3.4` (3.4.1)."""

    minimum: Resource
    port_in_node_name: bool
    cluster: Cluster
    maximum: MaximumAllocation
    is_34: bool
    name: str
    one_attempt_is_all: bool
    recorder: Dropped[Recorder | None] = None
    posted: list[Container] = []
    queue: Queue[Any]
    last_headroom: Resource = NONE
    """Every application's headroom as of the last offer."""
    without_offer: dict[int, None] = {}
    """Numbers of applications whose attempt began after that offer: their headroom is nothing."""
    useful_mb: int = 0
    """An offer of a node with less memory free changes nothing, at `useful_version` of the cluster."""
    useful_version: int = -1
    freed_twice: Resource = NONE
    """What 3.x took from the used total a second time; only headroom sees it. Source: #removeNode, 3.4.1."""

    has_queues = False
    probes_by_size = True

    def __init__(self, cluster: Cluster, values: Mapping[str, str], now_ms: int, *, is_34: bool = False) -> None:
        values = with_defaults_34(values) if is_34 else values
        settings = HadoopSettings(values)
        self.minimum, maximum = allocation_bounds(settings)
        self.port_in_node_name = settings.flag(PORT_IN_NODE_NAME, False)
        settings.check()
        self.cluster = cluster
        self.maximum = maximum_at_start(values, maximum, now_ms, lags=not is_34)
        self.is_34 = is_34
        self.name = "fifo-3.4" if is_34 else "fifo"
        self.one_attempt_is_all = is_34
        self.queue = Queue(DEFAULT_QUEUE, None)

    # ---------------------------------------------------------------- what FIFO does not have

    def passes(self) -> tuple[tuple[str, int], ...]:
        """None."""
        return ()

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """There is none to run."""
        raise NotImplementedError(name)

    def pass_rests(self, name: str) -> bool:
        """There is none that could."""
        return False

    def longest_timer_ms(self) -> int:
        """Nothing waits for time."""
        return 0

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Refused."""
        raise RefusedError("YarnException", f"{self.name} does not support moving applications between queues")

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Refused."""
        names = ", ".join(values)
        raise RefusedError(
            "IllegalArgumentException",
            f"{self.name} has no setting that can change while it runs: {names}; it takes a restart",
        )

    def reload(self, allocation: object, now_ms: int) -> None:
        """Refused."""
        raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")

    # ---------------------------------------------------------------- nodes

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        """A node joins, named with its port if so configured."""
        node = self.cluster.add_node(host, port, rack, memory_mb, vcores, partition, self.port_in_node_name)
        self.maximum.node_joined(node)
        return node

    def remove_node(self, node: Node, happening: str, now_ms: int) -> list[Decision]:
        """A node leaves: its containers are lost."""
        return remove_node(self.cluster, self.maximum, self.complete, node, happening, now_ms)

    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> list[Decision]:
        """A node's total changes; what runs there goes on."""
        resize_node(self.cluster, self.maximum, node, memory_mb, vcores)
        return []

    def heartbeat(
        self, node: Node, started: Sequence[ContainerId], completed: Sequence[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Settle what a node reports, then offer it."""
        if not started and not completed:
            return self.offer(node, now_ms)
        return settle(self.cluster, self.complete, node, started, completed, now_ms) + self.offer(node, now_ms)

    def offers_on_heartbeat(self, completed: bool) -> bool:
        """Always."""
        return True

    def is_idle(self, node: Node) -> bool:
        """Nothing has changed since its last fruitless offer, or its free memory is too little for any effect.

        An offer of a node with room also brings the headrooms up to date, so until they are it is not idle.
        """
        version = self.cluster.version
        if self.recorder is not None:
            return node.idle_version == version or node.free_memory_mb < self.minimum.memory_mb
        if self.useful_version != version:
            self.useful_mb, self.useful_version = self._useful_mb(), version
        return node.free_memory_mb < self.useful_mb or node.idle_version == version

    def is_quiet(self) -> bool:
        """Nobody wants anything, and no headroom changes."""
        return self.recorder is None and not self.cluster.pending and self._headrooms_are_up_to_date()

    def _useful_mb(self) -> int:
        """The least free memory of a node whose offer may change anything."""
        if not self._headrooms_are_up_to_date():
            return self.minimum.memory_mb
        return max(self.minimum.memory_mb, _least_asked_mb(self.cluster)) if self.cluster.pending else INT_MAX

    def _headrooms_are_up_to_date(self) -> bool:
        return not self.without_offer and self.last_headroom == self._free_of_cluster()

    # ---------------------------------------------------------------- containers

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container ends; in 3.x one that had ended is subtracted from the used total again."""
        if not self.is_34:
            return complete_27(self.cluster, self.posted, container, happening, now_ms, cause)
        if not container.attempt.stopped and not is_live(container):
            self.freed_twice = self.freed_twice.plus(Resource(container.memory_mb, container.vcores))
        return complete_34(self.cluster, container, happening, now_ms, cause)

    def unreserve(self, node: Node) -> Unreserved:
        """Drop a node's reservation; it makes none itself."""
        return unreserve(self.cluster, node)

    # ---------------------------------------------------------------- applications and their masters

    def admit(self, application: Application, now_ms: int) -> None:
        """Check and normalise the AM's ask."""
        if application.am is not None:
            validate(application.am, self.maximum.ask(now_ms))
            application.am = self._normalise(application.am, now_ms)

    def place(self, application: Application, requested: str) -> None:
        """Everything lands in the one queue."""
        application.queue = DEFAULT_QUEUE

    def add_attempt(self, application: Application, now_ms: int, kept: Sequence[Container] = ()) -> Attempt:
        """Begin an attempt."""
        number = application.attempts_made = application.attempts_made + 1
        attempt = Attempt(application, number, self.queue, now_ms, forgets_priorities=self.is_34)
        attempt.take_over(kept)
        application.attempt = attempt
        self.without_offer[application.number] = None
        self.cluster.version += 1
        return attempt

    def remove_attempt(self, attempt: Attempt, now_ms: int) -> list[Decision]:
        """An attempt ends with all it holds."""
        decisions = end_attempt(self.cluster, self.complete, attempt, now_ms)
        self.without_offer.pop(attempt.application.number, None)
        return decisions

    def remove_application(self, application: Application) -> None:
        """It keeps nothing of an application without attempt."""

    def check_asks(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        """Refuse asks above the maximum."""
        check_asks(asks, self.maximum.ask(now_ms))

    def allocate(
        self,
        attempt: Attempt,
        asks: Sequence[ResourceRequest],
        releases: Iterable[ContainerId],
        blacklist_add: Sequence[str],
        blacklist_remove: Sequence[str],
        now_ms: int,
    ) -> tuple[list[Container], list[Decision]]:
        """One AM call, after its checks."""
        if asks:
            resize(asks, lambda asked: self._normalise(asked, now_ms))
        decisions = release(self.cluster, self.complete, releases, now_ms)
        if asks:
            self.cluster.update_requests(attempt, asks)
        change_blacklist(self.cluster, attempt, blacklist_add, blacklist_remove)
        return (fetch_34(self.cluster, attempt) if self.is_34 else self.cluster.fetch(attempt)), decisions

    def _normalise(self, ask: Resource, now_ms: int) -> Resource:
        """By memory alone, with the minimum as step."""
        return normalise_memory(ask, self.minimum, self.maximum.ask(now_ms), self.minimum)

    def headroom(self, attempt: Attempt) -> Resource:
        """The cluster's free resources as of the last offer; memory never below 0, in 3.x neither vcores."""
        headroom = NONE if attempt.application.number in self.without_offer else self.last_headroom
        return Resource(max(headroom.memory_mb, 0), max(headroom.vcores, 0) if self.is_34 else headroom.vcores)

    # ---------------------------------------------------------------- questions

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        """Nothing but the nodes stands in the way."""
        return None if attempt.pending else Obstacle(Reason.NOTHING_ASKED)

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
        """What stands in the way on a node."""
        if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
            return Obstacle(Reason.BLACKLISTED)
        for priority in attempt.priorities:
            anywhere = attempt.groups[priority].anywhere
            if anywhere is None or anywhere.count <= 0:
                continue
            if max(anywhere.memory_mb, self.minimum.memory_mb) <= node.free_memory_mb:
                return None
            too_large = anywhere.memory_mb > node.total_memory_mb
            reason = Reason.NODE_TOO_SMALL if too_large else Reason.DOES_NOT_FIT
            return Obstacle(reason, (anywhere.memory_mb, node.total_memory_mb if too_large else node.free_memory_mb))
        return Obstacle(Reason.NOTHING_ASKED)

    # ---------------------------------------------------------------- offers

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Give the node away, application after application. Source: FifoScheduler#nodeUpdate, #assignContainers."""
        if now_ms <= self.cluster.offers_after_ms:
            return []
        version = self.cluster.version
        decisions: list[Decision] = []
        if node.free_memory_mb >= self.minimum.memory_mb:
            self._walk(node, now_ms, decisions)
            self.update_headrooms()
        if version == self.cluster.version:
            node.idle_version = version
        return decisions

    def _walk(self, node: Node, now_ms: int, decisions: list[Decision]) -> None:
        applications = self.cluster.applications
        for number in sorted(applications):
            attempt = applications[number].attempt
            if attempt is None:
                continue
            if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
                if self.recorder is not None:
                    self.recorder.passed_over(attempt, node, Obstacle(Reason.BLACKLISTED))
                continue
            if attempt.pending:
                self._assign(attempt, node, now_ms, decisions)
            if node.free_memory_mb < self.minimum.memory_mb:
                return

    def _assign(self, attempt: Attempt, node: Node, now_ms: int, decisions: list[Decision]) -> None:
        """Priorities in order; one that gets nothing ends the application's turn."""
        for priority in attempt.priorities:
            group = attempt.groups[priority]
            if group.anywhere is None or group.anywhere.count <= 0:
                continue
            before = len(decisions)
            for locality in (NODE_LOCAL, RACK_LOCAL, OFF_SWITCH):
                self._assign_at(attempt, group, node, locality, now_ms, decisions)
            if len(decisions) == before:
                if self.recorder is not None:
                    numbers = (group.anywhere.memory_mb, node.free_memory_mb)
                    self.recorder.passed_over(attempt, node, Obstacle(Reason.DOES_NOT_FIT, numbers))
                return

    def _assign_at(
        self, attempt: Attempt, group: AskGroup, node: Node, locality: int, now_ms: int, decisions: list[Decision]
    ) -> None:
        request, most = _assignable(group, node, locality)
        if request is None or most <= 0:
            return
        for _ in range(min(most, _how_many_fit(request, node))):
            number = attempt.next_container_number()
            container = self.cluster.allocate(attempt, group, request, request, node, locality, number, now_ms)
            decisions.append(
                Allocated(
                    container.id, node.id, request.priority, request.memory_mb, request.vcores, LOCALITY_NAMES[locality]
                )
            )

    def update_headrooms(self) -> None:
        """Every application's headroom is what the cluster has free."""
        self.last_headroom = self._free_of_cluster()
        self.without_offer.clear()
        self.useful_version = -1

    def _free_of_cluster(self) -> Resource:
        """What headroom takes for free."""
        cluster, twice = self.cluster, self.freed_twice
        return Resource(
            cluster.total_memory_mb - cluster.used_memory_mb + twice.memory_mb,
            cluster.total_vcores - cluster.used_vcores + twice.vcores,
        )

    def view(self) -> FifoView:
        """What observers may ask of it."""
        return FifoView(self.cluster, self.queue)


def _least_asked_mb(cluster: Cluster) -> int:
    """The memory of the smallest of all open asks; those of hosts and racks may differ from that of `*`."""
    attempts = (application.attempt for application in cluster.applications.values())
    return min(
        (
            request.memory_mb
            for attempt in attempts
            if attempt is not None and attempt.pending
            for group in attempt.groups.values()
            if group.anywhere is not None and group.anywhere.count > 0
            for request in group.by_name.values()
        ),
        default=0,
    )


def _how_many_fit(request: ResourceRequest, node: Node) -> int:
    """By memory alone. Differs: the real one divides by zero for an ask of 0 MB; here as many as are asked fit."""
    return node.free_memory_mb // request.memory_mb if request.memory_mb else request.count


def _assignable(group: AskGroup, node: Node, locality: int) -> tuple[ResourceRequest | None, int]:
    """The request to use at a locality and how many containers its counts allow."""
    anywhere = group.anywhere
    assert anywhere is not None, "a group without `*` is not walked"
    if locality == OFF_SWITCH:
        return anywhere, anywhere.count
    rack = group.by_name.get(node.rack)
    if locality == RACK_LOCAL:
        return rack, min(anywhere.count, rack.count) if rack is not None else 0
    host = group.by_name.get(node.name)
    if host is None or rack is None or rack.count <= 0:
        return None, 0
    # Differs: the real one takes the host's count alone, and fails when the rack's runs out before it.
    return host, min(anywhere.count, rack.count, host.count)
