"""A ResourceManager's log as a recorded past: snapshots of any instant, graphs, events and alerts.

The log says which application got what, where and until when; it does not say what is still asked for. Beside what
`LogFacts` infers, inferred are the size of a reservation (see `LogReservation`), the ask of an application that holds
reservations, and the ask of one that waits for its first container (that of the master it later got). All else that no
line says is `UNKNOWN`.
"""

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgspec

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
    ResourceManagerTimeline,
    logged_cluster,
)
from engine.live.alarms import DEFAULT_RULES, Alarms, parse_rules
from engine.live.inference import with_obstacles
from engine.model.lifecycle import FINAL_APPLICATION_STATES, still_live
from engine.model.request import YARN_DIMENSIONS, upwards
from engine.observe.documents import FixedSnapshot
from engine.observe.history import LOGGED, History, Reading
from engine.observe.releases import users_of
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    ContainerRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
    known_sum,
    missing,
    summed,
)
from engine.recorded.log_records import (
    LogFacts,
    LogRecords,
    application_number,
    changes_of,
    readings_of,
    state_at,
)
from engine.simulation.timeline import NumberedRecord
from engine.units import moment_at, zone_of

SECTION_NAMES: Final = ("queues", "nodes", "applications", "reservations", "containers", "users")
AM_PRIORITY: Final = 0

NOBODY: Final = "a ResourceManager"  # The scheduler of a log that does not name it


class _Held(NamedTuple):
    by_node: Mapping[str, Sequence[LogContainer]]
    by_application: Mapping[str, Sequence[LogContainer]]
    reserved_on: Mapping[str, LogReservation]
    reserved_by: Mapping[str, Sequence[LogReservation]]


class _LogCluster:
    def __init__(self, facts: LogFacts) -> None:
        self.timeline = facts.timeline
        self._facts = facts

    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        held = self._held(time_ms)
        nodes = self._node_rows(time_ms, held)
        reservations = list(self._reservation_rows(held, nodes, time_ms))
        applications = self._application_rows(time_ms, held)
        up = [node for node in nodes if node.state == "RUNNING"]
        total = summed(node.total for node in up)
        rows: dict[str, Sequence[Any]] = {
            "queues": queue_rows(applications),
            "nodes": nodes,
            "applications": applications,
            "reservations": reservations,
            "containers": list(self._container_rows(held, time_ms)),
            "users": users_of(applications, total),
        }
        header = self._header(time_ms, held, nodes, applications, reservations)
        sections = {name: SECTIONS[name] for name in SECTION_NAMES}
        # Two instants never share a version: a screen that goes back draws anew.
        versions = dict.fromkeys(sections, time_ms)
        return with_obstacles(FixedSnapshot(YarnClusterView.kind, header, sections, rows, versions))

    def holders_at(self, header: Header, reserved: Iterable[LogReservation]) -> FixedSnapshot:
        """Reservations that hold at the header's instant, and the applications that hold them; no other rows."""
        time_ms, held = header.time_ms, _Held({}, {}, *_reserved(reserved))
        there = (self.timeline.applications[name] for name in held.reserved_by)
        applications = [self._application_row(each, time_ms, held) for each in there]
        rows: dict[str, Sequence[Any]] = {
            "applications": sorted(applications, key=lambda row: row.number),
            "reservations": list(self._reservation_rows(held, self._node_rows(time_ms, held), time_ms)),
        }
        return FixedSnapshot(YarnClusterView.kind, header, {name: SECTIONS[name] for name in rows}, rows, {})

    # What stands at an instant

    def _held(self, time_ms: int) -> _Held:
        by_node: dict[str, list[LogContainer]] = {}
        by_application: dict[str, list[LogContainer]] = {}
        for each in self.timeline.running_at(time_ms):
            by_application.setdefault(each.application, []).append(each)
            by_node.setdefault(each.node or "", []).append(each)
        return _Held(by_node, by_application, *_reserved(self.timeline.reserved_at(time_ms)))

    def _node_rows(self, time_ms: int, held: _Held) -> list[NodeRow]:
        states = self._facts.node_states
        there = (node for node in self.timeline.nodes.values() if states[node.id][0][0] <= time_ms)
        return [self._node_row(node, time_ms, held) for node in there]

    def _node_row(self, node: LogNode, time_ms: int, held: _Held) -> NodeRow:
        containers, reserved = held.by_node.get(node.id, ()), held.reserved_on.get(node.id)
        total, used = self._facts.node_size(node.id), _used(containers)
        return NodeRow(
            id=node.id,
            host=node.id.partition(":")[0],
            rack=node.rack or "",
            state=state_at(self._facts.node_states[node.id], time_ms),
            partition="",
            total=total,
            used=used,
            free=(total[0] - used[0], total[1] - used[1]),
            containers=len(containers),
            reserved_by=None if reserved is None else reserved.application,
            reserved=None if reserved is None else _size_of(reserved),
            last_heartbeat_ms=UNKNOWN,
        )

    def _application_rows(self, time_ms: int, held: _Held) -> list[ApplicationRow]:
        there = [each for each in self.timeline.applications.values() if self._facts.states[each.id][0][0] <= time_ms]
        rows = [self._application_row(each, time_ms, held) for each in there]
        live = still_live(rows)
        over = [row for row in rows if row.state in FINAL_APPLICATION_STATES]
        live.sort(key=lambda row: row.number)
        over.sort(key=lambda row: -(row.finished_ms or 0))
        return [*live, *over]

    def _application_row(self, one: LogApplication, time_ms: int, held: _Held) -> ApplicationRow:
        state = state_at(self._facts.states[one.id], time_ms)
        is_over = state in FINAL_APPLICATION_STATES
        containers = held.by_application.get(one.id, ())  # of one that ended, until its nodes report their end
        reserved = () if is_over else held.reserved_by.get(one.id, ())
        asks = () if is_over else self._asks(one, state, containers, reserved)
        since_ms = one.first_ms if one.submitted_ms is None else one.submitted_ms
        if reserved:
            since_ms = min(each.since_ms for each in reserved)
        return ApplicationRow(
            id=one.id,
            number=application_number(one.id),
            name=one.name,
            user=one.user or "",
            queue=self._facts.queue_at(one.id, time_ms),
            type=one.type,
            state=state,
            submitted_ms=one.first_ms if one.submitted_ms is None else one.submitted_ms,
            waiting_since_ms=since_ms if reserved or (not is_over and not containers) else None,
            finished_ms=one.finished_ms if is_over else None,
            used=_used(containers),
            containers=len(containers),
            reserved=known_sum(map(_size_of, reserved)),
            reservations=len(reserved),
            asks=asks,
            pending_containers=UNKNOWN if isinstance(asks, Unknown) else sum(ask.count for ask in asks),
            obstacle=None,
        )

    def _asks(
        self, one: LogApplication, state: str, containers: Sequence[LogContainer], reserved: Sequence[LogReservation]
    ) -> tuple[AskRow, ...] | Unknown:  # At least: one of each size reserved for it, or the master that it got later
        sizes = [size for each in reserved if isinstance(size := _size_of(each), tuple)]
        if reserved and len(sizes) == len(reserved):
            return tuple(AskRow(1, 1, size) for size in dict.fromkeys(sizes))
        master = self._facts.masters.get(one.id)
        if state != "RUNNING" and not containers and master is not None and master.memory_mb is not None:
            return (AskRow(AM_PRIORITY, 1, (master.memory_mb, master.vcores or 0)),)
        return UNKNOWN

    def _reservation_rows(self, held: _Held, nodes: Sequence[NodeRow], time_ms: int) -> Iterator[ReservationRow]:
        for node in nodes:
            one = held.reserved_on.get(node.id)
            if one is not None:
                size, queue = _size_of(one), self._facts.queue_at(one.application, time_ms)
                short = UNKNOWN if isinstance(size, Unknown) else missing(size, node.free)
                yield ReservationRow(node.id, one.application, queue, size, node.free, short, one.since_ms)

    def _container_rows(self, held: _Held, time_ms: int) -> Iterator[ContainerRow]:
        for node in self.timeline.nodes:
            for each in held.by_node.get(node, ()):
                application = self.timeline.applications[each.application]
                yield ContainerRow(
                    id=each.id,
                    application=each.application,
                    node=node,
                    queue=self._facts.queue_at(each.application, time_ms),
                    user=application.user or "",
                    priority=UNKNOWN,
                    size=(each.memory_mb or 0, each.vcores or 0),
                    state="RUNNING" if each.running_ms is not None else "ALLOCATED",
                    since_ms=each.allocated_ms,
                    is_am=each.is_master,
                    marked_ms=each.preempted_ms,
                )

    def _header(
        self,
        time_ms: int,
        held: _Held,
        nodes: Sequence[NodeRow],
        applications: Sequence[ApplicationRow],
        reservations: Sequence[ReservationRow],
    ) -> Header:
        up = [node for node in nodes if node.state == "RUNNING"]
        live = still_live(applications)
        running = sum(row.state == "RUNNING" for row in live)
        return Header(
            time_ms=time_ms,
            scheduler=logged_cluster(self.timeline).named or NOBODY,
            dimensions=YARN_DIMENSIONS,
            total=summed(node.total for node in up),
            used=_used(chain.from_iterable(held.by_application.values())),
            reserved=known_sum(row.reserved for row in live),
            nodes=len(up),
            nodes_down=len(nodes) - len(up),
            nodes_reserved=len(reservations),
            applications_running=running,
            applications_pending=len(live) - running,
            containers=sum(len(each) for each in held.by_application.values()),
            containers_pending=UNKNOWN,
            preemption=UNKNOWN,
            reservation_rule=UNKNOWN,
        )


def _reserved(
    reservations: Iterable[LogReservation],
) -> tuple[Mapping[str, LogReservation], Mapping[str, Sequence[LogReservation]]]:
    on: dict[str, LogReservation] = {}
    by: dict[str, list[LogReservation]] = {}
    for held in reservations:
        by.setdefault(held.application, []).append(held)
        if held.node is not None:
            on[held.node] = held
    return on, by


def queue_rows(applications: Iterable[ApplicationRow]) -> list[QueueRow]:
    """The queues that applications name, and those above them, in tree order; what is set for them is unknown."""
    live = still_live(applications)
    members: dict[str, list[ApplicationRow]] = {}
    leaves = {row.queue for row in applications if row.queue}
    for leaf in leaves:
        members |= {path: [] for path in upwards(leaf)}
    for row in live:
        for path in upwards(row.queue):
            members[path].append(row)
    return [_queue_row(path, members[path], is_leaf=path in leaves) for path in sorted(members)]


def _queue_row(path: str, rows: Sequence[ApplicationRow], *, is_leaf: bool) -> QueueRow:
    running = sum(row.state == "RUNNING" for row in rows)
    return QueueRow(
        path=path,
        depth=path.count("."),
        is_leaf=is_leaf,
        policy="",
        used=summed(row.used for row in rows),
        applications_running=running,
        applications_pending=len(rows) - running,
        containers=sum(row.containers for row in rows),
    )


def _size_of(one: LogReservation) -> Amounts | Unknown:
    return UNKNOWN if one.memory_mb is None else (one.memory_mb, one.vcores or 0)


def _used(containers: Iterable[LogContainer]) -> Amounts:
    return summed((each.memory_mb or 0, each.vcores or 0) for each in containers)


# The interface of a recorded past: a snapshot at any instant, the events before it, and places to go next.


class SnapshotSeries(ABC):
    """States of a cluster between two instants [epoch ms]; it may grow at its end while it is looked at."""

    name: str  # What the past is called, for people
    what: str  # What it was taken from, in a word: `log` or `polls`
    offset_ms: int  # East of Greenwich, to show times of day as the cluster's people saw them
    history: History  # For graphs
    alerts: Sequence[Alert]  # Everything that was found to be wrong, in order of time
    notes: Sequence[str]  # What was assumed and what is not known, a sentence each

    @property
    @abstractmethod
    def times_ms(self) -> Sequence[int]:
        """Instants at which something changed, sorted."""

    @property
    def first_ms(self) -> int:
        """The first instant that is known."""
        return self.times_ms[0]

    @property
    def now_ms(self) -> int:
        """The last instant that is known."""
        return self.times_ms[-1]

    @abstractmethod
    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        """The cluster at an instant; what is before the first is taken for the first, likewise at the end.

        Raises ConfigError if what was recorded there cannot be read.
        """

    @abstractmethod
    def records_until(self, time_ms: int) -> Sequence[NumberedRecord]:
        """Return the records up to the end of an instant, oldest first; only the latest where there are very many.

        Raises ConfigError if they cannot be read.
        """

    @abstractmethod
    def marks(self) -> Sequence[int]:
        """Instants worth going to, sorted."""

    def previous_record(self, time_ms: int) -> int | None:
        return before(self.times_ms, time_ms)

    def next_record(self, time_ms: int) -> int | None:
        return after(self.times_ms, time_ms)

    def previous_mark(self, time_ms: int) -> int | None:
        return before(self.marks(), time_ms)

    def next_mark(self, time_ms: int) -> int | None:
        return after(self.marks(), time_ms)


def start_of(series: SnapshotSeries) -> datetime:
    """The whole second a series begins in, as its people saw it: what times are counted from."""
    return moment_at(series.first_ms // 1000 * 1000, zone_of(series.offset_ms))


def before(times_ms: Sequence[int], time_ms: int) -> int | None:
    """The last of sorted instants that is before one; None when there is none."""
    place = bisect_left(times_ms, time_ms)
    return times_ms[place - 1] if place else None


def after(times_ms: Sequence[int], time_ms: int) -> int | None:
    """The first of sorted instants that is after one; None when there is none."""
    place = bisect_right(times_ms, time_ms)
    return times_ms[place] if place < len(times_ms) else None


LATEST: Final = 5_000  # Records that are given at once
LOOK_MS: Final = 5_000  # Distance at which rules of alarms are looked at while nothing happens, at least
SHORTEST_MS: Final = 1_000  # What lasts less than this is only looked at once in so long
LOOKS: Final = 1_000  # Looks between two changes at most
STILL: Final = "in the log nothing starts any more while all nodes are reserved"  # The sentence of a freeze


class LogSeries(SnapshotSeries):
    """A log that was read whole."""

    what = "log"

    def __init__(self, name: str, timeline: ResourceManagerTimeline) -> None:
        """Go through the whole timeline once. Raises ConfigError if nothing in it is about a cluster."""
        if not timeline.applications and not timeline.nodes:
            raise ConfigError.of("says nothing of applications or nodes", name)
        self.name = name
        self.offset_ms = timeline.offset_ms
        self._facts = facts = LogFacts(timeline)
        self.notes = facts.notes
        self._cluster = _LogCluster(facts)
        self._records = LogRecords(facts)
        self.history = History()
        self.history.names = LOGGED
        self.alerts = self._follow()
        starts_ms = [each for each in timeline.starts_ms if each > self.first_ms]
        found_ms = [each.found_ms if each.kind == "over" else each.since_ms for each in self.alerts]
        self._marks = sorted({*starts_ms, *found_ms})

    @property
    def first_ms(self) -> int:
        """The first line's; no later than the first thing that happened."""
        return min(self._facts.timeline.begin_ms, self.times_ms[0])

    @property
    def now_ms(self) -> int:
        return max(self._facts.timeline.end_ms, self.times_ms[-1])

    @property
    def times_ms(self) -> Sequence[int]:
        return self._records.times_ms

    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        return self._cluster.snapshot_at(min(max(time_ms, self.first_ms), self.now_ms))

    def records_until(self, time_ms: int) -> Sequence[NumberedRecord]:
        return self._records.until(time_ms, LATEST)

    def marks(self) -> Sequence[int]:
        return self._marks

    def _follow(self) -> Sequence[Alert]:
        alarms, header = Alarms(parse_rules(DEFAULT_RULES)), self.snapshot_at(self.first_ms).header
        holders, looked_ms = _Holders(self._cluster), 0
        changes = changes_of(self._facts)
        still = _still(reading for _, reading, _ in readings_of(changes))
        readings = chain(readings_of(changes), [(self.now_ms + 1, (), {})])  # twice: together they are too large
        for ((time_ms, reading, queues), (end_ms, _, _)), is_still in zip(pairwise(readings), still, strict=True):
            self.history.cluster.note(time_ms, reading)
            for path, used_mb in queues.items():
                self.history.note_queue(path, time_ms, used_mb)
            if min(end_ms, time_ms + SHORTEST_MS) - looked_ms < SHORTEST_MS:
                continue
            for look_ms in _looks(time_ms, end_ms):
                looked_ms = look_ms
                glimpse = _Glimpse(_header_at(header, look_ms, reading), holders.at)
                alarms.take(glimpse, look_ms)
                if alarms.is_to_judge(glimpse.header):
                    alarms.judge(glimpse.header, STILL if is_still else "")
        return alarms.alerts


def _still(readings: Iterable[Reading]) -> Sequence[int]:
    """Tell of each reading whether nothing starts any more until some node is not reserved."""
    places = itemgetter(*(LOGGED.index(name) for name in ("allocated_containers", "reservations", "nodes")))
    allocated, full = array("q"), bytearray()
    for count, reserved, nodes in map(places, readings):
        allocated.append(count)
        full.append(reserved == nodes)
    found = bytearray(b"\1" * len(full))
    for place in range(len(full) - 2, -1, -1):
        found[place] = allocated[place + 1] == allocated[place] and (found[place + 1] or not full[place + 1])
    return found


class _Glimpse(FixedSnapshot):  # Only the header is there until holders of nodes are asked for
    def __init__(self, header: Header, holders: Callable[[Header], FixedSnapshot]) -> None:
        super().__init__("yarn", header, {}, {}, {})
        self._holders = holders

    def reservations(self) -> Sequence[ReservationRow]:
        return self._holders(self.header).reservations()

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        return self._holders(self.header).applications(why=why)


class _Holders:
    def __init__(self, cluster: _LogCluster) -> None:
        self._cluster = cluster
        self._to_come = sorted(cluster.timeline.reservations, key=lambda each: -each.since_ms)
        self._standing: list[LogReservation] = []

    def at(self, header: Header) -> FixedSnapshot:
        time_ms = header.time_ms
        while self._to_come and self._to_come[-1].since_ms <= time_ms:
            self._standing.append(self._to_come.pop())
        self._standing = [each for each in self._standing if each.until_ms is None or each.until_ms > time_ms]
        return self._cluster.holders_at(header, self._standing)


def _looks(time_ms: int, end_ms: int) -> Iterator[int]:
    """An instant, and those until the next change at which rules are looked at again."""
    step_ms = max(LOOK_MS, (end_ms - time_ms) // LOOKS)
    yield from range(time_ms, end_ms, step_ms)


def _header_at(header: Header, time_ms: int, reading: Reading) -> Header:
    values = dict(zip(LOGGED, reading, strict=True))
    return msgspec.structs.replace(
        header,
        time_ms=time_ms,
        total=(values["total_memory_mb"], values["total_vcores"]),
        used=(values["used_memory_mb"], values["used_vcores"]),
        nodes=values["nodes"],
        nodes_reserved=values["reservations"],
        applications_running=values["applications_running"],
        applications_pending=values["applications_pending"],
        containers=values["containers"],
    )
