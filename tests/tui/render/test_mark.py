"""Marks of alerts and acts."""

from engine.explain.alert import Alert
from tui.panes.pulse import marks_of
from tui.protocol.picture import RunState, Track
from tui.terminal.format import EVENT, WATCH

MINUTE = 60_000


def test_alerts_and_acts_stand_in_order() -> None:
    """A freeze is the alarm; an act has its key's letter; what has no key has the sign of an event."""
    alerts = (Alert("frozen", 3 * MINUTE, 4 * MINUTE, "", applications=(1, 2)), Alert("stuck", MINUTE, MINUTE, "x"))
    track = Track(0, 0, acts={2 * MINUTE: "KillApplication", 5 * MINUTE: "Reload"})
    found = marks_of(RunState("one", alerts=alerts, track=track), 0)

    assert [(mark.time_ms // MINUTE, mark.sign, mark.style) for mark in found] == [
        (1, WATCH, "watch"),
        (2, "K", "accent"),
        (3, WATCH, "alarm"),
        (5, EVENT, "accent"),
    ]
    assert found[2].names == ["00:03:00 frozen", "frozen"]
