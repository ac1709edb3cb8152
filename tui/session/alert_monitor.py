"""Detects, in pieces, the states of a running simulation that need an operator."""

from bisect import insort_right
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgspec

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.explain.alert import Alert, standing_of
from engine.explain.alerts import Alerts
from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Reserved, Unreserved, Warned
from engine.observe.snapshot import Read, Section
from engine.observe.snapshots import terms_for
from engine.simulation.records import Draining, Record, kind_of
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import NumberedRecord
from tui.protocol.picture import EventField, EventRow

SLICE_S: Final = 0.004  # Duration of one look, about; a longer one would be felt at the keys [s]

PIECES: Final = 20  # Most pieces of work of one look


RECORDED: Final = frozenset({"lost", "returned"})  # Kinds of alerts that follow from a record


class AlertMonitor:
    """Finds alerts as they form, and nodes that go and come back; a listener."""

    def __init__(self, alerts: Alerts | None = None, known: tuple[Alert, ...] = ()) -> None:
        """Listen from now on; `known` was found before."""
        self._alerts = alerts or Alerts()
        self._faults: list[Alert] = []  # Losses and returns that are not posted yet
        self._lost = {each.node for each in standing_of(known) if each.kind == "lost"}  # The nodes that are lost
        self._all = known

    def resumed(self, time_ms: int, allocated_ms: int | None) -> "AlertMonitor":
        """The monitor of a run taken up again at an instant with what was known, and the last allocation [epoch ms]."""
        alerts = self._alerts.resumed(time_ms, allocated_ms)
        known = [each for each in self.all if each.found_ms <= time_ms]
        known += [each for each in alerts.active_alerts if each.kind == "frozen" and each not in known]
        return type(self)(alerts, tuple(known))

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._alerts.on_records(time_ms, records)
        for record in records:
            if isinstance(record, NodeLost):
                self._lost.add(record.node)
                words = f"{record.node} is {record.state.lower()}, with all that ran on it"
                self._faults.append(Alert("lost", time_ms, time_ms, words, node=record.node))
            elif isinstance(record, NodeJoined) and record.node in self._lost:
                self._lost.remove(record.node)
                words = f"{record.node} is back"
                self._faults.append(Alert("returned", time_ms, time_ms, words, node=record.node))

    def look(self, simulation: Simulation, wall: Callable[[], float] | None = None) -> list[Alert]:
        """Return new alerts; within an instant nothing is judged. By a `wall` clock [s] a look is short."""
        if _is_inside(simulation):
            return []
        noun, faults, self._faults = terms_for(simulation.control_plane.dimensions).node, self._faults, []
        faults = [msgspec.structs.replace(each, sentence=f"{noun} {each.sentence}") for each in faults]
        found = [*faults, *self._found(simulation, wall)]
        self._all += tuple(found)
        return found

    def _found(self, simulation: Simulation, wall: Callable[[], float] | None) -> list[Alert]:
        if wall is None:
            return self._alerts.look(simulation)
        begin = wall()
        found = self._alerts.look(simulation, 1)
        for _ in range(PIECES - 1):
            if self._alerts.idle(simulation) or wall() - begin >= SLICE_S:
                break
            found += self._alerts.look(simulation, 1)
        return found

    def idle(self, simulation: Simulation) -> bool:
        return _is_inside(simulation) or (not self._faults and self._alerts.idle(simulation))

    @property
    def copying(self) -> bool:
        """True while an instant is copied; the run should stand until it is done."""
        return self._alerts.copying

    @property
    def all(self) -> tuple[Alert, ...]:
        return (*self._all, *self._faults, *self._alerts.heard)

    @property
    def active_alerts(self) -> tuple[Alert, ...]:
        """Return the states that hold now, the gravest first."""
        return self._alerts.active_alerts


def _is_inside(simulation: Simulation) -> bool:
    return simulation.next_event_ms() == simulation.now_ms


KEPT: Final = 5000  # Least number of records that are kept

_DECISIONS: Final = (Allocated, Reserved, Unreserved, Warned, Killed, ApplicationTransitioned)


class NumberedAlert(NamedTuple):
    number: int  # Negative, and different for each alert
    time_ms: int  # Time at which it was found [epoch ms]
    record: Alert

    def __hash__(self) -> int:
        return hash(self.number)


class EventLog:
    def __init__(self) -> None:
        self.latest: list[NumberedRecord] = []  # Oldest first
        self.count = 0  # Number of records since the run began
        self.decisions = 0  # Number of decisions of the scheduler among them
        self.cuts = 0  # Number of times that the run went on from an instant that had passed
        self.has_drained = False  # True once a node began to be drained

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            self.latest.append(NumberedRecord(self.count, time_ms, record))
            self.count += 1
            if isinstance(record, _DECISIONS):
                self.decisions += 1
            elif isinstance(record, Draining):
                self.has_drained = True
        if len(self.latest) > 2 * KEPT:
            self.latest = self.latest[-KEPT:]

    def cut(self, time_ms: int, count: int) -> None:
        """Forget what came after an instant [epoch ms]; `count` is the number of records by then."""
        self.latest = [each for each in self.latest if each.time_ms <= time_ms]
        self.count = count
        self.cuts += 1

    @property
    def version(self) -> int:
        """A key that differs whenever the records do."""
        return self.cuts << 40 | self.count


def event_row(sequence: int, time_ms: int, record: Any) -> EventRow:
    """Make the row of a record, without anything of the simulation in it."""
    return EventRow(sequence, time_ms, kind_of(record), _fields(record))


def event_rows(records: Sequence[NumberedRecord | NumberedAlert]) -> Sequence[EventRow]:
    """Return rows of numbered records; each is made when it is looked at."""
    return Section(records, EventRow, _READS)


def _fields(record: Any) -> dict[str, EventField]:
    return {
        # those of an act as they come back from JSON
        name: msgspec.json.decode(msgspec.json.encode(value)) if isinstance(value, msgspec.Struct) else value
        for name, value in msgspec.structs.asdict(record).items()
    }


def with_alerts(
    records: Sequence[NumberedRecord], alerts: Sequence[Alert], now_ms: int
) -> Sequence[NumberedRecord | NumberedAlert]:
    """Insert the alerts found by now into records, by the time they were found; losses are records themselves."""
    found = [one for one in alerts if one.kind not in RECORDED and one.found_ms <= now_ms]
    if not found or not records:
        return records
    rows: list[NumberedRecord | NumberedAlert] = list(records)
    for place, alert in enumerate(found, start=1):
        if alert.found_ms >= records[0].time_ms:
            insort_right(rows, NumberedAlert(-place, alert.found_ms, alert), key=itemgetter(1))
    return rows


_READS: Final[Mapping[str, Read]] = {
    "sequence": itemgetter(0),
    "time_ms": itemgetter(1),
    "kind": lambda each: "Alert" if isinstance(each.record, Alert) else kind_of(each.record),
    "fields": lambda each: _fields(each.record),
}
