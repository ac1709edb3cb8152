"""What the keys of time do to the clock of a small real run, and what they say when they do nothing."""

from typing import Any

import pytest

from tests.tui.small_run import ByHand, Wall, play, small_session
from tui.protocol.picture import Notice
from tui.session.series import SPEEDS, next_speed
from tui.session.time_travel import NOT_HERE, PRESENT


def listened(**options: Any) -> tuple[ByHand, Wall, list[Any]]:
    """A session at the tenth second, its wall clock, and what it posts."""
    session, run, wall = small_session(**options)
    run.advance(10_000)
    posted: list[Any] = []
    session.driver._post = posted.append
    return session, wall, posted


def notices(posted: list[Any]) -> list[Notice]:
    return [each for each in posted if isinstance(each, Notice)]


@pytest.mark.parametrize("place", range(len(SPEEDS)))
def test_a_speed_has_one_above_and_one_below(place: int) -> None:
    speed = SPEEDS[place]

    assert next_speed(speed, 1) == SPEEDS[min(place + 1, len(SPEEDS) - 1)]
    assert next_speed(speed, -1) == SPEEDS[max(place - 1, 0)]


def test_pause_in_the_past_says_where_to_go() -> None:
    session, _, posted = listened()
    session.travel("+5")
    posted.clear()
    session.toggle_pause()
    said = notices(posted)
    session.step("second")

    assert said == notices(posted) == [Notice(NOT_HERE, "warning")]
    assert session.picture().snapshot.header.time_ms == session.driver.run.scenario.start_ms + 6_000


@pytest.mark.parametrize("unit", ["event", "decision"])
def test_any_other_step_in_the_past_goes_to_the_next_record(unit: str) -> None:
    session, _, _ = listened()
    session.travel("+1")
    session.step(unit)
    stepped = session.driver.travel.now_ms
    session.travel("+1")
    session.travel("on")

    assert stepped == session.driver.travel.now_ms > session.driver.run.scenario.start_ms + 1_000


@pytest.mark.parametrize("end", ["toggle_pause", "step"])
def test_after_a_search_that_was_ended_time_passes_at_its_speed(end: str) -> None:
    """It does not go on to a decision, by whichever key the search was ended."""
    session, run, wall = small_session(speed=1.0)
    run.advance(1_000)
    session.step("decision")
    if end == "step":
        session.step("second")
    else:
        session.toggle_pause()
    begin_ms = run.now_ms
    session.toggle_pause()
    play(session, wall, 0.25)

    assert run.now_ms == begin_ms + 250


def test_a_branch_goes_from_the_past_only() -> None:
    """In the present it is refused and nothing is changed; from the past the run stands there, and pauses."""
    session, _, _ = listened()
    refused = (session.branch(), session.state.paused)
    session.travel("+5")
    assert session.branch() == ""

    assert refused == (PRESENT, False)
    assert (session.driver.run.now_ms, session.state.paused, session.driver.travel.simulation) == (5_000, True, None)
    assert session.driver.log.cuts == 1
    assert all(row.time_ms <= session.driver.run.simulation.now_ms for row in session.driver.log.latest)


@pytest.mark.parametrize("count", [1, 2])
def test_every_dialog_has_to_be_closed(count: int) -> None:
    session, _, _ = listened()
    for _ in range(count):
        session.hold(held=True)
    stood = []
    for _ in range(count + 1):
        stood.append(session.stands())
        session.hold(held=False)
    session.hold(held=True)

    assert stood == [*[True] * count, False]
    assert session.stands()
