"""Applies actions from outside and faults; one table from action to function."""

from collections.abc import Callable
from typing import Any, Final

from engine.control_plane.protocol import (
    AllocationsReloaded,
    Answer,
    ApplicationFinished,
    ApplicationMovedToQueue,
    ApplicationPriorityChanged,
    ContainerKilled,
    NodeRelabelled,
    SettingsChanged,
)
from engine.errors import ConfigError, RefusedError
from engine.schedulers.settings import HIGH_AVAILABILITY
from engine.simulation.actions import (
    Action,
    AddNode,
    DrainNode,
    KillApplication,
    KillContainer,
    LabelNode,
    MoveApplication,
    Reload,
    SetPreemption,
    SetPriority,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
    SubmitApplication,
)
from engine.simulation.events import FAULT, OUTSIDE_ACTION, Event
from engine.simulation.faults import (
    FailOverResourceManager,
    LoseMaster,
    LoseNode,
    LoseResourceManager,
    ResizeNode,
    RestartJobTracker,
    RestartNodeManager,
    RestartResourceManager,
    ReturnNode,
    SetHealth,
)
from engine.simulation.node_heartbeats import fall_silent, join, leave, show
from engine.simulation.node_manager import NodeManager
from engine.simulation.node_restarts import stop_node_manager
from engine.simulation.outages import failover_ms, lose_master, stop_resource_manager
from engine.simulation.passes import schedule_passes
from engine.simulation.records import Acted, Draining
from engine.simulation.world import World

NO_ANSWER: Final = Answer()


def node_named(world: World, name: str) -> NodeManager:
    """A node by `host:port` or host.

    Raises:
        RefusedError: There is none.
    """
    index = world.ground.node_index.get(name)
    if index is None:
        raise RefusedError("UnknownNode", f"there is no node {name}")
    return world.nodes[index]


def _submit(world: World, action: SubmitApplication) -> Answer:
    spec = action.spec()
    return world.submit(spec, spec.number)


def _kill(world: World, action: KillApplication) -> Answer:
    return world.send(ApplicationFinished(action.application, "KILLED", "killed by the operator"))


def _kill_container(world: World, action: KillContainer) -> Answer:
    return world.send(ContainerKilled(action.container))


def _move(world: World, action: MoveApplication) -> Answer:
    return world.send(ApplicationMovedToQueue(action.application, action.queue))


def _set_priority(world: World, action: SetPriority) -> Answer:
    return world.send(ApplicationPriorityChanged(action.application, action.priority))


def _add(world: World, action: AddNode) -> Answer:
    host = action.node.partition(":")[0]
    if action.node in world.ground.node_index or host in world.ground.node_index:
        raise RefusedError("NodeExists", f"there is a node {host} already")
    node = NodeManager(len(world.nodes), action.node, action.rack, action.memory_mb, action.vcores, "")
    join(world, world.take_in(node))
    return NO_ANSWER


def _label(world: World, action: LabelNode) -> Answer:
    """Move a node to another partition; one that is away comes back with its new label."""
    node = node_named(world, action.node)
    answer = NO_ANSWER
    if node.member:
        relabelled = NodeRelabelled(node.id, action.partition)
        answer = world.send(relabelled)
        if not answer.rejected:
            world.records.append(relabelled)
    if not answer.rejected:
        node.partition = action.partition
    return answer


def _drain(world: World, action: DrainNode) -> Answer:
    node = node_named(world, action.node)
    if node.up and node.member and not node.draining:
        node.draining = True
        world.records.append(Draining(node.id))
        show(world, node, *node.load())
        world.expect_report(node)
    return NO_ANSWER


def _lose(world: World, action: LoseNode) -> Answer:
    node = node_named(world, action.node)
    if node.up:
        fall_silent(world, node)
    return NO_ANSWER


def _restart_node_manager(world: World, action: RestartNodeManager) -> Answer:
    stop_node_manager(world, node_named(world, action.node), action.down_ms)
    return NO_ANSWER


def _restart(world: World, action: RestartResourceManager) -> Answer:
    return stop_resource_manager(world, "RESTART", action.down_ms)


def _fail_over(world: World, action: FailOverResourceManager) -> Answer:
    if not world.ground.session_timeout_ms:
        raise RefusedError("IllegalStateException", f"there is one ResourceManager: {HIGH_AVAILABILITY} is not true")
    if not world.control_plane.answers:
        raise RefusedError("IllegalStateException", "no ResourceManager is active")
    down_ms = failover_ms(world, orderly=action.orderly) if action.down_ms is None else action.down_ms
    return stop_resource_manager(world, "FAILOVER", down_ms)


def _lose_resource_manager(world: World, action: LoseResourceManager) -> Answer:
    return stop_resource_manager(world, "LOST", None)


def _lose_master(world: World, action: LoseMaster) -> Answer:
    """By its number or an end of its id, else the first live application of that name."""
    digits = action.application.rpartition("_")[2]
    master = world.masters.get(int(digits)) if digits.isdecimal() else None
    named = (each for each in world.masters.values() if each.spec.name == action.application)
    master = master or next(named, None)
    if master is None:
        raise RefusedError("ApplicationNotFoundException", f"no live application is meant by {action.application}")
    lose_master(world, master, hangs=action.hangs)
    return NO_ANSWER


def _restart_job_tracker(world: World, action: RestartJobTracker) -> Answer:
    raise RefusedError("UnsupportedOperationException", "there is no JobTracker to restart")


def _return(world: World, action: ReturnNode) -> Answer:
    """Register anew; what a node still believed in ran before is lost. Source: RMNodeImpl.ReconnectNodeTransition."""
    node = node_named(world, action.node)
    if node.draining and node.up:
        node.draining = False
        show(world, node, node.memory_mb, node.vcores)
        return NO_ANSWER
    node.healthy = True
    if node.up and node.member:
        return NO_ANSWER
    if node.member:
        leave(world, node, "LOST")
    node.up = True
    node.draining = False
    join(world, node)
    return NO_ANSWER


def _resize(world: World, action: ResizeNode) -> Answer:
    node = node_named(world, action.node)
    node.memory_mb, node.vcores = action.memory_mb, action.vcores
    if not node.draining:
        show(world, node, action.memory_mb, action.vcores)
    return NO_ANSWER


def _set_health(world: World, action: SetHealth) -> Answer:
    node = node_named(world, action.node)
    node.healthy = action.healthy
    if node.has_report():
        world.expect_report(node)
    return NO_ANSWER


def _change(world: World, key: str, value: str) -> Answer:
    answer = world.send(SettingsChanged({key: value}))
    schedule_passes(world)
    return answer


def _set_preemption(world: World, action: SetPreemption) -> Answer:
    return _change(world, "preemption", "true" if action.on else "false")


def _set_reservation_rule(world: World, action: SetReservationRule) -> Answer:
    return _change(world, "reservation.rule", action.rule)


def _set_queue_setting(world: World, action: SetQueueSetting) -> Answer:
    return _change(world, f"queue.{action.queue}.{action.key}", action.value)


def _set_setting(world: World, action: SetSetting) -> Answer:
    return _change(world, action.key, action.value)


def _reload(world: World, action: Reload) -> Answer:
    try:
        allocations = world.ground.read_allocations(action.allocations)
    except ConfigError as error:
        raise RefusedError("AllocationConfigurationException", str(error)) from error
    answer = world.send(AllocationsReloaded(allocations))
    schedule_passes(world)
    return answer


# Any: each function takes the action it stands beside.
HANDLERS: Final[dict[type, Callable[[World, Any], Answer]]] = {
    SubmitApplication: _submit,
    KillApplication: _kill,
    KillContainer: _kill_container,
    MoveApplication: _move,
    SetPriority: _set_priority,
    AddNode: _add,
    LabelNode: _label,
    DrainNode: _drain,
    LoseNode: _lose,
    ReturnNode: _return,
    ResizeNode: _resize,
    SetHealth: _set_health,
    RestartNodeManager: _restart_node_manager,
    RestartResourceManager: _restart,
    FailOverResourceManager: _fail_over,
    LoseResourceManager: _lose_resource_manager,
    LoseMaster: _lose_master,
    RestartJobTracker: _restart_job_tracker,
    SetPreemption: _set_preemption,
    SetReservationRule: _set_reservation_rule,
    SetQueueSetting: _set_queue_setting,
    SetSetting: _set_setting,
    Reload: _reload,
}


def apply_action(world: World, action: Action, position: tuple[int, ...] | None) -> Answer:
    """Do what an action says; a refusal is in the answer and changes nothing.

    Args:
        world: Where.
        action: What.
        position: The event it came after; None for a fault of the scenario.
    """
    world.records.append(Acted(action, position))
    try:
        answer = (world.own_actions.get(type(action)) or HANDLERS[type(action)])(world, action)
    except RefusedError as refusal:
        answer = Answer(rejected=refusal.kind, detail=str(refusal))
    if answer.rejected and not isinstance(action, SubmitApplication):
        world.refuse(type(action).__name__, answer)
    return answer


def fault_strikes(world: World, event: Event) -> None:
    """The next fault of the scenario."""
    faults = world.ground.faults
    apply_action(world, faults[event[2]][1], None)
    schedule_fault(world, event[2] + 1)


def schedule_fault(world: World, index: int) -> None:
    """Put the scenario's fault of this place on the clock, if there is one."""
    if index < len(world.ground.faults):
        world.clock.schedule((world.ground.faults[index][0], OUTSIDE_ACTION, index, FAULT))
