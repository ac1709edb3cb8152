"""Placing a container for one application on one node as of 2.7.2: does what the rules answer.

Source: FSAppAttempt#assignContainer, #reserve, #hasContainerForNode, FSLeafQueue#canRunAppAM, Hadoop 2.7.2.
"""

from math import ceil

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision, Reserved
from engine.model.java_values import INT_MAX, float32
from engine.model.ledger import Container, Node
from engine.model.request import LOCALITY_NAMES, OFF_SWITCH, AskGroup, ResourceRequest
from engine.schedulers.fair import walk as evaluation
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.running_limit import RunningLimit
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, fair_attempt
from engine.schedulers.fair.settings import FairSettings
from engine.schedulers.fair.walk import (
    AM_SHARE_EXHAUSTED_COUNTED,
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
from engine.schedulers.obstacle_texts import Obstacle, Reason, Recorder
from engine.state import Dropped, State

# The rules by which 2.7.2 gives an ask a node, in their order. Asking changes nothing.
#
# An offer and the probe ask the same questions, so the probe says None exactly where an offer that only this
# application could take would allocate.


def fits_node(group: AskGroup, node: Node) -> bool:
    """Tell whether the group wants something that the node, were it empty, could give. Memory only."""
    anywhere = group.anywhere
    if anywhere is None or anywhere.count <= 0 or anywhere.memory_mb > node.total_memory_mb:
        return False
    return _is_wanted_here(group, node)


def _is_wanted_here(group: AskGroup, node: Node) -> bool:
    anywhere = group.anywhere
    assert anywhere is not None, "only a group with something left is looked at"
    if len(group.by_name) == 1:
        return anywhere.relax_locality
    rack = group.by_name.get(node.rack)
    if not anywhere.relax_locality and (rack is None or rack.count <= 0):
        return False
    if rack is None or rack.relax_locality:
        return True
    host = group.by_name.get(node.name)
    return host is not None and host.count > 0


def am_share_allows(leaf: FairLeaf, memory_mb: int, vcores: int) -> bool:
    """Tell whether one more application master of this size keeps within a leaf's share."""
    if abs(leaf.max_am_share + 1.0) < 0.0001:
        return True
    share_mb, share_vcores = am_share(leaf)
    return leaf.am_memory_mb + memory_mb <= share_mb and leaf.am_vcores + vcores <= share_vcores


def am_share(leaf: FairLeaf) -> Amount:
    """The limit of a leaf's masters, in dimensions that count. Source: #checkIfAMResourceUsageOverLimit."""
    vcores = int(leaf.fair_vcores * leaf.max_am_share) if leaf.policy.counts_vcores else INT_MAX
    return (int(leaf.fair_memory_mb * leaf.max_am_share), vcores)


def _lacks_am_share(attempt: FairAttempt) -> bool:
    return (
        not attempt.has_live
        and not attempt.unmanaged
        and not am_share_allows(attempt.queue, attempt.am_memory_mb, attempt.am_vcores)
    )


class Rules27(metaclass=State):
    cluster: Cluster
    settings: FairSettings

    def __init__(self, cluster: Cluster, settings: FairSettings) -> None:
        self.cluster = cluster
        self.settings = settings

    def evaluate(
        self, attempt: FairAttempt, group: AskGroup, node: Node, held: Container | None, now_ms: int
    ) -> Evaluation:
        """Evaluate an attempt's ask on a node that is free or, where `held`, reserved by it for this ask."""
        anywhere = group.anywhere
        if anywhere is None or anywhere.count <= 0:
            return evaluation.NOTHING_ASKED
        # By memory alone, as in 2.7.2: with too few vcores the node is reserved for what never fits.
        if anywhere.memory_mb > node.total_memory_mb:
            return evaluation.NODE_TOO_SMALL
        if not _is_wanted_here(group, node):
            return evaluation.LOCALITY_NOT_RELAXED
        if not attempt.has_live and _lacks_am_share(attempt):
            return evaluation.AM_SHARE_EXHAUSTED_COUNTED
        settings = self.settings
        locality = match(group, node, OFF_SWITCH if settings.ignores_locality else self.allowed(attempt, group, now_ms))
        if not locality:
            return evaluation.DELAYED
        request = matched(group, node, locality)
        if request.memory_mb <= node.free_memory_mb and request.vcores <= node.free_vcores:
            return evaluation.ALLOCATE[locality]
        # The reservation stays: it is asked again at the next heartbeat.
        if held is not None:
            return evaluation.DOES_NOT_FIT[locality]
        return self._evaluate_reservation(attempt, request, node, locality)

    def _evaluate_reservation(
        self, attempt: FairAttempt, request: ResourceRequest, node: Node, locality: int
    ) -> Evaluation:
        if not reservation_allowed(attempt, node, locality, self.settings, self.cluster.nodes.values()):
            return evaluation.RESERVATION_LIMIT[locality]
        # The maximum is asked only for a reservation: 2.7.2 places containers beyond it.
        if attempt.queue.exceeded_by(request.memory_mb, request.vcores) is not None:
            return evaluation.RESERVATION_OVER_MAXIMUM[locality]
        return evaluation.RESERVE[locality]

    def allowed(self, attempt: FairAttempt, group: AskGroup, now_ms: int) -> int:
        """The locality an ask is allowed in the next offer, which counts itself before it asks."""
        missed, nodes = group.missed_opportunities + 1, len(self.cluster.nodes)
        return next_locality(group, missed, self.settings, nodes, now_ms, attempt.started_ms)

    def holds(self, held: Container) -> bool:
        attempt, node = fair_attempt(held.attempt), held.node
        group = attempt.groups.get(held.priority)
        if group is None or not fits_node(group, node):
            return False
        # A lowered maximum, or other containers since, can make a reservation hopeless.
        if attempt.queue.exceeded_by(held.memory_mb, held.vcores) is not None:
            return False
        # Differs: when the rule of reservations is changed while nodes are reserved, those that the new rule would not
        # have made are dropped; no real class can change its rule.
        return reservation_allowed(attempt, node, 0, self.settings, self.cluster.nodes.values())

    def obstacle_on(self, attempt: FairAttempt, node: Node, now_ms: int) -> Obstacle | None:
        """Return the obstacle on one node, where nothing does in the queue; None where an offer would allocate.

        Of several priorities the first that gets as far as a place decides, as in an offer.
        """
        held = node.reserved if node.reserved is not None and self.holds(node.reserved) else None
        if held is not None and held.attempt is not attempt:
            return kept_for(held, node)
        if held is None and (obstacle := blacklisted(attempt, node)) is not None:
            return obstacle
        if held is not None and (held.memory_mb > node.free_memory_mb or held.vcores > node.free_vcores):
            return Obstacle(Reason.DOES_NOT_FIT, (held.memory_mb, node.free_memory_mb, held.vcores, node.free_vcores))
        first: Obstacle | None = None
        for priority in attempt.priorities if held is None else (held.priority,):
            group = attempt.groups[priority]
            found = self.evaluate(attempt, group, node, held, now_ms)
            if found.reason is None and not found.reserves:
                return None
            if found.reason is Reason.NOTHING_ASKED:
                continue
            obstacle = obstacle_of(
                found, attempt, group, node, self.allowed(attempt, group, now_ms), am_share(attempt.queue)
            )
            if found.ends_turn:
                return obstacle
            first = first or obstacle
        return first or Obstacle(Reason.NOTHING_ASKED)


def obstacle_in_queue(attempt: FairAttempt, limit: RunningLimit) -> Obstacle | None:
    """Return the obstacle that holds on every node: nothing asked, a limit on running applications, a maximum."""
    if not attempt.pending:
        return Obstacle(Reason.NOTHING_ASKED)
    if not attempt.runnable:
        return limit.obstacle_of(attempt)
    full = attempt.queue.exceeded_by(0, 0)
    if full is not None:
        return maximum_obstacle(full)
    if _lacks_am_share(attempt):
        return am_share_obstacle(attempt.queue, (attempt.am_memory_mb, attempt.am_vcores), am_share(attempt.queue))
    return None


class Assignment27(metaclass=State):
    """Places containers and makes reservations for applications; collects the decisions of one offer."""

    cluster: Cluster
    settings: FairSettings
    rules: Rules27
    decisions: list[Decision] = []
    side_effects: bool = False
    """Whether the present offer changed something beside its decisions: a counter, a container number."""
    recorder: Dropped[Recorder | None] = None
    _least: tuple[int, int] | None = None
    _least_version: int = -1

    def __init__(self, cluster: Cluster, settings: FairSettings) -> None:
        self.cluster = cluster
        self.settings = settings
        self.rules = Rules27(cluster, settings)

    def begin(self, decisions: list[Decision], recorder: Recorder | None) -> None:
        self.decisions = decisions
        self.side_effects = False
        self.recorder = recorder

    def is_in_vain(self, node: Node) -> bool:
        """Tell whether no ask fits on a node without a reservation, and none may reserve it either."""
        least = self._least_asked()
        return least is not None and (node.free_memory_mb < least[0] or node.free_vcores < least[1])

    def is_in_vain_everywhere(self) -> bool:
        least = self._least_asked()
        return least is not None and not self.cluster.has_room(*least)

    def _least_asked(self) -> tuple[int, int] | None:
        """The least memory and vcores of all asks; None where places matter, or one may reserve another node."""
        if self._least_version != self.cluster.version:
            self._least, self._least_version = self._find_least_asked(), self.cluster.version
        return self._least

    def _find_least_asked(self) -> tuple[int, int] | None:
        settings, rule = self.settings, self.settings.reservation_rule
        if rule == "strict" or not settings.ignores_locality:
            return None
        most = ceil(float32(len(self.cluster.nodes) * settings.reservable_nodes)) if rule == "limited" else 0
        memory_mb = vcores = INT_MAX
        for attempt in self.cluster.wanting.values():
            if len(attempt.reserved) < most:
                return None
            for group in attempt.groups.values():
                anywhere = group.anywhere
                if anywhere is None:
                    continue
                if len(group.by_name) > 1:
                    return None
                if anywhere.count > 0:
                    memory_mb = min(memory_mb, anywhere.memory_mb)
                    vcores = min(vcores, anywhere.vcores)
        return memory_mb, vcores

    def walk(self, root: FairParent, node: Node, now_ms: int) -> None:
        """Offer the node to the queues, until none takes anything or one offer has given enough."""
        settings = self.settings
        assigned = 0
        # A reservation made on the way ends the offer: the node is spoken for.
        while node.reserved is None and walk(root, node, now_ms, self, counted_only=False):
            assigned += 1
            if not settings.assign_multiple or assigned >= settings.max_assign > 0:
                return

    def assign(self, attempt: FairAttempt, node: Node, now_ms: int) -> bool:
        """Try the attempt's priorities on a node, or only that of its reservation there; whether anything was done."""
        held = node.reserved
        # A reserved node serves its reservation alone, whatever else its application asks for.
        if held is not None:
            return self._assign_group(attempt, attempt.groups[held.priority], node, held, now_ms) is True
        groups = attempt.groups
        for priority in attempt.priorities:
            outcome = self._assign_group(attempt, groups[priority], node, None, now_ms)
            if outcome is not None:
                return outcome
        return False

    def _assign_group(
        self, attempt: FairAttempt, group: AskGroup, node: Node, held: Container | None, now_ms: int
    ) -> bool | None:
        """Try one priority: True when something was done, False to stop with this attempt, None to try the next."""
        found = self.rules.evaluate(attempt, group, node, held, now_ms)
        if self.recorder is not None:
            self._record(found, attempt, group, node, now_ms)
        # An offer counts as missed as soon as the ask might be placed here, whatever comes of it.
        if found.is_counted:
            group.missed_opportunities += 1
            if not self.settings.ignores_locality and found is not AM_SHARE_EXHAUSTED_COUNTED:
                self._raise_locality(attempt, group, now_ms)
        if found.reason is None:
            if not found.reserves:
                return self._allocate(attempt, group, node, held, found.locality, now_ms)
            self._reserve(attempt, matched(group, node, found.locality), node, now_ms)
            return True
        if found.reason is Reason.QUEUE_WOULD_EXCEED_MAXIMUM:
            attempt.next_container_number()  # used up before the maximum is asked
            self.side_effects = True
        return False if found.ends_turn else None

    def _raise_locality(self, attempt: FairAttempt, group: AskGroup, now_ms: int) -> None:
        self.side_effects = True
        missed, nodes = group.missed_opportunities, len(self.cluster.nodes)
        level = next_locality(group, missed, self.settings, nodes, now_ms, attempt.started_ms)
        # Each level is waited for anew.
        if level > group.allowed_locality > 0:
            group.level_changed_ms = now_ms
            group.missed_opportunities = 0
        group.allowed_locality = level

    def _allocate(
        self, attempt: FairAttempt, group: AskGroup, node: Node, held: Container | None, locality: int, now_ms: int
    ) -> bool:
        request = matched(group, node, locality)
        size: Container | ResourceRequest = request if held is None else held
        memory_mb, vcores = size.memory_mb, size.vcores
        if held is None:
            number = attempt.last_container_number = attempt.last_container_number + 1
        else:
            number = held.id[2]
            self.cluster.unreserve(node, "START")
        # A container nearer than allowed takes the level back.
        group.allowed_locality = min(group.allowed_locality, locality)
        is_first = not attempt.has_live
        container = self.cluster.allocate(attempt, group, request, size, node, locality, number, now_ms)
        # The first container is the master's, and an unmanaged one runs elsewhere.
        if not attempt.unmanaged and is_first:
            leaf = attempt.queue
            leaf.am_memory_mb += memory_mb
            leaf.am_vcores += vcores
            attempt.am_running = True
        self.decisions.append(
            Allocated(container.id, node.id, request.priority, memory_mb, vcores, LOCALITY_NAMES[locality])
        )
        # A container of nothing counts as nothing done, as Resources.none() does.
        return memory_mb > 0 or vcores > 0

    def _reserve(self, attempt: FairAttempt, request: ResourceRequest, node: Node, now_ms: int) -> None:
        self.side_effects = True
        number = attempt.next_container_number()
        held = self.cluster.reserve(attempt, node, request.priority, request.memory_mb, request.vcores, number, now_ms)
        self.decisions.append(Reserved(held.id, node.id, request.priority, request.memory_mb, request.vcores))

    def _record(self, found: Evaluation, attempt: FairAttempt, group: AskGroup, node: Node, now_ms: int) -> None:
        is_obstacle = found.reserves or found.reason not in (None, Reason.NOTHING_ASKED)
        if self.recorder is not None and is_obstacle:
            allowed, share = self.rules.allowed(attempt, group, now_ms), am_share(attempt.queue)
            obstacle = obstacle_of(found, attempt, group, node, allowed, share)
            self.recorder.passed_over(attempt, node, obstacle)
