"""Taking containers back for starved queues: warn first, kill after a wait.

A pass first goes on with what was warned before, then picks more until the target is reached: from the root down the
queue that compares last at each level, in it the application that compares last, in it the container of the highest
priority number and newest id. One leaf that is not over its share ends the pass.

Source: FairScheduler#updateStarvationStats, #preemptTasksIfNecessary, #preemptResources, #warnOrKillContainer,
#resToPreempt, FSParentQueue/FSLeafQueue/FSAppAttempt#preemptContainer, Hadoop 2.7.2.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from engine.model.cluster import Cluster
from engine.model.decision import Decision, Warned
from engine.model.ledger import Container
from engine.schedulers.fair.order import MemberSortKey, SharePolicy
from engine.schedulers.fair.schedulable import NEVER_MS, FairAttempt, FairLeaf, FairParent, FairQueue, fair_attempt
from engine.schedulers.fair.settings import FairAllocation, FairSettings
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.fair27.queue_manager import exceeds
from engine.state import State


def update_starvation(tree: QueueTree[FairAllocation], now_ms: int) -> None:
    """Note for each leaf when it last had what it is due; uses the demand and shares of the last update."""
    for leaf in tree.leaves:
        if not leaf.starves_of_min_share:
            leaf.last_min_share_ms = now_ms
        if not leaf.starves_of_fair_share:
            leaf.last_fair_share_ms = now_ms


def move_clocks_on(tree: QueueTree[FairAllocation], updated_ms: int, now_ms: int) -> None:
    """Note for each leaf that had what it is due at one update that it still had it at a later one."""
    for leaf in tree.leaves:
        if leaf.last_min_share_ms == updated_ms < now_ms:
            leaf.last_min_share_ms = now_ms
        if leaf.last_fair_share_ms == updated_ms < now_ms:
            leaf.last_fair_share_ms = now_ms


def missing_memory_mb(leaf: FairLeaf, now_ms: int) -> int:
    """Return the memory that may be taken back for the leaf now: up to its full share, not only the threshold."""
    missing = 0
    # No more than the leaf asks for: an idle share is no loss.
    if now_ms - leaf.last_min_share_ms > leaf.min_share_timeout_ms:
        missing = min(leaf.min_memory_mb, leaf.demand_memory_mb) - leaf.used_memory_mb
    if now_ms - leaf.last_fair_share_ms > leaf.fair_share_timeout_ms:
        missing = max(missing, min(leaf.fair_memory_mb, leaf.demand_memory_mb) - leaf.used_memory_mb)
    return max(missing, 0)


class Preemption27(metaclass=State):
    cluster: Cluster
    tree: QueueTree[FairAllocation]
    settings: FairSettings
    last_check_ms: int = 0
    """The clock's zero, as in the real one: a simulated clock from 0 sees no check in the first interval."""
    is_on: bool = False  # Whether it was switched on and the cluster busy enough at the last pass
    warned: list[Container] = []  # Containers warned and not yet gone, in order of warning

    def __init__(self, cluster: Cluster, tree: QueueTree[FairAllocation], settings: FairSettings) -> None:
        self.cluster = cluster
        self.tree = tree
        self.settings = settings

    def run(self, now_ms: int, kill: Callable[[Container], list[Decision]]) -> list[Decision]:
        """One pass, if it is switched on, the cluster is busy enough and the interval is over."""
        cluster = self.cluster
        used = (cluster.metrics_memory_mb, cluster.metrics_vcores)
        # Below the threshold starved queues get what is free, without a kill.
        total = (cluster.total_memory_mb, cluster.total_vcores)
        self.is_on = self.settings.preemption and self.settings.is_busy(used, total)
        if not self.is_on:
            return []
        if now_ms - self.last_check_ms < self.settings.preemption_interval_ms:
            return []
        self.last_check_ms = now_ms
        target_mb = sum(missing_memory_mb(leaf, now_ms) for leaf in self.tree.leaves)
        if target_mb <= 0:
            return []
        decisions: list[Decision] = []
        target_mb = self._go_on_with_warned(target_mb, now_ms, kill, decisions)
        with self._marks_given_up():
            while target_mb > 0:
                container = _pick(self.tree.root)
                if container is None:
                    break
                decisions.append(self._warn(container, now_ms))
                self.warned.append(container)
                # Counted as gone at once, so that the next pick takes another queue or application when it is its turn.
                container.attempt.charge(-container.memory_mb, -container.vcores)
                target_mb -= container.memory_mb
        self.cluster.version += 1
        return decisions

    def move_check_on(self, pass_ms: int, now_ms: int) -> None:
        """Note that checks went on until an instant [epoch ms], each at the first pass after its interval is over."""
        if self.is_on:
            apart_ms = -(-self.settings.preemption_interval_ms // pass_ms) * pass_ms
            self.last_check_ms = now_ms - (now_ms - self.last_check_ms) % max(apart_ms, pass_ms)

    def longest_timer_ms(self) -> int:
        """The longest timeout there is, then the interval between two passes and the wait before a kill [ms]."""
        if not self.settings.preemption:
            return 0
        timeouts = [
            timeout_ms
            for leaf in self.tree.leaves
            for timeout_ms in (leaf.min_share_timeout_ms, leaf.fair_share_timeout_ms)
            if timeout_ms < NEVER_MS
        ]
        return max(timeouts, default=0) + 2 * self.settings.preemption_interval_ms + self.settings.wait_before_kill_ms

    def _go_on_with_warned(
        self, target_mb: int, now_ms: int, kill: Callable[[Container], list[Decision]], decisions: list[Decision]
    ) -> int:
        """Kill what has been warned long enough; what is neither running nor unfetched drops out with its mark kept."""
        still: list[Container] = []
        for container in self.warned:
            if target_mb <= 0 or container.state not in ("RUNNING", "ALLOCATED"):
                continue
            still.append(container)
            warned_ms = container.warned_ms
            if warned_ms is None:
                decisions.append(self._warn(container, now_ms))
            elif warned_ms + self.settings.wait_before_kill_ms < now_ms:
                decisions += kill(container)
            target_mb -= container.memory_mb
        self.warned = still
        return target_mb

    def _warn(self, container: Container, now_ms: int) -> Warned:
        attempt = fair_attempt(container.attempt)
        container.warned_ms = now_ms
        attempt.marked[container.number] = container
        return Warned(container.id, container.node.id, attempt.queue.path, container.memory_mb)

    @contextmanager
    def _marks_given_up(self) -> Iterator[None]:
        """While picking, what is marked does not count as used, so that picks go round."""
        attempts = [attempt for leaf in self.tree.leaves for attempt in leaf.order.members]
        for attempt in attempts:
            for container in attempt.marked.values():
                attempt.charge(-container.memory_mb, -container.vcores)
        try:
            yield
        finally:
            for attempt in attempts:
                for container in attempt.marked.values():
                    attempt.charge(container.memory_mb, container.vcores)


_Member = TypeVar("_Member", FairQueue, FairAttempt)


def _pick(parent: FairParent) -> Container | None:
    queue: FairQueue = parent
    while isinstance(queue, FairParent):
        last = _last(queue.order.standings, queue.policy)
        if last is None:
            return None
        queue = last
    if not isinstance(queue, FairLeaf) or queue.parent is None:
        return None
    usage, share = (queue.used_memory_mb, queue.used_vcores), (queue.fair_memory_mb, queue.fair_vcores)
    # One leaf within its share ends the whole pass, even where another is above.
    if not exceeds(queue.parent.policy, usage, share):
        return None
    attempt = _last(queue.order.standings, queue.policy)
    if attempt is None:
        return None
    candidates = [container for number, container in attempt.live.items() if number not in attempt.marked]
    # A higher number is a lower priority; of these the youngest loses least work.
    return max(candidates, key=lambda container: (container.priority, container.id[2]), default=None)


def _last(standings: list[MemberSortKey[_Member]], policy: SharePolicy) -> _Member | None:
    last: _Member | None = None
    last_key = None
    for standing in standings:
        key = standing.key_now(policy)
        if last_key is None or policy.compare(key, last_key) > 0:
            last, last_key = standing.member, key
    return last
