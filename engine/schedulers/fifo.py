"""The FIFO scheduler: one queue, applications by id, a node filled as far as memory goes in one heartbeat.

No ACLs, limits, preemption, reservations or locality delay; vcores are not looked at. An application's headroom is
what the last offer to any node computed.

Source: FifoScheduler, Hadoop 2.7.2 (3.x behaves alike).
"""

from collections.abc import Mapping
from typing import Self

from engine.incremental import Incremental
from engine.model.application import Application, Attempt
from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision
from engine.model.node import Node
from engine.model.queue import Queue
from engine.model.request import LOCALITY_NAMES, NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup, ResourceRequest
from engine.model.resource import NONE, Resource
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.calculator import normalise_memory
from engine.schedulers.settings import Settings, allocation_bounds
from engine.schedulers.yarn_scheduler import YarnScheduler

DEFAULT_QUEUE = "default"


class FifoScheduler(YarnScheduler):
    """The policy `fifo`."""

    name = "fifo"
    probes_by_size = True

    def __init__(self, cluster: Cluster, values: Mapping[str, str], now_ms: int) -> None:
        settings = Settings(values)
        minimum, maximum = allocation_bounds(settings)
        self.port_in_node_name = settings.flag("yarn.scheduler.include-port-in-node-name", False)
        settings.check()
        super().__init__(cluster, values, minimum, maximum, now_ms)
        self.queue = Queue(DEFAULT_QUEUE, None)
        self.headrooms: dict[int, Resource] = {}
        """By application number, as of the last offer."""

    def normalise_am(self, ask: Resource, now_ms: int) -> Resource:
        """By memory alone, with the minimum as step."""
        return normalise_memory(ask, self.minimum, self.maximum.ask(now_ms), self.minimum)

    def normalise(self, ask: Resource, now_ms: int) -> Resource:
        """By memory alone, with the minimum as step."""
        return self.normalise_am(ask, now_ms)

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        """A node joins, named with its port if so configured."""
        node = super().add_node(host, port, rack, memory_mb, vcores, partition)
        if self.port_in_node_name:
            node.name = node.id
        return node

    def place(self, application: Application, requested: str) -> None:
        """Everything lands in the one queue."""
        application.queue = DEFAULT_QUEUE

    def add_attempt(self, application: Application, now_ms: int) -> Attempt:
        """Begin an attempt."""
        application.attempts_made += 1
        application.attempt = Attempt(application, application.attempts_made, self.queue, now_ms)
        self.headrooms[application.number] = NONE
        self.cluster.version += 1
        return application.attempt

    def attempt_removed(self, attempt: Attempt, now_ms: int) -> None:
        """Forget its headroom."""
        del self.headrooms[attempt.application.number]

    def headroom(self, attempt: Attempt) -> Resource:
        """The cluster's free resources as of the last offer; memory never below 0."""
        headroom = self.headrooms[attempt.application.number]
        return Resource(max(headroom.memory_mb, 0), headroom.vcores)

    def is_idle(self, node: Node) -> bool:
        """Nothing has changed since the last offer of it, or since that of any node while nobody wants anything."""
        return node.idle_version == self.cluster.version

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

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Give the node away, application after application. Source: FifoScheduler#nodeUpdate, #assignContainers."""
        version = self.cluster.version
        decisions: list[Decision] = []
        if node.free_memory_mb >= self.minimum.memory_mb:
            self._walk(node, now_ms, decisions)
            self._update_headrooms()
        if version == self.cluster.version:
            node.idle_version = version
        return decisions

    def _walk(self, node: Node, now_ms: int, decisions: list[Decision]) -> None:
        for number in sorted(self.cluster.applications):
            attempt = self.cluster.applications[number].attempt
            if attempt is None:
                continue
            if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
                if self.recorder is not None:
                    self.recorder.refused(attempt, node, Reason.BLACKLISTED, ())
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
                    self.recorder.refused(attempt, node, Reason.DOES_NOT_FIT, numbers)
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

    def _update_headrooms(self) -> None:
        cluster = self.cluster
        headroom = Resource(
            cluster.total_memory_mb - cluster.used_memory_mb, cluster.total_vcores - cluster.used_vcores
        )
        for number in self.headrooms:
            self.headrooms[number] = headroom

    def forking(self) -> Incremental[Self]:
        """An independent copy, with its cluster, made in pieces."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.queue = Queue(DEFAULT_QUEUE, None)
        for slot in ("used_memory_mb", "used_vcores", "reserved_memory_mb", "reserved_vcores"):
            setattr(other.queue, slot, getattr(self.queue, slot))
        other.cluster, _ = yield from self.cluster.forking({DEFAULT_QUEUE: other.queue})
        other.maximum = self.maximum.copy()
        other.headrooms = dict(self.headrooms)
        other.recorder = None
        other.posted = []
        return other


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
