"""Containers selected for preemption for so long that anybody may kill them to take their place.

Source: PreemptionManager, PreemptableQueue, FiCaSchedulerNode, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.decision import ContainerId
from engine.model.identity import container_id_hash, hash_map_order
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.space import Amount, plus
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue
from engine.state import State


class LazyKills(metaclass=State):
    """Knows them by node; each queue has those in and below it in `killable`."""

    cluster: Cluster
    by_node: dict[str, dict[ContainerId, Container]] = {}

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def all(self) -> list[Container]:
        """Return all killed containers that are still on their nodes."""
        return [each for node in self.cluster.nodes.values() if node.id in self.by_node for each in self.on(node)]

    def on(self, node: Node) -> tuple[Container, ...]:
        """Return those on a node, in the order of the class's map; an ended one stays until the node reports it."""
        known = self.by_node.get(node.id)
        if not known:
            return ()
        here = [each for each in known.values() if node.containers.get(each.id) is each]
        if len(here) < len(known):
            self.by_node[node.id] = {each.id: each for each in here}
        timestamp = self.cluster.cluster_timestamp
        return tuple(hash_map_order(here, [container_id_hash(timestamp, each.id) for each in here]))

    def room_on(self, node: Node) -> Amount:
        """Return the free amount of a node, with what the killed containers use there."""
        free = (node.free_memory_mb, node.free_vcores)
        if self.by_node and node.id in self.by_node:
            for each in self.on(node):
                free = plus(free, (each.memory_mb, each.vcores))
        return free

    def add(self, container: Container) -> None:
        """A container may be killed from now on."""
        node = container.node
        self.by_node.setdefault(node.id, {})[container.id] = container
        for queue in _path(container):
            queue.killable.setdefault(node.partition, {})[container.id] = container

    def forget(self, container: Container) -> None:
        """A container has ended."""
        for queue in _path(container):
            queue.killable.get(container.node.partition, {}).pop(container.id, None)


def _path(container: Container) -> list[CapacityQueue]:
    """The queues that pay for a container."""
    attempt = container.attempt
    assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
    path: list[CapacityQueue] = []
    queue: CapacityQueue | None = attempt.queue
    while queue is not None:
        path.append(queue)
        queue = queue.parent
    return path
