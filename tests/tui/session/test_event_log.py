"""The log of the latest events."""

from engine.model.decision import Allocated, Completed
from engine.scenario.acts import KillApplication, SubmitApplication
from engine.simulation.records import Acted, Draining, Started
from engine.simulation.timeline import NumberedRecord
from tui.session.alert_monitor import KEPT, EventLog, event_row, event_rows


def test_the_log_keeps_the_latest_events() -> None:
    log = EventLog()
    record = Draining("n1:1")
    for i in range(2 * KEPT + 1):
        log.records(i, [record])

    assert [each.number for each in log.latest] == list(range(KEPT + 1, 2 * KEPT + 1))
    assert log.count == 2 * KEPT + 1


def test_the_log_is_cut_only_when_it_has_twice_as_many() -> None:
    log = EventLog()
    log.records(0, [Draining("n1:1")] * (2 * KEPT))

    assert len(log.latest) == 2 * KEPT
    log.records(1, [Draining("n1:1")])
    assert len(log.latest) == KEPT


def test_decisions_and_drains_are_noted() -> None:
    log = EventLog()
    given = Allocated((1, 1, 1), "n1:1", 1, 1024, 1)
    log.records(0, [given, Started((1, 1, 1), "n1:1"), given, Completed((1, 1, 1), "n1:1", 0)])
    before = log.has_drained
    log.records(0, [Draining("n1:1")])

    assert (log.count, log.decisions, before, log.has_drained) == (5, 2, False, True)


def test_what_came_after_a_cut_is_forgotten() -> None:
    """What came at that instant stays; the version differs even where the count does not."""
    log = EventLog()
    for time_ms in (1, 2, 2, 3):
        log.records(time_ms, [Draining("n1:1")])
    versions = [log.version]
    log.cut(2, 3)
    versions.append(log.version)
    log.records(4, [Draining("n1:1")])
    versions.append(log.version)

    assert [(each.number, each.time_ms) for each in log.latest] == [(0, 1), (1, 2), (2, 2), (3, 4)]
    assert len(set(versions)) == 3


def test_a_record_becomes_a_row_of_plain_values() -> None:
    """An act by its fields, whether the row is made at once or when it is looked at."""
    log = EventLog()
    log.records(7, [Acted(KillApplication(3))])
    row = event_row(0, 7, Acted(KillApplication(3)))
    (same,) = event_rows(log.latest)

    action = row.fields["action"]
    assert isinstance(action, dict)
    assert (row.kind, action["application"]) == ("Acted", 3)
    assert same == row


def test_an_act_that_holds_a_table_can_be_told_from_others() -> None:
    """A submission has the fields of its application; a sorted pane keeps what its rows are about in a set."""
    acted = Acted(SubmitApplication({"name": "x"}))

    assert len({NumberedRecord(0, 5, acted), NumberedRecord(0, 5, acted), NumberedRecord(1, 5, acted)}) == 2
