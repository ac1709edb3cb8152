"""The tape of the latest events."""

from engine.simulation.records import Draining
from tui.session.event_log import KEPT, EventTape


def test_the_tape_keeps_the_latest_events() -> None:
    """Old events go, numbers go on counting."""
    tape = EventTape()
    record = Draining("n1:1")
    for i in range(3 * KEPT):
        tape.records(i, [record])

    assert (tape.count, tape.rows[-1].sequence, KEPT <= len(tape.rows) <= 2 * KEPT) == (3 * KEPT, 3 * KEPT - 1, True)
