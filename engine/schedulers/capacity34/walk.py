"""The walk down the queues with one node: which leaf, which application, which priority gets it.

A node with a reservation is only offered to its holder. Otherwise the root is walked, again and again while the
settings of one heartbeat allow it. In a partition that is not exclusive a second walk lets in asks without a label.

Source: CapacityScheduler#allocateContainersToNode, AbstractParentQueue#assignContainers,
AbstractLeafQueue#assignContainers, Hadoop 3.4.1.
"""

from engine.model.ledger import Container, Node
from engine.model.request import OFF_SWITCH, AskGroup
from engine.schedulers.capacity.space import NOTHING, fits_all
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.commit import Commit
from engine.schedulers.capacity34.evaluation import (
    NOT_ASKED,
    EvaluationContext,
    NodeOutcome,
    NodeVerdict,
    ResourceLimits,
    evaluate,
    limits_of_child,
    may_assign_to,
    may_assign_to_user,
    obstacle_of,
    over_user_limit,
    wants_more,
)
from engine.schedulers.capacity34.leaf import remember_limit, user_limit_and_headroom
from engine.schedulers.capacity34.nodes import MultiNodePlacement
from engine.schedulers.capacity34.order import children_in_order
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf, capacity_attempt
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.users import UserVerdict
from engine.schedulers.obstacle_texts import Reason, Recorder
from engine.state import Dropped, Shared, State


class Walk(metaclass=State):
    """Offers nodes; `commit` carries out what is found.

    A walk ends with the verdict that was carried out, with one that a queue stands at its limit with an ask before it,
    or with None.
    """

    root: CapacityQueue
    settings: Shared[CapacitySettings]
    space: PartitionResources
    commit: Commit
    recorder: Dropped[Recorder | None] = None
    multi_node: MultiNodePlacement | None = None
    """How nodes are looked through; None where a heartbeat is about its own node."""
    now_ms: int = 0  # The instant of the present look
    candidates: Dropped[list[Node] | None] = None  # The nodes of the present look, where there are several
    side_effects: bool = False  # Whether a counter was changed since it was last set to False

    def __init__(
        self, root: CapacityQueue, settings: CapacitySettings, space: PartitionResources, commit: Commit
    ) -> None:
        self.root = root
        self.settings = settings
        self.space = space
        self.commit = commit

    # ---------------------------------------------------------------- one heartbeat

    def offer(self, node: Node, now_ms: int) -> None:
        settings, offswitch, assigned = self.settings, 0, 0
        while True:
            verdict = self.offer_once(node, now_ms)
            if verdict is None or verdict.outcome is NodeOutcome.QUEUE_IS_FULL:
                return
            offswitch += verdict.locality == OFF_SWITCH
            assigned += 1
            # A reserved node has nothing more to give; of containers that lie far from their data few are placed at
            # once.
            if verdict.outcome is NodeOutcome.RESERVE or offswitch >= settings.max_offswitch:
                return
            if not settings.multiple_assignments or assigned >= settings.max_assignments != -1:
                return

    def offer_once(self, node: Node, now_ms: int) -> NodeVerdict | None:
        """One assignment; None where the node is taken or has no room. Source: #allocateContainerOnSingleNode."""
        self.now_ms = now_ms
        if self.multi_node is not None:
            return self._among(self.multi_node.candidates(node, now_ms))
        if node.reserved is not None:
            self._fulfil(node.reserved)
            return None
        return self._new_one(node) if self.has_room(node) else None

    def _among(self, candidates: list[Node]) -> NodeVerdict | None:
        """One assignment on any of some nodes. Source: #allocateContainersOnMultiNodes."""
        for each in candidates:
            if each.reserved is not None:
                self._fulfil(each.reserved)
        # Each of several nodes is asked for itself.
        if len(candidates) == 1 and (candidates[0].reserved is not None or not self.has_room(candidates[0])):
            return None
        self.candidates = candidates
        try:
            return self._new_one(candidates[0])
        finally:
            self.candidates = None

    def _new_one(self, node: Node) -> NodeVerdict | None:
        """A new allocation or reservation. Source: #allocateOrReserveNewContainers."""
        space, label = self.space, node.partition
        found = self._in_parent(self.root, node, ResourceLimits(space.total(label)), respects=True)
        if not label or space.is_exclusive(label) or not (found is None or found.outcome is NodeOutcome.QUEUE_IS_FULL):
            return found
        # Asks without a label come second: they may have what the partition's own queues leave.
        return self._in_parent(self.root, node, ResourceLimits(space.total("")), respects=False)

    def _fulfil(self, held: Container) -> None:
        """Look after a node's reservation. Source: #allocateFromReservedContainer."""
        attempt = capacity_attempt(held.attempt)
        leaf = attempt.queue.leaf
        if leaf is None:
            return
        # The queues were asked when the reservation was made; it is fulfilled within the whole default partition.
        limits = ResourceLimits(self.space.total(""))
        remember_limit(leaf, limits.limit, self.space)
        self.set_kill(leaf, limits, held.node.partition)
        question = self.question(attempt, leaf, held.node, limits, respects=True)
        group = attempt.group(held.priority)
        verdict = evaluate(question, group, held)
        self._count(question, group, verdict)
        if verdict.outcome is NodeOutcome.ALLOCATE:
            self.commit.allocate(question, group, verdict, held, self.now_ms)
        elif verdict.outcome is NodeOutcome.RESERVE:
            self.side_effects = True
            # The longer a reservation is kept, the more it may have on other nodes, too.
            asked = question, group, (held.memory_mb, held.vcores)
            count, wanted = attempt.re_reservations, wants_more(*asked)
            count[held.priority] = count.get(held.priority, 0) + 1
            self.commit.cluster.version += wants_more(*asked) != wanted
        elif verdict.outcome is NodeOutcome.DROP_RESERVATION:
            self.commit.drop(held)

    def _carry_out(self, question: EvaluationContext, group: AskGroup, verdict: NodeVerdict) -> None:
        self._count(question, group, verdict)
        # A new allocation or reservation begins some counts anew. Source: #doAllocation.
        if verdict.locality < OFF_SWITCH and (verdict.locality == 1 or question.leaf.settings.full_reset):
            group.missed_opportunities = 0
        if not question.node.partition:
            question.attempt.missed_unlabelled.pop(group.priority, None)
        if verdict.outcome is NodeOutcome.ALLOCATE:
            self.commit.allocate(question, group, verdict, None, self.now_ms)
        else:
            self.commit.reserve(question, group, verdict, self.now_ms)

    # ---------------------------------------------------------------- counters

    def _count(self, question: EvaluationContext, group: AskGroup, verdict: NodeVerdict) -> None:
        if verdict.counts_unlabelled and self.space.exclusive is not None:
            missed = question.attempt.missed_unlabelled
            missed[group.priority] = missed.get(group.priority, 0) + 1
            self.side_effects = True
        if verdict.counts_opportunity:
            group.missed_opportunities += 1
            self.side_effects = True

    # ---------------------------------------------------------------- the queues

    def question(
        self, attempt: CapacityAttempt, leaf: Leaf, node: Node, limits: ResourceLimits, *, respects: bool
    ) -> EvaluationContext:
        kills = self.commit.lazy.on(node) if limits.allow_kill else ()
        return EvaluationContext(attempt, leaf, node, limits, respects, self.space, kills)

    def _in_parent(
        self, queue: CapacityQueue, node: Node, limits: ResourceLimits, respects: bool
    ) -> NodeVerdict | None:
        """Source: AbstractParentQueue#assignContainers, #assignContainersToChildQueues."""
        space, label = self.space, node.partition
        if not self.has_pending(queue, node, respects):
            return None
        if not may_assign_to(queue, label, limits, queue.metrics_reserved, respects, space):
            return None
        full = None
        for child in children_in_order(queue, label, space):
            child_limits = limits_of_child(queue, child, limits, label, space, net=True)
            if child.leaf is not None:
                found = self._in_leaf(child.leaf, node, child_limits, respects)
                blocked = child_limits.headroom
            else:
                found = self._in_parent(child, node, child_limits, respects)
                blocked = child_limits.blocked or NOTHING
            # What a full child cannot have is kept free for it: its siblings' limits are lower by that.
            if found is not None:
                if found.outcome is not NodeOutcome.QUEUE_IS_FULL:
                    return found
                full = found
                if space.exceeds(NOTHING, blocked):
                    blocked = NOTHING
                before = limits.blocked or NOTHING
                limits.blocked = (before[0] + blocked[0], before[1] + blocked[1])
        return full

    def has_room(self, node: Node) -> bool:
        """Tell whether a smallest container would fit, killing what may be killed. Source: #canAssign."""
        return self.space.calculator.fits(self.space.minimum, self.commit.lazy.room_on(node))

    def has_pending(self, queue: CapacityQueue, node: Node, respects: bool) -> bool:
        label = node.partition if respects else ""
        if label and not queue.is_accessible(label):
            return False
        share = queue.shares.get(label)
        return share is not None and self.space.exceeds(share.pending, NOTHING)

    # ---------------------------------------------------------------- a leaf

    def set_kill(self, leaf: Leaf, limits: ResourceLimits, label: str) -> None:
        """Set whether the leaf may kill for its asks: while it uses less than its guarantee."""
        if self.settings.is_lazy:
            share = leaf.queue.share(label)
            # A queue at its guarantee takes what others give back; only one below it may have containers killed.
            if share.effective_minimum != NOTHING:
                below = self.space.calculator.compare(self.space.cluster, share.used, share.effective_minimum) < 0
            else:
                below = share.absolute_used(self.space.total(label), self.space.calculator) < share.absolute
            limits.allow_kill = below

    def _in_leaf(self, leaf: Leaf, node: Node, limits: ResourceLimits, respects: bool) -> NodeVerdict | None:
        """Source: AbstractLeafQueue#assignContainers."""
        remember_limit(leaf, limits.limit, self.space)
        self.set_kill(leaf, limits, node.partition)
        if not self.has_pending(leaf.queue, node, respects):
            return None
        label = node.partition
        verdicts = leaf.verdicts.of_walk(label, respects, leaf.users.version)
        checks_queue = True
        for attempt in leaf.order.for_walk(leaf, label):
            reserved = attempt.reserved_in[""]
            if checks_queue:
                if not may_assign_to(leaf.queue, label, limits, reserved, respects, self.space):
                    return None
                # The answer is the same for everyone but those whose own reservations might be given up.
                checks_queue = leaf.settings.continue_looking and reserved != NOTHING
            elif not leaf.has_to_look_at(attempt):
                continue
            if not self._user_may(leaf, attempt, node, limits, respects, verdicts):
                continue
            found = self._in_attempt(leaf, attempt, node, limits, respects)
            if found is not None:
                return found
        return None

    def _user_may(
        self,
        leaf: Leaf,
        attempt: CapacityAttempt,
        node: Node,
        limits: ResourceLimits,
        respects: bool,
        verdicts: dict[str, UserVerdict],
    ) -> bool:
        """Tell whether the user's limit lets the attempt have something; what is found out is kept in the verdicts."""
        label, reserved = node.partition, attempt.reserved_in[""]
        known = verdicts.get(attempt.user)
        limit = user_limit_and_headroom(leaf, attempt, label, respects, self.space, known and known[0])
        if known is None or not fits_all(reserved, known[1]):
            if may_assign_to_user(leaf, attempt, label, limit, limits, self.space):
                if known is None:
                    verdicts[attempt.user] = None
                return True
            # An application with as little reserved is turned down by the same limit; more reserved might help.
            if known is None or fits_all(known[1], reserved):
                verdicts[attempt.user] = (limit, reserved)
        if self.recorder is not None and attempt.pending:
            self.recorder.passed_over(attempt, node, over_user_limit(leaf, attempt, label, limit, self.space))
        return False

    def _in_attempt(
        self, leaf: Leaf, attempt: CapacityAttempt, node: Node, limits: ResourceLimits, respects: bool
    ) -> NodeVerdict | None:
        """Carry out the first priority that comes to something; None to go on with the next application."""
        if not attempt.pending or attempt.pending_in.get(node.partition if respects else "", NOTHING) == NOTHING:
            return None
        question = self.question(attempt, leaf, node, limits, respects=respects)
        for priority in attempt.priorities:
            group = attempt.groups[priority]
            if self.candidates is None:
                verdict = evaluate(question, group)
            else:
                question, verdict = self._best(question, group, self.candidates)
            outcome = verdict.outcome
            if outcome is NodeOutcome.ALLOCATE or outcome is NodeOutcome.RESERVE:
                self._carry_out(question, group, verdict)
                return verdict
            if verdict.counts_opportunity or verdict.counts_unlabelled:
                self._count(question, group, verdict)
            if self.recorder is not None and verdict.reason is not None and verdict.reason is not Reason.NOTHING_ASKED:
                self.recorder.passed_over(attempt, question.node, obstacle_of(verdict, question.node.partition))
            if outcome is NodeOutcome.QUEUE_IS_FULL:
                return verdict
            # It waits for a better place, and later priorities wait behind the earlier ones.
            if outcome is NodeOutcome.NEXT_APPLICATION:
                return None
        return None

    def _best(
        self, question: EvaluationContext, group: AskGroup, candidates: list[Node]
    ) -> tuple[EvaluationContext, NodeVerdict]:
        """The verdict of one priority on the first of some nodes that can be allocated, else on the last.

        Source: RegularContainerAllocator#allocate.
        """
        assert self.multi_node is not None, "there are several nodes"
        leaf, attempt, found = question.leaf, question.attempt, NOT_ASKED
        nodes = self.multi_node.in_order(leaf, candidates, self.now_ms)
        for node in nodes:
            if self.multi_node.skips_reserved and node.reserved is not None and node is not nodes[-1]:
                continue
            if found.counts_opportunity or found.counts_unlabelled:
                self._count(question, group, found)
            question = self.question(attempt, leaf, node, question.limits, respects=question.respects)
            found = evaluate(question, group)
            if found.outcome is NodeOutcome.ALLOCATE:
                break
        return question, found
