"""Simulated time driven by wall time: speed, pause, steps; the wall clock here is a list of numbers."""

from math import inf

import pytest

from engine.simulation.build import build_simulation
from engine.simulation.realtime import REST_S, Pace, StepTarget
from tests.engine.simulation.scenes import SPARK, Log, scenario


class Wall:
    """A wall clock that moves when it is slept on, and a little with each look."""

    def __init__(self, look_s: float = 0.0) -> None:
        self.now_s = 100.0
        self.look_s = look_s

    def clock(self) -> float:
        self.now_s += self.look_s
        return self.now_s

    def run(self, driver: Pace) -> None:
        """Have a pace do slices until its end, resting as it asks for."""
        while not driver.ended:
            self.now_s += max(driver.slice(), 0.001)


def pace(
    text: str = SPARK, *, speed: float = 1.0, look_s: float = 0.0, end_s: int | None = None, paused: bool = False
) -> tuple[Pace, Wall, int]:
    """A pace over a fresh simulation, its wall clock, and the scenario's start."""
    scene, wall = scenario(text, count=6), Wall(look_s)
    until_ms = None if end_s is None else scene.start_ms + end_s * 1000
    simulation = build_simulation(scene, [Log()])
    driver = Pace(simulation, speed=speed, until_ms=until_ms, paused=paused, clock=wall.clock)
    return driver, wall, scene.start_ms


def test_it_runs_to_the_end_in_proportion() -> None:
    driver, wall, start_ms = pace(speed=2.0, end_s=10)

    wall.run(driver)

    assert driver.simulation.now_ms == start_ms + 10_000
    assert driver.ended
    assert wall.now_s == pytest.approx(105.0, abs=2 * REST_S)


def test_as_fast_as_possible_hardly_takes_time() -> None:
    driver, wall, start_ms = pace(speed=inf, end_s=3600, look_s=0.0001)

    wall.run(driver)

    assert driver.simulation.now_ms == start_ms + 3_600_000
    assert wall.now_s < 102


def test_paused_time_stands() -> None:
    """While paused wall time passes and simulated time does not, nor is it caught up on later."""
    driver, wall, start_ms = pace(paused=True)
    driver.slice()
    wall.now_s += 100
    driver.slice()

    driver.paused = False
    wall.now_s += 1
    driver.slice()

    assert driver.simulation.now_ms == start_ms + 1000


def test_one_step_is_one_event() -> None:
    driver, _, _ = pace()
    due = driver.simulation.next_event_ms()

    driver.step(StepTarget.EVENT)
    stepping = driver.is_stepping
    driver.slice()

    assert (driver.paused, stepping, driver.is_stepping) == (True, True, False)
    assert driver.simulation.now_ms == due


def test_a_step_to_the_next_decision_may_take_several_slices() -> None:
    driver, _, start_ms = pace(look_s=0.003)

    driver.step(StepTarget.DECISION)
    slices = 0
    while driver.is_stepping:
        driver.slice()
        slices += 1

    assert driver.simulation.now_ms == start_ms + 5000
    assert slices > 1


def test_a_step_to_a_decision_that_never_comes_gives_up() -> None:
    """At the end of the run, or when nothing is left to happen, the step is over."""
    driver, _, start_ms = pace(end_s=3)
    driver.step(StepTarget.DECISION)
    driver.slice()

    assert not driver.is_stepping
    assert driver.simulation.now_ms <= start_ms + 3000
