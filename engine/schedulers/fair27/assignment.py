"""Placing a container for one application on one node as of 2.7.2: does what the rules answer.

Source: FSAppAttempt#assignContainer, #reserve, Hadoop 2.7.2.
"""

from math import ceil

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision, Reserved
from engine.model.java_number import INT_MAX, float32
from engine.model.ledger import Container, Node
from engine.model.request import LOCALITY_NAMES, AskGroup, ResourceRequest
from engine.schedulers.activity import Reason, Recorder
from engine.schedulers.fair.evaluation import AM_SHARE_EXHAUSTED_COUNTED, Evaluation, obstacle_of
from engine.schedulers.fair.locality import matched, next_locality
from engine.schedulers.fair.schedulable import FairAttempt, FairParent
from engine.schedulers.fair.settings import FairSettings
from engine.schedulers.fair.walk import walk
from engine.schedulers.fair27.rules import Rules27, am_share
from engine.state import Dropped, State


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
        """Begin an offer, whose decisions are appended to a list."""
        self.decisions = decisions
        self.side_effects = False
        self.recorder = recorder

    def is_in_vain(self, node: Node) -> bool:
        """Tell whether no ask fits on a node without a reservation, and nobody may reserve it either."""
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
        """Offer the node to the queues, until nobody takes anything or one offer has given enough."""
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
        container = self.cluster.allocate(attempt, group, request, size, node, locality, number, now_ms)
        # The first container is the master's, and an unmanaged one runs elsewhere.
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
