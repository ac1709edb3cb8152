"""An application's part of what its queue is guaranteed."""

import pytest

from engine.observe.snapshots import has_its_part, snapshot_of_simulation
from engine.simulation.build import build_simulation
from tests.engine.explain.stuck import app, scene


@pytest.mark.parametrize(("held_gb", "expected"), [(10, True), (9, False)])
def test_who_holds_its_even_part_of_the_guarantee_has_it(held_gb: int, *, expected: bool) -> None:
    """Two applications of a queue that is guaranteed 20 GB: ten are the part of each."""
    text = app("first", f'{{ memory = "1g", count = {held_gb} }}') + app("second", '{ memory = "1g" }', at=9)
    scenario = scene(text)
    simulation = build_simulation(scenario, [])
    simulation.run_until(scenario.start_ms + 30_000)

    assert has_its_part(snapshot_of_simulation(simulation), 1) is expected
