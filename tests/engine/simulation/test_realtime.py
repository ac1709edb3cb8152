"""Simulated time driven by wall time: speed, pause, steps; the wall clock here is a list of numbers."""

from math import inf

import pytest

from engine.simulation.build import build_simulation
from engine.simulation.realtime import REST_S, Pace, StepTarget
from tests.engine.simulation.scenes import BUSY, SPARK, Log, scenario


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


def test_a_pace_that_was_behind_counts_anew_from_where_it_came_to() -> None:
    driver, wall, _ = pace(BUSY, speed=1.0, look_s=0.001)
    wall.now_s += 600
    driver.slice()
    came_to_ms, wall.look_s = driver.simulation.now_ms, 0.0
    wall.now_s += 2
    driver.slice()

    assert driver.simulation.now_ms == came_to_ms + 2000


def test_another_simulation_counts_from_its_exchange() -> None:
    """Wall time that passed before does not move it, and a step under way is over."""
    driver, wall, start_ms = pace()
    driver.step(StepTarget.DECISION)
    wall.now_s += 100
    driver.simulation = build_simulation(scenario(SPARK, count=6))
    driver.paused = False
    driver.slice()

    assert (driver.is_stepping, driver.simulation.now_ms) == (False, start_ms)


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


def test_a_new_speed_counts_from_its_change() -> None:
    driver, wall, start_ms = pace()
    wall.now_s += 1
    driver.slice()

    driver.speed = 10.0
    wall.now_s += 1
    driver.slice()

    assert (driver.speed, driver.simulation.now_ms) == (10.0, start_ms + 11_000)


def test_without_an_end_the_fastest_speed_goes_on_for_ever() -> None:
    """Each slice plays as much as fits into it; the scheduler's passes never rest."""
    driver, _, start_ms = pace(BUSY, speed=inf, look_s=0.001)

    rests = [driver.slice() for _ in range(20)]

    assert set(rests) == {0.0}
    assert driver.simulation.now_ms > start_ms + 60_000


def test_it_rests_when_nothing_will_ever_happen() -> None:
    driver, _, start_ms = pace(speed=inf)
    driver.simulation = build_simulation(scenario(top='scheduler = "fifo"'))

    rests = [driver.slice() for _ in range(3)]

    assert rests[-1] == REST_S
    assert driver.simulation.now_ms < start_ms + 2000


def test_one_step_is_one_event() -> None:
    driver, _, _ = pace()
    due = driver.simulation.next_event_ms()

    driver.step(StepTarget.EVENT)
    stepping = driver.is_stepping
    driver.slice()

    assert (driver.paused, stepping, driver.is_stepping) == (True, True, False)
    assert driver.simulation.now_ms == due


def test_a_step_of_a_second_is_a_second() -> None:
    driver, _, start_ms = pace(BUSY)

    driver.step(StepTarget.SECOND)
    driver.slice()

    assert (driver.simulation.now_ms, driver.is_stepping) == (start_ms + 1000, False)


def test_a_step_to_the_next_heartbeat_tells_one_node() -> None:
    driver, _, _ = pace()
    driver.simulation.run_until(driver.simulation.now_ms + 6000)
    delivered = driver.simulation.world.heartbeats

    driver.step(StepTarget.HEARTBEAT)
    driver.slice()

    assert driver.simulation.world.heartbeats == delivered + 1


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
