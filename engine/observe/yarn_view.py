"""A ResourceManager as a snapshot.

Which queues, nodes and applications there are is settled when a section is asked for; a row is made, from the model as
it is at that moment, when the row is. A section's version is the cluster's, so a screen knows what it need not look at
again.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from engine.control_plane.resource_manager import ResourceManager
from engine.model.application import Application, Attempt
from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.identity import application_name
from engine.model.java_number import INT_MAX
from engine.observe.obstacle_cache import Whys
from engine.observe.releases import Releases, fits_now
from engine.observe.section import Read, Section
from engine.observe.snapshot import (
    UNKNOWN,
    AskRow,
    ContainerRow,
    Header,
    NodeRow,
    QueueRow,
    Refusal,
    Release,
    ReservationRow,
    Unknown,
    UserRow,
)
from engine.observe.snapshot import ApplicationRow as Row
from engine.observe.users import users_of
from engine.observe.yarn_containers import containers_of
from engine.schedulers.fair.preemption import starved_for_fair_share, starved_for_min_share
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.scheduler import FairScheduler

_MANY = 8
"""One node in so many is many."""


def yarn_snapshot(
    rm: ResourceManager, now_ms: int, whys: Whys | None = None, releases: Releases | None = None
) -> "YarnSnapshot":
    """A picture of the cluster as the ResourceManager believes it to be.

    `whys` remembers why applications wait, `releases` who frees reserved nodes.
    """
    return YarnSnapshot(rm, now_ms, whys, releases)


class YarnSnapshot:
    """The snapshot of a ResourceManager."""

    def __init__(
        self, rm: ResourceManager, now_ms: int, whys: Whys | None = None, releases: Releases | None = None
    ) -> None:
        """Look at the cluster as a whole.

        Args:
            rm: Whose cluster.
            now_ms: Its time [epoch ms].
            whys: Answers why applications wait, a little at a time; None answers in full whenever it is asked.
            releases: Answers who frees reserved nodes, as far as that is known; None does not know.
        """
        self._rm = rm
        self._now_ms = now_ms
        self._whys = whys or Whys(at_once=INT_MAX)
        self._whys.begin(rm, now_ms)
        self._releases = releases
        self.header = _header(rm, now_ms)

    def version(self, section: str) -> int:
        """The cluster's version; some sections also change when more is known of what takes time to find out."""
        if section == "applications":
            return hash((self._rm.version, self._whys.answered))
        if section == "reservations" and self._releases is not None:
            return hash((self._rm.version, self._releases.version))
        return self._rm.version

    def queues(self) -> Sequence[QueueRow]:
        """All queues, parents before their children, siblings by name."""
        scheduler = self._rm.scheduler
        if isinstance(scheduler, FairScheduler):
            return _queue_rows(scheduler.tree.root, 0)
        return [_only_queue(self._rm)]

    def nodes(self) -> Sequence[NodeRow]:
        """Nodes that are up and those that left, in order of joining."""
        cluster = self._rm.cluster
        everyone = list(cluster.nodes.values())
        if cluster.down:
            everyone = sorted((*everyone, *cluster.down.values()), key=attrgetter("joined"))
        return Section(everyone, NodeRow, _node_fields(cluster.cluster_timestamp))

    def applications(self, *, why: bool = True) -> Sequence[Row]:
        """Live ones in order of submission, then finished ones, latest first."""
        cluster = self._rm.cluster
        return self._rows_of((*cluster.applications.values(), *cluster.finished), why=why)

    def application(self, number: int) -> Row | None:
        """One application by number; None when it is not known (any more)."""
        cluster = self._rm.cluster
        for application in (*cluster.applications.values(), *cluster.finished):
            if application.number == number:
                return self._rows_of((application,), why=True)[0]
        return None

    def reservations(self) -> Sequence[ReservationRow]:
        """All reservations, in order of node."""
        cluster = self._rm.cluster
        held = _held(cluster)
        releases, now_ms = self._releases, self._now_ms
        if held and releases is not None:
            releases.look()

        def released(reserved: Container) -> Release | Unknown:
            if releases is None:
                return UNKNOWN
            node = reserved.node
            known = releases.of((node.id, reserved.id), now_ms)
            has_room = reserved.memory_mb <= node.free_memory_mb and reserved.vcores <= node.free_vcores
            return fits_now(known) if has_room else known

        return Section(held, ReservationRow, {**_reservation_fields(cluster.cluster_timestamp), "released": released})

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """All containers node by node, or those of an application or a node; made when they are looked at."""
        return containers_of(self._rm.cluster, application, node)

    def users(self) -> Sequence[UserRow]:
        """Everybody with a live application, by name."""
        live = self._rows_of(tuple(self._rm.cluster.applications.values()), why=False)
        return users_of(live.glimpses(), self.header.total)

    def _rows_of(self, applications: Sequence[Application], *, why: bool) -> Section[Row]:
        timestamp, whys = self._rm.cluster.cluster_timestamp, self._whys

        def answer(application: Application) -> Refusal | None:
            return whys.answer(application.attempt) if why and application.attempt is not None else None

        def known(application: Application) -> Refusal | None:
            return whys.known(application.attempt) if why else None

        fields: Mapping[str, Read] = {
            "id": lambda application: application_name(timestamp, application.number),
            "refusal": answer,
            **_APPLICATION,
        }
        return Section(applications, Row, fields, {"refusal": known, "asks": _asks_from_afar})


def _header(rm: ResourceManager, now_ms: int) -> Header:
    cluster, scheduler = rm.cluster, rm.scheduler
    holders = _holders(cluster)
    running = sum(application.state == "RUNNING" for application in cluster.applications.values())
    fair = scheduler.settings if isinstance(scheduler, FairScheduler) else None
    return Header(
        time_ms=now_ms,
        scheduler=rm.name,
        dimensions=rm.dimensions,
        total=(cluster.total_memory_mb, cluster.total_vcores),
        used=(cluster.used_memory_mb, cluster.used_vcores),
        reserved=(sum(one.reserved_memory_mb for one in holders), sum(one.reserved_vcores for one in holders)),
        nodes=len(cluster.nodes),
        nodes_down=len(cluster.down),
        nodes_reserved=sum(len(one.reserved) for one in holders),
        applications_running=running,
        applications_pending=len(cluster.applications) - running,
        containers=cluster.live,
        containers_pending=cluster.pending,
        preemption=fair.preemption if fair else UNKNOWN,
        reservation_rule=fair.reservation_rule if fair else "",
    )


def _holders(cluster: Cluster) -> list[Attempt]:
    """The attempts that have reservations; they are fewer than nodes."""
    attempts = (application.attempt for application in cluster.applications.values())
    return [attempt for attempt in attempts if attempt is not None and attempt.reserved]


def _held(cluster: Cluster) -> list[Container]:
    """All reservations, in order of node; where there are many it is quicker to go through the nodes than to sort."""
    holders = _holders(cluster)
    if sum(len(attempt.reserved) for attempt in holders) * _MANY > len(cluster.nodes):
        return [held for node in cluster.nodes.values() if (held := node.reserved) is not None]
    some = (one for attempt in holders for one in attempt.reserved.values())
    return sorted(some, key=attrgetter("node.joined"))


class _Counts(NamedTuple):
    """Of the leaves under a queue."""

    running: int
    pending: int
    containers: int


def _queue_rows(queue: FairQueue, depth: int) -> list[QueueRow]:
    """A queue, then what is under it."""
    if isinstance(queue, FairLeaf):
        return [_queue_row(queue, depth, _counts(queue))]
    children = sorted(queue.order.members, key=attrgetter("path")) if isinstance(queue, FairParent) else ()
    under = [_queue_rows(child, depth + 1) for child in children]
    firsts = [rows[0] for rows in under]
    counts = _Counts(
        sum(row.applications_running for row in firsts),
        sum(row.applications_pending for row in firsts),
        sum(row.containers for row in firsts if isinstance(row.containers, int)),
    )
    return [_queue_row(queue, depth, counts), *chain.from_iterable(under)]


def _counts(leaf: FairLeaf) -> _Counts:
    attempts = leaf.order.members
    # ACCEPTED applications wait for their AM although the queue counts them as running.
    waiting = sum(attempt.application.state == "ACCEPTED" for attempt in attempts)
    containers = sum(len(attempt.live) for attempt in attempts)
    return _Counts(len(attempts) - waiting, len(leaf.parked) + waiting, containers)


def _queue_row(queue: FairQueue, depth: int, counts: _Counts) -> QueueRow:
    limited = queue.max_memory_mb != INT_MAX or queue.max_vcores != INT_MAX
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
        applications_running=counts.running,
        applications_pending=counts.pending,
        containers=counts.containers,
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


def _node_fields(timestamp: int) -> Mapping[str, Read]:
    return {
        "id": attrgetter("id"),
        "host": attrgetter("host"),
        "rack": attrgetter("rack"),
        "state": attrgetter("state"),
        "partition": attrgetter("partition"),
        "total": attrgetter("total_memory_mb", "total_vcores"),
        "used": attrgetter("used_memory_mb", "used_vcores"),
        "free": attrgetter("free_memory_mb", "free_vcores"),
        "containers": lambda node: len(node.containers),
        "reserved_by": lambda node: None if node.reserved is None else application_name(timestamp, node.reserved.id[0]),
        "reserved": lambda node: None if node.reserved is None else (node.reserved.memory_mb, node.reserved.vcores),
        # A simulated node's heartbeat without effect is left out, so the last one told says nothing about the node.
        "last_heartbeat_ms": lambda node: UNKNOWN,
    }


_APPLICATION: Mapping[str, Read] = {
    "number": attrgetter("number"),
    "name": attrgetter("name"),
    "user": attrgetter("user"),
    "queue": attrgetter("queue"),
    "type": attrgetter("type"),
    "state": attrgetter("state"),
    "submitted_ms": attrgetter("submitted_ms"),
    "waiting_since_ms": attrgetter("waiting_since_ms"),
    "finished_ms": attrgetter("finished_ms"),
    "used": lambda one: (one.attempt.used_memory_mb, one.attempt.used_vcores) if one.attempt else (0, 0),
    "containers": lambda one: len(one.attempt.live) if one.attempt else 0,
    "reserved": lambda one: (one.attempt.reserved_memory_mb, one.attempt.reserved_vcores) if one.attempt else (0, 0),
    "reservations": lambda one: len(one.attempt.reserved) if one.attempt else 0,
    "asks": lambda one: tuple(_asks(one.attempt)) if one.attempt else (),
    "pending_containers": lambda one: one.attempt.pending if one.attempt else 0,
    "diagnostics": attrgetter("diagnostics"),
}
"""Field of an application's row → how it is read, but for those that depend on whose application it is."""


def _asks(attempt: Attempt) -> Iterator[AskRow]:
    for priority in attempt.priorities:
        group = attempt.groups[priority]
        anywhere = group.anywhere
        if anywhere is None or anywhere.count <= 0:
            continue
        places = tuple(name for name, request in group.by_name.items() if request is not anywhere and request.count > 0)
        size = (anywhere.memory_mb, anywhere.vcores)
        yield AskRow(priority, anywhere.count, size, places, anywhere.relax_locality)


def _asks_from_afar(application: Application) -> tuple[AskRow, ...]:
    """What it asks for, without the places: a job may name a thousand."""
    attempt = application.attempt
    groups = () if attempt is None else (attempt.groups[priority] for priority in attempt.priorities)
    return tuple(
        AskRow(one.priority, one.count, (one.memory_mb, one.vcores))
        for group in groups
        if (one := group.anywhere) is not None and one.count > 0
    )


def _reservation_fields(timestamp: int) -> Mapping[str, Read]:
    """Of what is reserved; it stays what it was when it is dropped meanwhile."""
    return {
        "node": attrgetter("node.id"),
        "application": lambda one: application_name(timestamp, one.id[0]),
        "queue": attrgetter("attempt.queue.path"),
        "size": attrgetter("memory_mb", "vcores"),
        "free": attrgetter("node.free_memory_mb", "node.free_vcores"),
        "short_by": lambda one: (
            max(one.memory_mb - one.node.free_memory_mb, 0),
            max(one.vcores - one.node.free_vcores, 0),
        ),
        "since_ms": attrgetter("created_ms"),
    }
