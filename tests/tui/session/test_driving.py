"""The clock of a small real run is driven in slices, through its script, until it ends or breaks."""

from math import inf
from typing import Any

from engine.errors import InvariantError
from engine.run import Run
from tests.tui.small_run import play, small_session


def test_time_passes_at_the_chosen_speed() -> None:
    session, run, wall = small_session(speed=60.0)
    play(session, wall, 0.25)

    assert run.now_ms == 15_000


def test_the_script_is_followed_at_its_instant() -> None:
    """The operator of the scenario kills the application at 30 s, also while somebody watches."""
    session, run, wall = small_session(speed=10.0)
    play(session, wall, 2.9)
    before = run.snapshot().applications()[0].state
    play(session, wall, 0.3)
    row = run.snapshot().applications()[0]

    assert (before, row.state, row.finished_ms) == ("RUNNING", "KILLED", run.scenario.start_ms + 30_000)


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
