"""One round of a ResourceManager's answers as a snapshot.

What a server does not say is `UNKNOWN`: containers; on 2.7 the reservations of applications. Reservations of nodes are
in its log only, and are given from there.

Source: ClusterMetricsInfo, NodeInfo, AppInfo, Hadoop 2.7.2 and 3.4.1.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.grouping import grouped
from engine.live.inference import inferred_reservations
from engine.live.yarn_answers import (
    ApplicationInfo,
    ClusterInfo,
    MetricsInfo,
    NodeInfo,
    RequestInfo,
    SchedulerAnswer,
    many,
    modes_of,
)
from engine.live.yarn_queues import queue_rows, with_members
from engine.model.lifecycle import FINAL_APPLICATION_STATES, still_live
from engine.model.request import YARN_DIMENSIONS
from engine.observe.documents import FixedSnapshot
from engine.observe.releases import users_of
from engine.observe.snapshot import (
    SECTIONS,
    SOME_NODE,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    CapacityQueueRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
    asked_places,
    missing,
)

ANYWHERE: Final = "*"  # The place of a request that counts the containers of all its places
UP: Final = frozenset({"RUNNING", "DECOMMISSIONING"})  # States of a node that takes part
INFERRED_SECTIONS: Final = ("nodes", "applications", "reservations")  # Sections in which reservations stand

SECTION_NAMES: Final = ("queues", "nodes", "applications", "reservations", "users")


class Round(NamedTuple):
    time_ms: int  # By the server's clock [epoch ms]
    info: ClusterInfo
    metrics: MetricsInfo
    scheduler: SchedulerAnswer
    nodes: Sequence[NodeInfo]
    applications: Sequence[ApplicationInfo]
    settings: Mapping[str, str] = {}  # As `yarn_settings` reads them; empty where they could not be read
    reserved: Mapping[str, Amounts] = {}
    """Path of a queue → what is reserved in it, where the scheduler's own answer does not say."""
    master_start_ms: int | None = None  # As `MasterStarts` has seen it
    pages_ms: int | None = None  # When nodes and applications were asked [epoch ms]; None is in this round


class ObservedReservation(NamedTuple):
    node: str  # `host:port`
    application: str
    since_ms: int


def snapshot_of_round(
    answers: Round,
    version: int,
    waiting_since_ms: Mapping[str, int],
    holdings: Sequence[ObservedReservation] | None = None,
    before: FixedSnapshot | None = None,
) -> FixedSnapshot:
    """The cluster as its ResourceManager said it was; `version` differs where an answer does.

    `waiting_since_ms` has the id of an application → when its unmet ask was first seen [epoch ms]; `holdings` are the
    reservations that stand, in order of node, None where the log is not read. `before` is the snapshot of the round
    before where its nodes, applications, holdings and number of reservations were the same: all rows but those of
    queues are taken from it.
    """
    total = _total(answers)
    queues = queue_rows(answers.scheduler, total, answers.reserved)
    if before is None:
        nodes: Sequence[NodeRow] = list(_node_rows(answers, holdings))
        # CapacityScheduler 2.7 says only the last part of the path of the leaf that an application is in.
        paths = {row.path.rpartition(".")[2]: row.path for row in queues if row.is_leaf}
        applications: Sequence[ApplicationRow] = _application_rows(answers.applications, waiting_since_ms, paths)
        header = _header(answers, applications, total)
        reservations: Sequence[ReservationRow] = list(_reservation_rows(holdings or (), nodes, applications))
        if holdings is None and answers.pages_ms is None:  # of sums of one round only
            header, nodes, applications, reservations = _with_inferred(header, nodes, applications, queues)
        rows: dict[str, Sequence[Any]] = {
            "nodes": nodes,
            "applications": applications,
            "reservations": reservations,
            "users": users_of(applications, total),
        }
    else:
        applications = before.applications()
        header = msgspec.structs.replace(_header(answers, applications, total), inferred=before.header.inferred)
        rows = {name: getattr(before, name)() for name in before.sections}
    rows["queues"] = with_members(answers.scheduler, queues, applications)
    sections = {name: SECTIONS[name] for name in SECTION_NAMES}
    if answers.scheduler.kind == "capacityScheduler":
        sections["queues"] = CapacityQueueRow
    if "containers" in rows:
        sections["containers"] = SECTIONS["containers"]
    versions = dict.fromkeys(sections, version)
    if before is not None:
        versions |= {name: before.version(name) for name in rows if name not in {"queues", "applications"}}
    return FixedSnapshot(YarnClusterView.kind, header, sections, rows, versions)


def _with_inferred(
    header: Header, nodes: Sequence[NodeRow], applications: Sequence[ApplicationRow], queues: Sequence[QueueRow]
) -> tuple[Header, Sequence[NodeRow], Sequence[ApplicationRow], Sequence[ReservationRow]]:
    # As it was where none is certain
    up = [node for node in nodes if node.state in UP]
    live = still_live(applications)
    found = inferred_reservations(header, up, live, queues)
    certain = [row for row in found.rows if row.application in found.certain]
    if not certain:
        return header, nodes, applications, ()
    held, replace = Counter(row.application for row in certain), msgspec.structs.replace
    is_all = len(certain) == header.nodes_reserved
    others = 0 if is_all else UNKNOWN
    at = {row.node: row for row in certain if row.node not in found.unsure}
    somewhere = [row for row in certain if row.node in found.unsure]
    return (
        replace(header, inferred=INFERRED_SECTIONS),
        [_held(node, at.get(node.id), None if is_all and node.id not in found.unsure else UNKNOWN) for node in nodes],
        [replace(row, reservations=held.get(row.id, others if row.finished_ms is None else 0)) for row in applications],
        [
            *(replace(at[node.id], since_ms=UNKNOWN) for node in nodes if node.id in at),
            *(replace(row, node=SOME_NODE, short_by=UNKNOWN, since_ms=UNKNOWN) for row in somewhere),
        ],
    )


def _held(node: NodeRow, held: ReservationRow | None, otherwise: Unknown | None) -> NodeRow:
    holder, size = (otherwise, otherwise) if held is None else (held.application, held.size)
    return msgspec.structs.replace(node, reserved_by=holder, reserved=size)


def _total(answers: Round) -> Amounts:
    """Return the total of all nodes that take part; the metrics count the default partition only.

    Nodes that have joined since their page was asked are in the metrics alone.
    """
    if not answers.nodes:
        return answers.metrics.total_mb, answers.metrics.total_virtual_cores
    up = [each for each in answers.nodes if each.state in UP]
    return (
        sum(each.used_memory_mb + each.avail_memory_mb for each in up),
        sum(each.used_virtual_cores + each.available_virtual_cores for each in up),
    )


def _header(answers: Round, applications: Sequence[ApplicationRow], total: Amounts) -> Header:
    modes = modes_of(answers.settings, answers.scheduler.name, answers.info.resource_manager_version)
    metrics, live = answers.metrics, still_live(applications)
    up = [each for each in answers.nodes if each.state in UP]
    running = sum(row.state == "RUNNING" for row in live)
    used, containers = (metrics.allocated_mb, metrics.allocated_virtual_cores), metrics.containers_allocated
    if any(many(each.node_labels) for each in up):  # the metrics count the default partition only
        used = (sum(each.used_memory_mb for each in up), sum(each.used_virtual_cores for each in up))
        containers = sum(row.containers for row in live)
    return Header(
        time_ms=answers.time_ms,
        scheduler=f"{answers.scheduler.name} {answers.info.resource_manager_version}".strip(),
        dimensions=YARN_DIMENSIONS,
        total=total,
        used=used,
        reserved=(metrics.reserved_mb, metrics.reserved_virtual_cores),
        pages_ms=answers.pages_ms,
        nodes=len(up),
        nodes_down=len(answers.nodes) - len(up),
        nodes_reserved=metrics.containers_reserved,
        master_start_ms=answers.master_start_ms,
        applications_running=running,
        applications_pending=len(live) - running,
        containers=containers,
        containers_pending=metrics.containers_pending,
        **modes._asdict(),
    )


def _node_rows(answers: Round, holdings: Sequence[ObservedReservation] | None) -> Iterator[NodeRow]:
    """Nodes and their holders; where the log says less than the server counts, the others are not known."""
    held_by: dict[str, str] = {each.node: each.application for each in holdings or ()}
    is_all = len(holdings or ()) >= answers.metrics.containers_reserved
    for each in answers.nodes:
        yield _node_row(each, held_by.get(each.id, None if is_all else UNKNOWN))


def _node_row(node: NodeInfo, holder: str | Unknown | None) -> NodeRow:
    used = (node.used_memory_mb, node.used_virtual_cores)
    free = (node.avail_memory_mb, node.available_virtual_cores)
    return NodeRow(
        id=node.id,
        host=node.node_host_name,
        rack=node.rack,
        state=node.state,
        partition=next(iter(many(node.node_labels)), ""),
        total=(used[0] + free[0], used[1] + free[1]),
        used=used,
        free=free,
        containers=node.num_containers,
        reserved_by=holder,
        reserved=None if holder is None else UNKNOWN,
        last_heartbeat_ms=node.last_health_update,
    )


def _application_rows(
    applications: Iterable[ApplicationInfo], waiting_since_ms: Mapping[str, int], paths: Mapping[str, str]
) -> list[ApplicationRow]:
    live = still_live(applications)
    over = [each for each in applications if each.state in FINAL_APPLICATION_STATES]
    live.sort(key=_number)
    over.sort(key=lambda each: -each.finished_time)
    return [_application_row(each, waiting_since_ms.get(each.id), paths) for each in (*live, *over)]


def _number(application: ApplicationInfo) -> int:
    return int(application.id.rpartition("_")[2])


def _application_row(one: ApplicationInfo, waiting_since_ms: int | None, paths: Mapping[str, str]) -> ApplicationRow:
    is_over = one.state in FINAL_APPLICATION_STATES
    asks = () if is_over else tuple(asks_of(one.requests))
    return ApplicationRow(
        id=one.id,
        number=_number(one),
        name=one.name,
        user=one.user,
        queue=paths.get(one.queue, one.queue),
        type=one.application_type,
        state=one.state,
        submitted_ms=one.started_time,
        waiting_since_ms=waiting_since_ms if asks else None,
        finished_ms=one.finished_time if is_over else None,
        used=(max(one.allocated_mb, 0), max(one.allocated_vcores, 0)),
        containers=max(one.running_containers, 0),
        reserved=_reserved(one, is_over=is_over),
        reservations=UNKNOWN if not is_over else 0,
        asks=asks,
        pending_containers=sum(ask.count for ask in asks),
        obstacle=None,
        diagnostics=one.diagnostics,
        memory_seconds=UNKNOWN if one.memory_seconds is None else one.memory_seconds,
        progress=UNKNOWN if one.progress is None else one.progress,
    )


def _reserved(one: ApplicationInfo, *, is_over: bool) -> Amounts | Unknown:
    if is_over:
        return (0, 0)
    if one.reserved_mb is None or one.reserved_vcores is None:
        return UNKNOWN
    return (max(one.reserved_mb, 0), max(one.reserved_vcores, 0))


def asks_of(requests: Iterable[RequestInfo]) -> Iterator[AskRow]:
    """Return what requests ask for, one row for each priority at which a container is wanted."""
    by_group = grouped(((each.level, each.allocation_request_id), each) for each in requests)
    for (priority, _), group in sorted(by_group.items()):
        anywhere = next((each for each in group if each.resource_name == ANYWHERE), None)
        if anywhere is None or anywhere.num_containers <= 0:
            continue
        others = [each for each in group if each is not anywhere and each.num_containers > 0]
        named = ((each.resource_name, each.relax_locality) for each in others)
        places = asked_places(named, is_relaxed=anywhere.relax_locality)
        yield AskRow(priority, anywhere.num_containers, anywhere.capability.pair, places, anywhere.relax_locality)


def _reservation_rows(
    holdings: Iterable[ObservedReservation], nodes: Sequence[NodeRow], applications: Sequence[ApplicationRow]
) -> Iterator[ReservationRow]:
    by_id, at = {row.id: row for row in applications}, {row.id: row for row in nodes}
    for held in holdings:
        application, node = by_id.get(held.application), at.get(held.node)
        if application is None or node is None or isinstance(application.asks, Unknown) or not application.asks:
            continue
        size = max((ask.size for ask in application.asks), default=(0, 0))
        short = missing(size, node.free)
        yield ReservationRow(held.node, held.application, application.queue, size, node.free, short, held.since_ms)
