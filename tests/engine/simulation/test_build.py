"""From a scenario to a simulation."""

import pytest

from engine.errors import ConfigError
from engine.scenario.acts import LoseNode, ResizeNode, ReturnNode, SetHealth
from engine.simulation.build import build_simulation
from engine.simulation.initial_state import CONTROL_PLANES
from tests.engine.simulation.scenes import BUSY, SPARK, scenario


@pytest.mark.parametrize("scheduler", ["fifo", "fifo-3.4", "fair-2.7", "fair-3.4"])
def test_the_registry_makes_the_control_plane_named(scheduler: str) -> None:
    simulation = build_simulation(scenario(top=f'scheduler = "{scheduler}"'))

    assert simulation.control_plane.name == scheduler
    assert scheduler in CONTROL_PLANES


def test_a_broken_allocation_file_is_a_problem() -> None:
    with pytest.raises(ConfigError):
        build_simulation(
            scenario().model_copy(
                update={"allocations": "<allocations><queue name='a'><weight>x</weight></queue></allocations>"}
            )
        )


def test_faults_are_resolved_and_in_order() -> None:
    scene = scenario(BUSY, count=8)
    faults = build_simulation(scene).world.ground.faults

    assert [fault for _, fault in faults] == [
        LoseNode("n3:8041"),
        SetHealth("n5:8041", healthy=False),
        ResizeNode("n6:8041", 8192, 8),
        SetHealth("n5:8041", healthy=True),
        ReturnNode("n3:8041"),
    ]
    assert faults[0][0] == scene.start_ms + 180_000


def test_phases_come_from_the_seed() -> None:
    one, same, other = (build_simulation(scenario(count=9, top=f"seed = {seed}")).world.rhythm for seed in (1, 1, 2))

    assert one == same
    assert one != other
    assert all(0 <= phase < 1000 for phase, _ in one)


def test_numbers_begin_where_the_scenario_says() -> None:
    scene = scenario(SPARK, top="first_application = 500")
    simulation = build_simulation(scene)
    simulation.run_until(scene.start_ms + 10_000)

    assert list(simulation.world.masters) == [500]
