"""A ResourceManager as a snapshot.

Rows are built when asked for, from the model as it is at that moment: a snapshot is to be read before the cluster goes
on. A section's version is the cluster's, so a screen knows what it need not build again.
"""

from collections.abc import Iterator, Sequence

from engine.control_plane.resource_manager import ResourceManager
from engine.model.application import Application, Attempt
from engine.model.identity import application_name
from engine.model.java_number import INT_MAX
from engine.model.node import Node
from engine.observe.refusal import refusal
from engine.observe.snapshot import (
    UNKNOWN,
    AskRow,
    ContainerRow,
    Header,
    NodeRow,
    QueueRow,
    Refusal,
    ReservationRow,
    UserRow,
)
from engine.observe.snapshot import ApplicationRow as Row
from engine.observe.users import users_of
from engine.observe.yarn_containers import containers_of
from engine.schedulers.fair.preemption import starved_for_fair_share, starved_for_min_share
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.scheduler import FairScheduler


def yarn_snapshot(rm: ResourceManager, now_ms: int) -> "YarnSnapshot":
    """A picture of the cluster as the ResourceManager believes it to be."""
    return YarnSnapshot(rm, now_ms)


class YarnSnapshot:
    """The snapshot of a ResourceManager."""

    def __init__(self, rm: ResourceManager, now_ms: int) -> None:
        self._rm = rm
        self._now_ms = now_ms
        self._refusals: dict[tuple[object, ...], Refusal | None] = {}
        self.header = _header(rm, now_ms)

    def version(self, section: str) -> int:
        """The cluster's version, the same for every section."""
        return self._rm.version

    def queues(self) -> Sequence[QueueRow]:
        """All queues, parents before their children, siblings by name."""
        scheduler = self._rm.scheduler
        if isinstance(scheduler, FairScheduler):
            return [_queue_row(queue, depth) for queue, depth in _tree(scheduler.tree.root, 0)]
        return [_only_queue(self._rm)]

    def nodes(self) -> Sequence[NodeRow]:
        """Nodes that are up, then those that left."""
        cluster = self._rm.cluster
        everyone = sorted((*cluster.nodes.values(), *cluster.down.values()), key=lambda node: node.joined)
        return [_node_row(node, cluster.cluster_timestamp) for node in everyone]

    def applications(self, *, why: bool = True) -> Sequence[Row]:
        """Live ones in order of submission, then finished ones, latest first."""
        cluster = self._rm.cluster
        everyone = (*cluster.applications.values(), *cluster.finished)
        return [self._application_row(application, why=why) for application in everyone]

    def application(self, number: int) -> Row | None:
        """One application by number; None when it is not known (any more)."""
        cluster = self._rm.cluster
        for application in (*cluster.applications.values(), *cluster.finished):
            if application.number == number:
                return self._application_row(application, why=True)
        return None

    def reservations(self) -> Sequence[ReservationRow]:
        """All reservations, in order of node."""
        timestamp = self._rm.cluster.cluster_timestamp
        return [
            _reservation_row(node, timestamp) for node in self._rm.cluster.nodes.values() if node.reserved is not None
        ]

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """All containers node by node, or those of an application or a node; made when they are looked at."""
        return containers_of(self._rm.cluster, application, node)

    def users(self) -> Sequence[UserRow]:
        """Everybody with a live application, by name."""
        live = self._rm.cluster.applications.values()
        return users_of([self._application_row(one, why=False) for one in live], self.header.total)

    def _application_row(self, application: Application, *, why: bool) -> Row:
        attempt = application.attempt
        timestamp = self._rm.cluster.cluster_timestamp
        return Row(
            id=application_name(timestamp, application.number),
            number=application.number,
            name=application.name,
            user=application.user,
            queue=application.queue,
            type=application.type,
            state=application.state,
            submitted_ms=application.submitted_ms,
            waiting_since_ms=application.waiting_since_ms,
            finished_ms=application.finished_ms,
            used=(attempt.used_memory_mb, attempt.used_vcores) if attempt else (0, 0),
            containers=len(attempt.live) if attempt else 0,
            reserved=(attempt.reserved_memory_mb, attempt.reserved_vcores) if attempt else (0, 0),
            reservations=len(attempt.reserved) if attempt else 0,
            asks=tuple(_asks(attempt)) if attempt else (),
            pending_containers=attempt.pending if attempt else 0,
            refusal=self._refusal(attempt) if why else None,
            diagnostics=application.diagnostics,
        )

    def _refusal(self, attempt: Attempt | None) -> Refusal | None:
        """Why it waits; attempts that ask alike in one queue are answered once."""
        if attempt is None or not attempt.pending:
            return None
        alike = _alike(attempt)
        if alike is None:
            return refusal(self._rm.scheduler, attempt, self._now_ms)
        if alike not in self._refusals:
            self._refusals[alike] = refusal(self._rm.scheduler, attempt, self._now_ms)
        return self._refusals[alike]


def _header(rm: ResourceManager, now_ms: int) -> Header:
    cluster, scheduler = rm.cluster, rm.scheduler
    held = [node.reserved for node in cluster.nodes.values() if node.reserved is not None]
    running = sum(application.state == "RUNNING" for application in cluster.applications.values())
    fair = scheduler.settings if isinstance(scheduler, FairScheduler) else None
    return Header(
        time_ms=now_ms,
        scheduler=rm.name,
        dimensions=rm.dimensions,
        total=(cluster.total_memory_mb, cluster.total_vcores),
        used=(cluster.used_memory_mb, cluster.used_vcores),
        reserved=(sum(one.memory_mb for one in held), sum(one.vcores for one in held)),
        nodes=len(cluster.nodes),
        nodes_down=len(cluster.down),
        nodes_reserved=len(held),
        applications_running=running,
        applications_pending=len(cluster.applications) - running,
        containers=cluster.live,
        containers_pending=cluster.pending,
        preemption=fair.preemption if fair else UNKNOWN,
        reservation_rule=fair.reservation_rule if fair else "",
    )


def _tree(queue: FairQueue, depth: int) -> Iterator[tuple[FairQueue, int]]:
    yield queue, depth
    if isinstance(queue, FairParent):
        for child in sorted(queue.order.members, key=lambda member: member.path):
            yield from _tree(child, depth + 1)


def _queue_row(queue: FairQueue, depth: int) -> QueueRow:
    limited = queue.max_memory_mb != INT_MAX or queue.max_vcores != INT_MAX
    leaves = list(queue.leaves())
    attempts = [attempt for leaf in leaves for attempt in leaf.order.members]
    parked = sum(len(leaf.parked) for leaf in leaves)
    # ACCEPTED applications wait for their AM although the queue counts them as running.
    waiting = sum(attempt.application.state == "ACCEPTED" for attempt in attempts)
    return QueueRow(
        path=queue.path,
        depth=depth,
        is_leaf=queue.is_leaf,
        policy=queue.policy.name,
        weight=queue.weight,
        used=(queue.used_memory_mb, queue.used_vcores),
        demand=(queue.demand_memory_mb, queue.demand_vcores),
        fair_share=(queue.fair_memory_mb, queue.fair_vcores),
        steady_share=(queue.steady_memory_mb, queue.steady_vcores),
        min_share=(queue.min_memory_mb, queue.min_vcores),
        max_share=(queue.max_memory_mb, queue.max_vcores) if limited else None,
        reserved=(queue.reserved_memory_mb, queue.reserved_vcores),
        applications_running=len(attempts) - waiting,
        applications_pending=parked + waiting,
        containers=sum(len(attempt.live) for attempt in attempts),
        starved_since_ms=_starved_since(queue) if isinstance(queue, FairLeaf) else None,
    )


def _starved_since(leaf: FairLeaf) -> int | None:
    since = []
    if starved_for_min_share(leaf):
        since.append(leaf.last_min_share_ms)
    if starved_for_fair_share(leaf):
        since.append(leaf.last_fair_share_ms)
    return min(since, default=None)


def _only_queue(rm: ResourceManager) -> QueueRow:
    cluster = rm.cluster
    running = sum(application.state == "RUNNING" for application in cluster.applications.values())
    used = (cluster.used_memory_mb, cluster.used_vcores)
    return QueueRow(
        path="default",
        depth=0,
        is_leaf=True,
        policy="fifo",
        weight=UNKNOWN,
        used=used,
        demand=UNKNOWN,
        fair_share=UNKNOWN,
        steady_share=UNKNOWN,
        min_share=UNKNOWN,
        max_share=None,
        reserved=(0, 0),
        applications_running=running,
        applications_pending=len(cluster.applications) - running,
        containers=cluster.live,
        starved_since_ms=UNKNOWN,
    )


def _node_row(node: Node, timestamp: int) -> NodeRow:
    held = node.reserved
    return NodeRow(
        id=node.id,
        host=node.host,
        rack=node.rack,
        state=node.state,
        partition=node.partition,
        total=(node.total_memory_mb, node.total_vcores),
        used=(node.used_memory_mb, node.used_vcores),
        free=(node.free_memory_mb, node.free_vcores),
        containers=len(node.containers),
        reserved_by=application_name(timestamp, held.id[0]) if held is not None else None,
        reserved=(held.memory_mb, held.vcores) if held is not None else None,
        # A simulated node's heartbeat without effect is left out, so the last one told says nothing about the node.
        last_heartbeat_ms=UNKNOWN,
    )


def _asks(attempt: Attempt) -> Iterator[AskRow]:
    for priority in attempt.priorities:
        group = attempt.groups[priority]
        anywhere = group.anywhere
        if anywhere is None or anywhere.count <= 0:
            continue
        places = tuple(name for name, request in group.by_name.items() if request is not anywhere and request.count > 0)
        size = (anywhere.memory_mb, anywhere.vcores)
        yield AskRow(priority, anywhere.count, size, places, anywhere.relax_locality)


def _alike(attempt: Attempt) -> tuple[object, ...] | None:
    """What two attempts have in common that are refused for the same reason; None for one that is like no other."""
    if attempt.reserved or attempt.blacklist:
        return None
    sizes: list[tuple[int, int]] = []
    for priority in attempt.priorities:
        group = attempt.groups[priority]
        if len(group.by_name) > 1:
            return None
        if group.anywhere is not None and group.anywhere.count > 0:
            sizes.append((group.anywhere.memory_mb, group.anywhere.vcores))
    am = (attempt.am_memory_mb, attempt.am_vcores) if not attempt.live and not attempt.unmanaged else None
    return (attempt.queue.path, attempt.user, am, tuple(sizes))


def _reservation_row(node: Node, timestamp: int) -> ReservationRow:
    held = node.reserved
    assert held is not None, "only reserved nodes have a row"
    return ReservationRow(
        node=node.id,
        application=application_name(timestamp, held.id[0]),
        queue=held.attempt.queue.path,
        size=(held.memory_mb, held.vcores),
        free=(node.free_memory_mb, node.free_vcores),
        short_by=(max(held.memory_mb - node.free_memory_mb, 0), max(held.vcores - node.free_vcores, 0)),
        since_ms=held.created_ms,
    )
