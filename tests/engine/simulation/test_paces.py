"""A pace at its edges: what is due at an instant of wall time, when a step is over, when it rests."""

from math import inf

import pytest

from engine.simulation.build import build_simulation
from engine.simulation.realtime import HORIZON_MS, REST_S, Pace, StepTarget
from tests.engine.simulation.scenes import SPARK, scenario
from tests.engine.simulation.test_realtime import Wall, pace


def test_a_new_pace_has_not_begun() -> None:
    """It is not behind, does no step, and has not ended."""
    driver, _, start_ms = pace(end_s=10)
    assert (driver.is_behind, driver.is_stepping, driver.ended, driver.paused, driver.speed) == (
        False,
        False,
        False,
        False,
        1.0,
    )
    assert (driver.until_ms, driver.simulation.now_ms) == (start_ms + 10_000, start_ms)


@pytest.mark.parametrize(("speed", "wall_s", "played_ms"), [(1.0, 0.5, 500), (4.0, 0.25, 1000), (0.5, 3.0, 1500)])
def test_so_much_is_due_as_wall_time_has_passed(speed: float, wall_s: float, played_ms: int) -> None:
    """Times the speed; it rests then and is not behind."""
    driver, wall, start_ms = pace(speed=speed)
    wall.now_s += wall_s
    assert driver.slice() == REST_S
    assert (driver.simulation.now_ms, driver.is_behind) == (start_ms + played_ms, False)


def test_the_end_is_not_passed() -> None:
    """However much wall time has passed; after it nothing is played."""
    driver, wall, start_ms = pace(speed=100.0, end_s=2)
    wall.now_s += 60
    assert driver.slice() == REST_S
    assert (driver.simulation.now_ms, driver.ended) == (start_ms + 2_000, True)
    wall.now_s += 60
    assert driver.slice() == REST_S
    assert driver.simulation.now_ms == start_ms + 2_000


def test_as_fast_as_possible_goes_to_the_end_at_once() -> None:
    """Where that fits into a slice."""
    driver, _, start_ms = pace(speed=inf, end_s=3)
    assert driver.slice() == 0.0
    assert (driver.simulation.now_ms, driver.ended) == (start_ms + 3_000, True)


def test_a_paused_pace_rests() -> None:
    """And plays nothing."""
    driver, wall, start_ms = pace(paused=True)
    wall.now_s += 5
    assert driver.slice() == REST_S
    assert driver.simulation.now_ms == start_ms


def test_a_step_is_over_at_the_end_of_the_run() -> None:
    """What would come after it does not happen."""
    driver, _, start_ms = pace(end_s=3)
    driver.step(StepTarget.DECISION)
    assert driver.slice() == 0.0
    assert (driver.is_stepping, driver.simulation.now_ms <= start_ms + 3_000) == (False, True)
    later, _, start_ms = pace(end_s=5)
    later.step(StepTarget.DECISION)
    later.slice()
    assert (later.is_stepping, later.simulation.now_ms) == (False, start_ms + 5_000)


def test_a_step_looks_a_week_ahead_at_most() -> None:
    """A decision that comes later is not waited for."""
    scene = scenario('[[faults]]\ndo = "lose"\nnode = "n1"\nat = "8d"\n', top='scheduler = "fifo"')
    driver = Pace(build_simulation(scene), clock=Wall().clock)
    driver.simulation.run_until(scene.start_ms + 60_000)
    driver.step(StepTarget.DECISION)
    driver.slice()
    assert not driver.is_stepping
    assert driver.simulation.now_ms <= scene.start_ms + 60_000 + HORIZON_MS


def test_one_step_is_one_heartbeat_or_decision() -> None:
    """From where it stands, though some came before."""
    driver, _, start_ms = pace(SPARK)
    driver.simulation.run_until(start_ms + 6_500)
    world = driver.simulation.world
    for target in (StepTarget.HEARTBEAT, StepTarget.DECISION, StepTarget.HEARTBEAT):
        before = (world.heartbeats, world.decided)
        driver.step(target)
        driver.slice()
        after = (world.heartbeats, world.decided)
        assert not driver.is_stepping
        assert after[target is StepTarget.DECISION] > before[target is StepTarget.DECISION]
        if target is StepTarget.HEARTBEAT:
            assert after[0] == before[0] + 1


def test_a_second_is_counted_from_where_it_stands() -> None:
    """Though nothing happens at its end."""
    driver, _, start_ms = pace()
    driver.simulation.run_until(start_ms + 1_234)
    driver.step(StepTarget.SECOND)
    assert driver.slice() == 0.0
    assert (driver.simulation.now_ms, driver.is_stepping, driver.paused) == (start_ms + 2_234, False, True)


def test_a_step_ends_when_the_simulation_is_exchanged() -> None:
    """At once; the other one has done nothing yet."""
    driver, _, _ = pace()
    driver.step(StepTarget.DECISION)
    driver.simulation = build_simulation(scenario(SPARK, count=6))
    assert (driver.is_stepping, driver.paused) == (False, True)
