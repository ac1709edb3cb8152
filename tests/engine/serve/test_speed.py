"""How fast the time of a served run passes, by a clock that is set by hand."""

from typing import Any

import pytest

from engine.run import Run
from engine.serve.pace import CHUNK_MS, REST_S, SLICE_S, ServedPace
from tests.engine.serve.test_nodes import small


class Clock:
    """A wall clock that goes on by a step at each look."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.now_s, self.step_s, self.looks = 0.0, step_s, 0

    def __call__(self) -> float:
        """The time, and let some pass."""
        self.looks += 1
        self.now_s += self.step_s
        return self.now_s


def paced(clock: Clock, **how: Any) -> ServedPace:
    """The small scenario at a pace."""
    return ServedPace(Run(small(), is_judged=False), clock=clock, **how)


@pytest.mark.parametrize("speed", [0.5, 1.0, 20.0])
def test_simulated_time_passes_at_its_speed(speed: float) -> None:
    """From when it was set; a pause is not made up for."""
    clock = Clock()
    pace = paced(clock, speed=speed)
    assert (pace.speed, pace.paused, pace.slice(), pace.played.now_ms) == (speed, False, REST_S, 0)
    clock.now_s = 2.0
    pace.slice()
    assert pace.played.now_ms == 2000 * speed
    pace.set(paused=True)
    clock.now_s = 3.0
    assert (pace.slice(), pace.paused, pace.speed) == (REST_S, True, speed)
    pace.set(paused=False, speed=2 * speed)
    clock.now_s = 4.0
    pace.slice()
    assert (pace.played.now_ms, pace.speed) == (4000 * speed, 2 * speed)


def test_a_slice_ends_after_its_time_and_what_is_late_is_not_made_up_for() -> None:
    """It goes on at once; the next slice counts from there."""
    clock = Clock()
    pace = paced(clock, speed=1000.0)
    clock.now_s, clock.step_s = 1.0, SLICE_S / 2
    assert pace.slice() == 0.0
    played_ms = pace.played.now_ms
    assert played_ms == 2 * CHUNK_MS
    clock.step_s = 0.0
    assert (pace.slice(), pace.played.now_ms) == (REST_S, played_ms)


def test_an_advance_goes_there_and_not_beyond_the_end() -> None:
    """Time goes on from there."""
    clock = Clock()
    pace = paced(clock)
    clock.now_s = 9.0
    pace.advance(10_000)
    assert (pace.slice(), pace.played.now_ms) == (REST_S, 10_000)
    pace.advance(10**9)
    assert pace.played.now_ms == 300_000


async def test_a_walk_goes_there_in_slices() -> None:
    """With a pause for others between two; time goes on from there."""
    clock, pauses = Clock(SLICE_S), list[float]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        clock.now_s += 10.0  # somebody else takes long

    pace = paced(clock, sleep=sleep)
    await pace.walk(0)
    assert (pauses, pace.played.now_ms) == ([], 0)
    clock.step_s = SLICE_S / 2
    await pace.walk(3 * CHUNK_MS + 1)
    assert (pace.played.now_ms, set(pauses), len(pauses)) == (3 * CHUNK_MS + 1, {0}, 3)
    clock.step_s = 0.0
    assert (pace.slice(), pace.played.now_ms) == (REST_S, 3 * CHUNK_MS + 1)
