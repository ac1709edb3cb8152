"""How fast the time of a served run passes, by a clock that is set by hand."""

from typing import Any

import pytest

from engine.run import Run
from engine.serve.served import REST_S, ServedPace
from tests.engine.serve.test_nodes import small


class Clock:
    """A wall clock that goes on by a step at each look."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.now_s, self.step_s, self.looks = 0.0, step_s, 0

    def __call__(self) -> float:
        self.looks += 1
        self.now_s += self.step_s
        return self.now_s


def paced(clock: Clock, **how: Any) -> ServedPace:
    return ServedPace(Run(small(), is_judged=False), clock=clock, **how)


@pytest.mark.parametrize("speed", [0.5, 1.0, 20.0])
def test_simulated_time_passes_at_its_speed(speed: float) -> None:
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
