"""The FIFO scheduler: one queue, applications by id, a node filled as far as memory goes in one heartbeat.

No ACLs, limits, preemption, reservations or locality delay; vcores are not looked at. An application's headroom is
what the last offer to any node computed. The releases differ in how containers end, see `containers`, and in what 3.x
subtracts twice.

Source: FifoScheduler, Hadoop 2.7.2 and 3.4.1.
"""

from bisect import insort
from collections.abc import Sequence

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision
from engine.model.java_values import INT_MAX
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import (
    LOCALITY_NAMES,
    NODE_LOCAL,
    OFF_SWITCH,
    RACK_LOCAL,
    AskGroup,
    Queue,
    Resource,
    ResourceRequest,
)
from engine.schedulers.containers import MaximumAllocation, Release27, Release34, ReleaseRules
from engine.schedulers.interface import FifoView, SchedulerStart
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.placement import DEFAULT_QUEUE
from engine.schedulers.settings import HadoopSettings, allocation_bounds, maximum_at_start
from engine.schedulers.yarn_scheduler import Policy, YarnScheduler
from engine.settings.site import PORT_IN_NODE_NAME, YARN_27, YARN_34
from engine.settings.table import SettingTable


def fifo_27(start: SchedulerStart) -> YarnScheduler:
    return _scheduler(start, YARN_27, Release27(start.cluster))


def fifo_34(start: SchedulerStart) -> YarnScheduler:
    return _scheduler(start, YARN_34, Release34(start.cluster))


def _scheduler(start: SchedulerStart, table: SettingTable, release: ReleaseRules) -> YarnScheduler:
    settings = HadoopSettings(start.values, table)
    minimum, most = allocation_bounds(settings)
    port_in_node_name = settings.value(PORT_IN_NODE_NAME)
    settings.check()
    maximum = maximum_at_start(start.values, most, start.now_ms, table, lags=not release.forgets_priorities)
    policy = FifoScheduler(table.name, start.cluster, minimum, maximum, release)
    return YarnScheduler(policy, port_in_node_name=port_in_node_name)


class FifoScheduler(Policy[Attempt]):
    """The policies `fifo` (2.7.2) and `fifo-3.4` (3.4.1), which differ by their release."""

    queue: Queue
    attempts: list[Attempt] = []  # Attempts that live, in order of their applications' numbers
    new: dict[int, None] = {}  # Numbers of applications whose attempt began since the last offer
    last_headroom: tuple[int, int] = (0, 0)  # (MB, vcores) of every application as of the last offer, but for `new`
    useful_mb: int = 0  # An offer of a node with less memory free changes nothing, at `useful_version` of the cluster
    useful_version: int = -1
    freed_twice: tuple[int, int] = (0, 0)
    """(MB, vcores) that 3.x took from the used total again; only headroom sees it. Source: #removeNode, 3.4.1."""

    def __init__(
        self, name: str, cluster: Cluster, minimum: Resource, maximum: MaximumAllocation, release: ReleaseRules
    ) -> None:
        super().__init__(name, "fifo", cluster, minimum, maximum, release)
        self.queue = Queue(DEFAULT_QUEUE, None)

    # ---------------------------------------------------------------- offers

    def is_idle(self, node: Node) -> bool:
        """Nothing has changed since its last fruitless offer, or its free memory is too little for any effect.

        An offer of a node with room also brings the headrooms up to date, so until they are it is not idle.
        """
        version = self.cluster.version
        if self.recorder is not None:
            return node.idle_version == version or node.free_memory_mb < self.minimum.memory_mb
        return node.free_memory_mb < self._useful_mb() or node.idle_version == version

    def all_nodes_idle(self) -> bool:
        useful_mb = self._useful_mb()
        return self.recorder is None and (useful_mb == INT_MAX or not self.cluster.has_room(useful_mb, -INT_MAX))

    def _useful_mb(self) -> int:
        if self.useful_version != self.cluster.version:
            self.useful_mb, self.useful_version = self._find_useful_mb(), self.cluster.version
        return self.useful_mb

    def _find_useful_mb(self) -> int:
        if self.new or self.last_headroom != self._free_of_cluster():
            return self.minimum.memory_mb
        return max(self.minimum.memory_mb, _least_asked_mb(self.cluster)) if self.cluster.pending else INT_MAX

    # ---------------------------------------------------------------- containers

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container ends; in 3.x one that had ended is subtracted from the used total again."""
        if self.release.frees_again and not container.attempt.stopped and not container.attempt.pays_for(container):
            memory_mb, vcores = self.freed_twice
            self.freed_twice = (memory_mb + container.memory_mb, vcores + container.vcores)
        return self.release.end(container, happening, now_ms, cause)

    def headroom(self, attempt: Attempt) -> Resource:
        """The cluster's free resources as of the last offer; memory never below 0, in 3.x neither vcores."""
        memory_mb, vcores = (0, 0) if attempt.application.number in self.new else self.last_headroom
        return Resource(max(memory_mb, 0), max(vcores, 0) if self.release.floors_vcores else vcores)

    # ---------------------------------------------------------------- questions

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        return None if attempt.pending else Obstacle(Reason.NOTHING_ASKED)

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
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
        for attempt in self.attempts:
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
            # No delay: whatever fits is placed at once, near or far.
            for locality in (NODE_LOCAL, RACK_LOCAL, OFF_SWITCH):
                self._assign_at(attempt, group, node, locality, now_ms, decisions)
            # Later priorities wait behind the first that does not fit.
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
        # By memory alone. Differs: for an ask of 0 MB Hadoop divides by zero and fails; here as many as are asked fit.
        fit = node.free_memory_mb // request.memory_mb if request.memory_mb else request.count
        for _ in range(min(most, fit)):
            number = attempt.next_container_number()
            container = self.cluster.allocate(attempt, group, request, request, node, locality, number, now_ms)
            decisions.append(
                Allocated(
                    container.id, node.id, request.priority, request.memory_mb, request.vcores, LOCALITY_NAMES[locality]
                )
            )

    def update_headrooms(self) -> None:
        self.last_headroom = self._free_of_cluster()
        self.new.clear()
        self.useful_version = -1

    def _free_of_cluster(self) -> tuple[int, int]:
        cluster, (memory_mb, vcores) = self.cluster, self.freed_twice
        return (
            cluster.total_memory_mb - cluster.used_memory_mb + memory_mb,
            cluster.total_vcores - cluster.used_vcores + vcores,
        )

    # ---------------------------------------------------------------- applications

    def place(self, application: Application, requested: str) -> None:
        application.queue = DEFAULT_QUEUE

    def start_attempt(self, application: Application, number: int, now_ms: int, kept: Sequence[Container]) -> Attempt:
        forgets_priorities = self.release.forgets_priorities
        attempt = Attempt(application, number, self.queue, now_ms, forgets_priorities=forgets_priorities)
        attempt.take_over(kept)
        application.attempt = attempt
        insort(self.attempts, attempt, key=lambda each: each.application.number)
        self.new[application.number] = None
        return attempt

    def finish_attempt(self, attempt: Attempt) -> None:
        self.attempts.remove(attempt)
        self.new.pop(attempt.application.number, None)

    def charge_recovered(self, container: Container) -> None:
        self.update_headrooms()

    def view(self) -> FifoView:
        return FifoView(self.cluster, self.queue)


def _least_asked_mb(cluster: Cluster) -> int:
    """The memory of the smallest of all open asks; those of hosts and racks may differ from that of `*`."""
    return min(
        (
            request.memory_mb
            for attempt in cluster.wanting.values()
            for group in attempt.groups.values()
            if group.anywhere is not None and group.anywhere.count > 0
            for request in group.by_name.values()
        ),
        default=0,
    )


def _assignable(group: AskGroup, node: Node, locality: int) -> tuple[ResourceRequest | None, int]:
    anywhere = group.anywhere
    assert anywhere is not None, "a group without `*` is not walked"
    if locality == OFF_SWITCH:
        return anywhere, anywhere.count
    rack = group.by_name.get(node.rack)
    if locality == RACK_LOCAL:
        return rack, min(anywhere.count, rack.count) if rack is not None else 0
    host = group.by_name.get(node.name)
    if host is None or rack is None:
        return None, 0
    # Differs: where an application asks for more containers on a host than on its rack FifoScheduler fails; here it
    # gets as many as the smaller number.
    return host, min(anywhere.count, rack.count, host.count)
