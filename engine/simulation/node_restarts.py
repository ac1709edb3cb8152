"""Restarts node managers: containers die with them, or outlive them where they are recovered.

Source: NodeManager, ContainerManagerImpl, NodeStatusUpdaterImpl, RMNodeImpl.ReconnectNodeTransition, Hadoop 2.7.2 and
3.4.1. Differs: with `yarn.nodemanager.recovery.enabled` containers outlive every stop; the real one kills them after a
while when it is stopped in order and nobody supervises it. What is brought to a node meanwhile never runs: the real
master tries for three minutes and gives the container back, here it is taken back when its allocation expires.
"""

from engine.control_plane.protocol import NodeRegisteredAgain
from engine.simulation.events import NODE_FACT, NODE_MANAGER_STARTS
from engine.simulation.node_heartbeats import go_silent, join
from engine.simulation.node_manager import NodeManager
from engine.simulation.world import World


def stop_node_manager(world: World, node: NodeManager, down_ms: int) -> None:
    """Stop a node manager and start it again after `down_ms`; one that is down stays down."""
    if not node.up:
        return
    if world.ground.node_recovery:
        node.life += 1
        world.reporting.pop(node.index, None)
    else:
        world.kill_processes(node)
    go_silent(world, node)
    node.starts_ms = world.clock.now_ms + max(down_ms, 1)
    world.clock.schedule((node.starts_ms, NODE_FACT, node.index, NODE_MANAGER_STARTS))


def node_manager_starts(world: World, node: NodeManager) -> None:
    """Start a node manager: it registers with what it still runs; after it was lost it runs nothing and joins anew."""
    if node.member:
        register_again(world, node)
    else:
        world.kill_processes(node)
        join(world, node)


def register_again(world: World, node: NodeManager) -> None:
    """Register a node manager with the containers that it runs."""
    node.shown = (node.memory_mb, node.vcores)
    again = NodeRegisteredAgain(
        node.id, node.rack, node.memory_mb, node.vcores, node.partition, node.known_containers()
    )
    node.member = True
    world.records.append(again)
    world.send(again)
    if node.has_report():
        world.expect_report(node)
