"""Applications that are starved, by how much, and in which order they are helped.

An application is starved of fair share when it has been below the threshold part of it, or of what it wants, for long
enough; the first in the leaf's order that is not ends the look. A leaf's missing minimum share, less that, is given to
its applications in the same order. Source: FSLeafQueue#updateStarvedApps, FSAppAttempt#fairShareStarvation,
FSStarvedApps, Hadoop 3.4.1.
"""

from engine.model.java_collections import JavaPriorityQueue
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf
from engine.schedulers.fair34.queue_manager import at_least, below
from engine.state import State

NOTHING: Amount = (0, 0)


def is_starved(attempt: FairAttempt, cluster: Amount) -> bool:
    """Tell whether an application is below its fair share now, or its queue was below its minimum."""
    if attempt.min_starved_memory_mb or attempt.min_starved_vcores:
        return True
    usage, share = (attempt.used_memory_mb, attempt.used_vcores), (attempt.fair_memory_mb, attempt.fair_vcores)
    return below(attempt.queue.policy, usage, share, cluster)


class StarvedApps(metaclass=State):
    """A queue of starved applications in the order of a Java PriorityQueue: smaller starvation first, more or less."""

    heap: JavaPriorityQueue[FairAttempt]

    def __init__(self) -> None:
        self.heap = JavaPriorityQueue()

    def add(self, attempt: FairAttempt) -> None:
        # Its place was found by its starvation when it came; it is not moved.
        if attempt not in self.heap.items:
            self.heap.add(attempt, _by_starvation)

    def take(self) -> FairAttempt | None:
        """Take out the next one; None when none is starved. Source: PriorityBlockingQueue#dequeue."""
        return self.heap.poll(_by_starvation) if self.heap.items else None


def _by_starvation(one: FairAttempt, other: FairAttempt) -> int:
    """One goes before another when its starvation fits into the other's; that is no total order."""
    mine, theirs = one.starvation, other.starvation
    return -1 if mine[0] <= theirs[0] and mine[1] <= theirs[1] else 1


def update_starved(leaf: FairLeaf, starved: StarvedApps, cluster: Amount, now_ms: int) -> bool:
    """Queue the starved applications of a leaf that nobody helps yet; whether any starvation changed."""
    attempts = [
        standing.member
        for standing in leaf.order.sort(leaf.policy)
        if standing.member.wants_more and now_ms >= standing.member.next_check_ms
    ]
    before = [(attempt.starvation, attempt.min_starved_memory_mb, attempt.min_starved_vcores) for attempt in attempts]
    of_fair_share = _starved_of_fair_share(attempts, starved, cluster, now_ms)
    missing = min_share_starvation(leaf, now_ms)
    missing = (max(missing[0] - of_fair_share[0], 0), max(missing[1] - of_fair_share[1], 0))
    _spread_min_share(attempts, starved, missing, cluster)
    return before != [
        (attempt.starvation, attempt.min_starved_memory_mb, attempt.min_starved_vcores) for attempt in attempts
    ]


def _starved_of_fair_share(attempts: list[FairAttempt], starved: StarvedApps, cluster: Amount, now_ms: int) -> Amount:
    memory_mb = vcores = 0
    for attempt in attempts:
        update_fair_share_starvation(attempt, cluster, now_ms)
        # The order is from the neediest on, so those after it are not starved either.
        if not attempt.starved_memory_mb and not attempt.starved_vcores:
            break
        starved.add(attempt)
        memory_mb += attempt.starved_memory_mb
        vcores += attempt.starved_vcores
    return (memory_mb, vcores)


def update_fair_share_starvation(attempt: FairAttempt, cluster: Amount, now_ms: int) -> None:
    """Note by how much an application is below the threshold part of its fair share."""
    leaf = attempt.queue
    due = (
        min(int(attempt.fair_memory_mb * leaf.threshold), attempt.demand_memory_mb),
        min(int(attempt.fair_vcores * leaf.threshold), attempt.demand_vcores),
    )
    usage = (attempt.used_memory_mb, attempt.used_vcores)
    is_below = below(leaf.policy, usage, due, cluster)
    # The clock starts at the last update at which it had what it is due.
    if not is_below:
        attempt.last_fair_share_ms = now_ms
    if not is_below or now_ms - attempt.last_fair_share_ms < leaf.fair_share_timeout_ms:
        attempt.starved_memory_mb = attempt.starved_vcores = 0
    else:
        attempt.starved_memory_mb = max(due[0] - usage[0], 0)
        attempt.starved_vcores = max(due[1] - usage[1], 0)


def min_share_starvation(leaf: FairLeaf, now_ms: int) -> Amount:
    """By how much a leaf has been below its minimum share for long enough."""
    memory_mb = max(min(leaf.min_memory_mb, leaf.demand_memory_mb) - leaf.used_memory_mb, 0)
    vcores = max(min(leaf.min_vcores, leaf.demand_vcores) - leaf.used_vcores, 0)
    if not memory_mb and not vcores:
        leaf.last_min_share_ms = now_ms
    if now_ms - leaf.last_min_share_ms < leaf.min_share_timeout_ms:
        return NOTHING
    return (memory_mb, vcores)


def _spread_min_share(attempts: list[FairAttempt], starved: StarvedApps, missing: Amount, cluster: Amount) -> None:
    """Hand out what a leaf lacks of its minimum; who wants more than is left gets the difference, as in Hadoop."""
    for attempt in attempts:
        if missing == NOTHING:
            attempt.min_starved_memory_mb = attempt.min_starved_vcores = 0
            continue
        part = (
            max(attempt.demand_memory_mb - attempt.used_memory_mb - attempt.starved_memory_mb, 0),
            max(attempt.demand_vcores - attempt.used_vcores - attempt.starved_vcores, 0),
        )
        if not at_least(attempt.queue.policy, missing, part, cluster):
            part = (max(part[0] - missing[0], 0), max(part[1] - missing[1], 0))
            missing = NOTHING
        else:
            missing = (max(missing[0] - part[0], 0), max(missing[1] - part[1], 0))
        attempt.min_starved_memory_mb, attempt.min_starved_vcores = part
        starved.add(attempt)
