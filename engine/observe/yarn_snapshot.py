"""A ResourceManager as a snapshot.

Which queues, nodes and applications there are is settled when a section is asked for; a row is made, from the model as
it is at that moment, when the row is. A section's version is the cluster's, so a screen knows what it need not look at
again.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.model.cluster import Cluster
from engine.model.identity import application_name, container_name, container_of_name
from engine.model.java_values import INT_MAX
from engine.model.ledger import Application, Attempt, Container, Node
from engine.observe.obstacles import ObstacleCache
from engine.observe.releases import Releases, users_of
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    AskRow,
    ContainerRow,
    NodeRow,
    ObstacleSummary,
    QueueRow,
    Read,
    Release,
    ReservationRow,
    Section,
    Snapshot,
    Unknown,
    UserRow,
    asked_places,
    header_of,
)
from engine.observe.snapshot import ApplicationRow as Row
from engine.units import format_duration
from engine.workload.master import Lifespan


class _ContainerRows(Section[ContainerRow]):  # In their order
    __slots__ = ("_timestamp",)

    def __init__(self, containers: Sequence[Container], cluster_timestamp: int) -> None:
        fields: Mapping[str, Read] = {
            "id": lambda one: container_name(cluster_timestamp, one.id),
            "application": lambda one: application_name(cluster_timestamp, one.id[0]),
            **_CONTAINER,
        }
        super().__init__(containers, ContainerRow, fields)
        self._timestamp = cluster_timestamp

    def place_of(self, row_id: str) -> int | None:
        wanted = container_of_name(row_id)
        if wanted is None or row_id != container_name(self._timestamp, wanted):
            return None
        ids = [one.id for one in self.things]
        return ids.index(wanted) if wanted in ids else None


def containers_of(cluster: Cluster, application: str = "", node: str = "") -> _ContainerRows:
    """All containers node by node, or those of one application (by id), of one node, or of both; none of a stranger.

    A node's are those placed on it, then its reservation; an application's those it holds, then its reservations.
    """
    if application:
        found = _of_application(cluster, application)
        return _ContainerRows([one for one in found if node in {"", one.node.id}], cluster.cluster_timestamp)
    if node:
        known = cluster.nodes.get(node)
        return _ContainerRows([] if known is None else _of_node(known), cluster.cluster_timestamp)
    everything = [one for each in cluster.nodes.values() for one in _of_node(each)]
    return _ContainerRows(everything, cluster.cluster_timestamp)


def _of_application(cluster: Cluster, application: str) -> list[Container]:
    number = application.rpartition("_")[2]
    known = cluster.applications.get(int(number)) if number.isdigit() else None
    if (
        known is None
        or known.attempt is None
        or application != application_name(cluster.cluster_timestamp, known.number)
    ):
        return []
    return [*known.attempt.live.values(), *known.attempt.reserved.values()]


def _of_node(node: Node) -> list[Container]:
    return [*node.containers.values(), *([node.reserved] if node.reserved is not None else [])]


_CONTAINER: Final[Mapping[str, Read]] = {
    "node": attrgetter("node.id"),
    "queue": attrgetter("attempt.queue.path"),
    "user": attrgetter("attempt.user"),
    "priority": attrgetter("priority"),
    "size": attrgetter("memory_mb", "vcores"),
    "state": attrgetter("state"),
    "since_ms": attrgetter("created_ms"),
    "is_am": attrgetter("is_am"),
    "marked_ms": attrgetter("warned_ms"),
}

_SECTIONS: Mapping[str, type[msgspec.Struct]] = {name: row for name, row in SECTIONS.items() if name != "executors"}

Lifespans = Callable[[], Mapping[int, Lifespan]]  # Answers what sessions and services are at, by application number

_ONE_JOB: Final = Lifespan("")


class Silence(NamedTuple):
    """A node that is not heard of any more and still believed alive."""

    since_ms: int  # Its last heartbeat [epoch ms]
    expires_ms: int | None  # When it counts as lost [epoch ms]; None without a timer


class YarnSnapshot(Snapshot):
    dialect = YarnClusterView.kind
    sections: Mapping[str, type[msgspec.Struct]]

    def __init__(
        self,
        rm: ResourceManager,
        now_ms: int,
        whys: ObstacleCache | None = None,
        releases: Releases | None = None,
        draining: Collection[str] = (),
        lifespans: Lifespans = dict,
        silent: Mapping[str, Silence] = MappingProxyType({}),
    ) -> None:
        """Look at the cluster as a whole.

        `whys` answers why applications wait, a little at a time, or None in full; `releases` what frees reserved nodes,
        as far as that is known; `lifespans` what sessions and services are at, by application number. `silent` are
        nodes that are not heard of any more, by id.
        """
        self._rm = rm
        self._now_ms = now_ms
        self._whys = whys or ObstacleCache(at_once=INT_MAX)
        self._whys.begin(rm, now_ms)
        self._releases = releases
        self._draining = frozenset(draining)
        self._lifespans = lifespans()
        self._silent = silent
        self._view = rm.view()
        self.sections = {**_SECTIONS, "queues": self._view.policy.queue_row}
        self.header = header_of(rm, now_ms)
        self._version = hash((rm.version, self.header.applications_running))  # one that registers may change no more
        """Of the instant, as a picture may be drawn again after the cluster went on."""

    def version(self, section: str) -> int:
        """The cluster's version; some sections also change when more is known of what takes time to find out."""
        if section == "applications":
            second = self._now_ms // 1000 if self._silent else 0
            return hash((self._version, self._whys.answered, second, *self._lifespans.items()))
        if section == "nodes" and (self._draining or self._silent):
            return hash((self._version, self._draining, *self._silent))
        if section == "reservations" and self._releases is not None:
            return hash((self._version, self._releases.version))
        return self._version

    def queues(self) -> Sequence[QueueRow]:
        return self._view.policy.queues()

    def nodes(self) -> Sequence[NodeRow]:
        cluster = self._rm.cluster
        everyone = list(cluster.nodes.values())
        if cluster.down:
            everyone = sorted((*everyone, *cluster.down.values()), key=attrgetter("joined"))
        fields = _node_fields(cluster.cluster_timestamp)
        if self._draining:
            fields = {**fields, "state": self._state_of}
        if self._silent:
            since = {node: silence.since_ms for node, silence in self._silent.items()}
            fields = {**fields, "last_heartbeat_ms": lambda node: since.get(node.id, UNKNOWN)}
        return Section(everyone, NodeRow, fields)

    def _state_of(self, node: Node) -> str:
        """A ResourceManager of 2.7 sees only a node that shrinks to what runs on it; the operator knows more."""
        return "DECOMMISSIONING" if node.state == "RUNNING" and node.id in self._draining else node.state

    def applications(self, *, why: bool = True) -> Sequence[Row]:
        cluster = self._rm.cluster
        return self._rows_of((*cluster.applications.values(), *cluster.finished), why=why)

    def reservations(self) -> Sequence[ReservationRow]:
        cluster = self._rm.cluster
        held = self._view.reservations()
        fields = _reservation_fields(cluster.cluster_timestamp, counts_vcores=self._view.policy.counts_vcores)
        releases, now_ms = self._releases, self._now_ms
        if held and releases is not None:
            releases.look()

        def released(reserved: Container) -> Release | Unknown:
            if releases is None:
                return UNKNOWN
            known = releases.of((reserved.node.id, reserved.id), now_ms)
            if any(fields["short_by"](reserved)):
                return known
            return msgspec.structs.replace(known, outcome="fits", time_ms=None, by=())

        return Section(held, ReservationRow, {**fields, "released": released})

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        return containers_of(self._rm.cluster, application, node)

    def users(self) -> Sequence[UserRow]:
        live = self._rows_of(tuple(self._rm.cluster.applications.values()), why=False)
        return users_of(live.lazy_rows(), self.header.total)

    def _rows_of(self, applications: Sequence[Application], *, why: bool) -> Section[Row]:
        timestamp, whys = self._rm.cluster.cluster_timestamp, self._whys

        def answer(application: Application) -> ObstacleSummary | None:
            if self._silent and why and (found := self._silent_master(application)) is not None:
                return found
            return whys.answer(application.attempt) if why and application.attempt is not None else None

        def known(application: Application) -> ObstacleSummary | None:
            return whys.known(application.attempt) if why else None

        fields: Mapping[str, Read] = {
            "id": lambda application: application_name(timestamp, application.number),
            "obstacle": answer,
            **_APPLICATION,
            **_life_fields(self._lifespans),
        }
        if any(node.partition for node in self._rm.cluster.nodes.values()):
            fields = {**fields, "partition": _partition}
        return Section(applications, Row, fields, {"obstacle": known, "asks": _asks_from_afar})

    def _silent_master(self, application: Application) -> ObstacleSummary | None:
        """Tell of a master on a node that fell silent: the ResourceManager does not know before it counts as lost."""
        live = () if application.attempt is None else application.attempt.live.values()
        node = next((each.node for each in live if each.is_am and each.node.id in self._silent), None)
        if node is None:
            return None
        since_ms, expires_ms = self._silent[node.id]
        lost = (
            "never counted as lost"
            if expires_ms is None
            else f"counted as lost in {_seconds(expires_ms - self._now_ms)}"
        )
        sentence = f"its master is on {node.host}, silent for {_seconds(self._now_ms - since_ms)}: {lost}"
        return ObstacleSummary("MASTER_SILENT", sentence)


def _seconds(span_ms: int) -> str:
    return format_duration(span_ms // 1000 * 1000)


def _life_fields(lifespans: Mapping[int, Lifespan]) -> Mapping[str, Read]:
    if not lifespans:
        return {}

    def of(one: Application) -> Lifespan:
        return lifespans.get(one.number, _ONE_JOB)

    return {
        "lifespan": lambda one: of(one).kind,
        "jobs": lambda one: of(one).jobs,
        "jobs_done": lambda one: of(one).jobs_done,
        "idle_since_ms": lambda one: of(one).idle_since_ms,
        "idle_containers": lambda one: of(one).idle_containers,
    }


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
        # A heartbeat without effect is left out, so the last one says nothing about a node that is heard of.
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
    "waiting_since_ms": lambda one: one.waiting_since_ms if _asks_for_any(one) else None,
    "finished_ms": attrgetter("finished_ms"),
    "used": lambda one: (one.attempt.used_memory_mb, one.attempt.used_vcores) if one.attempt else (0, 0),
    "containers": lambda one: len(one.attempt.live) if one.attempt else 0,
    "reserved": lambda one: (one.attempt.reserved_memory_mb, one.attempt.reserved_vcores) if one.attempt else (0, 0),
    "reservations": lambda one: len(one.attempt.reserved) if one.attempt else 0,
    "asks": lambda one: tuple(_asks(one.attempt)) if one.attempt else (),
    "pending_containers": lambda one: one.attempt.pending if one.attempt else 0,
    "diagnostics": attrgetter("diagnostics"),
}
"""Field of an application's row → how it is read, but for fields that depend on the application's kind."""


def _partition(one: Application) -> str:
    """The partitions it asks in and has containers of, its master's left out where it has others."""
    attempt = one.attempt
    groups = () if attempt is None else tuple(attempt.groups.values())
    found = {ask.partition for group in groups if (ask := group.anywhere) is not None and ask.count > 0}
    live = () if attempt is None else attempt.live.values()
    found |= {each.node.partition for each in live if not each.is_am}
    return " ".join(sorted(found or {each.node.partition for each in live} or {one.partition}))


def _asks_for_any(one: Application) -> bool:
    """True if it has an unmet ask; while it is not RUNNING the ask for its master is one."""
    return one.state != "RUNNING" or (one.attempt is not None and one.attempt.pending > 0)


def _asks(attempt: Attempt) -> Iterator[AskRow]:
    for priority in attempt.priorities:
        group = attempt.groups[priority]
        anywhere = group.anywhere
        if anywhere is None or anywhere.count <= 0:
            continue
        others = [one for one in group.by_name.values() if one is not anywhere and one.count > 0]
        named = ((one.resource_name, one.relax_locality) for one in others)
        places = asked_places(named, is_relaxed=anywhere.relax_locality)
        size = (anywhere.memory_mb, anywhere.vcores)
        yield AskRow(priority, anywhere.count, size, places, anywhere.relax_locality)


def _asks_from_afar(application: Application) -> tuple[AskRow, ...]:
    attempt = application.attempt
    groups = () if attempt is None else (attempt.groups[priority] for priority in attempt.priorities)
    return tuple(
        AskRow(one.priority, one.count, (one.memory_mb, one.vcores))
        for group in groups
        if (one := group.anywhere) is not None and one.count > 0
    )


def _reservation_fields(timestamp: int, *, counts_vcores: bool) -> Mapping[str, Read]:
    return {
        "node": attrgetter("node.id"),
        "application": lambda one: application_name(timestamp, one.id[0]),
        "queue": attrgetter("attempt.queue.path"),
        "size": attrgetter("memory_mb", "vcores"),
        "free": attrgetter("node.free_memory_mb", "node.free_vcores"),
        "short_by": lambda one: (
            max(one.memory_mb - one.node.free_memory_mb, 0),
            max(one.vcores - one.node.free_vcores, 0) if counts_vcores else 0,
        ),
        "since_ms": attrgetter("created_ms"),
    }
