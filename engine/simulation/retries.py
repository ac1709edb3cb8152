"""Schedules the tries of nodes, application masters and clients to reach a ResourceManager that does not answer.

Tries of a single ResourceManager come at an interval. Of a pair, each wait is drawn between half and one and a half of
that interval.

Source: RMProxy, RetryPolicies, YarnConfiguration#RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, Hadoop 2.7.2 and 3.4.1.
"""

from heapq import heappush

from engine.simulation.events import AM_HEARTBEAT, AM_HEARTBEAT_DUE, NODE_FACT, NODE_RECONNECTS
from engine.simulation.node_manager import NodeManager
from engine.simulation.world import World
from engine.workload.master import ApplicationMaster
from engine.workload.random_streams import stream


def draw(world: World, *purpose: str | int) -> float:
    """Draw a number from 0 to 1 that depends on the scenario's seed and on its purpose alone."""
    return stream(world.ground.seed, *purpose).random()


def retry_ms(world: World, who: str, number: int) -> int:
    """Return the wait before the next try [ms]."""
    interval_ms = world.ground.retry_ms
    if not world.ground.session_timeout_ms:
        return interval_ms
    return max(int(interval_ms * (0.5 + draw(world, who, number, world.clock.now_ms))), 1)


def node_tries_again(world: World, node: NodeManager) -> None:
    """Schedule the next try of a node that got no answer."""
    node.adrift = True
    node.retry_ms = world.clock.now_ms + retry_ms(world, "node", node.index)
    heappush(world.clock.heap, (node.retry_ms, NODE_FACT, node.index, NODE_RECONNECTS))


def master_tries_again(world: World, master: ApplicationMaster) -> None:
    """Schedule the next try of a master that got no answer."""
    master.beat_ms = world.clock.now_ms + retry_ms(world, "master", master.number)
    heappush(world.clock.heap, (master.beat_ms, AM_HEARTBEAT, master.number, AM_HEARTBEAT_DUE))
