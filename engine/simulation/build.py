"""Makes a simulation of a scenario: the one place where control planes are chosen by name."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from engine.control_plane.job_tracker import TASK_SCHEDULERS, JobTracker
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import ControlPlane
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.spark_master import SparkMaster
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.errors import ConfigError, Problem
from engine.formats.fair_pools_xml import read_pools
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.scenario import MapReduceSpec, Scenario, StandaloneSpec
from engine.scenario.acts import Act
from engine.scenario.timed_acts import Finders, resolved
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.registry import SCHEDULERS
from engine.schedulers.settings import (
    HadoopSettings,
    resource_manager_settings,
)
from engine.settings.site import (
    HIGH_AVAILABILITY,
    MASTER_EXPIRY,
    NODE_RECOVERY,
    PRESERVES_WORK,
    RETRY_INTERVAL,
    SESSION_TIMEOUT,
    yarn_table,
)
from engine.simulation.ground import Ground
from engine.simulation.initial_state import APART_MS, open_world
from engine.simulation.job_tracker_world import CONNECT_RETRY_MS, JobTrackerWorld, slots_of_tracker
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation, schedule_arrival
from engine.simulation.spark_world import SparkWorld
from engine.simulation.world import World
from engine.workload.arrivals import arrivals
from engine.workload.master import Topology
from engine.workload.random_streams import stream

SEED: Final = "schedlab.spark.seed"


def _resource_manager(scenario: Scenario, now_ms: int) -> ControlPlane:
    text = scenario.allocations_xml()
    return ResourceManager(
        scenario.settings,
        None if text is None else _read_allocations(text, scenario.settings, scenario.era),
        scheduler=scenario.scheduler,
        groups=scenario.groups,
        cluster_timestamp=scenario.timestamp,
        now_ms=now_ms,
    )


def _spark_master(scenario: Scenario, now_ms: int) -> ControlPlane:
    return SparkMaster({SEED: str(scenario.seed)} | scenario.settings)


def _job_tracker(scenario: Scenario, now_ms: int) -> ControlPlane:
    text = scenario.allocations
    return JobTracker(
        scenario.settings,
        scheduler=scenario.scheduler,
        allocations=None if text is None else read_pools(text).allocations,
        racks={node.host: node.rack for node in scenario.cluster.all_nodes()},
        now_ms=now_ms,
    )


CONTROL_PLANES: Final[Mapping[str, Callable[[Scenario, int], ControlPlane]]] = {
    **dict.fromkeys(SCHEDULERS, _resource_manager),
    "spark": _spark_master,
    **dict.fromkeys(TASK_SCHEDULERS, _job_tracker),
}
"""Scheduler named by a scenario → what makes its control plane, given the scenario and the time [epoch ms]."""

WORLDS: Final[Mapping[str, type[World]]] = {
    YarnClusterView.kind: World,
    SparkClusterView.kind: SparkWorld,
    JobTrackerView.kind: JobTrackerWorld,
}
"""Kind of control plane → the world before it."""


def build_simulation(scenario: Scenario, listeners: Sequence[Listener] = (), *, naive: bool = False) -> Simulation:
    """A simulation that stands at the start of its scenario.

    Args:
        scenario: What it consists of.
        listeners: Get every record, from before the start on.
        naive: True plays every heartbeat and call, also those without effect; for comparison.

    Raises:
        ConfigError: The scenario's settings, allocation file or running applications cannot be.
    """
    _check_kinds(scenario)
    opens_ms = scenario.start_ms - len(scenario.running) * APART_MS
    return simulate(scenario, CONTROL_PLANES[scenario.scheduler](scenario, opens_ms), listeners, naive=naive)


def simulate(
    scenario: Scenario, control_plane: ControlPlane, listeners: Sequence[Listener] = (), *, naive: bool = False
) -> Simulation:
    """A simulation of a scenario before a control plane of the caller's choice; else as `build_simulation`."""
    opens_ms = scenario.start_ms - len(scenario.running) * APART_MS
    ground = _ground(scenario, naive=naive)
    world = WORLDS[control_plane.view().kind](ground, control_plane, _node_managers(scenario), opens_ms)
    world.next_application = scenario.first_application
    simulation = Simulation(world, listeners)
    states = {node.id: node.state for node in scenario.cluster.all_nodes() if node.state != "RUNNING"}
    open_world(world, scenario.running, scenario.recovered, states, simulation.flush)
    schedule_arrival(world, 0)
    simulation.flush()
    return simulation


def _check_kinds(scenario: Scenario) -> None:
    """Refuse applications that the scenario's control plane does not run.

    Raises:
        ConfigError: With a problem for each.
    """
    is_spark = scenario.scheduler == "spark"
    is_yarn = not (is_spark or scenario.is_mapreduce1)
    problems = [
        Problem(f"type {spec.type} does not run on scheduler {scenario.scheduler}", key=f"{table}.{spec.name or place}")
        for table, specs in (
            ("workload", scenario.workload),
            ("running", [each.application for each in scenario.running]),
        )
        for place, spec in enumerate(specs)
        if isinstance(spec, StandaloneSpec) is not is_spark
        or (scenario.is_mapreduce1 and not isinstance(spec, MapReduceSpec))
    ]
    if not is_yarn and (scenario.running or scenario.recovered):
        table = "running" if scenario.running else "recovered"
        problems.append(Problem(f"on scheduler {scenario.scheduler} nothing runs before the start", key=table))
    if not is_yarn and any(node.state != "RUNNING" for node in scenario.cluster.nodes):
        problems.append(Problem(f"on scheduler {scenario.scheduler} every node is up at the start", key="cluster"))
    if problems:
        raise ConfigError(problems)


def _ground(scenario: Scenario, *, naive: bool) -> Ground:
    cluster = scenario.cluster
    specs = cluster.all_nodes()
    index = {spec.host: place for place, spec in reversed(list(enumerate(specs)))}
    index |= {spec.id: place for place, spec in enumerate(specs)}
    contact = HadoopSettings(scenario.settings, yarn_table(scenario.era))
    return Ground(
        seed=scenario.seed,
        start_ms=scenario.start_ms,
        heartbeat_ms=cluster.heartbeat_ms,
        am_heartbeat_ms=cluster.am_heartbeat_ms,
        launch_delay_ms=cluster.launch_delay_ms,
        register_delay_ms=cluster.register_delay_ms,
        exit_delay_ms=cluster.exit_delay_ms,
        am_own_rhythm=cluster.am_own_rhythm,
        expiry_ms=_expiry_ms(scenario),
        node_recovery=contact.value(NODE_RECOVERY),
        retry_ms=CONNECT_RETRY_MS if scenario.is_mapreduce1 else contact.positive(RETRY_INTERVAL),
        master_expiry_ms=contact.positive(MASTER_EXPIRY),
        session_timeout_ms=contact.positive(SESSION_TIMEOUT) if contact.value(HIGH_AVAILABILITY) else 0,
        kills_on_resync=not contact.value(PRESERVES_WORK),
        topology=Topology({spec.host: spec.rack for spec in specs}),
        node_index=index,
        arrivals=arrivals(scenario.workload),
        faults=_faults(scenario),
        read_allocations=_read_pools
        if scenario.is_mapreduce1
        else partial(_read_allocations, settings=scenario.settings, era=scenario.era),
        naive=naive,
    )


def _expiry_ms(scenario: Scenario) -> int:
    """How long a silent node is believed alive; a Spark Master knows at once."""
    if scenario.is_mapreduce1:
        return int(scenario.settings.get("mapred.tasktracker.expiry.interval", 600_000))
    return 0 if scenario.scheduler == "spark" else resource_manager_settings(scenario.settings).expiry_ms


def _read_pools(text: str) -> PoolAllocations:
    return read_pools(text).allocations


def _read_allocations(text: str, settings: Mapping[str, str], era: str) -> FairAllocation:
    return read_fair_scheduler(text, settings=settings, era=era).allocation


def _faults(scenario: Scenario) -> tuple[tuple[int, Act], ...]:
    ids = {node.host: node.id for node in scenario.cluster.all_nodes()}
    finders: Finders = {"node": lambda name: ids.get(name, name)}
    timed = [(scenario.start_ms + each.at_ms, resolved(each.act, finders)) for each in scenario.faults]
    return tuple(sorted(timed, key=lambda fault: fault[0]))


def _node_managers(scenario: Scenario) -> list[NodeManager]:
    """The scenario's nodes, each with the phase of its heartbeat: as written, or drawn from the seed.

    The size of a TaskTracker is its slots, not its memory.
    """
    random = stream(scenario.seed, "nodes")
    nodes = []
    for index, spec in enumerate(scenario.cluster.all_nodes()):
        size = slots_of_tracker(scenario.settings) if scenario.is_mapreduce1 else (spec.memory_mb, spec.vcores)
        node = NodeManager(index, spec.id, spec.rack, *size, spec.partition)
        drawn_ms = int(random.random() * scenario.cluster.heartbeat_ms)
        node.phase_ms = scenario.start_ms + (drawn_ms if spec.phase_ms is None else spec.phase_ms)
        nodes.append(node)
    return nodes
