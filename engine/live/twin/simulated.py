"""The twin of a simulation: how long its containers will run is known."""

from collections.abc import Mapping
from typing import Final

from engine.control_plane.resource_manager import ResourceManager
from engine.live.twin.assumptions import Assumptions, Span
from engine.live.twin.configuration import configuration_of_scenario
from engine.live.twin.twin import twin_of
from engine.model.identity import container_name
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario import Assumption, Scenario, ScriptedSpec, ServiceSpec
from engine.simulation.events import CONTAINER_ENDS
from engine.simulation.simulation import Simulation

CHANGED: Final = Assumption(
    what="settings", sentence="what operators changed of the settings while it ran is not taken over"
)
CLOSED: Final = Assumption(what="arrivals", sentence="nobody submits anything more, and nothing fails")


def twin_of_simulation(simulation: Simulation, scenario: Scenario, assumptions: Assumptions) -> Scenario:
    """The twin of a simulation as it stands.

    The simulation is looked at only; `assumptions` say what to take for what even here is not known, as when an
    application will let go of a container.

    Raises:
        ConfigError: It is of no cluster of YARN.
    """
    configuration = configuration_of_scenario(scenario)
    control_plane = simulation.control_plane
    is_changed = isinstance(control_plane, ResourceManager) and bool(control_plane.configuration.changes)
    configuration = configuration._replace(assumed=(*scenario.assumed, *((CHANGED,) if is_changed else ()), CLOSED))
    known = assumptions._replace(known_ms=_remaining(simulation, scenario.timestamp))
    return twin_of(snapshot_of_simulation(simulation), configuration, known)


def _remaining(simulation: Simulation, timestamp: int) -> Mapping[str, Span]:
    """Id of a container → how long it will run by itself; those are left out whose masters decide that."""
    world, now_ms = simulation.world, simulation.now_ms
    found: dict[str, Span] = {
        container_name(timestamp, (event[4], event[5], event[6])): event[0] - now_ms
        for event in world.clock.heap
        if event[3] == CONTAINER_ENDS
    }
    for node in world.nodes:
        for container in (*node.running, *node.launching):
            spec = world.specification_of(container[0])
            stays = isinstance(spec, ServiceSpec) or (isinstance(spec, ScriptedSpec) and not spec.waits)
            if stays:
                found.setdefault(container_name(timestamp, container), None)
    return found
