"""Handles the events of node managers, heartbeats aside: they join, register again, change and leave.

Source: ResourceTrackerService, RMNodeImpl, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.control_plane.protocol import (
    NodeContainer,
    NodeJoined,
    NodeLost,
    NodeRegisteredAgain,
    NodeRelabelled,
    NodeResized,
)
from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.decision import Decision
from engine.model.ledger import Node
from engine.schedulers.yarn_scheduler import YarnScheduler, relabel

NODE_LEAVES: Final = {"LOST": "EXPIRE", "UNHEALTHY": "SICKEN", "DECOMMISSIONED": "DECOMMISSION"}
"""State a node is reported in → its move in the node table."""


def node_of(cluster: Cluster, name: str) -> Node:
    """A node that is up. Raises RefusedError if there is none of this name."""
    node = cluster.nodes.get(name)
    if node is None:
        raise RefusedError("NodeNotFoundException", f"there is no node {name}")
    return node


def _joined(scheduler: YarnScheduler, event: NodeJoined | NodeRegisteredAgain, now_ms: int) -> list[Decision]:
    if event.node in scheduler.cluster.nodes:
        raise RefusedError("IllegalStateException", f"node {event.node} is already there")
    host, _, port = event.node.rpartition(":")
    node = scheduler.add_node(host, int(port), event.rack, event.memory_mb, event.vcores, event.partition)
    node.heartbeat_ms = now_ms
    return []


def registered_again(scheduler: YarnScheduler, event: NodeRegisteredAgain, now_ms: int) -> list[Decision]:
    """One that is known and runs nothing is removed and added at once; what it still ran for the scheduler is lost.

    Source: RMNodeImpl.ReconnectNodeTransition.
    """
    node = scheduler.cluster.nodes.get(event.node)
    if node is None:
        return _joined(scheduler, event, now_ms)
    node.heartbeat_ms = now_ms
    if any(each.exit_status is None for each in event.containers):
        return _take_over(scheduler, node, event.containers, now_ms)
    decisions = scheduler.remove_node(node, "REBOOT", now_ms)
    return decisions + _joined(scheduler, event, now_ms)


def _take_over(
    scheduler: YarnScheduler, node: Node, containers: tuple[NodeContainer, ...], now_ms: int
) -> list[Decision]:
    started = [each.container for each in containers if each.exit_status is None]
    ended = [(each.container, each.exit_status) for each in containers if each.exit_status is not None]
    return scheduler.apply_node_report(node, started, ended, now_ms)


def _lost(scheduler: YarnScheduler, event: NodeLost, now_ms: int) -> list[Decision]:
    return scheduler.remove_node(node_of(scheduler.cluster, event.node), NODE_LEAVES[event.state], now_ms)


def _resized(scheduler: YarnScheduler, event: NodeResized, now_ms: int) -> list[Decision]:
    node = node_of(scheduler.cluster, event.node)
    if (event.memory_mb, event.vcores) == (node.total_memory_mb, node.total_vcores):
        return []
    return scheduler.resize_node(node, event.memory_mb, event.vcores)


HANDLERS: Final[Mapping[type, Callable[[YarnScheduler, Any, int], list[Decision]]]] = {
    NodeJoined: _joined,
    NodeLost: _lost,
    NodeRelabelled: lambda scheduler, event, now_ms: relabel(
        scheduler, node_of(scheduler.cluster, event.node), event.partition, now_ms
    ),
    NodeResized: _resized,
}
"""Event → what it does to the scheduler; Any: each function takes the event it stands beside."""
