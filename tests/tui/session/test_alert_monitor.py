"""Looking out for alerts while the clock runs or stands."""

import pytest

from engine.formats.scenario_toml import load
from engine.run import Run
from tests.tui.small_run import by_hand
from tui.session.alert_monitor import AlertMonitor
from tui.session.driving import FRAME_S


@pytest.mark.parametrize("at", ["+20s", "+60s"])
def test_a_clock_that_stands_is_looked_at_until_nothing_is_left_to_find(at: str) -> None:
    """What has formed is told though the clock never moves, and then nothing more is done."""
    session = by_hand("pattern-user-limit", at=at, paused=True)
    before = session.picture().snapshot.header.time_ms
    slices = 0
    while session.slice() != FRAME_S:
        slices += 1

    words = [alert.words for alert in session.driver.alerts.standing]
    assert words == ["user limit: 0002 is never given what it asks for"]
    assert session.picture().snapshot.header.time_ms == before
    assert slices < 1000


def test_a_branch_forgets_the_alerts_of_what_came_after_it() -> None:
    """From before the freeze nothing is known to be wrong; played on, the freeze forms and is told once more."""
    session = by_hand("pattern-user-limit", at="+60s", paused=True)
    while session.slice() != FRAME_S:
        pass
    before = session.driver.alerts.all
    assert session.travel("+1s") == ""
    assert session.branch() == ""
    assert (session.driver.alerts.standing, session.driver.alerts.all) == ((), ())

    session.run.advance(60_000)
    while session.slice() != FRAME_S:
        pass
    assert [alert.kind for alert in session.driver.alerts.all] == [alert.kind for alert in before] != []


def test_alerts_stand_among_the_events_where_they_were_found() -> None:
    """Not before they were, also when the past is looked at; a new one is a new version."""
    session = by_hand("pattern-user-limit", at="+60s", paused=True)
    while session.slice() != FRAME_S:
        pass
    now = session.picture()
    session.travel("+1s")
    past = session.picture()

    assert [row.kind for row in now.events].count("Alert") == len(now.run.alerts) == 1
    assert [row.time_ms for row in now.events] == sorted(row.time_ms for row in now.events)
    assert "Alert" not in [row.kind for row in past.events]


@pytest.mark.parametrize(
    ("scenario", "at", "words"),
    [
        ("rm-failover", "no ResourceManager answered for ", "the ResourceManager answers again"),
        ("mr1-job-tracker-restart", "no JobTracker answered for ", "the JobTracker answers again"),
    ],
)
def test_a_control_plane_that_goes_and_comes_back_is_marked(scenario: str, at: str, words: str) -> None:
    monitor = AlertMonitor()
    loaded = load(scenario)
    [fault] = [each for each in loaded.faults if each.do in ("rm_failover", "job_tracker_restart")]
    run = Run(loaded, [monitor])
    run.advance(fault.at_ms + 60_000)
    found = [alert for alert in monitor.look(run.simulation, None) if alert.kind in ("outage", "over")]

    assert (found[0].sentence.startswith(at), found[1].sentence) == (True, words)
    assert found[0].since_ms == loaded.start_ms + fault.at_ms
    assert found[0].ends_ms is not None
    assert found[0].ends_ms > found[0].since_ms
