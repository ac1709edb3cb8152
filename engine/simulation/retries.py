"""Tries to reach a ResourceManager that does not answer: those of nodes, application masters and clients.

Before a single one they come at an interval; before a pair each wait is drawn between half and one and a half of it.

Source: RMProxy, RetryPolicies, YarnConfiguration#RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, Hadoop 2.7.2 and 3.4.1.
"""

from heapq import heappush

from engine.simulation.events import AM_HEARTBEAT, AM_HEARTBEAT_DUE, NODE_FACT, NODE_RECONNECTS
from engine.simulation.node_manager import NodeManager
from engine.simulation.world import World
from engine.workload.master import ApplicationMaster
from engine.workload.random_streams import stream


def draw(world: World, *purpose: str | int) -> float:
    """A random number from 0 to 1 that depends on the scenario's seed and on what it is for alone."""
    return stream(world.ground.seed, *purpose).random()


def retry_ms(world: World, who: str, number: int) -> int:
    """How long somebody waits who got no answer just now."""
    interval_ms = world.ground.retry_ms
    if not world.ground.session_timeout_ms:
        return interval_ms
    return max(int(interval_ms * (0.5 + draw(world, who, number, world.clock.now_ms))), 1)


def node_tries_again(world: World, node: NodeManager) -> None:
    """Nobody answered a node."""
    node.adrift = True
    node.retry_ms = world.clock.now_ms + retry_ms(world, "node", node.index)
    heappush(world.clock.heap, (node.retry_ms, NODE_FACT, node.index, NODE_RECONNECTS))


def master_tries_again(world: World, master: ApplicationMaster) -> None:
    """Nobody answered a master's call."""
    master.beat_ms = world.clock.now_ms + retry_ms(world, "master", master.number)
    heappush(world.clock.heap, (master.beat_ms, AM_HEARTBEAT, master.number, AM_HEARTBEAT_DUE))
