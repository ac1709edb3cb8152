"""The keys of time on a small real run: pause, hold, steps, speeds."""

from math import inf
from typing import Any

from tests.tui.small_run import play, small_session
from tui.protocol.picture import Notice


async def test_after_the_end_the_keys_of_the_clock_say_so() -> None:
    """Neither p nor t does anything any more, and the user is told why."""
    session, _, _ = small_session(speed=inf)
    posted: list[Any] = []
    session.start(posted.append)
    for _ in range(1000):
        session.slice()
    posted.clear()
    session.toggle_pause()
    session.step("second")
    await session.close()

    assert [message.words for message in posted] == ["The scenario ended at Sat 08:40:00."] * 2


def test_paused_and_held_stand() -> None:
    """Nothing moves while paused or while a dialog is open; then time goes on from there."""
    session, run, wall = small_session(speed=10.0)
    session.hold(held=True)
    play(session, wall, 1.0)
    session.hold(held=False)
    session.toggle_pause()
    play(session, wall, 1.0)
    stood = run.now_ms
    session.toggle_pause()
    play(session, wall, 0.125)

    assert (stood, run.now_ms) == (0, 1250)


def test_a_hold_does_not_unpause() -> None:
    session, _, _ = small_session(paused=True)
    session.hold(held=True)
    session.hold(held=False)

    assert (session.stands(), session.state.paused) == (True, True)


def test_a_step_of_a_second_ends_on_a_full_second() -> None:
    session, run, wall = small_session(speed=10.0)
    wall.now += 0.05
    session.slice()
    session.step("second")

    assert (run.now_ms, session.stands()) == (1000, True)


def test_a_step_of_an_event_lets_one_happen() -> None:
    session, run, _ = small_session()
    seen = []
    for _ in range(3):
        due = run.simulation.next_event_ms()
        session.step("event")
        seen.append(run.simulation.now_ms == due)

    assert (seen, session.stands()) == ([True, True, True], True)


def test_a_step_of_an_event_follows_the_script() -> None:
    session, run, _ = small_session()
    run.advance(29_999)
    for _ in range(20):
        if run.now_ms < 30_000:
            session.step("event")

    assert run.snapshot().applications()[0].state == "KILLED"


def test_a_step_to_the_next_decision_stands_after_it() -> None:
    session, run, _ = small_session(paused=True)
    run.advance(1000)
    session.step("decision")
    for _ in range(1000):
        session.slice()

    assert (run.now_ms, session.stands(), session.state.paused) == (5000, True, True)


def test_a_search_for_a_decision_goes_over_the_script_to_the_end() -> None:
    session, run, _ = small_session(paused=True)
    run.advance(31_000)
    session.step("decision")
    for _ in range(1000):
        session.slice()

    assert (run.now_ms, session.state.ended) == (600_000, True)


def test_pause_ends_the_search_for_a_decision() -> None:
    session, run, wall = small_session(paused=True)
    session.step("decision")
    session.toggle_pause()
    before = run.now_ms
    play(session, wall, 1.0)

    assert (session.stands(), run.now_ms) == (True, before)


def test_speeds_go_up_to_flat_out_and_down_again() -> None:
    session, _, _ = small_session(speed=1800.0)
    seen = []
    for direction in (1, 1, 1, -1, -1):
        session.change_speed(direction)
        seen.append(session.state.speed)
    for _ in range(30):
        session.change_speed(-1)

    assert (seen, session.state.speed) == ([3600.0, inf, inf, 3600.0, 1800.0], 0.1)


async def test_a_speed_of_a_standing_clock_is_said() -> None:
    session, _, _ = small_session(paused=True)
    posted: list[Any] = []
    session.start(posted.append)
    session.set_speed(60.0)
    session.set_speed(0.0)
    session.toggle_pause()
    session.set_speed(30.0)
    await session.close()

    assert [each.words for each in posted if isinstance(each, Notice)] == [
        "Clock paused; its speed is now ×60.",
        "Clock paused; its speed is now as fast as possible.",
    ]
