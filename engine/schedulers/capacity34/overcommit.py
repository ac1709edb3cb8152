"""Nodes that have shrunk below what runs on them: containers are marked, and after a timeout ended.

Source: AbstractYarnScheduler#signalContainersIfOvercommitted, SchedulerNode#getContainersToKill, Hadoop 3.4.1.
"""

from collections.abc import Callable

from engine.model.cluster import Cluster
from engine.model.decision import Decision, Warned
from engine.model.identity import container_id_hash, hash_map_order
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.amounts import NOTHING
from engine.schedulers.capacity34.calculators import Calculator
from engine.schedulers.containers import Complete
from engine.state import Shared, State


class Overcommit(metaclass=State):
    """Since when nodes may lose containers, by node id."""

    cluster: Cluster
    calculator: Shared[Calculator]
    until_ms: dict[str, int] = {}
    """When the timeout of a node's last shrinking is over."""

    def __init__(self, cluster: Cluster, calculator: Calculator) -> None:
        self.cluster = cluster
        self.calculator = calculator

    def watches(self, node: Node) -> bool:
        """Whether a timeout was ever set for a node."""
        return node.id in self.until_ms

    def forget(self, node: Node) -> None:
        """A node has left."""
        self.until_ms.pop(node.id, None)

    def resized(
        self,
        node: Node,
        timeout_ms: int,
        now_ms: int,
        complete: Complete,
        mark: Callable[[Container], None],
    ) -> list[Decision]:
        """A node's total has changed: end containers at once (0), mark them for later, or nothing (-1)."""
        if timeout_ms >= 0:
            self.until_ms[node.id] = now_ms + timeout_ms
        if node.id not in self.until_ms:
            return []
        decisions: list[Decision] = []
        if timeout_ms == 0:
            for container in self.to_kill(node, now_ms):
                decisions += complete(container, "KILL", now_ms, "PREEMPTED")
            return decisions
        for container in self._too_many(node):
            mark(container)
            queue = container.attempt.queue.path
            decisions.append(Warned(container.id, node.id, queue, container.memory_mb))
        return decisions

    def to_kill(self, node: Node, now_ms: int) -> list[Container]:
        """The containers to end on a node whose timeout is over."""
        until_ms = self.until_ms.get(node.id)
        return self._too_many(node) if until_ms is not None and now_ms >= until_ms else []

    def _too_many(self, node: Node) -> list[Container]:
        """Containers to end until the rest fits: no AMs first, then the newest."""
        free = (node.free_memory_mb, node.free_vcores)
        if self.calculator.fits(NOTHING, free):
            return []
        containers = list(node.containers.values())
        hashes = [container_id_hash(self.cluster.cluster_timestamp, one.id) for one in containers]
        chosen: list[Container] = []
        ordered = hash_map_order(containers, hashes)
        for container in sorted(ordered, key=lambda one: (one.is_am, -one.created_ms)):
            chosen.append(container)
            free = (free[0] + container.memory_mb, free[1] + container.vcores)
            if self.calculator.fits(NOTHING, free):
                break
        return chosen
