"""The state of our ResourceManager in the recording's terms."""

from typing import Any

from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairQueue
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.scheduler import FairScheduler34

Json = dict[str, Any]


def state_of(rm: ResourceManager, names: dict[int, str]) -> Json:
    """Queues, nodes and live applications, by name."""
    return {"queues": _queues(rm), "nodes": nodes_of(rm, names), "apps": _applications(rm, names)}


def _queues(rm: ResourceManager) -> Json:
    if not isinstance(rm.scheduler.policy, FairScheduler27 | FairScheduler34):
        used = {"used_mb": rm.cluster.metrics_memory_mb, "used_vcores": rm.cluster.metrics_vcores}
        return {"default": used}
    return {path: _queue(queue) for path, queue in sorted(rm.scheduler.policy.tree.queues.items())}


def _queue(queue: FairQueue) -> Json:
    return {
        "used_mb": queue.used_memory_mb,
        "used_vcores": queue.used_vcores,
        "demand_mb": queue.demand_memory_mb,
        "demand_vcores": queue.demand_vcores,
        "fair_mb": queue.fair_memory_mb,
        "fair_vcores": queue.fair_vcores,
        "steady_mb": queue.steady_memory_mb,
        "steady_vcores": queue.steady_vcores,
        "running": queue.runnable_count,
        "pending": sum(len(leaf.parked) for leaf in queue.leaves()),
    }


def nodes_of(rm: ResourceManager, names: dict[int, str]) -> Json:
    """What is used and free on each node, and for whom it is reserved."""
    return {
        node.host: {
            "used_mb": node.used_memory_mb,
            "used_vcores": node.used_vcores,
            "free_mb": node.free_memory_mb,
            "free_vcores": node.free_vcores,
            "reserved_for": names[node.reserved.id[0]] if node.reserved is not None else None,
        }
        for node in rm.cluster.nodes.values()
    }


def _applications(rm: ResourceManager, names: dict[int, str]) -> Json:
    told: Json = {}
    for number, application in rm.cluster.applications.items():
        attempt = application.attempt
        if attempt is None:
            continue
        headroom = rm.scheduler.policy.headroom(attempt)
        of_one: Json = {
            "queue": attempt.queue.path,
            "used_mb": attempt.used_memory_mb,
            "used_vcores": attempt.used_vcores,
            "reserved_mb": attempt.reserved_memory_mb,
            "runnable": True,
            "live": len(attempt.live),
            "headroom_mb": headroom.memory_mb,
            "headroom_vcores": headroom.vcores,
        }
        if isinstance(attempt, FairAttempt) and isinstance(attempt.queue, FairLeaf):
            of_one["runnable"] = attempt in attempt.queue.order.members
            of_one["fair_mb"] = attempt.fair_memory_mb
            of_one["fair_vcores"] = attempt.fair_vcores
        told[names[number]] = of_one
    return told
