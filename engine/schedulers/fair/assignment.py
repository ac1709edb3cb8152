"""Placing a container for one application on one node: what may be placed, where, and what is reserved instead.

The questions are pure functions; `place` and what calls it changes the cluster.

Source: FSAppAttempt#assignContainer, #hasContainerForNode, #getAllowedLocalityLevel(ByTime), Hadoop 2.7.2.
"""

from collections.abc import Collection
from math import ceil

from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.decision import Allocated, Decision, Reserved
from engine.model.java_number import float32
from engine.model.node import Node
from engine.model.request import LOCALITY_NAMES, NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup, ResourceRequest
from engine.model.resource import INT_MAX
from engine.schedulers.activity import Reason, Recorder
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.fair.settings import FairSettings

Match = tuple[ResourceRequest, int]
"""A request that may be placed on a node, and how it was matched."""


def group_fits_node(group: AskGroup, node: Node) -> bool:
    """Whether the group wants something that the node, were it empty, could give. Memory only.

    Source: FSAppAttempt#hasContainerForNode.
    """
    anywhere = group.anywhere
    if anywhere is None or anywhere.count <= 0 or anywhere.memory_mb > node.total_memory_mb:
        return False
    if len(group.by_name) == 1:
        return anywhere.relax_locality
    rack = group.by_name.get(node.rack)
    if not anywhere.relax_locality and (rack is None or rack.count <= 0):
        return False
    if rack is None or rack.relax_locality:
        return True
    host = group.by_name.get(node.name)
    return host is not None and host.count > 0


def next_locality(
    group: AskGroup, missed: int, settings: FairSettings, nodes: int, now_ms: int, started_ms: int
) -> int:
    """The locality level the group is allowed from now on; the level goes up one step at a time.

    Args:
        group: The asks of one priority.
        missed: Its missed opportunities, the present one included.
        settings: Thresholds and delays.
        nodes: How many nodes there are.
        now_ms: The time.
        started_ms: When the attempt began.
    """
    by_time = settings.continuous
    node_bound, rack_bound = settings.locality_delays if by_time else settings.locality_thresholds
    if node_bound < 0 or rack_bound < 0:
        return OFF_SWITCH
    level = group.allowed_locality
    if level in (0, OFF_SWITCH):
        return level or NODE_LOCAL
    bound = node_bound if level == NODE_LOCAL else rack_bound
    if by_time:
        since_ms = started_ms if group.level_changed_ms is None else group.level_changed_ms
        waited_enough = now_ms - since_ms > bound
    else:
        waited_enough = missed > nodes * bound
    return level + 1 if waited_enough else level


def match(group: AskGroup, node: Node, allowed: int) -> Match | None:
    """The request of a group to be placed on a node at an allowed locality; None when it has to wait or insists."""
    by_name = group.by_name
    anywhere = group.anywhere
    assert anywhere is not None, "only a group that fits the node is matched"
    if len(by_name) == 1:
        return (anywhere, OFF_SWITCH) if anywhere.relax_locality else None
    rack, host = by_name.get(node.rack), by_name.get(node.name)
    if rack is not None:
        if rack.count and host is not None and host.count:
            return (host, NODE_LOCAL)
        if not rack.relax_locality:
            return None
        if rack.count and allowed >= RACK_LOCAL:
            return (rack, RACK_LOCAL)
    if anywhere.relax_locality and allowed == OFF_SWITCH:
        return (anywhere, OFF_SWITCH)
    return None


def reservation_allowed(
    attempt: FairAttempt, node: Node, locality: int, settings: FairSettings, nodes: Collection[Node]
) -> bool:
    """Whether the reservation rule lets the attempt hold this node beside those it holds elsewhere.

    Differs: 2.7.2 knows only `strict` (always). `limited` is the rule of 3.x (FSAppAttempt#reservationExceedsThreshold,
    `yarn.scheduler.fair.reservable-nodes`) on the 2.7.2 policy, `off` never reserves; no real class decides these.
    """
    if settings.reservation_rule == "strict" or (settings.reservation_rule == "limited" and locality == NODE_LOCAL):
        return True
    if settings.reservation_rule == "off":
        return False
    if locality == RACK_LOCAL:
        held = sum(container.node.rack == node.rack for container in attempt.reserved.values())
        available = sum(other.rack == node.rack for other in nodes)
    else:
        held, available = len(attempt.reserved), len(nodes)
    held -= node.id in attempt.reserved
    return held < ceil(float32(available * settings.reservable_nodes))


class Assignment:
    """Places containers and makes reservations for applications; collects the decisions of one offer."""

    def __init__(self, cluster: Cluster, settings: FairSettings) -> None:
        self.cluster = cluster
        self.settings = settings
        self.decisions: list[Decision] = []
        self.side_effects = False
        """Whether the present offer changed something beside its decisions: a counter, a container number."""
        self.recorder: Recorder | None = None
        self._least: tuple[int, int] | None = None
        self._least_version = -1

    def is_in_vain(self, node: Node) -> bool:
        """Whether nothing that is asked for fits on a node without a reservation, and nobody may reserve it either."""
        if self._least_version != self.cluster.version:
            self._least, self._least_version = self._least_asked(), self.cluster.version
        least = self._least
        return least is not None and (node.free_memory_mb < least[0] or node.free_vcores < least[1])

    def _least_asked(self) -> tuple[int, int] | None:
        """The least memory and vcores of all asks; None where places matter, or somebody may reserve another node."""
        settings, rule = self.settings, self.settings.reservation_rule
        if rule == "strict" or not settings.ignores_locality:
            return None
        most = ceil(float32(len(self.cluster.nodes) * settings.reservable_nodes)) if rule == "limited" else 0
        memory_mb = vcores = INT_MAX
        for application in self.cluster.applications.values():
            attempt = application.attempt
            if attempt is None or not attempt.pending:
                continue
            groups = [group for group in attempt.groups.values() if group.anywhere is not None]
            if len(attempt.reserved) < most or any(len(group.by_name) > 1 for group in groups):
                return None
            for group in groups:
                if group.anywhere is not None and group.anywhere.count > 0:
                    memory_mb = min(memory_mb, group.anywhere.memory_mb)
                    vcores = min(vcores, group.anywhere.vcores)
        return memory_mb, vcores

    def assign(self, attempt: FairAttempt, node: Node, now_ms: int) -> bool:
        """Try the attempt's priorities on a node, or only that of its reservation there; whether anything was done."""
        if node.reserved is not None:
            return self._assign_group(attempt, attempt.groups[node.reserved.priority], node, now_ms) is True
        for priority in attempt.priorities:
            outcome = self._assign_group(attempt, attempt.groups[priority], node, now_ms)
            if outcome is not None:
                return outcome
        return False

    def _assign_group(self, attempt: FairAttempt, group: AskGroup, node: Node, now_ms: int) -> bool | None:
        """Try one priority: True when something was done, False to stop with this attempt, None to try the next."""
        if not group_fits_node(group, node):
            if self.recorder is not None and group.anywhere is not None and group.anywhere.count > 0:
                self._record(attempt, node, _misfit(group, node), (group.anywhere.memory_mb, node.total_memory_mb))
            return None
        group.missed_opportunities += 1
        if not attempt.live and not attempt.unmanaged:
            leaf = attempt.queue
            if not leaf.am_share_allows(attempt.am_memory_mb, attempt.am_vcores):
                if self.recorder is not None:
                    numbers = (leaf.am_memory_mb, attempt.am_memory_mb, int(leaf.fair_memory_mb * leaf.max_am_share))
                    self._record(attempt, node, Reason.AM_SHARE_EXHAUSTED, numbers)
                return False
        allowed = OFF_SWITCH if self.settings.ignores_locality else self._allowed_locality(attempt, group, now_ms)
        found = match(group, node, allowed)
        if found is None:
            if self.recorder is not None:
                self._record(attempt, node, Reason.DELAY_SCHEDULING, (allowed, group.missed_opportunities))
            return None
        return self._place(attempt, group, node, found, now_ms)

    def _allowed_locality(self, attempt: FairAttempt, group: AskGroup, now_ms: int) -> int:
        self.side_effects = True
        missed, nodes = group.missed_opportunities, len(self.cluster.nodes)
        level = next_locality(group, missed, self.settings, nodes, now_ms, attempt.started_ms)
        if level > group.allowed_locality > 0:
            group.level_changed_ms = now_ms
            group.missed_opportunities = 0
        group.allowed_locality = level
        return level

    def _place(self, attempt: FairAttempt, group: AskGroup, node: Node, found: Match, now_ms: int) -> bool:
        request, locality = found
        memory_mb, vcores = request.memory_mb, request.vcores
        held = node.reserved
        if held is None:
            attempt.last_container_number = number = attempt.last_container_number + 1
        else:
            number = held.id[2]
        if memory_mb > node.free_memory_mb or vcores > node.free_vcores:
            return held is not None or self._reserve(attempt, node, found, number, now_ms)
        size: Container | ResourceRequest = request if held is None else held
        memory_mb, vcores = size.memory_mb, size.vcores
        group.allowed_locality = min(locality, group.allowed_locality)
        if held is not None:
            self.cluster.unreserve(node, "START")
        container = self.cluster.allocate(attempt, group, request, size, node, locality, number, now_ms)
        if len(attempt.live) == 1 and not attempt.unmanaged:
            leaf = attempt.queue
            leaf.am_memory_mb += memory_mb
            leaf.am_vcores += vcores
            attempt.am_running = True
        self.decisions.append(
            Allocated(container.id, node.id, request.priority, memory_mb, vcores, LOCALITY_NAMES[locality])
        )
        # A container of nothing counts as nothing done, as Resources.none() does.
        return memory_mb > 0 or vcores > 0

    def _reserve(self, attempt: FairAttempt, node: Node, found: Match, number: int, now_ms: int) -> bool:
        request, locality = found
        if not reservation_allowed(attempt, node, locality, self.settings, self.cluster.nodes.values()):
            attempt.last_container_number -= 1
            if self.recorder is not None:
                self._record(attempt, node, Reason.RESERVATION_LIMIT, (len(attempt.reserved),))
            return False
        self.side_effects = True
        if not attempt.queue.within_maximum_up(request.memory_mb, request.vcores):
            if self.recorder is not None:
                self._record(attempt, node, Reason.QUEUE_WOULD_EXCEED_MAXIMUM, (request.memory_mb,))
            return False
        held = self.cluster.reserve(attempt, node, request.priority, request.memory_mb, request.vcores, number, now_ms)
        self.decisions.append(Reserved(held.id, node.id, request.priority, request.memory_mb, request.vcores))
        if self.recorder is not None:
            self._record(attempt, node, Reason.DOES_NOT_FIT, (request.memory_mb, node.free_memory_mb))
        return True

    def _record(self, attempt: FairAttempt, node: Node, reason: Reason, numbers: tuple[int, ...]) -> None:
        if self.recorder is not None:
            self.recorder.refused(attempt, node, reason, numbers)


def _misfit(group: AskGroup, node: Node) -> Reason:
    anywhere = group.anywhere
    too_large = anywhere is not None and anywhere.memory_mb > node.total_memory_mb
    return Reason.NODE_TOO_SMALL if too_large else Reason.LOCALITY_NOT_RELAXED
