"""The log of the latest events."""

from engine.simulation.records import Draining
from tui.session.event_log import KEPT, EventLog


def test_the_log_keeps_the_latest_events() -> None:
    """Old events go, numbers go on counting."""
    log = EventLog()
    record = Draining("n1:1")
    for i in range(2 * KEPT + 1):
        log.records(i, [record])

    assert [each.number for each in log.latest] == list(range(KEPT + 1, 2 * KEPT + 1))
    assert log.count == 2 * KEPT + 1
