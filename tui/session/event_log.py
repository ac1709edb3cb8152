"""Keeps the latest events of a run, and makes the rows that a screen shows of them."""

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
from tui.picture import EventField, EventRow
from tui.session.alert_monitor import RECORDED

KEPT: Final = 5000
"""Least number of records that are kept."""

_DECISIONS: Final = (Allocated, Reserved, Unreserved, Warned, Killed, ApplicationTransitioned)


class NumberedAlert(NamedTuple):
    """An alert among records."""

    number: int
    """Negative, and different for each alert."""
    time_ms: int
    """Time at which it was found [epoch ms]."""
    record: Alert

    def __hash__(self) -> int:
        """Return the hash of its number, as records do."""
        return hash(self.number)


class EventLog:
    """Keeps the latest records."""

    def __init__(self) -> None:
        self.latest: list[NumberedRecord] = []
        """Oldest first."""
        self.count = 0
        """Number of records since the run began."""
        self.decisions = 0
        """Number of decisions of the scheduler among them."""
        self.cuts = 0
        """Number of times that the run went on from an instant that had passed."""
        self.has_drained = False
        """True once a node began to be drained."""

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
