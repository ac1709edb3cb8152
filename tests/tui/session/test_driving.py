"""The clock of a small real run is driven in slices, through its script, until it ends or breaks."""

import asyncio
from math import inf
from typing import Any

import pytest

from engine.errors import InvariantError
from engine.run import Run
from tests.tui.small_run import play, small_session
from tui.session.driving import LEAST_REST_S


def test_time_passes_at_the_chosen_speed() -> None:
    session, run, wall = small_session(speed=60.0)
    play(session, wall, 0.25)

    assert run.now_ms == 15_000


def test_flat_out_plays_to_the_end() -> None:
    """As fast as it goes, to the end, where the clock stands and says so."""
    session, run, _ = small_session(speed=inf)
    for _ in range(1000):
        session.slice()

    assert (run.now_ms, session.state.ended, session.stands()) == (600_000, True, True)


def test_the_script_is_followed_at_its_instant() -> None:
    """The operator of the scenario kills the application at 30 s, also while somebody watches."""
    session, run, wall = small_session(speed=10.0)
    play(session, wall, 2.9)
    before = run.snapshot().applications()[0].state
    play(session, wall, 0.3)
    row = run.snapshot().applications()[0]

    assert (before, row.state, row.finished_ms) == ("RUNNING", "KILLED", run.scenario.start_ms + 30_000)


def test_the_run_stands_while_a_copy_of_it_is_made() -> None:
    """A copy for the past that is due is finished first; then the clock makes up for it."""
    session, run, wall = small_session(speed=60.0)
    timeline = session.driver.travel.timeline
    play(session, wall, 0.1)
    timeline.grow(1.0)
    before, was_copying = run.now_ms, timeline.copying
    play(session, wall, 1 / 64)
    stood_at, copies = run.now_ms, len(timeline)
    play(session, wall, 1 / 64)

    assert (was_copying, stood_at == before, timeline.copying, copies) == (True, True, False, 2)
    assert run.now_ms > stood_at


def _broken(run: Run, error: Exception) -> None:
    def records(time_ms: int, records: object) -> None:
        raise error

    class Breaker:
        """A listener that breaks."""

        records: Any

    breaker = Breaker()
    breaker.records = records
    run.simulation.listeners.append(breaker)


def test_an_engine_that_breaks_its_rule_stops_the_clock_in_words() -> None:
    session, run, _ = small_session(speed=inf)
    _broken(run, InvariantError("node n1 has\nless than nothing"))
    session.slice()

    assert (session.state.failure, session.stands()) == ("node n1 has less than nothing", True)


async def test_pictures_are_posted_at_most_five_times_a_second() -> None:
    """Two hundred slices in 1.2 seconds are six pictures at most; a standing clock posts none."""
    session, _, wall = small_session(speed=1.0)
    posted: list[object] = []
    session.start(posted.append)
    posted.clear()
    for _ in range(200):
        wall.now += 0.006
        session.slice()
    running = len(posted)
    session.toggle_pause()
    posted.clear()
    for _ in range(100):
        wall.now += 0.006
        session.slice()
    await session.close()

    assert (5 <= running <= 6, posted) == (True, [])


async def test_dear_pictures_become_rarer() -> None:
    session, _, wall = small_session(speed=1.0)
    posted: list[object] = []
    session.start(posted.append)
    session.drawn(0.05)
    posted.clear()
    for _ in range(100):
        wall.now += 0.01
        session.slice()
    await session.close()

    assert len(posted) == 2


async def test_the_loop_rests_between_slices_and_waits_while_standing() -> None:
    """Running it sleeps a little after each slice; paused it does not come back at all."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            session.toggle_pause()
        await asyncio.sleep(0)

    session, _, _ = small_session(speed=1.0, sleep=sleep)
    session.start(lambda message: None)
    for _ in range(20):
        await asyncio.sleep(0)
    stood = len(slept)
    session.toggle_pause()
    for _ in range(20):
        await asyncio.sleep(0)
    await session.close()

    assert (stood, len(slept) > stood, min(slept) >= LEAST_REST_S) == (3, True, True)


@pytest.mark.parametrize(("took_s", "rest_s"), [(0.0, 0.0), (0.004, 0.016)])
def test_a_slice_of_a_clock_that_stands_is_followed_by_a_rest_four_times_as_long(took_s: float, rest_s: float) -> None:
    """So that working off what a screen wants to know takes a fifth of a core at most."""
    session, _, wall = small_session(paused=True)
    background = session.driver.background

    def tick(*_: object, **__: object) -> bool:
        wall.now += took_s
        return False

    vars(background).update(is_behind=lambda _: True, tick=tick)

    assert session.slice() == pytest.approx(rest_s)


def test_a_running_clock_rests_as_its_pace_says() -> None:
    session, _, wall = small_session(speed=1.0)

    def tick(*_: object, **__: object) -> bool:
        wall.now += 1.0
        return False

    vars(session.driver.background).update(tick=tick)

    assert session.slice() < 0.1
