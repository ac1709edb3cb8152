"""The session on a small real run: acts by id, what pictures show, and opening at a time."""

from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import load, loads
from engine.run import Run
from engine.run import Run as AlertRun
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    ReturnNode,
    SetPreemption,
    SetQueueSetting,
    SetReservationRule,
)
from engine.training.steps import PauseStep
from tests.engine.training.test_exam import exam
from tests.tui.small_run import SMALL, by_hand, now, small_session
from tui.protocol.picture import Notice
from tui.session.alert_monitor import AlertMonitor
from tui.session.drill import DrillPlay
from tui.session.drill_seat import AHEAD, ONE_WAY, PAUSED, ExamClock, ExamPictures
from tui.session.driving import FRAME_S
from tui.session.session import preview


def test_switches_change_what_the_header_shows() -> None:
    session, run, _ = small_session()
    before = run.snapshot().header
    answers = [session.do(SetPreemption(on=True)), session.do(SetReservationRule("limited"))]
    after = run.snapshot().header

    assert (answers, before.preemption, before.reservation_rule) == (["", ""], False, "strict")
    assert (after.preemption, after.reservation_rule) == (True, "limited")


def test_a_drained_node_is_shown_as_such_until_it_is_back() -> None:
    """The control plane does not know that a node drains; the operator's picture does."""
    session, run, _ = small_session()
    run.advance(10_000)
    node = next(row for row in run.snapshot().nodes() if row.containers).id
    seen = [session.do(DrainNode(node))]
    version = session.picture().snapshot.version("nodes")
    states = {row.id: row.state for row in session.picture().snapshot.nodes()}
    seen.append(session.do(ReturnNode(node)))
    after = {row.state for row in session.picture().snapshot.nodes()}

    assert (seen, states[node], after) == (["", ""], "DECOMMISSIONING", {"RUNNING"})
    assert version != session.picture().snapshot.version("nodes")


def test_a_refusal_is_told_in_words() -> None:
    session, _, _ = small_session()

    assert "there is no node nowhere:1" in session.do(DrainNode("nowhere:1"))


@pytest.mark.parametrize(("at", "words"), [("soon", "soon"), ("+2h", "after the end"), ("-5m", "before the start")])
def test_a_time_that_cannot_be_opened_is_refused(at: str, words: str, tmp_path: Any) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")

    with pytest.raises(ConfigError, match=words):
        by_hand(str(path), at=at)


# The session of an exam: a clock that goes one way, and pictures of what is reported.


class Sitting:
    """An exam that stands at its beginning, and the clock on the wall."""

    def __init__(self) -> None:
        self.play, self.wall_s = DrillPlay(exam()), 10.0
        self.clock = ExamClock(self.play, lambda: self.wall_s)
        self.pictures = ExamPictures(self.play)
        self.posted: list[Any] = []
        self.play.session.driver._post = self.posted.append

    def pass_to(self, at_ms: int) -> None:
        driver = self.play.session.driver
        driver.travel.timeline.timed(lambda: driver.run.advance(self.play.drill.drill.begins_ms + at_ms))

    def pauses(self) -> list[int]:
        return [step.lasted_ms for step in self.play.recorder.steps if isinstance(step, PauseStep)]

    def notices(self) -> list[tuple[str, str]]:
        return [(each.words, each.severity) for each in self.posted if isinstance(each, Notice)]


def test_a_pause_is_recorded_with_how_long_it_lasted() -> None:
    """By the clock on the wall, to the nearest millisecond; the price is said when it begins."""
    one = Sitting()
    now(one.clock.toggle_pause())
    began = one.notices()
    now(one.clock.toggle_pause())
    one.wall_s += 12.3456
    now(one.clock.toggle_pause())
    one.clock.end_pause()

    assert (began, one.notices()) == ([], [(PAUSED, "warning")])
    assert one.pauses() == [12_346]


def test_an_exam_refuses_every_other_key_of_time() -> None:
    one = Sitting()
    now(one.clock.suspend(held=True))
    now(one.clock.step("second"))
    now(one.clock.change_speed(1))
    now(one.clock.set_speed(2.0))

    assert one.notices() == [(AHEAD, "warning"), *[(ONE_WAY, "warning")] * 2]
    assert now(one.clock.travel("play +1m")).problems == (AHEAD,)
    assert now(one.clock.travel("back")).problems == now(one.clock.branch()).problems == (ONE_WAY,)
    assert (one.play.now_ms, one.play.session.driver.state.speed) == (0, 1.0)


def test_an_exam_is_seen_as_it_is_reported() -> None:
    """A wrong row and no graphs in their time; the run is called as the drill is, with a mark for each page."""
    one = Sitting()
    one.pass_to(60_000)
    found = now(one.pictures.picture())
    plain = now(one.play.session.pictures.picture())
    page_ms = one.play.drill.begins_ms + 60_000

    assert (plain.graphs is not None, found.graphs) == (True, None)
    assert found.snapshot.nodes()[0].used == found.snapshot.nodes()[0].total != plain.snapshot.nodes()[0].used
    track = plain.run.track
    assert track is not None
    assert found.run == msgspec.structs.replace(
        plain.run, name="Notebooks", track=msgspec.structs.replace(track, marks=tuple(sorted({*track.marks, page_ms})))
    )
    assert found.run.track is not None
    assert page_ms in found.run.track.marks


def test_after_the_exam_everything_is_seen_as_it_is() -> None:
    one = Sitting()
    one.pass_to(60_000)
    _ = one.play.finish()
    found, plain = now(one.pictures.picture()), now(one.play.session.pictures.picture())

    assert (found.run, found.graphs) == (plain.run, plain.graphs)


# Acts of a session: what they would change, what refuses them, and what is offered after a submission.

TWO = """
duration = "10m"
scheduler = "fair-2.7"
[cluster]
groups = [{ count = 2, prefix = "n", memory = "8g", vcores = 8 }]
[[queues]]
name = "a"
[[queues]]
name = "b"
[[workload]]
type = "service"
user = "ann"
queue = "root.a"
am = "unmanaged"
instances = 9
instance = { memory = "1g" }
[[workload]]
type = "service"
user = "ann"
queue = "root.b"
am = "unmanaged"
instances = 9
instance = { memory = "1g" }
"""


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (SetQueueSetting("root.nowhere", "weight", "3"), "root.nowhere"),
        (SetQueueSetting("root.a", "weight", "much"), "much"),
        (KillApplication(99), "99"),
    ],
)
def test_what_is_refused_is_refused_beforehand(act: Act, words: str) -> None:
    run = Run(loads(TWO, "x"))
    run.advance(10_000)
    found = preview(run.simulation, act)

    assert (words in found.refusal, found.shares) == (True, ())


# Looking out for alerts while the clock runs or stands.


@pytest.mark.parametrize("at", ["+20s", "+60s"])
def test_a_clock_that_stands_is_looked_at_until_nothing_is_left_to_find(at: str) -> None:
    """What has formed is told though the clock never moves, and then nothing more is done."""
    session = by_hand("pattern-user-limit", at=at, paused=True)
    before = session.picture().snapshot.header.time_ms
    slices = 0
    while session.slice() != FRAME_S:
        slices += 1

    words = [alert.words for alert in session.driver.alerts.active_alerts]
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
    assert (session.driver.alerts.active_alerts, session.driver.alerts.all) == ((), ())

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
    run = AlertRun(loaded, [monitor])
    run.advance(fault.at_ms + 60_000)
    found = [alert for alert in monitor.look(run.simulation, None) if alert.kind in ("outage", "over")]

    assert (found[0].sentence.startswith(at), found[1].sentence) == (True, words)
    assert found[0].since_ms == loaded.start_ms + fault.at_ms
    assert found[0].ends_ms is not None
    assert found[0].ends_ms > found[0].since_ms
