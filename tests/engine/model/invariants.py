"""What must hold between the parts of a cluster, checked from scratch.

Both ledgers are added up again from the containers: charge (attempts, queues, cluster) and placement (nodes).
"""

from collections.abc import Iterator

from engine.errors import InvariantError
from engine.model.cluster import Cluster
from engine.model.ledger import Attempt, Node
from engine.model.request import Queue


def check(cluster: Cluster) -> None:
    """Check everything.

    Raises:
        InvariantError: Naming every violation.
    """
    broken = [*violations(cluster)]
    if broken:
        raise InvariantError("; ".join(broken))


def violations(cluster: Cluster) -> Iterator[str]:
    """What does not hold, in words; nothing when all is well."""
    attempts = [one.attempt for one in cluster.applications.values() if one.attempt is not None]
    for node in cluster.nodes.values():
        yield from _node(node)
    for attempt in attempts:
        yield from _attempt(attempt)
    yield from _queues(attempts)
    live = [container for attempt in attempts for container in attempt.live.values()]
    yield from _differs("cluster: used memory", cluster.used_memory_mb, sum(one.memory_mb for one in live))
    yield from _differs("cluster: used vcores", cluster.used_vcores, sum(one.vcores for one in live))
    yield from _differs("cluster: live containers", cluster.live, len(live))
    yield from _differs("cluster: pending", cluster.pending, sum(attempt.pending for attempt in attempts))
    nodes = cluster.nodes.values()
    memory_mb = sum(node.total_memory_mb for node in nodes) + cluster.doubled_memory_mb
    vcores = sum(node.total_vcores for node in nodes) + cluster.doubled_vcores
    yield from _differs("cluster: total memory", cluster.total_memory_mb, memory_mb)
    yield from _differs("cluster: total vcores", cluster.total_vcores, vcores)
    for container in live:
        # Charge never exceeds placement: what is paid for is somewhere.
        if container.id not in container.node.containers:
            yield f"container {container.id} is live but not on {container.node.id}"


def _node(node: Node) -> Iterator[str]:
    placed = node.containers.values()
    yield from _differs(f"{node.id}: used memory", node.used_memory_mb, sum(one.memory_mb for one in placed))
    yield from _differs(f"{node.id}: used vcores", node.used_vcores, sum(one.vcores for one in placed))
    yield from _differs(f"{node.id}: free memory", node.free_memory_mb, node.total_memory_mb - node.used_memory_mb)
    yield from _differs(f"{node.id}: free vcores", node.free_vcores, node.total_vcores - node.used_vcores)
    held = node.reserved
    if held is not None and held.attempt.reserved.get(node.id) is not held:
        yield f"{node.id}: its reservation is unknown to its application"


def _attempt(attempt: Attempt) -> Iterator[str]:
    name = f"attempt {attempt.application.number}.{attempt.number}"
    live = attempt.live.values()
    yield from _differs(f"{name}: used memory", attempt.used_memory_mb, sum(one.memory_mb for one in live))
    yield from _differs(f"{name}: used vcores", attempt.used_vcores, sum(one.vcores for one in live))
    held = attempt.reserved.values()
    yield from _differs(f"{name}: reserved memory", attempt.reserved_memory_mb, sum(one.memory_mb for one in held))
    wanted = sum(max(group.anywhere.count, 0) for group in attempt.groups.values() if group.anywhere is not None)
    yield from _differs(f"{name}: pending", attempt.pending, wanted)
    requests = [request for group in attempt.groups.values() for request in group.by_name.values()]
    asked_mb = sum(request.memory_mb * request.count for request in requests)
    yield from _differs(f"{name}: asked memory", attempt.asked_memory_mb, asked_mb)
    for container in attempt.newly_allocated:
        if container.state != "ALLOCATED":
            yield f"{name}: {container.id} waits to be fetched in state {container.state}"
    for node_id, container in attempt.reserved.items():
        if container.node.reserved is not container:
            yield f"{name}: its reservation is unknown to {node_id}"


def _queues(attempts: list[Attempt]) -> Iterator[str]:
    expected: dict[Queue, tuple[int, int]] = {}
    for attempt in attempts:
        queue: Queue | None = None if getattr(attempt, "orphaned", False) else attempt.queue
        while queue is not None:
            memory_mb, vcores = expected.get(queue, (0, 0))
            expected[queue] = (memory_mb + attempt.used_memory_mb, vcores + attempt.used_vcores)
            queue = queue.parent
    for each, (memory_mb, vcores) in expected.items():
        yield from _differs(f"queue {each.path}: used memory", each.used_memory_mb, memory_mb)
        yield from _differs(f"queue {each.path}: used vcores", each.used_vcores, vcores)


def _differs(what: str, counted: int, added_up: int) -> Iterator[str]:
    if counted != added_up:
        yield f"{what} is counted as {counted} but adds up to {added_up}"
