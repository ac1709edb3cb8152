"""Builds a simulation of a scenario: control plane, world before it, and the state in which the scenario opens."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import ControlPlane
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.scenario import Scenario
from engine.simulation.control_planes import CONTROL_PLANES, check_kinds
from engine.simulation.initial_state import open_world, opens_ms
from engine.simulation.job_tracker_world import JobTrackerWorld, slots_of_tracker
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import Listener
from engine.simulation.scenario_ground import ground_of
from engine.simulation.simulation import Simulation, schedule_arrival
from engine.simulation.spark_world import SparkWorld
from engine.simulation.world import World
from engine.workload.random_streams import stream

WORLDS: Final[Mapping[str, type[World]]] = {
    YarnClusterView.kind: World,
    SparkClusterView.kind: SparkWorld,
    JobTrackerView.kind: JobTrackerWorld,
}
"""Kind of control plane → the world before it."""


def build_simulation(
    scenario: Scenario,
    listeners: Sequence[Listener] = (),
    *,
    control_plane: ControlPlane | None = None,
    naive: bool = False,
) -> Simulation:
    """A simulation that stands at the start of its scenario.

    Args:
        listeners: Get every record, from before the start on.
        control_plane: Stands in for the scenario's own.
        naive: True plays every heartbeat and call, also those without effect; for comparison.

    Raises:
        ConfigError: The scenario's settings, allocation file or running applications cannot be.
    """
    check_kinds(scenario)
    now_ms = opens_ms(scenario)
    decides = control_plane or CONTROL_PLANES[scenario.scheduler](scenario, now_ms)
    ground = ground_of(scenario, naive=naive)
    world = WORLDS[decides.view().kind](ground, decides, node_managers(scenario), now_ms)
    simulation = Simulation(world, listeners)
    open_world(world, scenario, simulation.flush)
    schedule_arrival(world, 0)
    simulation.flush()
    return simulation


def node_managers(scenario: Scenario) -> list[NodeManager]:
    """The scenario's nodes, each with the phase of its heartbeat: as written, or drawn from the seed.

    The size of a TaskTracker is its slots, not its memory.
    """
    random = stream(scenario.seed, "nodes")
    nodes = []
    for index, spec in enumerate(scenario.cluster.all_nodes()):
        size = slots_of_tracker(scenario.settings) if scenario.system == "mr1" else (spec.memory_mb, spec.vcores)
        node = NodeManager(index, spec.id, spec.rack, *size, spec.partition)
        drawn_ms = int(random.random() * scenario.cluster.heartbeat_ms)
        node.phase_ms = scenario.start_ms + (drawn_ms if spec.phase_ms is None else spec.phase_ms)
        nodes.append(node)
    return nodes
