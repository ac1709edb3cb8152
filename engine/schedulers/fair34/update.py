"""The update pass of 3.x: demand from the leaves up, then shares from the root down; every queue is always visited.

Source: FSLeafQueue#updateDemand, FSParentQueue#updateDemand, #updateInternal, Hadoop 3.4.1.
"""

import math

from engine.model.java_number import float32
from engine.model.java_values import LONG_MAX
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.shares import share_children, share_out
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.fair34.allocation import FairAllocation34


def update_demand(tree: QueueTree[FairAllocation34], size_based: bool) -> bool:
    """Recompute demand everywhere; whether any changed."""
    return _update_queue(tree.root, size_based)


def _update_queue(queue: FairQueue, size_based: bool) -> bool:
    memory_mb = vcores = 0
    changed = False
    if isinstance(queue, FairLeaf):
        for attempts in (queue.order.members, queue.parked):
            for attempt in attempts:
                before = (attempt.demand_memory_mb, attempt.demand_vcores)
                _update_attempt(attempt, size_based)
                changed = changed or before != (attempt.demand_memory_mb, attempt.demand_vcores)
                memory_mb += attempt.demand_memory_mb
                vcores += attempt.demand_vcores
    elif isinstance(queue, FairParent):
        for child in queue.order.members:
            changed = _update_queue(child, size_based) or changed
            memory_mb += child.demand_memory_mb
            vcores += child.demand_vcores
    demand = (min(memory_mb, queue.max_memory_mb), min(vcores, queue.max_vcores))
    if demand == (queue.demand_memory_mb, queue.demand_vcores):
        return changed
    queue.demand_memory_mb, queue.demand_vcores = demand
    if queue.parent is not None:
        queue.parent.order.touch(queue.standing)
    return True


def _update_attempt(attempt: FairAttempt, size_based: bool) -> None:
    """Recompute an attempt's demand: usage and what is asked anywhere. Source: FSAppAttempt#updateDemand."""
    memory_mb, vcores = attempt.used_memory_mb, attempt.used_vcores
    if attempt.pending:
        for group in attempt.groups.values():
            anywhere = group.anywhere
            if anywhere is not None and anywhere.count > 0:
                memory_mb += anywhere.memory_mb * anywhere.count
                vcores += anywhere.vcores * anywhere.count
    if size_based:
        attempt.weight = float32(math.log1p(memory_mb) / math.log(2))
    if attempt.runnable and (size_based or (memory_mb == 0) != (attempt.demand_memory_mb == 0)):
        attempt.queue.order.touch(attempt.standing)
    attempt.demand_memory_mb, attempt.demand_vcores = memory_mb, vcores


def update_shares(tree: QueueTree[FairAllocation34]) -> bool:
    """Recompute instantaneous shares everywhere; whether any changed."""
    root, cluster = tree.root, tree.cluster
    total = (cluster.total_memory_mb, cluster.total_vcores)
    changed = total != (root.fair_memory_mb, root.fair_vcores)
    root.fair_memory_mb, root.fair_vcores = total
    return _recompute(root) or changed


def _recompute(queue: FairQueue) -> bool:
    if isinstance(queue, FairLeaf):
        members = queue.order.members
        before = [(attempt.fair_memory_mb, attempt.fair_vcores) for attempt in members]
        share_out(members, queue.policy, queue.fair_memory_mb, queue.fair_vcores, LONG_MAX)
        return before != [(attempt.fair_memory_mb, attempt.fair_vcores) for attempt in members]
    assert isinstance(queue, FairParent), "a queue is a leaf or a parent"
    changed = share_children(queue, LONG_MAX)
    for child in queue.order.members:
        changed = _recompute(child) or changed
    return changed
