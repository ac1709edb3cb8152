"""Alerts among the records of a run, each where it was found."""

from typing import Any

from engine.explain.alert import Alert
from engine.simulation.record_log import NumberedRecord
from engine.simulation.records import Draining
from tui.picture import EventRow
from tui.session.event_log import NumberedAlert, event_rows, with_alerts

RECORDS = [NumberedRecord(number, time_ms, Draining("n1:1")) for number, time_ms in enumerate((10, 20, 20, 30))]


def alert(found_ms: int, kind: str = "stuck") -> Alert:
    """One found at an instant, long after it formed."""
    return Alert(kind, 0, found_ms, f"{kind} at {found_ms}")


def places(*alerts: Alert, now_ms: int = 100) -> list[int]:
    """The numbers of the rows; those of alerts are negative."""
    return [each.number for each in with_alerts(RECORDS, alerts, now_ms)]


def test_an_alert_stands_behind_the_records_of_the_instant_it_was_found_at() -> None:
    """And before those after it."""
    assert places(alert(20)) == [0, 1, 2, -1, 3]
    assert places(alert(19)) == [0, -1, 1, 2, 3]
    assert places(alert(21)) == [0, 1, 2, -1, 3]
    assert places(alert(40)) == [0, 1, 2, 3, -1]


def test_an_alert_from_before_the_records_that_are_left_is_left_out() -> None:
    """One of the first instant stays."""
    assert places(alert(9)) == [0, 1, 2, 3]
    assert places(alert(10)) == [0, -1, 1, 2, 3]


def test_an_alert_is_there_from_the_instant_it_was_found() -> None:
    """One that was found later than the instant looked at is not known yet."""
    assert places(alert(30), now_ms=29) == [0, 1, 2, 3]
    assert places(alert(30), now_ms=30) == [0, 1, 2, 3, -1]


def test_losses_and_returns_are_records_already() -> None:
    """They are not told twice; numbers of the others count only those that are told."""
    assert places(alert(10, "lost"), alert(20), alert(20, "returned"), alert(20, "over")) == [0, 1, 2, -1, -2, 3]


def test_without_records_no_alert_is_shown() -> None:
    """There is no place for it."""
    assert list(with_alerts([], [alert(10)], 100)) == []


def test_an_alert_becomes_a_row_of_its_fields() -> None:
    """Of the kind `Alert`, whatever its own kind is."""
    found = alert(20)
    rows = event_rows(with_alerts(RECORDS[:1], [found], 100))

    fields: dict[str, Any] = {
        "kind": "stuck", "since_ms": 0, "found_ms": 20, "sentence": "stuck at 20", "verdict": "", "pattern": "",
        "applications": (), "priority": None, "ends_ms": None, "topic": "", "node": "", "noun": "application",
    }  # fmt: skip
    assert list(rows) == [EventRow(0, 10, "Draining", {"node": "n1:1"}), EventRow(-1, 20, "Alert", fields)]


def test_alerts_are_told_apart_by_their_numbers() -> None:
    """As records are, where rows are kept in a set."""
    found = alert(20)

    assert len({NumberedAlert(-1, 20, found), NumberedAlert(-1, 20, found), NumberedAlert(-2, 20, found)}) == 2
    assert hash(NumberedAlert(-1, 20, found)) == hash(-1)
