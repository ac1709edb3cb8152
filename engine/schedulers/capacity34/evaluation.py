"""May this attempt have this ask on this node? The one answer that offers and probes share.

`evaluate` changes nothing: it computes with the counters as they will be once the offer is counted, and says in its
verdict which of them count. What the queues above have to say comes in as limits, see `walk`.

Source: RegularContainerAllocator, ResourceLimits, AbstractParentQueue#getResourceLimitsOfChild, AbstractCSQueue,
AbstractLeafQueue, Hadoop 3.4.1.
"""

from enum import Enum
from typing import Final

from engine.model.java_values import float32, truncate
from engine.model.ledger import Container, Node
from engine.model.request import NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup, ResourceRequest
from engine.schedulers.capacity.space import NOTHING, Amount, limit_obstacle, minus, plus
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf
from engine.schedulers.obstacle_texts import Obstacle, Reason

# The limits that a walk hands down the tree, and the checks that a queue and a user are below theirs.


class ResourceLimits:
    """The most one queue may use now, and what its walk found out."""

    __slots__ = ("allow_kill", "blocked", "headroom", "limit", "to_unreserve", "user_limit")

    def __init__(self, limit: Amount) -> None:
        self.limit = limit
        self.headroom = limit  # the limit less what is used
        self.user_limit: Amount = NOTHING  # the most the user asked about last may use
        self.to_unreserve: Amount = NOTHING
        """What an application has to give up of its reservations, for its user's limit."""
        self.blocked: Amount | None = None
        """Headroom of children that stand at their limits; their siblings may not have it."""
        self.allow_kill = False  # whether containers selected for preemption may be killed for this queue


def limits_of_child(
    queue: CapacityQueue,
    child: CapacityQueue,
    limits: ResourceLimits,
    label: str,
    space: PartitionResources,
    *,
    net: bool,
) -> ResourceLimits:
    """Return the limits of a child: those of its parent, less the usage of the parent's other children.

    `limits` are the parent's, whose limit is capped by its maximum from now on; with `net` headroom of blocked children
    is taken off.
    """
    share = queue.share(label)
    if space.exceeds(limits.limit, share.effective_maximum):
        limits.limit = share.effective_maximum
    memory_mb, vcores = limits.limit
    if net and limits.blocked is not None:
        memory_mb, vcores = memory_mb - limits.blocked[0], vcores - limits.blocked[1]
    own = child.share(label).used
    killable = queue.killable_amount(label) if queue.killable else NOTHING
    free = (memory_mb - share.used[0] + killable[0] + own[0], vcores - share.used[1] + killable[1] + own[1])
    return ResourceLimits(space.calculator.round_down(free, space.minimum))


def may_assign_to(
    queue: CapacityQueue,
    label: str,
    limits: ResourceLimits,
    unreservable: Amount,
    respects: bool,
    space: PartitionResources,
) -> bool:
    """True if a queue is below its limit, at least if reservations were given up; notes its headroom.

    Source: AbstractCSQueue#canAssignToThisQueue.
    """
    share = queue.share(label)
    if respects:
        most = share.effective_maximum
        if space.exceeds(most, limits.limit):
            most = limits.limit
    else:
        most = space.total(label)
    used = share.used
    # What may be killed below counts as free: a queue below its guarantee takes its place.
    if queue.leaf is None and queue.killable:
        used = minus(used, queue.killable_amount(label))
    limits.headroom = (most[0] - used[0], most[1] - used[1])
    if space.exceeds(most, used):
        return True
    # With its own reservations given up it may be below its limit.
    if not space.continue_looking or not space.exceeds(unreservable, NOTHING):
        return False
    return space.exceeds(most, minus(used, unreservable))


def may_assign_to_user(
    leaf: Leaf, attempt: CapacityAttempt, label: str, limit: Amount, limits: ResourceLimits, space: PartitionResources
) -> bool:
    """True if a user is not above their limit, or would not be without the attempt's reservations; notes the limit.

    Source: AbstractLeafQueue#canAssignToUser.
    """
    user = leaf.users.by_name.get(attempt.user)
    if user is None:
        return False
    limits.user_limit, limits.to_unreserve = limit, NOTHING
    used = user.used_in(label)
    if not space.exceeds(used, limit):
        return True
    # A reservation counts as used; without this setting none is given up for a container elsewhere.
    if not leaf.settings.continue_looking:
        return False
    without = minus(user.used_in(""), attempt.reserved_in[""])
    if space.exceeds(without, limit):
        return False
    limits.to_unreserve = minus(used, limit)
    return True


class NodeOutcome(Enum):
    ALLOCATE = "allocate"
    RESERVE = "reserve"
    NEXT_PRIORITY = "next priority"
    NEXT_APPLICATION = "next application"
    QUEUE_IS_FULL = "queue is full"
    DROP_RESERVATION = "drop the reservation"


class NodeVerdict:
    __slots__ = (
        "counts_opportunity",
        "counts_unlabelled",
        "freed",
        "give_up",
        "kill",
        "locality",
        "numbers",
        "outcome",
        "reason",
        "request",
        "subject",
    )

    def __init__(
        self,
        outcome: NodeOutcome,
        reason: Reason | None = None,
        numbers: tuple[int, ...] = (),
        request: ResourceRequest | None = None,
        locality: int = 0,
        give_up: Container | None = None,
        kill: tuple[Container, ...] = (),
        subject: str = "",
    ) -> None:
        """Say what follows; it counts as nothing yet.

        `give_up` is a reservation elsewhere that is given up for this, `kill` are containers killed to make room, and
        `subject` is the queue it is about, empty for none.
        """
        self.outcome = outcome
        self.reason = reason
        self.numbers = numbers
        self.request = request
        self.locality = locality
        self.give_up = give_up
        self.kill = kill
        self.freed: Amount = NOTHING  # what all these have
        self.subject = subject
        self.counts_unlabelled = False  # whether the offer counts as one missed by an ask without a label
        self.counts_opportunity = False  # whether the offer counts as an opportunity

    def counting(self, *, unlabelled: bool, opportunity: bool) -> "NodeVerdict":
        """Set what the offer counts as and return this verdict; never for `NOT_ASKED` and `DROP`, which are shared."""
        self.counts_unlabelled, self.counts_opportunity = unlabelled, opportunity
        return self


NOT_ASKED: Final = NodeVerdict(NodeOutcome.NEXT_PRIORITY, Reason.NOTHING_ASKED)
DROP: Final = NodeVerdict(NodeOutcome.DROP_RESERVATION)


class EvaluationContext:
    """The values that do not change while one attempt is asked about on one node."""

    __slots__ = ("attempt", "kills", "leaf", "limits", "node", "respects", "space")

    def __init__(
        self,
        attempt: CapacityAttempt,
        leaf: Leaf,
        node: Node,
        limits: ResourceLimits,
        respects: bool,
        space: PartitionResources,
        kills: tuple[Container, ...],
    ) -> None:
        self.attempt = attempt
        self.leaf = leaf
        self.node = node
        self.limits = limits
        self.respects = respects  # whether exclusivity of partitions holds in this walk
        self.space = space
        self.kills = kills  # containers on the node that may be killed, in their order


def evaluate(question: EvaluationContext, group: AskGroup, held: Container | None = None) -> NodeVerdict:
    """The verdict for one priority. `held` is the node's reservation, where it is to be fulfilled."""
    attempt, node = question.attempt, question.node
    anywhere = group.anywhere
    if held is not None:
        if anywhere is None or anywhere.count <= 0:
            return DROP
        unlabelled = False
    else:
        if anywhere is None or anywhere.count <= 0:
            return NOT_ASKED
        refused = _refused_before(question, group, anywhere)
        if refused is not None:
            return refused
        unlabelled = not anywhere.partition
        # A node of another partition is borrowed only after as many offers as there are nodes: its own queues come
        # first.
        if not question.respects:
            missed = attempt.missed_unlabelled.get(group.priority, 0) + 1 if unlabelled else 0
            if missed < question.space.nodes:
                waits = NodeVerdict(
                    NodeOutcome.NEXT_APPLICATION, Reason.DELAY_SCHEDULING, (missed, question.space.nodes)
                )
                return waits.counting(unlabelled=unlabelled, opportunity=False)
    if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
        blacklisted = NodeVerdict(NodeOutcome.NEXT_APPLICATION, Reason.BLACKLISTED)
        return blacklisted.counting(unlabelled=unlabelled, opportunity=False)
    verdict = _on_node(question, group, anywhere, held)
    counts = held is not None or verdict.outcome is not NodeOutcome.NEXT_PRIORITY
    return verdict.counting(unlabelled=unlabelled, opportunity=counts)


def _refused_before(question: EvaluationContext, group: AskGroup, anywhere: ResourceRequest) -> NodeVerdict | None:
    """Check an ask before the places of the node. Source: #preCheckForNodeCandidateSet."""
    attempt, node, limits = question.attempt, question.node, question.limits
    # A master on a borrowed node would be the first to be killed when it is wanted back.
    if not question.respects and attempt.waits_for_master:
        return NodeVerdict(NodeOutcome.NEXT_APPLICATION, Reason.NOT_IN_PARTITION)
    if anywhere.partition != (node.partition if question.respects else ""):
        return NodeVerdict(NodeOutcome.NEXT_PRIORITY, Reason.NOT_IN_PARTITION)
    looks_on = question.leaf.settings.continue_looking
    size = (anywhere.memory_mb, anywhere.vcores)
    if not looks_on and not wants_more(question, group, size):
        numbers = question.space.numbers(size, (node.free_memory_mb, node.free_vcores))
        return NodeVerdict(NodeOutcome.NEXT_PRIORITY, Reason.RESERVATION_LIMIT, numbers)
    memory_mb, vcores = limits.headroom
    # Its own reservations could be given up for this, so they do not stand in its way.
    if looks_on:
        reserved = attempt.reserved_in.get(node.partition, NOTHING)
        memory_mb, vcores = memory_mb + reserved[0], vcores + reserved[1]
    if not question.space.calculator.fits(size, (memory_mb, vcores)):
        queue = full_queue(question, size) or question.leaf.queue
        share = queue.share(node.partition)
        numbers = question.space.numbers(share.used, share.effective_maximum, size)
        return NodeVerdict(NodeOutcome.QUEUE_IS_FULL, Reason.QUEUE_OVER_MAXIMUM, numbers, subject=queue.path)
    return None


def full_queue(question: EvaluationContext, more: Amount) -> CapacityQueue | None:
    """The lowest queue that so much more would take over its maximum; None when there is none."""
    label, space, respects = question.node.partition, question.space, question.respects
    fits, (memory_mb, vcores) = space.calculator.fits, more
    queue: CapacityQueue | None = question.leaf.queue
    while queue is not None:
        share = queue.share(label)
        used, most = share.used, share.effective_maximum if respects else space.total(label)
        if not fits((used[0] + memory_mb, used[1] + vcores), most):
            return queue
        queue = queue.parent
    return None


def wants_more(question: EvaluationContext, group: AskGroup, size: Amount) -> bool:
    """Tell whether it wants more than is reserved, with a bonus for waiting. Source: #shouldAllocOrReserve….

    The longer reservations are confirmed in vain, the more may be made; the larger the container, the less.
    """
    attempt, leaf = question.attempt, question.leaf
    reserved = attempt.reserved_count.get(group.priority, 0)
    starvation = 0
    if reserved > 0:
        part = question.space.calculator.ratio(size, leaf.queue.settings.maximum_allocation)
        # The average number of times that one of its reservations was confirmed in vain.
        tries = float32(attempt.re_reservations.get(group.priority, 0) / reserved)
        starvation = truncate(float32(tries * float32(1 - min(part, leaf.minimum_factor))))
    return starvation + (group.anywhere.count if group.anywhere else 0) - reserved > 0


def _on_node(
    question: EvaluationContext, group: AskGroup, anywhere: ResourceRequest, held: Container | None
) -> NodeVerdict:
    """The nearest place that will do. Source: #assignContainersOnNode."""
    node, by_name = question.node, group.by_name
    missed = group.missed_opportunities + 1
    at_rack = by_name.get(node.rack)
    rack_count = at_rack.count if at_rack is not None else 0
    at_host = by_name.get(node.name)
    # An ask for a host counts at its rack, too; where the rack's count is used up, nothing is left.
    if at_host is not None and at_host.count > 0 and rack_count > 0:
        verdict = _place(question, group, at_host, NODE_LOCAL, held)
        if verdict is not None:
            return verdict
    if at_rack is not None and rack_count > 0:
        if not at_rack.relax_locality:
            return NodeVerdict(NodeOutcome.NEXT_PRIORITY, Reason.LOCALITY_NOT_RELAXED)
        # A small cluster has been seen whole after as many offers as it has nodes.
        if min(question.space.nodes, question.leaf.settings.node_delay) < missed:
            verdict = _place(question, group, at_rack, RACK_LOCAL, held)
            if verdict is not None:
                return verdict
        elif not anywhere.relax_locality:  # what is skipped so is no offer that it let pass: any delay is for ever
            found = (missed, question.leaf.settings.node_delay)
            return NodeVerdict(NodeOutcome.NEXT_PRIORITY, Reason.DELAY_SCHEDULING, found)
    if not anywhere.relax_locality:
        return NodeVerdict(NodeOutcome.NEXT_PRIORITY, Reason.LOCALITY_NOT_RELAXED)
    if held is None and not _anywhere_will_do(question, group, anywhere, missed):
        return NodeVerdict(
            NodeOutcome.NEXT_APPLICATION, Reason.DELAY_SCHEDULING, (missed, question.leaf.settings.node_delay)
        )
    verdict = _place(question, group, anywhere, OFF_SWITCH, held)
    return verdict if verdict is not None else _no_place(question, group, anywhere)


def _anywhere_will_do(question: EvaluationContext, group: AskGroup, anywhere: ResourceRequest, missed: int) -> bool:
    """Tell whether enough offers were passed by for a place that was not named. Source: #canAssign, OFF_SWITCH."""
    nodes, settings = question.space.nodes, question.leaf.settings
    places = len(group.by_name)
    if places == 1:
        return True
    # Without a delay of its own the wait grows with the number of containers and of places named.
    if settings.rack_delay > -1:
        return missed > min(nodes, settings.node_delay + settings.rack_delay)
    factor = min(float32(float32(max(places - 1, 0)) / nodes), 1.0) if nodes else 1.0
    return min(float(nodes), float32(float32(anywhere.count) * factor)) < missed


def _place(
    question: EvaluationContext, group: AskGroup, request: ResourceRequest, locality: int, held: Container | None
) -> NodeVerdict | None:
    """Allocate or reserve at one locality; None where neither is possible. Source: #assignContainer."""
    node, space, limits = question.node, question.space, question.limits
    calculator = space.calculator
    size = (request.memory_mb, request.vcores)
    if not calculator.fits(size, (node.total_memory_mb, node.total_vcores)):
        return None
    anywhere = group.anywhere
    assert anywhere is not None, "only asked about where something is wanted"
    wants = wants_more(question, group, size)
    looks_on = held is None and question.leaf.settings.continue_looking
    needed = (size[0] - limits.headroom[0], size[1] - limits.headroom[1])
    # The queue and the user may each lack room; what is given up has to be enough for both.
    if calculator.compare(space.cluster, needed, limits.to_unreserve) < 0:
        needed = limits.to_unreserve
    needs_room = calculator.any_above_zero(needed)
    free = (node.free_memory_mb, node.free_vcores)
    fits = calculator.containers_in(free, size) > 0
    kill: tuple[Container, ...] = ()
    if not fits and limits.allow_kill and question.kills and calculator.containers_in(free, size) == 0:
        kill, fits = _to_kill(question, size, free)
    if fits:
        give_up = None
        # It has as many reservations as asks, or is at a limit: one of them pays for a container here.
        if looks_on and (not wants or needs_room):
            give_up = to_give_up(question, group.priority, needed if needs_room else size)
            if give_up is None:
                return None
        found = NodeVerdict(NodeOutcome.ALLOCATE, None, (), request, locality, give_up, kill)
        for each in kill if give_up is None else (*kill, give_up):
            found.freed = plus(found.freed, (each.memory_mb, each.vcores))
        return found
    if (wants or held is not None) and not (looks_on and needs_room):
        return NodeVerdict(NodeOutcome.RESERVE, Reason.DOES_NOT_FIT, space.numbers(size, free), request, locality)
    return None


def _to_kill(question: EvaluationContext, size: Amount, free: Amount) -> tuple[tuple[Container, ...], bool]:
    memory_mb, vcores = free
    for count, container in enumerate(question.kills, 1):
        memory_mb, vcores = memory_mb + container.memory_mb, vcores + container.vcores
        if question.space.calculator.fits(size, (memory_mb, vcores)):
            return question.kills[:count], True
    return question.kills, False


def to_give_up(question: EvaluationContext, priority: int, needed: Amount) -> Container | None:
    """The first reservation of a priority that is large enough to be given up. Source: #getNodeIdToUnreserve."""
    for container in question.attempt.reservations_in_order(priority):
        if question.space.calculator.fits(needed, (container.memory_mb, container.vcores)):
            return container
    return None


def _no_place(question: EvaluationContext, group: AskGroup, anywhere: ResourceRequest) -> NodeVerdict:
    node, size = question.node, (anywhere.memory_mb, anywhere.vcores)
    if not question.space.calculator.fits(size, (node.total_memory_mb, node.total_vcores)):
        numbers = question.space.numbers(size, (node.total_memory_mb, node.total_vcores))
        return NodeVerdict(NodeOutcome.NEXT_APPLICATION, Reason.NODE_TOO_SMALL, numbers)
    numbers = question.space.numbers(size, (node.free_memory_mb, node.free_vcores))
    fits = question.space.calculator.fits(size, (node.free_memory_mb, node.free_vcores))
    reason = Reason.RESERVATION_LIMIT if fits or not wants_more(question, group, size) else Reason.DOES_NOT_FIT
    return NodeVerdict(NodeOutcome.NEXT_APPLICATION, reason, numbers)


# ---------------------------------------------------------------- in words


def obstacle_of(verdict: NodeVerdict, label: str) -> Obstacle:
    """Return the obstacle of a verdict that gives nothing in a partition."""
    return limit_obstacle(verdict.reason or Reason.NOTHING_ASKED, verdict.numbers, verdict.subject, label)


def over_user_limit(
    leaf: Leaf, attempt: CapacityAttempt, label: str, limit: Amount, space: PartitionResources
) -> Obstacle:
    user = leaf.users.by_name.get(attempt.user)
    used = NOTHING if user is None else user.used_in(label)
    return Obstacle(Reason.USER_OVER_LIMIT, space.numbers(used, limit), attempt.user, label)
