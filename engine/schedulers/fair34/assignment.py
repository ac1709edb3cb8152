"""Placing a container for one application on one node, as of 3.x.

The AM share is asked before any priority; an ask must fit the node's total and the maximum of every queue above; a
node is held only for a starved application, for an ask that is large enough, up to a part of the nodes, and not where
containers were taken back for it. Container numbers are used up only by what is placed or reserved.

Source: FSAppAttempt#assignContainer, #hasContainerForNode, #assignReservedContainer, #reserve, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.decision import Allocated, Reserved
from engine.model.node import Node
from engine.model.request import LOCALITY_NAMES, OFF_SWITCH, AskGroup, ResourceRequest
from engine.schedulers.activity import Reason
from engine.schedulers.fair.assignment import Assignment, Match, match, next_locality, reservation_allowed
from engine.schedulers.fair.policies import Amount
from engine.schedulers.fair.schedulable import FairAttempt, FairQueue
from engine.schedulers.fair34.node_promises import TakenSpaces
from engine.schedulers.fair34.schedulable import FairAttempt34
from engine.schedulers.fair34.settings import FairSettings34


def group_fits_node_34(group: AskGroup, node: Node) -> bool:
    """Whether the group wants something that the node, were it empty, could give.

    Source: FSAppAttempt#hasContainerForNode, without its queues.
    """
    anywhere = group.anywhere
    if anywhere is None or anywhere.count <= 0:
        return False
    if anywhere.memory_mb > node.total_memory_mb or anywhere.vcores > node.total_vcores:
        return False
    if len(group.by_name) == 1:
        return anywhere.relax_locality
    rack, host = group.by_name.get(node.rack), group.by_name.get(node.name)
    if rack is None or rack.count <= 0:
        return anywhere.relax_locality
    return rack.relax_locality or (host is not None and host.count > 0)


def am_share_exhausted(attempt: FairAttempt34) -> bool:
    """Whether the attempt waits for its AM and the leaf's share has no room for it. Source: #isOverAMShareLimit."""
    if not attempt.is_waiting_for_first:
        return False
    ask = attempt.next_ask()
    return ask is not None and not attempt.queue.am_share_allows(*ask)


def may_hold(attempt: FairAttempt34, request: ResourceRequest, cluster: Amount, threshold: Amount) -> bool:
    """Whether a node may be held for the ask at all: a starved application's, and large enough.

    Source: FSAppAttempt#isReservable.
    """
    return attempt.is_starved(cluster) and attempt.policy.at_least(
        (request.memory_mb, request.vcores), threshold, cluster
    )


class Assignment34(Assignment):
    """Places containers and makes reservations for applications of one scheduler."""

    settings: FairSettings34

    def __init__(self, cluster: Cluster, settings: FairSettings34, spaces: TakenSpaces) -> None:
        super().__init__(cluster, settings)
        self.spaces = spaces
        self.memory_mb = 0
        """What the last `assign` that did something gave; -1 for a reservation, as in the real one."""
        self.vcores = 0

    def assign(self, attempt: FairAttempt, node: Node, now_ms: int) -> bool:
        """Try the attempt's priorities on a node; whether anything was done."""
        assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
        if not (attempt.am_running or attempt.unmanaged) and am_share_exhausted(attempt):
            if self.recorder is not None:
                leaf = attempt.queue
                numbers = (leaf.am_memory_mb, attempt.am_memory_mb, int(leaf.fair_memory_mb * leaf.max_am_share))
                self._record(attempt, node, Reason.AM_SHARE_EXHAUSTED, numbers)
            return False
        for priority in attempt.priorities:
            group = attempt.groups[priority]
            if not self._fits(attempt, group, node):
                continue
            found = self._match(attempt, group, node, now_ms)
            if found is not None:
                return self._place(attempt, group, node, found, now_ms)
        return False

    def assign_reserved(self, held: Container, now_ms: int) -> bool:
        """Fulfil a node's reservation if there is room by now; False where it does not hold any more.

        Source: FSAppAttempt#assignReservedContainer.
        """
        attempt, node = held.attempt, held.node
        assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
        group = attempt.groups.get(held.priority)
        if group is None or not self._fits(attempt, group, node) or am_share_exhausted(attempt):
            return False
        if held.memory_mb <= node.free_memory_mb and held.vcores <= node.free_vcores:
            found = self._match(attempt, group, node, now_ms)
            if found is not None:
                self._place(attempt, group, node, found, now_ms, held)
        return True

    def _fits(self, attempt: FairAttempt34, group: AskGroup, node: Node) -> bool:
        anywhere = group.anywhere
        if anywhere is None or anywhere.count <= 0:
            return False
        if not group_fits_node_34(group, node):
            if self.recorder is not None:
                self._record(attempt, node, _misfit(anywhere, node), (anywhere.memory_mb, node.total_memory_mb))
            return False
        queue: FairQueue | None = attempt.queue
        while queue is not None:
            if (
                queue.used_memory_mb + anywhere.memory_mb > queue.max_memory_mb
                or queue.used_vcores + anywhere.vcores > queue.max_vcores
            ):
                break
            queue = queue.parent
        else:
            return True
        if self.recorder is not None:
            self._record(attempt, node, Reason.QUEUE_WOULD_EXCEED_MAXIMUM, (anywhere.memory_mb,))
        return False

    def _match(self, attempt: FairAttempt34, group: AskGroup, node: Node, now_ms: int) -> Match | None:
        group.missed_opportunities += 1
        allowed = OFF_SWITCH if self.settings.ignores_locality else self._allowed(attempt, group, now_ms)
        found = match(group, node, allowed)
        if found is None and self.recorder is not None:
            self._record(attempt, node, Reason.DELAY_SCHEDULING, (allowed, group.missed_opportunities))
        return found

    def _allowed(self, attempt: FairAttempt34, group: AskGroup, now_ms: int) -> int:
        """The locality allowed now; by time, the first look at a priority starts its clock."""
        self.side_effects = True
        level = next_locality(
            group, group.missed_opportunities, self.settings, len(self.cluster.nodes), now_ms, attempt.started_ms
        )
        if group.allowed_locality == 0 and self.settings.continuous:
            group.level_changed_ms = now_ms
        elif level > group.allowed_locality > 0:
            group.level_changed_ms = now_ms
            group.missed_opportunities = 0
        group.allowed_locality = level
        return level

    def _place(
        self,
        attempt: FairAttempt,
        group: AskGroup,
        node: Node,
        found: Match,
        now_ms: int,
        held: Container | None = None,
    ) -> bool:
        assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
        request, locality = found
        if request.memory_mb > node.free_memory_mb or request.vcores > node.free_vcores:
            return held is None and self._hold(attempt, node, found, now_ms)
        number = attempt.next_container_number() if held is None else held.id[2]
        size: Container | ResourceRequest = request if held is None else held
        memory_mb, vcores = size.memory_mb, size.vcores
        group.allowed_locality = min(group.allowed_locality, locality)
        if held is not None:
            self.cluster.unreserve(node, "START")
        container = self.cluster.allocate(attempt, group, request, size, node, locality, number, now_ms)
        self.spaces.placed(container)
        self.memory_mb, self.vcores = request.memory_mb, request.vcores
        if not (attempt.am_running or attempt.unmanaged):
            self._count_as_master(attempt, request)
        self.decisions.append(
            Allocated(container.id, node.id, request.priority, memory_mb, vcores, LOCALITY_NAMES[locality])
        )
        # A container of nothing counts as nothing done, as Resources.none() does.
        return request.memory_mb > 0 or request.vcores > 0

    @staticmethod
    def _count_as_master(attempt: FairAttempt34, request: ResourceRequest) -> None:
        leaf = attempt.queue
        attempt.am_memory_mb, attempt.am_vcores = request.memory_mb, request.vcores
        leaf.am_memory_mb += request.memory_mb
        leaf.am_vcores += request.vcores
        attempt.am_running = True

    def _hold(self, attempt: FairAttempt34, node: Node, found: Match, now_ms: int) -> bool:
        """Reserve the node, where the rules of 3.x let it."""
        request, locality = found
        refused = None
        cluster = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        holds = may_hold(attempt, request, cluster, self.settings.reservation_threshold[:2])
        if not holds or self.spaces.taken_for(node, attempt):
            refused = Reason.DOES_NOT_FIT
        elif node.reserved is not None or not reservation_allowed(
            attempt, node, locality, self.settings, self.cluster.nodes.values()
        ):
            refused = Reason.RESERVATION_LIMIT
        if refused is not None:
            if self.recorder is not None:
                self._record(attempt, node, refused, (request.memory_mb, node.free_memory_mb))
            return False
        number = attempt.next_container_number()
        held = self.cluster.reserve(attempt, node, request.priority, request.memory_mb, request.vcores, number, now_ms)
        self.memory_mb, self.vcores = -1, 0
        self.decisions.append(Reserved(held.id, node.id, request.priority, request.memory_mb, request.vcores))
        if self.recorder is not None:
            self._record(attempt, node, Reason.DOES_NOT_FIT, (request.memory_mb, node.free_memory_mb))
        return True


def _misfit(anywhere: ResourceRequest, node: Node) -> Reason:
    too_large = anywhere.memory_mb > node.total_memory_mb or anywhere.vcores > node.total_vcores
    return Reason.NODE_TOO_SMALL if too_large else Reason.LOCALITY_NOT_RELAXED
