"""The log of the latest events."""

from engine.simulation.records import Draining
from tui.session.alert_monitor import KEPT, EventLog


def test_the_log_keeps_the_latest_events() -> None:
    log = EventLog()
    record = Draining("n1:1")
    for i in range(2 * KEPT + 1):
        log.records(i, [record])

    assert [each.number for each in log.latest] == list(range(KEPT + 1, 2 * KEPT + 1))
    assert log.count == 2 * KEPT + 1


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
