"""Keeps the latest events of a run: a listener of the simulation, and the rows that a screen shows of them."""

from bisect import insort_right
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgspec

from engine.explain.alert import Alert
from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Reserved, Unreserved, Warned
from engine.observe.section import Read, Section
from engine.simulation.record_log import NumberedRecord
from engine.simulation.records import Draining, Record, kind_of
from tui.session.alert_monitor import RECORDED
from tui.view_state import EventField, EventRow

KEPT: Final = 5000
"""How many of the latest records are kept, at least."""

_DECISIONS: Final = (Allocated, Reserved, Unreserved, Warned, Killed, ApplicationTransitioned)


class NumberedAlert(NamedTuple):
    """An alert among records."""

    number: int
    """Below 0, another for each."""
    time_ms: int
    """When it was found [epoch ms]."""
    record: Alert

    def __hash__(self) -> int:
        """That of its number, as records have it."""
        return hash(self.number)


class EventLog:
    """Keeps the latest records."""

    def __init__(self) -> None:
        self.latest: list[NumberedRecord] = []
        """Oldest first."""
        self.count = 0
        """How many there were since the run began."""
        self.decisions = 0
        """How many of them were decisions of the scheduler."""
        self.cuts = 0
        """How often the run went on from an instant that had passed."""
        self.has_drained = False
        """Whether a node ever began to be drained."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
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
        """Forget what came after an instant [epoch ms], by which there had been so many."""
        self.latest = [each for each in self.latest if each.time_ms <= time_ms]
        self.count = count
        self.cuts += 1

    @property
    def version(self) -> int:
        """Differs whenever the records do."""
        return self.cuts << 40 | self.count


def event_row(sequence: int, time_ms: int, record: Any) -> EventRow:
    """A record as a row, without anything of the simulation in it."""
    return EventRow(sequence, time_ms, kind_of(record), _fields(record))


def event_rows(records: Sequence[NumberedRecord | NumberedAlert]) -> Sequence[EventRow]:
    """Rows of numbered records; one is made when it is looked at."""
    return Section(records, EventRow, _READS)


def _fields(record: Any) -> dict[str, EventField]:
    fields = msgspec.structs.asdict(record)
    return {name: _plain(value) if isinstance(value, msgspec.Struct) else value for name, value in fields.items()}


def _plain(act: msgspec.Struct) -> dict[str, Any]:
    """An act by its fields, as it comes back from JSON."""
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(act))
    return fields


def with_alerts(
    records: Sequence[NumberedRecord], alerts: Sequence[Alert], now_ms: int
) -> Sequence[NumberedRecord | NumberedAlert]:
    """Records with what was found to be wrong by now among them, where it was found; losses are records themselves."""
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
