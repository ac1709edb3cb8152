"""Marks of alerts and acts."""

from typing import get_args

from engine.explain.alert import Alert
from engine.scenario.acts import Act
from tui.glyphs import EVENT, WATCH
from tui.picture import RunState, Track
from tui.render.mark import LETTERS, marks_of

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


def test_an_alert_about_one_application_names_it_where_there_is_room() -> None:
    alert = Alert("held-up", 61_000, 90_000, "", applications=(183354,))

    assert marks_of(RunState("one", offset_ms=3_600_000, alerts=(alert,)), 0)[0].names == [
        "01:01:01 183354 held up",
        "01:01:01 held up",
        "held up",
    ]


def test_an_instant_of_another_day_is_named_with_its_day() -> None:
    track = Track(0, 0, acts={-2 * MINUTE: "KillApplication"})
    run = RunState("one", alerts=(Alert("frozen", -MINUTE, -MINUTE, "", applications=(1, 2)),), track=track)

    assert [mark.names[0] for mark in marks_of(run, 60 * MINUTE)] == ["Wed 23:58:00 K", "Wed 23:59:00 frozen"]


def test_a_lost_node_is_named_where_there_is_room() -> None:
    alert = Alert("lost", 61_000, 61_000, "x", node="10.120.117.84:45454")

    assert marks_of(RunState("one", alerts=(alert,)), 0)[0].names == [
        "00:01:01 10.120.117.84 lost",
        "00:01:01 lost",
        "lost",
    ]


def test_letters_are_of_acts_that_exist() -> None:
    assert set(LETTERS) <= {action.__name__ for action in get_args(Act)}
