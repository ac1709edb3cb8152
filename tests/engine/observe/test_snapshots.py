"""Every kind of control plane is looked at through one table."""

import pytest

from engine.observe.documents import section_rows
from engine.observe.snapshot import Section
from engine.observe.snapshots import OBSERVERS, snapshot_of, snapshot_of_simulation
from engine.scenario import Scenario
from engine.scenario.acts import DrainNode, LoseNode
from engine.simulation.build import WORLDS, build_simulation
from engine.simulation.initial_state import CONTROL_PLANES
from engine.simulation.simulation import Simulation
from tests.build import ONE_QUEUE

CAPACITIES = {"capacity": ONE_QUEUE, "mr1-capacity": {"mapred.capacity-scheduler.queue.default.capacity": 100}}
"""Beginning of a scheduler's name → what it cannot stand without."""


def _standing(scheduler: str) -> Simulation:
    return build_simulation(
        Scenario.model_validate(
            {
                "scheduler": scheduler,
                "start": "2024-03-04T09:00:00Z",
                "duration": "1m",
                "cluster": {"groups": [{"count": 2, "memory": "4g", "vcores": 4}]},
                "settings": next((of for name, of in CAPACITIES.items() if scheduler.startswith(name)), {}),
            }
        )
    )


@pytest.mark.parametrize("scheduler", sorted(CONTROL_PLANES))
def test_every_scheduler_has_a_snapshot(scheduler: str) -> None:
    """Its control plane is of a registered kind, and each section it names gives rows of the type it says."""
    simulation = _standing(scheduler)
    kind = simulation.control_plane.view().kind
    snapshot = snapshot_of_simulation(simulation)

    assert kind in OBSERVERS
    assert type(simulation.world) is WORLDS[kind]
    assert snapshot.dialect == kind
    for section, row_type in snapshot.sections.items():
        assert all(type(row) is row_type for row in section_rows(snapshot, section)), section


def test_a_draining_node_says_so_only_where_the_operator_is_asked() -> None:
    """A ResourceManager of 2.7 itself sees a node that shrinks; the version of the nodes changes with it."""
    simulation = _standing("fair-2.7")
    simulation.run_until(simulation.now_ms + 2_000)
    node = simulation.world.nodes[0]
    before = snapshot_of_simulation(simulation)
    simulation.act(DrainNode(node.host))
    seen, believed = snapshot_of_simulation(simulation), snapshot_of(simulation)

    assert isinstance(seen.nodes(), Section)
    assert [row.state for row in seen.nodes()] == ["DECOMMISSIONING", "RUNNING"]
    assert [row.state for row in believed.nodes()] == ["RUNNING", "RUNNING"]
    assert believed.version("nodes") != seen.version("nodes") != before.version("nodes")
    assert seen.version("queues") == believed.version("queues")


def test_a_draining_node_that_is_lost_is_lost() -> None:
    simulation = _standing("fair-2.7")
    simulation.run_until(simulation.now_ms + 2_000)
    host = simulation.world.nodes[0].host
    simulation.act(DrainNode(host))
    simulation.act(LoseNode(host))
    simulation.run_until(simulation.now_ms + 700_000)

    assert [row.state for row in snapshot_of_simulation(simulation).nodes()] == ["LOST", "RUNNING"]
