"""A ResourceManager's log as a recorded past: snapshots of any instant, graphs, events and alerts."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, pairwise
from operator import itemgetter
from typing import Final, Protocol

import msgspec

from engine.errors import ConfigError, Problem
from engine.explain.alert import Alert
from engine.formats.traces.rm_timeline import LogReservation, ResourceManagerTimeline
from engine.live.alarms import DEFAULT_RULES, Alarms, parse_rules
from engine.observe.documents import FixedSnapshot
from engine.observe.history import LOGGED, History, Reading
from engine.observe.snapshot import ApplicationRow, Header, ReservationRow
from engine.recorded.log_cluster import LogCluster
from engine.recorded.log_records import LogFacts, LogRecords, changes_of, readings_of
from engine.simulation.timeline import NumberedRecord
from engine.units import moment_at, zone_of

# The interface of a recorded past: a snapshot at any instant, the events before it, and places to go next.


class SnapshotSeries(Protocol):
    """The states of a cluster from one instant to another; instants are epoch ms.

    A series may grow at its end while it is looked at.
    """

    name: str  # What the past is called, for people
    what: str  # What it was taken from, in a word: `log` or `polls`
    offset_ms: int  # East of Greenwich, to show times of day as the cluster's people saw them

    @property
    def history(self) -> History:
        """Return the history of the cluster, for graphs."""

    @property
    def first_ms(self) -> int:
        """The first instant that is known."""

    @property
    def now_ms(self) -> int:
        """The last instant that is known."""

    @property
    def alerts(self) -> Sequence[Alert]:
        """Everything that was found to be wrong, in order of time."""

    @property
    def notes(self) -> Sequence[str]:
        """Return what was assumed and what is not known, a sentence each."""

    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        """The cluster at an instant; what is before the first is taken for the first, likewise at the end.

        Raises ConfigError if what was recorded there cannot be read.
        """

    def records_until(self, time_ms: int) -> Sequence[NumberedRecord]:
        """Return the records up to the end of an instant, oldest first; only the latest where there are very many."""

    def marks(self) -> Sequence[int]:
        """Instants worth going to, sorted."""

    def previous_record(self, time_ms: int) -> int | None:
        """The last instant before this one at which something changed; None when there is none."""

    def next_record(self, time_ms: int) -> int | None:
        """The first instant after this one at which something changed; None when there is none."""

    def previous_mark(self, time_ms: int) -> int | None:
        """The last mark before an instant; None when there is none."""

    def next_mark(self, time_ms: int) -> int | None:
        """The first mark after an instant; None when there is none."""


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


class LogSeries:
    """Implements `SnapshotSeries`."""

    what = "log"

    def __init__(self, name: str, timeline: ResourceManagerTimeline) -> None:
        """Go through the whole timeline once. Raises ConfigError if nothing in it is about a cluster."""
        if not timeline.applications and not timeline.nodes:
            raise ConfigError([Problem("says nothing of applications or nodes", name)])
        self.name = name
        self.offset_ms = timeline.offset_ms
        self._facts = facts = LogFacts(timeline)
        self._cluster = LogCluster(facts)
        self._records = LogRecords(facts)
        self.history = History()
        self.history.names = LOGGED
        self.alerts: Sequence[Alert] = self._follow()
        starts_ms = [each for each in timeline.starts_ms if each > self.first_ms]
        found_ms = [each.found_ms if each.kind == "over" else each.since_ms for each in self.alerts]
        self._marks = sorted({*starts_ms, *found_ms})

    @property
    def first_ms(self) -> int:
        """The first line's; no later than the first thing that happened."""
        return min(self._facts.timeline.begin_ms, self._records.times_ms[0])

    @property
    def now_ms(self) -> int:
        return max(self._facts.timeline.end_ms, self._records.times_ms[-1])

    @property
    def notes(self) -> Sequence[str]:
        """Return what was inferred, and what is not known."""
        return self._facts.notes

    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        """The cluster at an instant [epoch ms], within the log."""
        return self._cluster.snapshot_at(min(max(time_ms, self.first_ms), self.now_ms))

    def records_until(self, time_ms: int) -> Sequence[NumberedRecord]:
        """The latest records up to the end of an instant [epoch ms], oldest first."""
        return self._records.until(time_ms, LATEST)

    def marks(self) -> Sequence[int]:
        """Return where alerts began and ended, and where the ResourceManager started again."""
        return self._marks

    def previous_record(self, time_ms: int) -> int | None:
        """The last instant before this one [epoch ms] at which something happened."""
        return before(self._records.times_ms, time_ms)

    def next_record(self, time_ms: int) -> int | None:
        """The first instant after this one [epoch ms] at which something happened."""
        return after(self._records.times_ms, time_ms)

    def previous_mark(self, time_ms: int) -> int | None:
        """The last mark before an instant [epoch ms]."""
        return before(self._marks, time_ms)

    def next_mark(self, time_ms: int) -> int | None:
        """The first mark after an instant [epoch ms]."""
        return after(self._marks, time_ms)

    def _follow(self) -> Sequence[Alert]:
        """Note what the cluster was, and follow the rules of alarms over it; the alerts."""
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


class _Glimpse(FixedSnapshot):
    """A snapshot of an instant of which only the header is there until somebody asks who holds nodes."""

    def __init__(self, header: Header, holders: Callable[[Header], FixedSnapshot]) -> None:
        super().__init__("yarn", header, {}, {}, {})
        self._holders = holders

    def reservations(self) -> Sequence[ReservationRow]:
        return self._holders(self.header).reservations()

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        return self._holders(self.header).applications(why=why)


class _Holders:
    """Finds who holds nodes, asked for one instant after the other."""

    def __init__(self, cluster: LogCluster) -> None:
        self._cluster = cluster
        self._to_come = sorted(cluster.timeline.reservations, key=lambda each: -each.since_ms)
        self._standing: list[LogReservation] = []

    def at(self, header: Header) -> FixedSnapshot:
        """See `LogCluster.holders_at`; no instant is before one that was asked."""
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
