"""Builds the state in which a scenario opens: nodes that have joined, and what runs and is reserved at the start.

What runs is brought up through the front door like anything else, in the seconds before the start, one application
after another: submitted, its master placed, its containers asked for strictly on their nodes. So nothing can be in a
state that the scheduler itself would not have made; what it refuses is a problem of the scenario.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from engine.control_plane import protocol
from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.protocol import ControlPlane
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_master import SparkMaster
from engine.errors import ConfigError, Problem
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.fair_placement import read_pools
from engine.model.decision import Reserved
from engine.scenario import (
    MapReduceSpec,
    PlacedContainers,
    RecoveredContainers,
    RecoveredSpec,
    ReservedNode,
    RunningSpec,
    Scenario,
    Size,
    StandaloneSpec,
)
from engine.schedulers.fair.settings import FairAllocation
from engine.schedulers.mr1.settings import PoolAllocations
from engine.schedulers.registry import SCHEDULERS, TASK_SCHEDULERS
from engine.settings.spark import SEED
from engine.simulation.act_handlers import node_named, schedule_fault
from engine.simulation.heartbeats import join, leave, schedule_passes, wake_rounds
from engine.simulation.node_manager import NodeManager
from engine.simulation.outages import call, register, rest
from engine.simulation.world import AM_HEARTBEAT_DUE, LONE_HEARTBEAT, World
from engine.units import plural
from engine.workload.arrivals import submission_of
from engine.workload.master import HELD, LAUNCHED, STARTED, WAITING, ApplicationMaster, drawn, stream
from engine.workload.scripted import ScriptedMaster

# Makes the control plane of a scenario: the one place where control planes are chosen by name.


def _resource_manager(scenario: Scenario, now_ms: int) -> ControlPlane:
    text = scenario.allocations_xml()
    return ResourceManager(
        scenario.settings,
        None if text is None else read_allocations(text, scenario.settings, scenario.era),
        scheduler=scenario.scheduler,
        groups=scenario.groups,
        cluster_timestamp=scenario.timestamp,
        now_ms=now_ms,
    )


def _job_tracker(scenario: Scenario, now_ms: int) -> ControlPlane:
    text = scenario.allocations
    return JobTracker(
        scenario.settings,
        scheduler=scenario.scheduler,
        allocations=None if text is None else read_pool_allocations(text),
        racks={node.host: node.rack for node in scenario.cluster.all_nodes()},
        now_ms=now_ms,
    )


CONTROL_PLANES: Final[Mapping[str, Callable[[Scenario, int], ControlPlane]]] = {
    **dict.fromkeys(SCHEDULERS, _resource_manager),
    "spark": lambda scenario, now_ms: SparkMaster({SEED.name: str(scenario.seed)} | scenario.settings),
    **dict.fromkeys(TASK_SCHEDULERS, _job_tracker),
}
"""Scheduler named by a scenario → makes its control plane, given the scenario and the time [epoch ms]."""


KINDS_OF: Final = {
    "yarn": "mapreduce, spark, tez, service or scripted",
    "spark": "spark-standalone",
    "mr1": "mapreduce",
}
"""System → the types of applications that it runs."""


def check_kinds(scenario: Scenario) -> None:
    """Refuse applications that the control plane does not run. Raises ConfigError with a problem for each."""
    system = scenario.system
    problems = [
        Problem(
            f"type {spec.type} does not run on scheduler {scenario.scheduler}",
            key=f"{table}.{spec.name or place}",
            hint=f"there it is {KINDS_OF[system]}",
        )
        for table, specs in (
            ("workload", scenario.workload),
            ("running", [each.application for each in scenario.running]),
        )
        for place, spec in enumerate(specs)
        if isinstance(spec, StandaloneSpec) is not (system == "spark")
        or (system == "mr1" and not isinstance(spec, MapReduceSpec))
    ]
    if system != "yarn" and (scenario.running or scenario.recovered):
        table = "running" if scenario.running else "recovered"
        problems.append(Problem(f"on scheduler {scenario.scheduler} nothing runs before the start", key=table))
    if system != "yarn" and any(node.state != "RUNNING" for node in scenario.cluster.nodes):
        problems.append(Problem(f"on scheduler {scenario.scheduler} every node is up at the start", key="cluster"))
    if problems:
        raise ConfigError(problems)


def read_pool_allocations(text: str) -> PoolAllocations:
    return read_pools(text).allocations


def read_allocations(text: str, settings: Mapping[str, str], era: str) -> FairAllocation:
    return read_fair_scheduler(text, settings=settings, era=era).allocation


# Takes over applications and nodes as they stand at a scenario's start (`scenario.scenario`).
#
# The control plane takes over each application with all its containers; node managers and masters go on from there.

MASTER: Final = 1  # Number of a master's container; others follow in the order they were allocated


def start_in_state(world: World, node: NodeManager, state: str) -> None:
    """Put a node that has joined into another state than running; a node that drains enters it with its next report."""
    if state == "DECOMMISSIONING":
        node.draining = True
        return
    node.healthy = state != "UNHEALTHY"
    leave(world, node, state)
    node.up = not node.healthy


def take_over(world: World, recovered: Sequence[RecoveredSpec]) -> list[ApplicationMaster]:
    """Take over applications with what they hold; their asks were sent. Raises ConfigError for what is refused."""
    masters: list[ApplicationMaster] = [_take_over(world, spec) for spec in recovered]
    held = [(each.since_ms, place, each) for place, spec in enumerate(recovered) for each in spec.reserved]
    for _, place, each in sorted(held, key=lambda one: one[:2]):
        spec, number = recovered[place], masters[place].number
        node, since_ms = node_of(world, spec, each.node).id, world.ground.start_ms + each.since_ms
        answer = world.send(
            protocol.ReservationRecovered(number, node, each.priority, each.memory_mb, each.vcores, since_ms)
        )
        if answer.rejected:
            raise _problem(spec, f"{each.node} is not reserved for it: {answer.detail or answer.rejected}")
    return masters


def _take_over(world: World, spec: RecoveredSpec) -> ScriptedMaster:
    application, start_ms = spec.application, world.ground.start_ms
    number = application.number or world.next_application
    held = _numbered(world, spec, number)
    submission = submission_of(application, number)
    waits_ms = None if spec.waiting_since_ms is None else start_ms + spec.waiting_since_ms
    event = protocol.ApplicationRecovered(
        submission,
        start_ms + application.at_ms,
        spec.attempt,
        spec.has_master,
        waits_ms,
        tuple((node.id, known) for node, known, _ in held),
        MASTER + sum(each.count for each in spec.containers) + len(spec.reserved),
    )
    answer = world.hand_in(application, submission, event)
    if answer.rejected:
        raise _problem(spec, f"is not taken over: {answer.detail or answer.rejected}")
    master = world.masters[number]
    assert isinstance(master, ScriptedMaster), "only scripted applications are taken over"
    if spec.master is not None:
        node, known, _ = held[0]
        node.recover(known)
        master.begin_attempt(spec.attempt)
        master.container, master.node = known.container, node.index
        master.move(LAUNCHED)
        master.move(STARTED)
    if spec.has_master and spec.registered:
        _go_on(world, spec, master, held)
    return master


Held = tuple[NodeManager, protocol.NodeContainer, RecoveredContainers]


def _numbered(world: World, spec: RecoveredSpec, number: int) -> list[Held]:
    start_ms = world.ground.start_ms
    ordered = sorted(spec.containers, key=lambda each: each.ask is not None)
    first = MASTER if spec.master is not None else MASTER + 1
    return [
        (
            node_of(world, spec, each.node),
            protocol.NodeContainer(
                (number, spec.attempt, first + place),
                each.priority,
                each.memory_mb,
                each.vcores,
                start_ms + each.since_ms,
            ),
            each,
        )
        for place, each in enumerate(each for group in ordered for each in [group] * group.count)
    ]


def _go_on(world: World, spec: RecoveredSpec, master: ScriptedMaster, held: list[Held]) -> None:
    start_ms = world.ground.start_ms
    random = stream(world.ground.seed, "recovered", master.number)
    register(world, master)
    for node, known, each in held:
        lasts_ms = HELD if each.remaining_ms is None else drawn(random, each.remaining_ms)
        if each.ask is None:
            master.stays_until_ms = HELD if lasts_ms == HELD else start_ms + lasts_ms
            continue
        node.recover(known)
        master.begin(known.container, each.ask, node.id, node.host, lasts_ms)
        if lasts_ms != HELD:
            world.end_later(node, known.container, start_ms + lasts_ms, 0)
    if any(master.wanted.values()):
        call(world, master)
        if master.number not in world.masters:
            raise _problem(spec, "its asks are refused")


APART_MS = 1000  # Time between two applications that are started before the scenario's start


def opens_ms(scenario: Scenario) -> int:
    """The instant at which a scenario's world opens: early enough for what runs at the start [epoch ms]."""
    return scenario.start_ms - len(scenario.running) * APART_MS


def open_world(world: World, scenario: Scenario, flush: Callable[[], None]) -> None:
    """Bring a world from `opens_ms` to the start of its scenario; `flush` tells listeners what has happened.

    Raises ConfigError if something cannot run or be reserved where the scenario says.
    """
    clock, running = world.clock, scenario.running
    world.next_application = scenario.first_application
    for node in world.nodes:
        join(world, node)
    masters = []
    for turn, spec in enumerate(running):
        flush()
        clock.advance_to(opens_ms(scenario) + turn * APART_MS)
        masters.append(_bring_up(world, spec))
    for spec, master in zip(running, masters, strict=True):
        for reserved in spec.reserved:
            _reserve(world, master, reserved)
    for spec, master in zip(running, masters, strict=True):
        if spec.reserved:  # the asks of the application replace the strict ones
            master.counted.update(dict.fromkeys(master.counted, -1))
            call(world, master)
    states = {node.id: node.state for node in scenario.cluster.all_nodes()}
    for node in world.nodes:
        if states[node.id] != "RUNNING":
            start_in_state(world, node, states[node.id])
    taken_over = take_over(world, scenario.recovered)
    if taken_over:
        _update(world)
    flush()
    _begin(world, [*masters, *taken_over])


def _begin(world: World, masters: list[ApplicationMaster]) -> None:
    clock, start_ms = world.clock, world.ground.start_ms
    clock.drop((LONE_HEARTBEAT, AM_HEARTBEAT_DUE))
    clock.advance_to(start_ms, ended=False)
    for node in world.nodes:
        node.expected_ms = -1
        if node.has_report():
            world.expect_report(node)
    for master in masters:
        master.beat_ms = 0
        if master.stage == STARTED:
            delay_ms = master.spec.register_delay_ms
            world.wake(master, start_ms + (world.ground.register_delay_ms if delay_ms is None else delay_ms))
        rest(world, master)
    schedule_passes(world)
    schedule_fault(world, 0)
    wake_rounds(world)


def _problem(found: RunningSpec | RecoveredSpec | ApplicationMaster, message: str) -> ConfigError:
    spec = found.spec if isinstance(found, ApplicationMaster) else found.application
    table = "recovered" if isinstance(found, RecoveredSpec) else "running"
    return ConfigError([Problem(message, key=f"{table}.{spec.name or spec.type}")])


def _bring_up(world: World, running: RunningSpec) -> ApplicationMaster:
    spec = running.application
    answer = world.submit(spec, spec.number)
    if answer.rejected:
        raise _problem(running, f"the application is refused: {answer.detail or answer.rejected}")
    assert answer.application is not None, "an application that was taken has a number"
    master = world.masters[answer.application]
    if spec.am is not None:
        _place_master(world, running, master)
    register(world, master)
    master.sent = ()
    for placed in running.placed:
        if not placed.master:
            _place(world, master, placed)
    return master


def _place_master(world: World, running: RunningSpec, master: ApplicationMaster) -> None:
    wanted = [placed.node for placed in running.placed if placed.master]
    nodes = (
        [node_of(world, running, wanted[0])]
        if wanted
        else [*(node_of(world, running, placed.node) for placed in running.placed), *world.nodes]
    )
    _update(world)
    for node in nodes:
        _offer(world, node)
        if master.stage != WAITING:
            break
    if master.stage == WAITING:
        place = f" on {wanted[0]}" if wanted else ""
        raise _problem(running, f"its application master cannot be placed{place}")
    _begin_all(world, world.nodes[master.node])
    if master.stage == LAUNCHED:
        master.move(STARTED)


def node_of(world: World, found: RunningSpec | RecoveredSpec | ApplicationMaster, name: str) -> NodeManager:
    """Find the node that a scenario names. Raises ConfigError if there is none."""
    if name not in world.ground.node_index:
        raise _problem(found, f"there is no node {name}")
    return node_named(world, name)


def _place(world: World, master: ApplicationMaster, placed: PlacedContainers) -> None:
    """Have an application ask for containers strictly on one node, and run them from the start on."""
    node = node_of(world, master, placed.node)
    size = Size(memory_mb=placed.memory_mb, vcores=placed.vcores)
    priority = _priority_of(master, size, placed.priority)
    names = ((node.host, True), (node.rack, False), ("*", False))
    asks = (protocol.Ask(priority, name, size.memory_mb, size.vcores, placed.count, relax) for name, relax in names)
    _tell_asks(world, master, tuple(asks))
    _update(world)
    missing = placed.count
    for _ in range(placed.count + 1):
        _offer(world, node)
        missing -= _launch_granted(world, master)
        if missing <= 0:
            return
    what = f"{missing} of {placed.count} containers of {size.memory_mb} MB and {plural(size.vcores, 'vcore')}"
    raise _problem(master, f"{what} cannot be placed on {placed.node}")


def _launch_granted(world: World, master: ApplicationMaster) -> int:
    answer = world.send(protocol.ApplicationMasterHeartbeat(master.number))
    late_ms = world.ground.start_ms - world.clock.now_ms
    for grant in answer.granted:
        node = world.nodes[world.ground.node_index[grant.node]]
        duration_ms = master.take(grant, node.host, world.ground.start_ms)
        if duration_ms is None:
            raise _problem(master, f"more is placed on {node.host} than the application asks for")
        lasting = duration_ms if duration_ms == HELD else late_ms + duration_ms
        world.launch(node, grant, lasting, master.exit_status(grant.container))
        _begin_all(world, node)
    return len(answer.granted)


def _reserve(world: World, master: ApplicationMaster, reserved: ReservedNode) -> None:
    """Have an application ask strictly for more than a node has free, so that the node is reserved for it.

    The strict asks of its earlier reservations stay: without them these would be dropped.
    """
    node = node_of(world, master, reserved.node)
    size = Size(memory_mb=reserved.memory_mb, vcores=reserved.vcores)
    priority = _priority_of(master, size, reserved.priority)
    if isinstance(master, ScriptedMaster) and all(ask.priority != priority for ask in master.spec.asks):
        raise _problem(master, f"it asks for nothing at priority {priority}")
    asks = []
    for name in (node.host, node.rack, "*"):
        key = (priority, name)
        master.counted[key] = master.counted.get(key, 0) + 1
        master.changed[key] = None
        asks.append(protocol.Ask(priority, name, size.memory_mb, size.vcores, master.counted[key], name == node.host))
    _tell_asks(world, master, tuple(asks))
    _update(world)
    decisions = _offer(world, node)
    if not any(isinstance(each, Reserved) and each.container[0] == master.number for each in decisions):
        raise _problem(master, f"{reserved.node} is not reserved for {size.memory_mb} MB and {size.vcores} vcores")


def _priority_of(master: ApplicationMaster, size: Size, priority: int | None) -> int:
    """Return the priority given, else that of the application's first ask of this size, else of its first ask."""
    if priority is not None:
        return priority
    asked = [master.form(key[0], key[1], 1) for key in master.wanted if key[1] == "*"]
    alike = [ask for ask in asked if (ask.memory_mb, ask.vcores) == (size.memory_mb, size.vcores)]
    return next((ask.priority for ask in alike or asked), 1)


def _tell_asks(world: World, master: ApplicationMaster, asks: tuple[protocol.Ask, ...]) -> None:
    answer = world.send(protocol.ApplicationMasterHeartbeat(master.number, asks))
    if answer.rejected:
        raise _problem(master, f"its ask is refused: {answer.detail or answer.rejected}")


def _update(world: World) -> None:
    for each in world.control_plane.passes():
        if each.name == "update":
            world.apply_answer(world.control_plane.run_pass(each.name, world.clock.now_ms))


def _offer(world: World, node: NodeManager) -> tuple[object, ...]:
    started, completed = node.report()
    return world.send(protocol.NodeHeartbeat(node.id, started, completed)).decisions


def _begin_all(world: World, node: NodeManager) -> None:
    for container in list(node.launching):
        world.begin(node, container)
