"""Walks the queues for a node and acts on what evaluation says: allocates, reserves, gives reservations up.

Source: ParentQueue#assignContainers, LeafQueue#assignContainers, #assignReservedContainer, #findNodeToUnreserve,
CapacityScheduler#allocateContainersToNode, Hadoop 2.7.2.
"""

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision, Reserved, Unreserved
from engine.model.ledger import Node
from engine.model.request import LOCALITY_NAMES, NODE_LOCAL, OFF_SWITCH, AskGroup
from engine.schedulers.capacity.space import NOTHING, Amount, first_size, plus
from engine.schedulers.capacity27.calculators import PartitionResources27, smaller, times
from engine.schedulers.capacity27.configuration import ANY_LABEL, NO_LABEL
from engine.schedulers.capacity27.evaluation import (
    ALLOCATE,
    END_OF_LEAF,
    KEEP,
    NEXT_APPLICATION,
    NEXT_ASK,
    RESERVE,
    Evaluation27,
    EvaluationSettings27,
    capacity_in,
    evaluate,
    excess_in_queue,
    limit_of_child,
    obstacle_of,
    on_node,
    over_maximum,
    parts_of,
    used_capacity,
    wants_more,
)
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, attempt_27, leaf_of
from engine.schedulers.containers import unreserve
from engine.schedulers.obstacle_texts import Obstacle, Reason, Recorder
from engine.state import Dropped, State

Given = tuple[Amount, int]  # What a queue was given (`NOTHING` for nothing) and at which locality

NOTHING_GIVEN: Given = (NOTHING, NODE_LOCAL)


class QueueWalk27(metaclass=State):
    """Offers one node at a time; `side_effects` says whether an offer changed more than the cluster's version shows."""

    space: PartitionResources27
    rules: EvaluationSettings27
    root: CapacityQueue27
    recorder: Dropped[Recorder | None] = None
    decisions: list[Decision] = []
    now_ms: int = 0
    side_effects: bool = False

    def __init__(self, space: PartitionResources27, rules: EvaluationSettings27, root: CapacityQueue27) -> None:
        self.space = space
        self.rules = rules
        self.root = root

    @property
    def cluster(self) -> Cluster:
        return self.space.model

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        self.decisions, self.now_ms, self.side_effects = [], now_ms, False
        # After a restart nodes are not offered until the containers that still run have been reported.
        if now_ms <= self.cluster.offers_after_ms:
            return self.decisions
        whole = self.space.total(NO_LABEL)
        if node.reserved is not None:
            self._settle_reservation(node)
        if node.reserved is None and has_room(self.space, node):
            self._offer_parent(self.root, node, whole)
        return self.decisions

    # ---------------------------------------------------------------- the node's reservation

    def _settle_reservation(self, node: Node) -> None:
        container = node.reserved
        assert container is not None, "the node is reserved"
        attempt = attempt_27(container.attempt)
        if not may_use_node(attempt.queue, node):
            return
        group = attempt.groups.get(container.priority)
        anywhere = group.anywhere if group is not None else None
        # What it was reserved for has been placed elsewhere, or is not wanted any more.
        if group is None or anywhere is None or anywhere.count == 0:
            self.drop_reservation(node, reorder=True)
            return
        found = on_node(self.space, self.rules, attempt, group, node, container, NOTHING)
        if found.drops_reservation:
            # The real class forgets the reservation here without giving its share back to the queue.
            self.decisions.append(self._forget_reservation(attempt, node))
        if found.outcome == ALLOCATE:
            self._allocate(attempt, group, node, found, container.id[2])
        elif found.outcome == KEEP:
            # The longer a reservation is kept, the more it may have on other nodes, too.
            asked = self.space, self.rules, attempt, group, (container.memory_mb, container.vcores)
            count, wanted = attempt.re_reservations, wants_more(*asked)
            count[container.priority] = count.get(container.priority, 0) + 1
            self.side_effects = True
            self.cluster.version += wants_more(*asked) != wanted

    def drop_reservation(self, node: Node, *, reorder: bool) -> Unreserved:
        """Drop a node's reservation and give its share back to the queues, which may move among their siblings."""
        container = node.reserved
        assert container is not None, "the node is reserved"
        attempt = attempt_27(container.attempt)
        decision = self._forget_reservation(attempt, node)
        release(self.space, attempt, node.partition, (-container.memory_mb, -container.vcores), reorder=reorder)
        self.decisions.append(decision)
        return decision

    def _forget_reservation(self, attempt: Attempt27, node: Node) -> Unreserved:
        decision = unreserve(self.cluster, node)
        attempt.unreserve_at(decision.priority, node.id)
        return decision

    # ---------------------------------------------------------------- the walk

    def _offer_parent(self, queue: CapacityQueue27, node: Node, limit: Amount) -> Given:
        """Offer a parent's children; root goes on until the last thing given was off-switch or nothing."""
        total, locality = NOTHING, NODE_LOCAL
        if not may_use_node(queue, node):
            return NOTHING_GIVEN
        while node.reserved is None and has_minimum(self.space, node):
            reserved = (queue.reserved_memory_mb, queue.reserved_vcores) if self.rules.continue_looking else None
            space = self.space
            if excess_in_queue(space, queue, node.partition, limit, space.minimum, reserved) is None:
                self._record_queue(queue, node, limit)
                break
            given, locality = self._offer_children(queue, node, limit)
            if not space.exceeds(given, NOTHING):
                break
            charge(space, queue, node.partition, given)
            total = plus(total, given)
            # One off-switch container a heartbeat: the next node may be nearer to the data.
            if queue.parent is not None or locality == OFF_SWITCH:
                break
        return (total, locality)

    def _offer_children(self, queue: CapacityQueue27, node: Node, limit: Amount) -> Given:
        given = NOTHING_GIVEN
        assert queue.children is not None, "only parents are walked"
        for child in queue.children:
            most = limit_of_child(self.space, queue, child, limit)
            given = self._offer_parent(child, node, most) if child.leaf is None else self._offer_leaf(child, node, most)
            # What it was given moves a child back among its siblings.
            if self.space.exceeds(given[0], NOTHING):
                queue.put_back(child)
                break
        return given

    def _offer_leaf(self, queue: CapacityQueue27, node: Node, limit: Amount) -> Given:
        leaf = queue.leaf
        assert leaf is not None, "this is a leaf"
        if not may_use_node(queue, node):
            return NOTHING_GIVEN
        to_unreserve = NOTHING
        for number in leaf.active:
            attempt = leaf.attempts[number]
            if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
                if self.recorder is not None:
                    self.recorder.passed_over(attempt, node, Obstacle(Reason.BLACKLISTED))
                continue
            if not attempt.pending:
                continue
            found = self._offer_attempt(attempt, node, limit, to_unreserve)
            to_unreserve = found.to_unreserve
            if found.outcome in (ALLOCATE, RESERVE):
                assert found.request is not None, "something was matched"
                return ((found.request.memory_mb, found.request.vcores), found.locality)
            # The leaf's limit holds for everyone after this one, too.
            if found.outcome == END_OF_LEAF:
                break
        return NOTHING_GIVEN

    def _offer_attempt(self, attempt: Attempt27, node: Node, limit: Amount, to_unreserve: Amount) -> Evaluation27:
        """Offer the node to an application, ask by ask; what came of the last one looked at."""
        found: Evaluation27 | None = None
        for priority in attempt.priorities:
            group = attempt.groups[priority]
            found = evaluate(self.space, self.rules, attempt, group, node, limit, to_unreserve)
            to_unreserve = found.to_unreserve
            self._count(attempt, group, found, limit)
            if found.reason is None:
                self._act(attempt, group, node, found)
                return found
            if self.recorder is not None and found.reason is not Reason.NOTHING_ASKED:
                self.recorder.passed_over(attempt, node, obstacle_of(attempt, found, node.partition))
            if found.outcome != NEXT_ASK:
                return found
        return found or Evaluation27(NEXT_APPLICATION, Reason.NOTHING_ASKED, to_unreserve=to_unreserve)

    def _count(self, attempt: Attempt27, group: AskGroup, found: Evaluation27, limit: Amount) -> None:
        if found.was_visited:
            queue, leaf = leaf_of(attempt)
            anywhere = group.anywhere
            assert anywhere is not None, "it was evaluated"
            attempt.visited_in, attempt.visited_by = queue, leaf.user(attempt.user)
            ask = (anywhere.memory_mb, anywhere.vcores)
            most = parts_of(self.space, queue, NO_LABEL).maximum
            own_limit = smaller(self.space.calculator, self.space.cluster, most, limit)
            if attempt.visited_ask != ask or leaf.current_limit != own_limit:
                attempt.visited_ask, leaf.current_limit = ask, own_limit
                self.side_effects = True
        if found.counts_opportunity:
            group.missed_opportunities += 1
            self.side_effects = True
        if found.numbers_used and found.reason is not None:
            attempt.last_container_number += found.numbers_used
            self.side_effects = True

    def _act(self, attempt: Attempt27, group: AskGroup, node: Node, found: Evaluation27) -> None:
        attempt.last_container_number += found.numbers_used
        number, request = attempt.last_container_number, found.request
        assert request is not None, "something was matched"
        # Its own reservation elsewhere pays for this container; no queue moves among its siblings for that.
        if found.victim:
            self.drop_reservation(self.cluster.nodes[found.victim], reorder=False)
        if found.outcome == RESERVE:
            self.cluster.reserve(attempt, node, group.priority, request.memory_mb, request.vcores, number, self.now_ms)
            attempt.reserve_at(group.priority, node.id)
            self.decisions.append(
                Reserved(
                    (attempt.application.number, attempt.number, number),
                    node.id,
                    group.priority,
                    request.memory_mb,
                    request.vcores,
                )
            )
        else:
            self._allocate(attempt, group, node, found, number)
        charge_leaf(self.space, attempt, node.partition, (request.memory_mb, request.vcores))
        # Delay scheduling has paid: the next ask waits anew.
        if found.locality != OFF_SWITCH:
            group.missed_opportunities = 0

    def _allocate(self, attempt: Attempt27, group: AskGroup, node: Node, found: Evaluation27, number: int) -> None:
        request, size = found.request, node.reserved
        assert request is not None, "something was matched"
        if size is not None:
            self.cluster.unreserve(node, "START")
            attempt.unreserve_at(size.priority, node.id)
        container = self.cluster.allocate(
            attempt, group, request, size or request, node, found.locality, number, self.now_ms
        )
        if not attempt.pending:
            leaf_of(attempt)[1].count_asking(attempt, asks=False)
        self.decisions.append(
            Allocated(
                container.id,
                node.id,
                container.priority,
                container.memory_mb,
                container.vcores,
                LOCALITY_NAMES[found.locality],
            )
        )

    def _record_queue(self, queue: CapacityQueue27, node: Node, limit: Amount) -> None:
        if self.recorder is None:
            return
        if queue.leaf is not None:
            for number in queue.leaf.active:
                attempt = queue.leaf.attempts[number]
                wanted = first_size(attempt) or self.space.minimum
                found = over_maximum(self.space, queue, node.partition, limit, wanted)
                self.recorder.passed_over(attempt, node, found)
            return
        for child in queue.children or ():
            self._record_queue(child, node, limit)


def has_room(space: PartitionResources27, node: Node) -> bool:
    """Tell whether a smallest container fits. Source: CapacityScheduler#allocateContainersToNode."""
    return space.calculator.how_many((node.free_memory_mb, node.free_vcores), space.minimum) > 0


def has_minimum(space: PartitionResources27, node: Node) -> bool:
    """Tell whether no less than a smallest container is free. Source: ParentQueue#canAssign."""
    return not space.exceeds(space.minimum, (node.free_memory_mb, node.free_vcores))


def may_use_node(queue: CapacityQueue27, node: Node) -> bool:
    """Tell whether a queue may use a node's partition. Source: SchedulerUtils#checkQueueAccessToNode."""
    accessible = queue.configuration.accessible
    return node.partition == NO_LABEL or ANY_LABEL in accessible or node.partition in accessible


def charge(space: PartitionResources27, queue: CapacityQueue27, label: str, amount: Amount) -> None:
    """Count something more (or, negative, less) as used by one queue in a node's partition.

    A queue that may use every partition (`*`) counts nothing outside the default one: the real class intersects
    the names with `*`. Source: AbstractCSQueue#allocateResource.
    """
    if label == NO_LABEL:
        used = queue.default_usage
        queue.default_usage = (used[0] + amount[0], used[1] + amount[1])
        if queue.parent is not None:  # only siblings are ordered by it
            queue.used_capacity = used_capacity(space, queue)
    elif label in queue.configuration.accessible:
        used = queue.usage.get(label, NOTHING)
        queue.usage[label] = (used[0] + amount[0], used[1] + amount[1])


def charge_leaf(space: PartitionResources27, attempt: Attempt27, label: str, amount: Amount) -> None:
    """Count something more (or, negative, less) as used by a leaf and the attempt's user, not by its parents."""
    queue, leaf = leaf_of(attempt)
    charge(space, queue, label, amount)
    leaf.user(attempt.user).charge(label, amount)


def release(space: PartitionResources27, attempt: Attempt27, label: str, amount: Amount, *, reorder: bool) -> None:
    """Count a container's amount (negative) in its leaf and all above; each may move among its siblings."""
    charge_leaf(space, attempt, label, amount)
    queue, parent = attempt.queue, attempt.queue.parent
    while parent is not None:
        charge(space, parent, label, amount)
        if reorder:
            parent.put_back(queue)
        queue, parent = parent, parent.parent


def update_shares(space: PartitionResources27, queue: CapacityQueue27) -> None:
    """A queue's guarantee and its used part, after a change of either. Source: CSQueueUtils#updateQueueStatistics."""
    total = space.cluster
    queue.guarantee = times(total, capacity_in(queue, NO_LABEL).absolute) if space.exceeds(total, NOTHING) else NOTHING
    queue.used_capacity = used_capacity(space, queue)
