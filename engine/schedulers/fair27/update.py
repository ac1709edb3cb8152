"""The update pass of 2.7.2: demand from the leaves up, then shares from the root down.

Adding up stops at a queue's maximum; applications and queues behind that point keep the demand they had. So the order
of members, which is that of the last walk, is visible here.

Source: FSLeafQueue#updateDemand, FSParentQueue#updateDemand, FSAppAttempt#updateDemand, Hadoop 2.7.2.
"""

import math

from engine.model.java_number import INT_MAX, float32, int32
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.shares import share_children, share_out
from engine.schedulers.fair.tree import QueueTree


def update_demand(tree: QueueTree[FairAllocation], size_based: bool) -> bool:
    """Recompute demand everywhere; whether any queue's demand or any weight may have changed."""
    return _update_queue(tree.root, size_based) or size_based


def _update_queue(queue: FairQueue, size_based: bool) -> bool:
    before = (queue.demand_memory_mb, queue.demand_vcores)
    changed = False
    queue.demand_memory_mb = queue.demand_vcores = 0
    if isinstance(queue, FairLeaf):
        # Parked applications count, so that a queue is due a share by the time they may run.
        for attempt in (*queue.order.members, *queue.parked):
            if _at_maximum(queue):
                break
            _update_attempt(attempt, size_based)
            _add_demand(queue, attempt)
    elif isinstance(queue, FairParent):
        for child in queue.order.members:
            changed = _update_queue(child, size_based) or changed
            _add_demand(queue, child)
            if _at_maximum(queue):
                break
    # An order that depends on demand has to be found anew only where demand is another one.
    if before == (queue.demand_memory_mb, queue.demand_vcores):
        return changed
    if queue.parent is not None:
        queue.parent.order.touch(queue.standing)
    return True


def _update_attempt(attempt: FairAttempt, size_based: bool) -> None:
    """Recompute an attempt's demand: usage and all asks, each counted at host, rack and `*`."""
    attempt.demand_memory_mb = int32(attempt.used_memory_mb + attempt.asked_memory_mb)
    attempt.demand_vcores = int32(attempt.used_vcores + attempt.asked_vcores)
    if size_based:
        # Differs: with size-based weights a demand that overflows below 0 counts as 0; Hadoop's weight is then no
        # number for ever.
        attempt.weight = float32(math.log1p(max(attempt.demand_memory_mb, 0)) / math.log(2))
        if attempt.runnable:
            attempt.queue.order.touch(attempt.standing)


def _add_demand(queue: FairQueue, member: FairQueue | FairAttempt) -> None:
    queue.demand_memory_mb = min(int32(queue.demand_memory_mb + member.demand_memory_mb), queue.max_memory_mb)
    queue.demand_vcores = min(int32(queue.demand_vcores + member.demand_vcores), queue.max_vcores)


def _at_maximum(queue: FairQueue) -> bool:
    return queue.demand_memory_mb == queue.max_memory_mb and queue.demand_vcores == queue.max_vcores


def update_shares(tree: QueueTree[FairAllocation]) -> bool:
    """Recompute instantaneous shares everywhere; whether any queue's share changed."""
    root, cluster = tree.root, tree.cluster
    root.follows_cluster = True
    total = (cluster.total_memory_mb, cluster.total_vcores)
    changed = total != (root.fair_memory_mb, root.fair_vcores)
    root.fair_memory_mb, root.fair_vcores = total
    return _recompute(root) or changed


def _recompute(queue: FairQueue) -> bool:
    if isinstance(queue, FairLeaf):
        share_out(queue.order.members, queue.policy, queue.fair_memory_mb, queue.fair_vcores, INT_MAX)
        return False
    assert isinstance(queue, FairParent), "a queue is a leaf or a parent"
    changed = share_children(queue, INT_MAX)
    for child in queue.order.members:
        changed = _recompute(child) or changed
    return changed
