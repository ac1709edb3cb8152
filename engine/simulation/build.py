"""Builds a simulation of a scenario: control plane, world before it, and the state in which the scenario opens.

A run is a scenario, its acts and a hash of its journal; everything else is rebuilt by replaying it.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import ControlPlane
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.scenario import Scenario
from engine.scenario.acts import Act, Finders, resolved
from engine.schedulers.settings import HadoopSettings, resource_manager_settings
from engine.settings import site
from engine.settings.mapreduce1 import EXPIRY, JOB_TRACKER
from engine.simulation import initial_state
from engine.simulation.job_tracker_world import CONNECT_RETRY_MS, JobTrackerWorld, slots_of_tracker
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation, schedule_arrival
from engine.simulation.spark_world import SparkWorld
from engine.simulation.world import RunConstants, World
from engine.workload.arrivals import arrivals
from engine.workload.master import Topology, stream

# The constants of a played scenario: its times, its nodes' places, its arrivals and faults.


def ground_of(scenario: Scenario, *, naive: bool) -> RunConstants:
    """The ground a scenario stands on; `naive` as for `build_simulation`."""
    cluster = scenario.cluster
    specs = cluster.all_nodes()
    index = {spec.host: place for place, spec in reversed(list(enumerate(specs)))}
    index |= {spec.id: place for place, spec in enumerate(specs)}
    contact = HadoopSettings(scenario.settings, site.yarn_table(scenario.era))
    return RunConstants(
        seed=scenario.seed,
        start_ms=scenario.start_ms,
        heartbeat_ms=cluster.heartbeat_ms,
        am_heartbeat_ms=cluster.am_heartbeat_ms,
        launch_delay_ms=cluster.launch_delay_ms,
        register_delay_ms=cluster.register_delay_ms,
        exit_delay_ms=cluster.exit_delay_ms,
        am_own_rhythm=cluster.am_own_rhythm,
        expiry_ms=_expiry_ms(scenario),
        node_recovery=contact.value(site.NODE_RECOVERY),
        retry_ms=CONNECT_RETRY_MS if scenario.system == "mr1" else contact.positive(site.RETRY_INTERVAL),
        master_expiry_ms=contact.positive(site.MASTER_EXPIRY),
        session_timeout_ms=contact.positive(site.SESSION_TIMEOUT) if contact.value(site.HIGH_AVAILABILITY) else 0,
        kills_on_resync=not contact.value(site.PRESERVES_WORK),
        topology=Topology({spec.host: spec.rack for spec in specs}),
        node_index=index,
        arrivals=arrivals(scenario.workload),
        faults=_faults(scenario),
        read_allocations=initial_state.read_pool_allocations
        if scenario.system == "mr1"
        else partial(initial_state.read_allocations, settings=scenario.settings, era=scenario.era),
        naive=naive,
    )


def _expiry_ms(scenario: Scenario) -> int:
    """Return how long a silent node is believed alive [ms]; a Spark Master knows at once."""
    if scenario.system == "mr1":
        return JOB_TRACKER.value(scenario.settings, EXPIRY)
    return 0 if scenario.system == "spark" else resource_manager_settings(scenario.settings).expiry_ms


def _faults(scenario: Scenario) -> tuple[tuple[int, Act], ...]:
    ids = {node.host: node.id for node in scenario.cluster.all_nodes()}
    finders: Finders = {"node": lambda name: ids.get(name, name)}
    timed = [(scenario.start_ms + each.at_ms, resolved(each.act, finders)) for each in scenario.faults]
    return tuple(sorted(timed, key=lambda fault: fault[0]))


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
    """A simulation that stands at the start of its scenario; `listeners` get every record, also those before it.

    A `control_plane` stands in for the scenario's own; with `naive` every heartbeat and call is played, also those
    without effect. Raises ConfigError if settings, allocation file or running applications cannot be.
    """
    initial_state.check_kinds(scenario)
    now_ms = initial_state.opens_ms(scenario)
    decides = control_plane or initial_state.CONTROL_PLANES[scenario.scheduler](scenario, now_ms)
    ground = ground_of(scenario, naive=naive)
    world = WORLDS[decides.view().kind](ground, decides, node_managers(scenario), now_ms)
    simulation = Simulation(world, listeners)
    initial_state.open_world(world, scenario, simulation.flush)
    schedule_arrival(world, 0)
    simulation.flush()
    return simulation


def node_managers(scenario: Scenario) -> list[NodeManager]:
    """The nodes, with the phase of each heartbeat, written or drawn; the size of a TaskTracker is its slots."""
    random = stream(scenario.seed, "nodes")
    nodes = []
    for index, spec in enumerate(scenario.cluster.all_nodes()):
        size = slots_of_tracker(scenario.settings) if scenario.system == "mr1" else (spec.memory_mb, spec.vcores)
        node = NodeManager(index, spec.id, spec.rack, *size, spec.partition)
        drawn_ms = int(random.random() * scenario.cluster.heartbeat_ms)
        node.phase_ms = scenario.start_ms + (drawn_ms if spec.phase_ms is None else spec.phase_ms)
        nodes.append(node)
    return nodes


KeptAct = tuple[tuple[int, ...], Act]  # (the event it came after, the act), as `Simulation.acts` keeps them


def replay(
    scenario: Scenario, acts: Iterable[KeptAct], until_ms: int, listeners: Sequence[Listener] = ()
) -> Simulation:
    """Play a scenario again with the acts of `Simulation.acts`, through an instant, for the same records."""
    return replay_on(build_simulation(scenario, listeners), acts, until_ms)


def replay_on(simulation: Simulation, acts: Iterable[KeptAct], until_ms: int) -> Simulation:
    """Play a copy on to the end of an instant [epoch ms] as the run went, with the acts still to come; return it."""
    for position, act in islice(acts, len(simulation.acts), None):
        if position[0] > until_ms:
            break
        simulation.run_to(position)
        simulation.act(act)
    simulation.run_until(until_ms)
    return simulation
