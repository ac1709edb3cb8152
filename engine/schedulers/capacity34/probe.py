"""Finds what stands in an attempt's way: the questions of a walk, asked about one attempt, with nothing changed.

Source: AbstractParentQueue#assignContainers, AbstractLeafQueue#assignContainers, Hadoop 3.4.1.
"""

import itertools

from engine.model.identity import application_name
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.space import NOTHING, Amount, first_size, fits_all, limit_obstacle, plus
from engine.schedulers.capacity34.admission import ParallelLimit
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.commit import accepts, queue_in_the_way
from engine.schedulers.capacity34.evaluation import (
    EvaluationContext,
    NodeOutcome,
    ResourceLimits,
    evaluate,
    limits_of_child,
    may_assign_to,
    may_assign_to_user,
    obstacle_of,
    over_user_limit,
)
from engine.schedulers.capacity34.leaf import user_am_limit
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf
from engine.schedulers.capacity34.walk import Walk
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.state import State

ASKS_FOR_NOTHING = Obstacle(Reason.NOTHING_ASKED)
ELSEWHERE = Obstacle(Reason.NOT_IN_PARTITION)
_OF_PARTITIONS = (Reason.NOT_IN_PARTITION, Reason.LABEL_NOT_ACCESSIBLE)
"""Reasons that an exclusive partition gives, and one that lends what is idle may not."""


class Probe(metaclass=State):
    walk: Walk
    parallel: ParallelLimit

    def __init__(self, walk: Walk, parallel: ParallelLimit) -> None:
        self.walk = walk
        self.parallel = parallel

    def obstacle(self, attempt: CapacityAttempt) -> Obstacle | None:
        if not attempt.pending:
            return ASKS_FOR_NOTHING
        leaf = attempt.queue.leaf
        assert leaf is not None, "applications are in leaves"
        if not attempt.runnable:
            running, most, subject = self.parallel.limit_on(attempt)
            return Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (running, most), subject)
        if attempt in leaf.order:
            return None
        space, label, size = self.walk.space, attempt.am_label, attempt.am_size
        share, user = leaf.queue.share(label), leaf.users.by_name.get(attempt.user)
        if not space.calculator.fits(plus(size, share.am_used), share.am_limit):
            return Obstacle(
                Reason.AM_SHARE_EXHAUSTED,
                space.numbers(share.am_used, share.am_limit, size),
                leaf.queue.path,
                label,
            )
        used = user.am_used.get(label, NOTHING) if user is not None else NOTHING
        limit = user_am_limit(leaf, label, attempt.user, space)
        return Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, space.numbers(used, limit, size), attempt.user, label)

    def obstacle_on(self, attempt: CapacityAttempt, node: Node) -> Obstacle | None:
        """Return the obstacle on a node; limits that are remembered between walks stay as they were."""
        leaf = attempt.queue.leaf
        assert leaf is not None, "applications are in leaves"
        users = leaf.users
        only_pending, limits = users.only_pending, users.limits.copy()
        try:
            found = self._on(attempt, leaf, node)
            return found._replace(partition=node.partition) if found is ELSEWHERE else found
        finally:
            users.only_pending, users.limits = only_pending, limits

    def _on(self, attempt: CapacityAttempt, leaf: Leaf, node: Node) -> Obstacle | None:
        space = self.walk.space
        if node.reserved is not None:
            return self._in_reservation(attempt, leaf, node, node.reserved)
        if space.calculator.containers_in(self.walk.commit.lazy.room_on(node), space.minimum) <= 0:
            wanted = first_size(attempt) or space.minimum
            total, free = (node.total_memory_mb, node.total_vcores), (node.free_memory_mb, node.free_vcores)
            if not space.calculator.fits(wanted, total):
                return Obstacle(Reason.NODE_TOO_SMALL, space.numbers(wanted, total))
            return Obstacle(Reason.DOES_NOT_FIT, space.numbers(wanted, free))
        found, is_final = self._in_queues(attempt, leaf, node, respects=True)
        if found is None or is_final or not node.partition or space.is_exclusive(node.partition):
            return found
        second, _ = self._in_queues(attempt, leaf, node, respects=False)
        return second if second is None or found.reason in _OF_PARTITIONS else found

    def _in_reservation(self, attempt: CapacityAttempt, leaf: Leaf, node: Node, held: Container) -> Obstacle | None:
        if held.attempt is not attempt:
            holder = application_name(self.walk.commit.cluster.cluster_timestamp, held.id[0])
            free = (node.free_memory_mb, node.free_vcores)
            numbers = self.walk.space.numbers((held.memory_mb, held.vcores), free)
            return Obstacle(Reason.NODE_RESERVED, numbers, holder)
        group = attempt.groups.get(held.priority)
        if group is None:
            return ASKS_FOR_NOTHING
        limits = ResourceLimits(self.walk.space.total(""))
        self.walk.set_kill(leaf, limits, node.partition)
        verdict = evaluate(self.walk.question(attempt, leaf, node, limits, respects=True), group, held)
        return None if verdict.outcome is NodeOutcome.ALLOCATE else obstacle_of(verdict, node.partition)

    def _in_queues(
        self, attempt: CapacityAttempt, leaf: Leaf, node: Node, *, respects: bool
    ) -> tuple[Obstacle | None, bool]:
        walk, space, label = self.walk, self.walk.space, node.partition
        limits = ResourceLimits(space.total(label if respects else ""))
        path = [*reversed(leaf.queue.ancestors()), leaf.queue]
        barred = next((queue for queue in path if respects and not queue.is_accessible(label)), None)
        if barred is not None:
            return Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), barred.path), False
        for queue, child in itertools.pairwise(path):
            if not walk.has_pending(queue, node, respects):
                return ELSEWHERE, False
            if not may_assign_to(queue, label, limits, queue.metrics_reserved, respects, space):
                return _at_limit(queue, label, limits, respects, space), False
            limits = limits_of_child(queue, child, limits, label, space, net=True)
        walk.set_kill(leaf, limits, label)
        if not walk.has_pending(leaf.queue, node, respects):
            return ELSEWHERE, False
        obstacle = self._before_asks(attempt, leaf, label, limits, respects)
        if obstacle is not None:
            return obstacle, False
        if attempt.pending_in.get(label if respects else "", NOTHING) == NOTHING:
            return ELSEWHERE, False
        return self._of_asks(walk.question(attempt, leaf, node, limits, respects=respects))

    def _before_asks(
        self, attempt: CapacityAttempt, leaf: Leaf, label: str, limits: ResourceLimits, respects: bool
    ) -> Obstacle | None:
        """Check the leaf before an ask; reservations of earlier applications count for the leaf's limit."""
        space, checks = self.walk.space, True
        order = leaf.order.peek(label)
        if attempt not in order and attempt in leaf.order:
            return ELSEWHERE
        for other in order:
            reserved = other.reserved_in[""]
            if checks:
                if not may_assign_to(leaf.queue, label, limits, reserved, respects, space):
                    return _at_limit(leaf.queue, label, limits, respects, space)
                checks = leaf.settings.continue_looking and reserved != NOTHING
            if other is attempt:
                break
        known = leaf.verdicts.peek(label, respects, leaf.users.version, attempt.user)
        if known is not None and fits_all(attempt.reserved_in[""], known[1]):
            return over_user_limit(leaf, attempt, label, known[0], space)
        limit = leaf.users.limit(attempt.user, label, respects, leaf.queue, space)
        if may_assign_to_user(leaf, attempt, label, limit, limits, space):
            return None
        return over_user_limit(leaf, attempt, label, limit, space)

    @staticmethod
    def _of_asks(question: EvaluationContext) -> tuple[Obstacle | None, bool]:
        """Evaluate the asks; one that reserves, or is turned down in the end, ends the walk."""
        first: Obstacle | None = None
        for priority in question.attempt.priorities:
            verdict = evaluate(question, question.attempt.groups[priority])
            if verdict.outcome is NodeOutcome.ALLOCATE:
                attempt, leaf, label = question.attempt, question.leaf, question.node.partition
                if accepts(question, verdict):
                    return None, True
                full, asked = queue_in_the_way(question, verdict), verdict.request
                if full is None or asked is None:
                    return over_user_limit(leaf, attempt, label, question.limits.user_limit, question.space), True
                return _over_maximum(full, label, question.space, (asked.memory_mb, asked.vcores)), True
            obstacle = obstacle_of(verdict, question.node.partition)
            if verdict.outcome is NodeOutcome.RESERVE:
                return obstacle, True
            if verdict.outcome is not NodeOutcome.NEXT_PRIORITY:
                return obstacle, False
            if first is None or first in (ASKS_FOR_NOTHING, ELSEWHERE):
                first = obstacle
        return first or ASKS_FOR_NOTHING, False


def _over_maximum(queue: CapacityQueue, label: str, space: PartitionResources, wanted: Amount) -> Obstacle:
    share = queue.share(label)
    numbers = space.numbers(share.used, share.effective_maximum, wanted)
    return limit_obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, queue.path, label)


def _at_limit(
    queue: CapacityQueue, label: str, limits: ResourceLimits, respects: bool, space: PartitionResources
) -> Obstacle:
    """A queue has all that those above leave it: the lowest one at its maximum is named, itself where none is."""
    named, most = queue, limits.limit
    for each in (queue, *queue.ancestors()):
        share = each.share(label)
        maximum = share.effective_maximum if respects else space.total(label)
        if not space.exceeds(maximum, share.used):
            named, most = each, maximum
            break
    numbers = space.numbers(named.share(label).used, most, NOTHING)
    return limit_obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, named.path, label)
