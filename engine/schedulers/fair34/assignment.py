"""Placing a container for one application on one node as of 3.x: does what the rules answer.

Container numbers are used up only by what is placed or reserved.

Source: FSAppAttempt#assignContainer, #assignReservedContainer, #reserve, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision, Reserved
from engine.model.ledger import Container, Node
from engine.model.request import LOCALITY_NAMES, AskGroup, ResourceRequest
from engine.schedulers.activity import Reason, Recorder
from engine.schedulers.fair.evaluation import Evaluation, obstacle_of
from engine.schedulers.fair.locality import matched, next_locality
from engine.schedulers.fair.schedulable import FairAttempt, FairParent, count_as_master
from engine.schedulers.fair.walk import walk
from engine.schedulers.fair34.node_promises import NodePromises
from engine.schedulers.fair34.queue_manager import Available
from engine.schedulers.fair34.rules import Rules34, am_share
from engine.schedulers.fair34.settings import FairSettings34
from engine.state import Dropped, State


class Assignment34(metaclass=State):
    """Places containers and makes reservations for applications; collects the decisions of one offer."""

    cluster: Cluster
    settings: FairSettings34
    promises: NodePromises
    rules: Rules34
    decisions: list[Decision] = []
    side_effects: bool = False
    """Whether the present offer changed something beside its decisions: a counter."""
    recorder: Dropped[Recorder | None] = None
    memory_mb: int = 0
    """What the last `assign` that did something gave; -1 for a reservation, as in the real one."""
    vcores: int = 0

    def __init__(
        self, cluster: Cluster, settings: FairSettings34, promises: NodePromises, available: Available
    ) -> None:
        self.cluster = cluster
        self.settings = settings
        self.promises = promises
        self.rules = Rules34(cluster, settings, promises, available)

    def begin(self, decisions: list[Decision], recorder: Recorder | None) -> None:
        """Begin an offer, whose decisions are appended to a list."""
        self.decisions = decisions
        self.side_effects = False
        self.recorder = recorder

    def make_good(self, node: Node, now_ms: int) -> None:
        """Offer the node to those for whom containers were taken back here. Source: #assignPreemptedContainers."""
        total = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        for attempt, promised in self.promises.still_promised(node, total):
            left = promised
            while left != (0, 0) and not attempt.stopped:
                # A reservation gives nothing yet: what was promised stays promised.
                if not self.assign(attempt, node, now_ms) or self.memory_mb < 0:
                    break
                left = (max(left[0] - self.memory_mb, 0), max(left[1] - self.vcores, 0))

    def walk(self, root: FairParent, node: Node, now_ms: int) -> None:
        """Offer the node to the queues, until nobody takes anything or one offer has given enough."""
        # Nobody asks for anything, so no order need be found.
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
        attempt, node = held.attempt, held.node
        assert isinstance(attempt, FairAttempt), "the fair scheduler's attempts are its own"
        group = attempt.groups[held.priority]
        found = self._evaluate(attempt, group, node, held, now_ms)
        if found.reason is None:
            self._allocate(attempt, group, node, held, found.locality, now_ms)

    def _evaluate(
        self, attempt: FairAttempt, group: AskGroup, node: Node, held: Container | None, now_ms: int
    ) -> Evaluation:
        """Evaluate the rules; the ask has had one opportunity more, if that counts."""
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
