"""What would make an application start, tried on copies."""

from collections.abc import Generator

from engine.explain.try_remedies import Cure, cures, remedies_for
from engine.formats.scenario_toml import load
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, at, scene


def tried(simulation: Simulation, number: int, expected_ms: int | None = None) -> tuple[Cure, ...]:
    """All cures, and the work ends."""
    work: Generator[int, None, tuple[Cure, ...]] = cures(simulation, number, expected_ms)
    while True:
        try:
            next(work)
        except StopIteration as done:
            found: tuple[Cure, ...] = done.value
            return found


def test_to_kill_the_other_half_of_a_deadlock_helps_at_once() -> None:
    """Dropping a reservation does not; to kill the application itself is no remedy; nothing was changed."""
    simulation = at(scene(HALVES), 60, None)
    position = simulation.world.clock.position
    helping = [cure for cure in tried(simulation, 1) if cure.starts_ms is not None]

    assert [(one.remedy.kind, one.remedy.application) for one in helping] == [("kill", 2)]
    assert 0 < (helping[0].starts_ms or 0) - simulation.now_ms <= 2000
    assert all(one.application != 1 for one in remedies_for(simulation, 1))
    assert simulation.world.clock.position == position


def test_what_starts_it_no_sooner_is_no_help() -> None:
    """When it starts within the same second anyway."""
    simulation = at(scene(HALVES), 60, None)

    assert all(cure.starts_ms is None for cure in tried(simulation, 1, simulation.now_ms + 1))


def test_under_spark_whoever_has_most_cores_is_tried_first() -> None:
    """The shell that hoards them."""
    scenario = load("spark-cores-hoarded")
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + 600_000)
    found = tried(simulation, 2)

    assert [(one.remedy.kind, one.starts_ms is not None) for one in found] == [("kill", True)]
