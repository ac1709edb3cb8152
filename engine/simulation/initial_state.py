"""Builds the state in which a scenario opens: nodes that have joined, and what runs and is reserved at the start.

What runs is brought up through the front door like anything else, in the seconds before the start, one application
after another: submitted, its master placed, its containers asked for strictly on their nodes. So nothing can be in a
state that the scheduler itself would not have made; what it refuses is a problem of the scenario.
"""

from collections.abc import Callable

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask, NodeHeartbeat
from engine.errors import ConfigError, Problem
from engine.model.decision import Reserved
from engine.scenario import PlacedContainers, ReservedNode, RunningSpec, Scenario, Size
from engine.simulation.act_handlers import node_named, schedule_fault
from engine.simulation.am_heartbeats import call, register, rest
from engine.simulation.events import AM_HEARTBEAT_DUE, LONE_HEARTBEAT
from engine.simulation.node_heartbeats import join, wake_rounds
from engine.simulation.node_manager import NodeManager
from engine.simulation.passes import schedule_passes
from engine.simulation.recovered_state import start_in_state, take_over
from engine.simulation.world import World
from engine.workload.master import HELD, LAUNCHED, STARTED, WAITING, ApplicationMaster
from engine.workload.scripted import ScriptedMaster

APART_MS = 1000
"""Time between two applications that are started before the scenario's start."""


def opens_ms(scenario: Scenario) -> int:
    """The instant at which a scenario's world opens: early enough for what runs at the start [epoch ms]."""
    return scenario.start_ms - len(scenario.running) * APART_MS


def open_world(world: World, scenario: Scenario, flush: Callable[[], None]) -> None:
    """Bring a world to the start of its scenario.

    The clock of `world` stands at `opens_ms`; `flush` tells listeners what has happened, before time passes.

    Raises:
        ConfigError: Something cannot run or be reserved where the scenario says.
    """
    clock, running = world.clock, scenario.running
    world.next_application = scenario.first_application
    for node in world.nodes:
        join(world, node)
    masters = []
    for turn, spec in enumerate(running):
        flush()
        clock.pass_to(opens_ms(scenario) + turn * APART_MS)
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
    """Set the clock to the start, with every event to come on it."""
    clock, start_ms = world.clock, world.ground.start_ms
    clock.drop((LONE_HEARTBEAT, AM_HEARTBEAT_DUE))
    clock.pass_to(start_ms, ended=False)
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


def _problem(running: RunningSpec | ApplicationMaster, message: str) -> ConfigError:
    spec = running.application if isinstance(running, RunningSpec) else running.spec
    return ConfigError([Problem(message, key=f"running.{spec.name or spec.type}")])


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
    """Offer a master the nodes it may run on, the node named for it first, until it has its container."""
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


def node_of(world: World, running: RunningSpec | ApplicationMaster, name: str) -> NodeManager:
    """Find the node that a scenario names.

    Raises:
        ConfigError: There is none.
    """
    if name not in world.ground.node_index:
        raise _problem(running, f"there is no node {name}")
    return node_named(world, name)


def _place(world: World, master: ApplicationMaster, placed: PlacedContainers) -> None:
    """Have an application ask for containers strictly on one node, and run them from the start on."""
    node = node_of(world, master, placed.node)
    size = Size(memory_mb=placed.memory_mb, vcores=placed.vcores)
    priority = _priority_of(master, size, placed.priority)
    names = ((node.host, True), (node.rack, False), ("*", False))
    asks = (Ask(priority, name, size.memory_mb, size.vcores, placed.count, relax) for name, relax in names)
    _tell_asks(world, master, tuple(asks))
    _update(world)
    missing = placed.count
    for _ in range(placed.count + 1):
        _offer(world, node)
        missing -= _launch_granted(world, master)
        if missing <= 0:
            return
    what = f"{missing} of {placed.count} containers of {size.memory_mb} MB and {size.vcores} vcores"
    raise _problem(master, f"{what} cannot be placed on {placed.node}")


def _launch_granted(world: World, master: ApplicationMaster) -> int:
    """Fetch allocated containers and run them; return how many."""
    answer = world.send(ApplicationMasterHeartbeat(master.number))
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
        asks.append(Ask(priority, name, size.memory_mb, size.vcores, master.counted[key], name == node.host))
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


def _tell_asks(world: World, master: ApplicationMaster, asks: tuple[Ask, ...]) -> None:
    answer = world.send(ApplicationMasterHeartbeat(master.number, asks))
    if answer.rejected:
        raise _problem(master, f"its ask is refused: {answer.detail or answer.rejected}")


def _update(world: World) -> None:
    """Have the control plane update its figures, as its own pass would have done in between."""
    for each in world.control_plane.passes():
        if each.name == "update":
            world.settle(world.control_plane.run_pass(each.name, world.clock.now_ms))


def _offer(world: World, node: NodeManager) -> tuple[object, ...]:
    started, completed = node.report()
    return world.send(NodeHeartbeat(node.id, started, completed)).decisions


def _begin_all(world: World, node: NodeManager) -> None:
    """Start everything that is launched on a node at once, whatever the launch delay."""
    for container in list(node.launching):
        world.begin(node, container)
