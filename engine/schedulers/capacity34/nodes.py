"""Nodes join, leave, change their size or go to another partition: totals, queues and containers follow.

Source: CapacityScheduler#addNode, #removeNode, #updateNodeAndQueueResource, #updateLabelsOnNode,
AbstractYarnScheduler#signalContainersIfOvercommitted, SchedulerNode#getContainersToKill,
CapacityScheduler#allocateContainersOnMultiNodes, MultiNodeSortingManager, MultiNodeSorter,
ResourceUsageMultiNodeLookupPolicy, RegularContainerAllocator#allocate, Hadoop 3.4.1.
"""

from collections.abc import Callable, Sequence
from typing import Final

from engine.model.cluster import Cluster
from engine.model.decision import Decision, Warned
from engine.model.identity import container_id_hash, hash_map_order, node_id_hash
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.properties import RUNTIME, Properties
from engine.schedulers.capacity.space import NOTHING
from engine.schedulers.capacity34.calculators import Calculator
from engine.schedulers.capacity34.queue import Leaf
from engine.settings.capacity_scheduler import MULTI_NODE, SKIPS_RESERVED, SORTING_POLICIES, SORTING_POLICY
from engine.settings.table import LONG
from engine.state import Shared, State

# Multi-node placement: an application is given something on the best node of a partition, whichever node beats.
#
# Nodes are looked through with the least used one first. They are sorted at each look or, with an interval, by a pass
# of its own; a queue without a policy only looks at one node.

SORT: Final = "sort_nodes"  # The pass that sorts nodes
POLICIES: Final = SORTING_POLICY.everywhere
ONE_AT_A_TIME: Final = -1  # Instead of an interval, where no policy is there to sort


class MultiNodePlacement(metaclass=State):
    """Which nodes a look goes through."""

    cluster: Cluster
    enabled: bool
    interval_ms: int
    silence_ms: int  # For how long a node may be silent before it is passed by
    skips_reserved: bool  # Whether a reserved node is passed by unless it is the last one
    sorted: dict[str, list[Node]] = {}  # By partition, as sorted by the last pass

    def __init__(self, cluster: Cluster, properties: Properties, silence_ms: int) -> None:
        self.cluster = cluster
        self.enabled = properties.everywhere(MULTI_NODE)
        self.interval_ms = _interval_ms(properties)
        self.silence_ms = silence_ms
        self.skips_reserved = properties.everywhere(SKIPS_RESERVED)

    def passes(self) -> tuple[tuple[str, int], ...]:
        return ((SORT, self.interval_ms),) if self.enabled and self.interval_ms > 0 else ()

    def sort(self) -> bool:
        """Sort all partitions' nodes anew; whether the order has changed."""
        before, self.sorted = self.sorted, {}
        for node in sorted(self.cluster.nodes.values(), key=_use_of):
            self.sorted.setdefault(node.partition, []).append(node)
        return before != self.sorted

    def candidates(self, node: Node, now_ms: int) -> list[Node]:
        """The nodes of a node's partition that are alive, in the order of the class's map."""
        nodes = [
            each
            for each in self.cluster.nodes.values()
            if each.partition == node.partition and self._is_alive(each, now_ms)
        ]
        return hash_map_order(nodes, [node_id_hash(each.host, each.port) for each in nodes]) or [node]

    def in_order(self, leaf: Leaf, candidates: Sequence[Node], now_ms: int) -> list[Node]:
        """Return the nodes that an application of a leaf is tried on, in order."""
        if not leaf.queue.settings.sorts_nodes or self.interval_ms == ONE_AT_A_TIME:
            return list(candidates[:1])
        if not self.interval_ms:
            return sorted(candidates, key=_use_of)
        return [each for each in self.sorted.get(candidates[0].partition, ()) if self._is_alive(each, now_ms)]

    def _is_alive(self, node: Node, now_ms: int) -> bool:
        return now_ms - node.heartbeat_ms <= self.silence_ms


def _interval_ms(properties: Properties) -> int:
    """Return the interval at which the policy sorts [ms]; 0 at each look."""
    interval_ms = ONE_AT_A_TIME
    for name in properties.names(SORTING_POLICIES.everywhere) or ():
        if name != "default" and not properties.text(f"{POLICIES}.{name}.class"):
            properties.refusals.add(RUNTIME, f"{name!r} needs a class", f"{POLICIES}.{name}.class")
        key = f"{POLICIES}.{name}.sorting-interval.ms"
        interval_ms = properties.parsed(key, LONG, 1000)
        if interval_ms < 0:
            properties.refusals.add(RUNTIME, f"{interval_ms} is below 0", key)
    return interval_ms


def _use_of(node: Node) -> tuple[int, int, str, int]:
    """The least used node comes first. Source: ResourceUsageMultiNodeLookupPolicy, Resource#compareTo."""
    used_mb, used_vcores = node.total_memory_mb - node.free_memory_mb, node.total_vcores - node.free_vcores
    return (used_mb, used_vcores, node.host, node.port)


class Overcommit(metaclass=State):
    """Since when nodes may lose containers, by node id."""

    cluster: Cluster
    calculator: Shared[Calculator]
    until_ms: dict[str, int] = {}  # When the timeout of a node's last shrinking is over

    def __init__(self, cluster: Cluster, calculator: Calculator) -> None:
        self.cluster = cluster
        self.calculator = calculator

    def watches(self, node: Node) -> bool:
        return node.id in self.until_ms

    def forget(self, node: Node) -> None:
        self.until_ms.pop(node.id, None)

    def resized(
        self,
        node: Node,
        timeout_ms: int,
        now_ms: int,
        complete: Callable[[Container, str, int, str], list[Decision]],
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
        until_ms = self.until_ms.get(node.id)
        return self._too_many(node) if until_ms is not None and now_ms >= until_ms else []

    def _too_many(self, node: Node) -> list[Container]:
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
