"""What a slice of the driver does, how long it rests, when it draws, and what it says."""

from math import inf
from typing import Any

import pytest

from engine.explain.alert import Alert
from engine.scenario.acts import SetPreemption
from tests.tui.small_run import ByHand, Wall, small_session
from tui.picture import Notice, PictureChanged
from tui.session.alert_monitor import AlertMonitor
from tui.session.driving import FRAME_S, FRAME_SHARE


def listened(**options: Any) -> tuple[ByHand, Wall, list[Any]]:
    """A session, its wall clock, and what it posts."""
    session, _, wall = small_session(**options)
    posted: list[Any] = []
    session.driver._post = posted.append
    return session, wall, posted


@pytest.mark.parametrize(
    ("took_s", "frame_s"), [(0.0, 0.2), (0.025, 0.2), (0.026, 0.208), (0.25, 2.0), (0.251, 2.0), (9.0, 2.0)]
)
def test_a_picture_takes_an_eighth_of_the_time(took_s: float, frame_s: float) -> None:
    """Five a second at most, one in two seconds at least."""
    session, wall, posted = listened(speed=1.0)
    session.drawn(took_s)
    posted.clear()
    wall.now += frame_s - 0.001
    session.slice()
    before = posted.count(PictureChanged())
    wall.now += 0.00101  # the clock's own rounding is below that
    session.slice()

    assert (before, posted.count(PictureChanged())) == (0, 1)
    assert (FRAME_S, FRAME_SHARE) == (0.2, 8)


@pytest.mark.parametrize(
    ("state", "stands"),
    [
        ({}, False),
        ({"paused": True}, True),
        ({"frozen": "somebody"}, True),
        ({"ended": True}, True),
        ({"failure": "it broke"}, True),
    ],
)
def test_the_clock_stands_for_each_reason(state: dict[str, Any], stands: bool) -> None:
    """Paused, frozen, ended or broken."""
    session, _, _ = listened()
    session.set(**state)

    assert session.stands() is stands


@pytest.mark.parametrize("state", [{"paused": True}, {"frozen": "somebody"}])
def test_time_does_not_pass_while_it_stands(state: dict[str, Any]) -> None:
    """And is not made up for later."""
    session, wall, _ = listened(speed=10.0)
    session.set(**state)
    wall.now += 5.0
    session.set(paused=False, frozen="")
    wall.now += 0.25
    session.slice()

    assert session.driver.run.now_ms == 2_500


def test_a_slice_that_ends_the_run_is_drawn_at_once() -> None:
    """As is one that finds something wrong."""
    session, _, posted = listened(speed=inf)
    while not session.state.ended:
        posted.clear()
        session.slice()

    assert PictureChanged() in posted


class OneAlert(AlertMonitor):
    """Finds one alert at its first look."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.left = [Alert(kind, 1_510_360_200_500, 1_510_360_201_000, "something happened")]

    def look(self, *_: Any, **__: Any) -> list[Alert]:
        """All that is left."""
        found, self.left = self.left, []
        return found

    def idle(self, *_: Any) -> bool:
        """Nothing is left."""
        return not self.left


@pytest.mark.parametrize(
    ("kind", "severity"), [("over", "information"), ("returned", "information"), ("stuck", "error"), ("lost", "error")]
)
def test_an_alert_is_said_and_marked_once(kind: str, severity: str) -> None:
    """That something is over is no error; the mark stands where it formed."""
    session, _, posted = listened(paused=True, alerts=OneAlert(kind))
    session.slice()
    session.slice()

    assert [each for each in posted if isinstance(each, Notice)] == [Notice("something happened.", severity)]
    assert 1_510_360_200_500 in session.picture().run.track.marks


def test_a_failed_run_is_not_looked_at() -> None:
    """Its alerts would be of what cannot be trusted."""
    session, _, _ = listened(paused=True, alerts=OneAlert("stuck"))
    before = session.driver.looks_on
    session.driver._fail("it broke")

    assert (before, session.driver.looks_on) == (True, False)


def test_a_guarded_work_says_how_long_to_rest() -> None:
    """Nothing where it says nothing."""
    session, _, _ = listened()

    assert (session.driver.guarded(lambda: 0.5), session.driver.guarded(lambda: None)) == (0.5, 0.0)


def test_a_session_that_is_not_started_posts_nothing() -> None:
    """Nothing is raised either."""
    session, _, _ = small_session()
    session.driver.notice("Hello.", "information")
    session.driver.changed()

    assert not session.state.failure


async def test_closed_it_posts_no_more_and_works_no_more() -> None:
    """Its task is gone."""
    session, _, _ = small_session()
    posted: list[Any] = []
    session.start(posted.append)
    begun = list(posted)
    await session.close()
    posted.clear()
    session.driver.changed()

    assert (begun, posted) == ([PictureChanged()], [])
    assert session.driver._task is not None
    assert session.driver._task.done()


def test_a_branch_begins_anew() -> None:
    """Neither end, failure, alerts nor verdicts of what came after it stay."""
    session, run, _ = small_session(speed=inf)
    for _ in range(1000):
        session.slice()
    session.travel("+20")
    session.branch()
    state = session.picture().run

    assert (state.ended, state.failure, state.standing, state.alerts, state.judged) == (False, "", (), (), ())
    assert (state.paused, run.now_ms, len(run.simulation.acts)) == (True, 20_000, 0)
    session.do(SetPreemption(on=True))
    session.toggle_pause()
    for _ in range(1000):
        session.slice()
    assert (run.now_ms, session.state.ended, len(run.simulation.acts)) == (600_000, True, 2)


def test_seeking_keeps_the_clock_from_standing() -> None:
    """A paused clock that searches runs."""
    session, _, _ = listened(paused=True)
    session.step("decision")

    assert (session.state.paused, session.stands()) == (True, False)
