"""From a scenario to a simulation."""

import pytest

from engine.errors import ConfigError
from engine.scenario.acts import LoseNode, ResizeNode, ReturnNode, SetHealth
from engine.simulation.build import build_simulation
from tests.engine.simulation.scenes import BUSY, scenario


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
