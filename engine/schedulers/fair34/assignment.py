"""Placing a container for one application on one node as of 3.x: does what the rules answer.

Container numbers are used up only by what is placed or reserved.

Source: FSAppAttempt#assignContainer, #assignReservedContainer, #reserve, #hasContainerForNode, #isOverAMShareLimit,
#isReservable, FSLeafQueue#canRunAppAM, #computeMaxAMResource, Hadoop 3.4.1.
"""

import math

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision, Reserved
from engine.model.ledger import Container, Node
from engine.model.request import LOCALITY_NAMES, OFF_SWITCH, AskGroup, ResourceRequest
from engine.schedulers.fair import walk as evaluation
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.running_limit import RunningLimit
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, count_as_master, fair_attempt
from engine.schedulers.fair.walk import (
    Evaluation,
    am_share_obstacle,
    blacklisted,
    kept_for,
    match,
    matched,
    maximum_obstacle,
    next_locality,
    obstacle_of,
    reservation_allowed,
    walk,
)
from engine.schedulers.fair34.node_promises import NodePromises
from engine.schedulers.fair34.queue_manager import Available, at_least
from engine.schedulers.fair34.settings import FairSettings34
from engine.schedulers.fair34.starvation import is_starved
from engine.schedulers.obstacle_texts import Obstacle, Reason, Recorder
from engine.state import Dropped, State

# The rules by which 3.x gives an ask a node, in their order. Asking changes nothing.
#
# The AM share is asked before any priority; an ask must fit the node's total and the maximum of every queue above; a
# node is held only for a starved application, for an ask that is large enough, up to a part of the nodes, and not
# where containers were taken back for it. An offer and the probe ask the same questions.


def is_wanted_here(group: AskGroup, node: Node) -> bool:
    """Tell whether the group asks for this host, its rack, or does not insist on others."""
    anywhere = group.anywhere
    assert anywhere is not None, "only a group with something left is looked at"
    if len(group.by_name) == 1:
        return anywhere.relax_locality
    rack, host = group.by_name.get(node.rack), group.by_name.get(node.name)
    if rack is None or rack.count <= 0:
        return anywhere.relax_locality
    return rack.relax_locality or (host is not None and host.count > 0)


def am_share_allows(leaf: FairLeaf, memory_mb: int, vcores: int, available: Available) -> bool:
    """Tell whether one more application master of this size keeps within a leaf's share, in both dimensions."""
    if abs(leaf.max_am_share + 1.0) < 0.0001:
        return True
    share_mb, share_vcores = am_share(leaf, available)
    return leaf.am_memory_mb + memory_mb <= share_mb and leaf.am_vcores + vcores <= share_vcores


def am_share(leaf: FairLeaf, available: Available) -> Amount:
    """Return the limit of a leaf's application masters; a share of 0 counts as the free amount of the cluster."""
    part = leaf.max_am_share
    of_memory_mb = leaf.fair_memory_mb or min(available.memory_mb, leaf.max_memory_mb)
    of_vcores = leaf.fair_vcores or min(available.vcores, leaf.max_vcores)
    return (math.ceil(of_memory_mb * part), math.ceil(of_vcores * part))


def next_ask(attempt: FairAttempt) -> Amount | None:
    """The size of the ask that comes first; None when nothing is asked. Source: #getNextPendingAsk."""
    for priority in attempt.priorities:
        anywhere = attempt.groups[priority].anywhere
        if anywhere is not None and anywhere.count > 0:
            return (anywhere.memory_mb, anywhere.vcores)
    return None


class Rules34(metaclass=State):
    cluster: Cluster
    settings: FairSettings34
    promises: NodePromises
    available: Available

    def __init__(
        self, cluster: Cluster, settings: FairSettings34, promises: NodePromises, available: Available
    ) -> None:
        self.cluster = cluster
        self.settings = settings
        self.promises = promises
        self.available = available

    def lacks_am_share(self, attempt: FairAttempt) -> bool:
        """Tell whether nothing counts as the attempt's AM yet and the leaf's share has no room for it."""
        if attempt.am_running or attempt.unmanaged:
            return False
        ask = next_ask(attempt)
        return ask is not None and not am_share_allows(attempt.queue, *ask, self.available)

    def lacks_room(self, attempt: FairAttempt) -> bool:
        """Tell whether its leaf's share for masters is a part of what is free, and the master does not fit in that."""
        ask, leaf, free = next_ask(attempt), attempt.queue, self.available
        if ask is None or not self.lacks_am_share(attempt):
            return False
        share, fair, left = am_share(leaf, free), (leaf.fair_memory_mb, leaf.fair_vcores), (free.memory_mb, free.vcores)
        sides = zip(ask, (leaf.am_memory_mb, leaf.am_vcores), share, fair, left, strict=True)
        return all(not due and wanted > rest for wanted, held, most, due, rest in sides if held + wanted > most)

    def evaluate(
        self, attempt: FairAttempt, group: AskGroup, node: Node, held: Container | None, now_ms: int
    ) -> Evaluation:
        """Evaluate an attempt's ask on a node that is free or, where `held`, reserved by it for this ask."""
        # Asked before the ask itself, so that an application without its master ends its turn at once.
        if not attempt.am_running and self.lacks_am_share(attempt):
            return evaluation.AM_SHARE_EXHAUSTED
        anywhere = group.anywhere
        if anywhere is None or anywhere.count <= 0:
            return evaluation.NOTHING_ASKED
        if anywhere.memory_mb > node.total_memory_mb or anywhere.vcores > node.total_vcores:
            return evaluation.NODE_TOO_SMALL
        if not is_wanted_here(group, node):
            return evaluation.LOCALITY_NOT_RELAXED
        # Before the place, unlike in 2.7.2: no container goes beyond the maximum, and no offer counts as missed.
        if attempt.queue.exceeded_by(anywhere.memory_mb, anywhere.vcores) is not None:
            return evaluation.OVER_MAXIMUM
        # Not even asked for its locality: a reservation that does not fit counts no missed offer.
        if held is not None and (held.memory_mb > node.free_memory_mb or held.vcores > node.free_vcores):
            return evaluation.RESERVATION_WAITS
        settings = self.settings
        locality = match(group, node, OFF_SWITCH if settings.ignores_locality else self.allowed(attempt, group, now_ms))
        if not locality:
            return evaluation.DELAYED
        request = matched(group, node, locality)
        if request.memory_mb <= node.free_memory_mb and request.vcores <= node.free_vcores:
            return evaluation.ALLOCATE[locality]
        if held is not None:
            return evaluation.DOES_NOT_FIT[locality]
        return self._evaluate_reservation(attempt, request, node, locality)

    def _evaluate_reservation(
        self, attempt: FairAttempt, request: ResourceRequest, node: Node, locality: int
    ) -> Evaluation:
        # Where containers were taken back for it the room is its own without a reservation.
        if not self._may_hold(attempt, request) or self.promises.taken_for(node, attempt):
            return evaluation.DOES_NOT_FIT[locality]
        if node.reserved is not None or not reservation_allowed(
            attempt, node, locality, self.settings, self.cluster.nodes.values()
        ):
            return evaluation.RESERVATION_LIMIT[locality]
        return evaluation.RESERVE[locality]

    def _may_hold(self, attempt: FairAttempt, request: ResourceRequest) -> bool:
        cluster = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        threshold = self.settings.reservation_threshold
        return is_starved(attempt, cluster) and at_least(
            attempt.queue.policy,
            (request.memory_mb, request.vcores),
            (threshold.memory_mb, threshold.vcores),
            cluster,
        )

    def allowed(self, attempt: FairAttempt, group: AskGroup, now_ms: int) -> int:
        """The locality an ask is allowed in the next offer, which counts itself before it asks."""
        missed, nodes = group.missed_opportunities + 1, len(self.cluster.nodes)
        return next_locality(group, missed, self.settings, nodes, now_ms, attempt.started_ms)

    def holds(self, held: Container, now_ms: int) -> bool:
        """Tell whether an offer keeps a reservation.

        Differs: when the rule of reservations is set to `off` while nodes are reserved, those are dropped; no real
        class can change its rule.
        """
        attempt = fair_attempt(held.attempt)
        group = attempt.groups.get(held.priority)
        if group is None or self.settings.reservation_rule == "off":
            return False
        found = self.evaluate(attempt, group, held.node, held, now_ms)
        return found.is_counted or found is evaluation.RESERVATION_WAITS

    def obstacle_on(self, attempt: FairAttempt, node: Node, now_ms: int) -> Obstacle | None:
        """Return the obstacle on one node, where nothing does in the queue; None where an offer would allocate."""
        total = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        is_promised = self.promises.taken_for(node, attempt) and is_starved(attempt, total)
        if is_promised and attempt.starvation != (0, 0) and self._obstacle(attempt, node, now_ms) is None:
            return None
        held = node.reserved
        if held is not None and self.holds(held, now_ms):
            if held.attempt is not attempt:
                return kept_for(held, node)
            group = attempt.groups[held.priority]
            found = self.evaluate(attempt, group, node, held, now_ms)
            # It waits for room here; nothing else stands in its way.
            if found is evaluation.RESERVATION_WAITS:
                numbers = (held.memory_mb, node.free_memory_mb, held.vcores, node.free_vcores)
                return Obstacle(Reason.DOES_NOT_FIT, numbers)
            return self._described(found, attempt, group, node, now_ms)
        if (shunned := blacklisted(attempt, node)) is not None:
            return shunned
        if (ask := next_ask(attempt)) is not None and self.lacks_room(attempt):
            return Obstacle(Reason.DOES_NOT_FIT, (ask[0], node.free_memory_mb, ask[1], node.free_vcores))
        return self._obstacle(attempt, node, now_ms)

    def _obstacle(self, attempt: FairAttempt, node: Node, now_ms: int) -> Obstacle | None:
        """Return the obstacle of the application's priorities in turn; the first that finds a place decides."""
        first: Obstacle | None = None
        for priority in attempt.priorities:
            group = attempt.groups[priority]
            found = self.evaluate(attempt, group, node, None, now_ms)
            if found.reason is Reason.NOTHING_ASKED:
                continue
            obstacle = self._described(found, attempt, group, node, now_ms)
            if found.ends_turn:
                return obstacle
            first = first or obstacle
        return first or Obstacle(Reason.NOTHING_ASKED)

    def _described(
        self, found: Evaluation, attempt: FairAttempt, group: AskGroup, node: Node, now_ms: int
    ) -> Obstacle | None:
        if found.reason is None and not found.reserves:
            return None
        share = am_share(attempt.queue, self.available)
        return obstacle_of(found, attempt, group, node, self.allowed(attempt, group, now_ms), share)


def obstacle_in_queue(attempt: FairAttempt, limit: RunningLimit, rules: Rules34) -> Obstacle | None:
    """Return the obstacle that holds on every node.

    Differs: a container preempted for the application may be given to it before an update pass has counted its demand;
    the reason shown here is then that it is not counted yet.
    """
    if not attempt.pending:
        return Obstacle(Reason.NOTHING_ASKED)
    leaf = attempt.queue
    if not attempt.runnable:
        return limit.obstacle_of(attempt)
    # The walk passes over those that had all they asked for at the last update.
    if not attempt.wants_more:
        return Obstacle(Reason.NOT_COUNTED)
    asked = [group.anywhere for group in map(attempt.groups.__getitem__, attempt.priorities)]
    exceeded = [leaf.exceeded_by(each.memory_mb, each.vcores) for each in asked if each is not None and each.count > 0]
    queue = exceeded[0] if exceeded else None
    if queue is not None and None not in exceeded:
        return maximum_obstacle(queue, next_ask(attempt) or (0, 0))
    if rules.lacks_am_share(attempt):
        return am_share_obstacle(leaf, next_ask(attempt) or (0, 0), am_share(leaf, rules.available))
    return None


class Assignment34(metaclass=State):
    """Places containers and makes reservations for applications; collects the decisions of one offer."""

    cluster: Cluster
    settings: FairSettings34
    promises: NodePromises
    rules: Rules34
    decisions: list[Decision] = []
    side_effects: bool = False  # Whether the present offer changed something beside its decisions: a counter
    recorder: Dropped[Recorder | None] = None
    memory_mb: int = 0  # What the last `assign` that did something gave; -1 for a reservation, as in the real one
    vcores: int = 0

    def __init__(
        self, cluster: Cluster, settings: FairSettings34, promises: NodePromises, available: Available
    ) -> None:
        self.cluster = cluster
        self.settings = settings
        self.promises = promises
        self.rules = Rules34(cluster, settings, promises, available)

    def begin(self, decisions: list[Decision], recorder: Recorder | None) -> None:
        self.decisions = decisions
        self.side_effects = False
        self.recorder = recorder

    def make_good(self, node: Node, now_ms: int) -> None:
        """Offer the node to applications for which it took containers back. Source: #assignPreemptedContainers."""
        total = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        for attempt, promised in self.promises.still_promised(node, total):
            left = promised
            while left != (0, 0) and not attempt.stopped:
                # A reservation gives nothing yet: what was promised stays promised.
                if not self.assign(attempt, node, now_ms) or self.memory_mb < 0:
                    break
                left = (max(left[0] - self.memory_mb, 0), max(left[1] - self.vcores, 0))

    def walk(self, root: FairParent, node: Node, now_ms: int) -> None:
        """Offer the node to the queues, until none takes anything or one offer has given enough."""
        # Nothing is asked for, so no order need be found.
        if not self.cluster.pending:
            return
        settings = self.settings
        # A node that fills only by half at one heartbeat leaves other nodes their part of the work.
        half = (int(node.free_memory_mb * 0.5), int(node.free_vcores * 0.5))
        assigned = memory_mb = vcores = 0
        while node.reserved is None and walk(root, node, now_ms, self, counted_only=True):
            assigned += 1
            memory_mb += self.memory_mb
            vcores += self.vcores
            if not settings.assign_multiple:
                return
            if settings.dynamic_max_assign:
                # The last container may go beyond the half.
                if memory_mb > half[0] or vcores > half[1]:
                    return
            elif assigned >= settings.max_assign > 0:
                return

    def assign(self, attempt: FairAttempt, node: Node, now_ms: int) -> bool:
        """Try the attempt's priorities on a node; whether anything was done."""
        groups = attempt.groups
        for priority in attempt.priorities:
            group = groups[priority]
            found = self._evaluate(attempt, group, node, None, now_ms)
            if found.reason is None:
                if found.reserves:
                    self._reserve(attempt, matched(group, node, found.locality), node, now_ms)
                    return True
                return self._allocate(attempt, group, node, None, found.locality, now_ms)
            if found.ends_turn:
                return False
        return False

    def assign_reserved(self, held: Container, now_ms: int) -> None:
        """Fulfil a node's reservation, which holds, if there is room by now."""
        attempt, node = fair_attempt(held.attempt), held.node
        group = attempt.groups[held.priority]
        found = self._evaluate(attempt, group, node, held, now_ms)
        if found.reason is None:
            self._allocate(attempt, group, node, held, found.locality, now_ms)

    def _evaluate(
        self, attempt: FairAttempt, group: AskGroup, node: Node, held: Container | None, now_ms: int
    ) -> Evaluation:
        found = self.rules.evaluate(attempt, group, node, held, now_ms)
        if self.recorder is not None:
            self._record(found, attempt, group, node, now_ms)
        if found.is_counted:
            group.missed_opportunities += 1
            if not self.settings.ignores_locality:
                self._raise_locality(attempt, group, now_ms)
        return found

    def _raise_locality(self, attempt: FairAttempt, group: AskGroup, now_ms: int) -> None:
        """Note the locality allowed now; by time, the first look at a priority starts its clock."""
        self.side_effects = True
        missed, nodes = group.missed_opportunities, len(self.cluster.nodes)
        level = next_locality(group, missed, self.settings, nodes, now_ms, attempt.started_ms)
        if group.allowed_locality == 0 and self.settings.continuous:
            group.level_changed_ms = now_ms
        elif level > group.allowed_locality > 0:
            group.level_changed_ms = now_ms
            group.missed_opportunities = 0
        group.allowed_locality = level

    def _allocate(
        self, attempt: FairAttempt, group: AskGroup, node: Node, held: Container | None, locality: int, now_ms: int
    ) -> bool:
        request = matched(group, node, locality)
        number = attempt.next_container_number() if held is None else held.id[2]
        size: Container | ResourceRequest = request if held is None else held
        memory_mb, vcores = size.memory_mb, size.vcores
        # A container nearer than allowed takes the level back.
        group.allowed_locality = min(group.allowed_locality, locality)
        if held is not None:
            self.cluster.unreserve(node, "START")
        container = self.cluster.allocate(attempt, group, request, size, node, locality, number, now_ms)
        self.promises.placed(container)
        self.memory_mb, self.vcores = request.memory_mb, request.vcores
        # Whatever comes first counts as the master, as no ask says what it is for.
        if not (attempt.am_running or attempt.unmanaged):
            count_as_master(attempt, request)
        self.decisions.append(
            Allocated(container.id, node.id, request.priority, memory_mb, vcores, LOCALITY_NAMES[locality])
        )
        # A container of nothing counts as nothing done, as Resources.none() does.
        return request.memory_mb > 0 or request.vcores > 0

    def _reserve(self, attempt: FairAttempt, request: ResourceRequest, node: Node, now_ms: int) -> None:
        number = attempt.next_container_number()
        held = self.cluster.reserve(attempt, node, request.priority, request.memory_mb, request.vcores, number, now_ms)
        self.memory_mb, self.vcores = -1, 0
        self.decisions.append(Reserved(held.id, node.id, request.priority, request.memory_mb, request.vcores))

    def _record(self, found: Evaluation, attempt: FairAttempt, group: AskGroup, node: Node, now_ms: int) -> None:
        is_obstacle = found.reserves or found.reason not in (None, Reason.NOTHING_ASKED)
        if self.recorder is not None and is_obstacle:
            allowed, share = self.rules.allowed(attempt, group, now_ms), am_share(attempt.queue, self.rules.available)
            obstacle = obstacle_of(found, attempt, group, node, allowed, share)
            self.recorder.passed_over(attempt, node, obstacle)
