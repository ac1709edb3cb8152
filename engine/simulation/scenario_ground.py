"""The constants of a played scenario: its times, its nodes' places, its arrivals and faults."""

from functools import partial

from engine.scenario import Scenario
from engine.scenario.acts import Act
from engine.scenario.timed_acts import Finders, resolved
from engine.schedulers.settings import HadoopSettings, resource_manager_settings
from engine.settings.mapreduce1 import EXPIRY, JOB_TRACKER
from engine.settings.site import (
    HIGH_AVAILABILITY,
    MASTER_EXPIRY,
    NODE_RECOVERY,
    PRESERVES_WORK,
    RETRY_INTERVAL,
    SESSION_TIMEOUT,
    yarn_table,
)
from engine.simulation.control_planes import read_allocations, read_pool_allocations
from engine.simulation.ground import Ground
from engine.simulation.job_tracker_world import CONNECT_RETRY_MS
from engine.workload.arrivals import arrivals
from engine.workload.master import Topology


def ground_of(scenario: Scenario, *, naive: bool) -> Ground:
    """The ground a scenario stands on; `naive` as for `build_simulation`."""
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
        retry_ms=CONNECT_RETRY_MS if scenario.system == "mr1" else contact.positive(RETRY_INTERVAL),
        master_expiry_ms=contact.positive(MASTER_EXPIRY),
        session_timeout_ms=contact.positive(SESSION_TIMEOUT) if contact.value(HIGH_AVAILABILITY) else 0,
        kills_on_resync=not contact.value(PRESERVES_WORK),
        topology=Topology({spec.host: spec.rack for spec in specs}),
        node_index=index,
        arrivals=arrivals(scenario.workload),
        faults=_faults(scenario),
        read_allocations=read_pool_allocations
        if scenario.system == "mr1"
        else partial(read_allocations, settings=scenario.settings, era=scenario.era),
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
