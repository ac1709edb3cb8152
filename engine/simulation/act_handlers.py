"""Carries out acts: one table from the kind of act to its function."""

from collections.abc import Callable
from typing import Any, Final

from engine.control_plane import protocol
from engine.control_plane.protocol import NOTHING, Answer
from engine.errors import ConfigError, RefusedError
from engine.scenario import acts
from engine.settings.site import HIGH_AVAILABILITY
from engine.simulation.heartbeats import fall_silent, join, leave, schedule_passes, show, stop_node_manager
from engine.simulation.node_manager import NodeManager
from engine.simulation.outages import failover_ms, lose_master, stop_resource_manager
from engine.simulation.records import Acted, Draining
from engine.simulation.world import FAULT, OUTSIDE_ACTION, Event, World


def node_named(world: World, name: str) -> NodeManager:
    """Find a node by `host:port` or by host. Raises RefusedError if there is none."""
    index = world.ground.node_index.get(name)
    if index is None:
        raise RefusedError("UnknownNode", f"there is no node {name}")
    return world.nodes[index]


def number_of(application: int | str) -> int:
    """The number of the application of an act; raises RefusedError for a name, which has to be looked up before."""
    if isinstance(application, str):
        raise RefusedError("ApplicationNotFoundException", f"no application, or more than one, matches {application}")
    return application


def _kill(world: World, act: acts.KillApplication) -> Answer:
    return world.send(protocol.ApplicationFinished(number_of(act.application), "KILLED", "killed by the operator"))


def _kill_container(world: World, act: acts.KillContainer) -> Answer:
    container = act.container
    if isinstance(container, str):
        raise RefusedError("ContainerNotFoundException", f"{container} is not a container id")
    return world.send(protocol.ContainerKilled(container))


def _add(world: World, act: acts.AddNode) -> Answer:
    host = act.node.partition(":")[0]
    if act.node in world.ground.node_index or host in world.ground.node_index:
        raise RefusedError("NodeExists", f"there is a node {host} already")
    if not world.control_plane.knows_label(act.partition):
        raise RefusedError("IOException", f"the cluster has no node label {act.partition}")
    node = NodeManager(len(world.nodes), act.node, act.rack, act.memory_mb, act.vcores, act.partition)
    join(world, world.take_in(node))
    return NOTHING


def _label(world: World, act: acts.LabelNode) -> Answer:
    """Move a node to another partition; one that is away comes back with its new label."""
    node = node_named(world, act.node)
    answer = NOTHING
    if node.member:
        relabelled = protocol.NodeRelabelled(node.id, act.partition)
        answer = world.send(relabelled)
        if not answer.rejected:
            world.records.append(relabelled)
    if not answer.rejected:
        node.partition = act.partition
    return answer


def _drain(world: World, act: acts.DrainNode) -> Answer:
    node = node_named(world, act.node)
    if node.up and node.member and not node.draining:
        node.draining = True
        world.records.append(Draining(node.id))
        show(world, node, *node.load())
        world.expect_report(node)
    return NOTHING


def _lose(world: World, act: acts.LoseNode) -> Answer:
    node = node_named(world, act.node)
    if node.up:
        fall_silent(world, node)
    return NOTHING


def _restart_node_manager(world: World, act: acts.RestartNodeManager) -> Answer:
    stop_node_manager(world, node_named(world, act.node), act.down_ms)
    return NOTHING


def _fail_over(world: World, act: acts.FailOverResourceManager) -> Answer:
    if not world.ground.session_timeout_ms:
        raise RefusedError("IllegalStateException", f"there is one ResourceManager: {HIGH_AVAILABILITY} is not true")
    if not world.control_plane.answers:
        raise RefusedError("IllegalStateException", "no ResourceManager is active")
    down_ms = failover_ms(world, orderly=act.orderly) if act.down_ms is None else act.down_ms
    return stop_resource_manager(world, "FAILOVER", down_ms)


def _lose_master(world: World, act: acts.LoseMaster) -> Answer:
    """Lose the master of an application: by its number or id, else the first live application of that name."""
    digits = act.application.rpartition("_")[2]
    master = world.masters.get(int(digits)) if digits.isdecimal() else None
    named = (each for each in world.masters.values() if each.spec.name == act.application)
    master = master or next(named, None)
    if master is None:
        raise RefusedError("ApplicationNotFoundException", f"no live application is meant by {act.application}")
    lose_master(world, master, hangs=act.hangs)
    return NOTHING


def _restart_job_tracker(world: World, act: acts.RestartJobTracker) -> Answer:
    raise RefusedError("UnsupportedOperationException", "there is no JobTracker to restart")


def _return(world: World, act: acts.ReturnNode) -> Answer:
    for node in [node_named(world, name) for name in (act.node, *act.also)]:
        _return_node(world, node)
    return NOTHING


def _return_node(world: World, node: NodeManager) -> None:
    """Register anew; what a node still believed in ran before is lost. Source: RMNodeImpl.ReconnectNodeTransition."""
    if node.draining and node.up:
        node.draining = False
        show(world, node, node.memory_mb, node.vcores)
        return
    node.healthy = True
    if node.up and world.comes_back(node):
        return
    if node.member:
        leave(world, node, "LOST")
    node.up = True
    node.draining = False
    join(world, node)


def _resize(world: World, act: acts.ResizeNode) -> Answer:
    node = node_named(world, act.node)
    node.memory_mb, node.vcores = act.memory_mb, act.vcores
    if not node.draining:  # a node that drains shows no more than what still runs on it
        show(world, node, act.memory_mb, act.vcores)
    return NOTHING


def _set_health(world: World, act: acts.SetHealth) -> Answer:
    for node in [node_named(world, name) for name in (act.node, *act.also)]:
        node.healthy = act.healthy
        if node.has_report():
            world.expect_report(node)
    return NOTHING


def _change(world: World, key: str, value: str) -> Answer:
    answer = world.send(protocol.SettingsChanged({key: value}))
    schedule_passes(world)  # a setting may add a pass, end one, or change its interval
    return answer


def _reload(world: World, act: acts.Reload) -> Answer:
    try:
        allocations = world.ground.read_allocations(act.allocations)
    except ConfigError as error:
        raise RefusedError("AllocationConfigurationException", str(error)) from error
    answer = world.send(protocol.AllocationsReloaded(allocations))
    schedule_passes(world)
    return answer


# Any: each function takes the act it stands beside.
HANDLERS: Final[dict[type, Callable[[World, Any], Answer]]] = {
    acts.SubmitApplication: lambda world, act: world.submit(spec := act.spec(), spec.number),
    acts.KillApplication: _kill,
    acts.KillContainer: _kill_container,
    acts.MoveApplication: lambda world, act: world.send(
        protocol.ApplicationMovedToQueue(number_of(act.application), act.queue)
    ),
    acts.SetPriority: lambda world, act: world.send(
        protocol.ApplicationPriorityChanged(number_of(act.application), act.priority)
    ),
    acts.AddNode: _add,
    acts.LabelNode: _label,
    acts.DrainNode: _drain,
    acts.LoseNode: _lose,
    acts.ReturnNode: _return,
    acts.ResizeNode: _resize,
    acts.SetHealth: _set_health,
    acts.RestartNodeManager: _restart_node_manager,
    acts.RestartResourceManager: lambda world, act: stop_resource_manager(world, "RESTART", act.down_ms),
    acts.FailOverResourceManager: _fail_over,
    acts.LoseResourceManager: lambda world, act: stop_resource_manager(world, "LOST", None),
    acts.LoseMaster: _lose_master,
    acts.RestartJobTracker: _restart_job_tracker,
    acts.SetPreemption: lambda world, act: _change(world, "preemption", "true" if act.on else "false"),
    acts.SetReservationRule: lambda world, act: _change(world, "reservation.rule", act.rule),
    acts.SetQueueSetting: lambda world, act: _change(world, f"queue.{act.queue}.{act.key}", act.value),
    acts.SetSetting: lambda world, act: _change(world, act.key, act.value),
    acts.Reload: _reload,
}


def carry_out(world: World, act: acts.Act, position: tuple[int, ...] | None) -> Answer:
    """Carry out an act; a refusal is in the answer and changes nothing.

    The names of `act` were looked up; `position` is the event it came after, None for a fault of the scenario.
    """
    world.records.append(Acted(act, position))
    try:
        answer = (world.own_acts.get(type(act)) or HANDLERS[type(act)])(world, act)
    except RefusedError as refusal:
        answer = Answer(rejected=refusal.kind, detail=str(refusal))
    if answer.rejected and not isinstance(act, acts.SubmitApplication):  # `Submitted` tells of a refusal itself
        world.refuse(type(act).__name__, answer)
    return answer


def fault_strikes(world: World, event: Event) -> None:
    faults = world.ground.faults
    carry_out(world, faults[event[2]][1], None)
    schedule_fault(world, event[2] + 1)


def schedule_fault(world: World, index: int) -> None:
    """Put the scenario's fault of this place on the clock, if there is one."""
    if index < len(world.ground.faults):
        world.clock.schedule((world.ground.faults[index][0], OUTSIDE_ACTION, index, FAULT))
