"""Containers of applications that have more than they should, for others in the same leaf.

Source: IntraQueueCandidatesSelector, FifoIntraQueuePreemptionPlugin, ProportionalCapacityPreemptionPolicy, Hadoop
3.4.1.
"""

from functools import partial
from typing import NamedTuple

from engine.model.cluster import Cluster
from engine.model.decision import ContainerId, Decision, Reserved, Unreserved, Warned
from engine.model.identity import hash_map_order, node_id_hash
from engine.model.java_collections import priority_queue_order, tree_set_order
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.space import NOTHING, Amount, minus, minus_at_most, plus, times
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.commit import Commit
from engine.schedulers.capacity34.preemption.ideal import USER_LIMIT_FIRST, PreemptionSettings, QueueShare, QueueShares
from engine.schedulers.capacity34.preemption.victims import (
    Picked,
    PriorityVictims,
    QueueVictims,
    ReservationVictims,
    Selection,
    Victims,
    any_zero_or_less,
    last_first,
)
from engine.schedulers.capacity34.preemption.within import ApplicationShare, UserShare, am_amount, service_order
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf, capacity_attempt
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.state import State


class WithinVictims(Victims):
    """Selects within leaves that want more than they are given."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.by_users = self.settings.within_order == USER_LIMIT_FIRST
        """Whether users' limits come first, and not applications' priorities."""

    def select(self) -> Picked:
        wanting = [
            self.shares.shares[path, label]
            for label in self.shares.labels
            for path in self.shares.under_served.get(label, ())
        ]
        for share in wanting:
            if share.queue.leaf is not None:
                self._compute(share, share.queue.leaf)
        self.selection.deduct()
        for share in wanting:
            leaf, settings = share.queue.leaf, share.queue.settings
            if leaf is not None and not settings.intra_queue_disabled and not settings.preemption_disabled:
                self._select_in(share, leaf)
        return self.picked

    def _compare(self, one: Amount, other: Amount) -> int:
        return self.space.calculator.compare(self.space.cluster, one, other)

    def _smaller(self, one: Amount, other: Amount) -> Amount:
        return one if self._compare(one, other) <= 0 else other

    # ---------------------------------------------------------------- applications with too much

    def _compute(self, share: QueueShare, leaf: Leaf) -> None:
        """Source: #computeIntraQueuePreemptionDemand, #computeAppsIdealAllocation."""
        total, calculator = self.space.total(share.label), self.space.calculator
        if share.queue.share(share.label).used_of_guarantee(total, calculator) < self.settings.within_threshold:
            return
        masters: dict[str, Amount] = {}
        left = minus(share.used, share.to_obtain)
        for attempt in leaf.order:
            amount = am_amount(attempt, share.label)
            masters[attempt.user] = plus(masters.get(attempt.user, NOTHING), amount)
            left = minus(left, amount)
        attempts = self.selection.attempts_in_map_order([*leaf.waiting, *leaf.order])
        if len(attempts) == 1:
            return
        applications = [self._application(attempt, share, leaf, masters) for attempt in attempts]
        compare = service_order(leaf, self.space, fairly=self.by_users)
        ordered = priority_queue_order(applications, compare)
        for each in ordered:
            left = self._assign(each, share.label, left)
        most = times(share.guaranteed, self.settings.within_limit)
        most = minus(most, share.to_obtain) if self._compare(most, share.to_obtain) > 0 else NOTHING
        share.applications = tree_set_order(ordered, lambda one, other: compare(other, one))
        self._limit(share.applications, self._smaller(most, self.selection.allowed))
        self._match(share.applications)

    def _application(
        self, attempt: CapacityAttempt, share: QueueShare, leaf: Leaf, masters: dict[str, Amount]
    ) -> ApplicationShare:
        user = share.users.get(attempt.user)
        if user is None:
            known, label = leaf.users.get(attempt.user), share.label
            am_used = masters.get(attempt.user, NOTHING)
            limit = leaf.users.limit(attempt.user, label, True, leaf.queue, self.space, active=False)
            user = share.users[attempt.user] = UserShare(known.used_in(label), am_used, minus(limit, am_used))
        return ApplicationShare(attempt, share.label, user)

    def _assign(self, each: ApplicationShare, label: str, left: Amount) -> Amount:
        conservative = self.settings.within_conservative
        if self._compare(left, NOTHING) <= 0 or (conservative and any_zero_or_less(left, self.space)):
            return left
        user = each.user
        for container in self.selection.by_attempt.get(each.attempt, ()):
            if container.partition == label:
                size = (container.memory_mb, container.vcores)
                each.selected, user.selected = plus(each.selected, size), plus(user.selected, size)
        wanted = minus(plus(each.used_by_tasks, each.pending), each.selected)
        if self._compare(user.ideal, user.limit) >= 0:
            return left
        each.ideal = self._smaller(left, self._smaller(wanted, minus(user.limit, user.ideal)))
        user.ideal = plus(user.ideal, each.ideal)
        has = minus(each.used_by_tasks, each.selected)
        if self._compare(each.ideal, has) > 0:
            each.owed = minus(each.ideal, has)
        return minus_at_most(left, each.ideal)

    def _limit(self, applications: list[ApplicationShare], left: Amount) -> None:
        """Set the amount above the ideal of each, within what may be taken. Source: #calculateToBePreempted…."""
        for each in applications:
            if self._compare(left, NOTHING) <= 0 or self._compare(each.used, NOTHING) <= 0:
                continue
            above = minus_at_most(minus_at_most(minus(each.used, each.ideal), each.selected), each.am_used)
            if self.by_users:
                above = minus_at_most(above, self.space.minimum)
            above = above if self._compare(above, NOTHING) >= 0 else NOTHING
            each.to_preempt = self._smaller(above, left)
            left = minus_at_most(left, each.to_preempt)

    def _match(self, applications: list[ApplicationShare]) -> None:
        """Only what another application is owed is taken. Source: #validateOutSameAppPriorityFromDemand."""
        owing = [each for each in applications if self._compare(each.to_preempt, NOTHING) > 0]
        for owed in reversed(applications):
            if self._compare(owed.owed, NOTHING) > 0:
                for each in owing:
                    self._match_two(owed, each)

    def _match_two(self, owed: ApplicationShare, owing: ApplicationShare) -> None:
        of_same_user = owed.attempt.user == owing.attempt.user
        if of_same_user and owing.attempt.priority >= owed.attempt.priority:
            return
        if self._compare(owing.to_preempt, owing.to_obtain) <= 0 or owed.owed == NOTHING:
            return
        user, is_above = owing.user, owing.user.is_above_limit(self.space)
        if not of_same_user and not is_above and self.by_users:
            return
        can_give = minus(owing.to_preempt, owing.to_obtain)
        if not of_same_user and owing.attempt.priority == owed.attempt.priority and is_above:
            quota = minus(minus(user.used_by_tasks, user.selected), user.limit)
            if user.quota_is_done:
                quota = NOTHING
            if self._compare(quota, can_give) < 0:
                user.quota_is_done = True
                can_give = quota
        if self._compare(can_give, NOTHING) > 0:
            given = self._smaller(owed.owed, can_give)
            owed.owed = minus(owed.owed, given)
            owing.to_obtain = plus(owing.to_obtain, given)

    # ---------------------------------------------------------------- selecting

    def _select_in(self, share: QueueShare, leaf: Leaf) -> None:
        wanted = {share.label: NOTHING}
        for each in share.applications:
            wanted[share.label] = plus(wanted[share.label], each.to_obtain)
        used = {name: user.used_in(share.label) for name, user in leaf.users.by_name.items()}
        for each in share.applications:
            if each.to_obtain != NOTHING:
                self._select_of(each.attempt, wanted, used)

    def _select_of(self, attempt: CapacityAttempt, wanted: dict[str, Amount], used: dict[str, Amount]) -> None:
        """Source: #preemptFromLeastStarvedApp."""
        for container in last_first(list(attempt.live.values())):
            if not wanted:
                return
            if self.selection.has(container) or container in self.selection.killable or container.is_am:
                continue
            size = (container.memory_mb, container.vcores)
            user = self.shares.shares[attempt.queue.path, container.node.partition].users.get(attempt.user)
            if self.by_users and user is not None:
                # No user is brought to the limit or below it. Source: #skipContainerBasedOnIntraQueuePolicy.
                most = plus(user.limit, user.am_used)
                if self._compare(minus(used[attempt.user], size), most) <= 0:
                    return
            conservative = self.settings.within_conservative
            if self.selection.try_one(container, wanted, self.picked, conservative=conservative) and self.by_users:
                used[attempt.user] = minus(used[attempt.user], size)


# The preemption pass: select, mark what is selected first, end what has been selected for too long.


class Tick(NamedTuple):
    """The results of one run of the pass, in the order they are to be carried out."""

    moved: list[Decision]  # Reservations that went to another node; that is done already
    dropped: list[Container]  # Reservations
    marked: list[Container]
    killed: list[Container]


class Preemption(metaclass=State):
    """The policy; `since` is its memory."""

    cluster: Cluster
    space: PartitionResources
    settings: PreemptionSettings
    since: dict[ContainerId, int] = {}  # When each selected container was first selected, by its id

    def __init__(self, cluster: Cluster, space: PartitionResources, settings: PreemptionSettings) -> None:
        self.cluster = cluster
        self.space = space
        self.settings = settings

    def run(self, root: CapacityQueue, general: CapacitySettings, commit: Commit, now_ms: int) -> list[Decision]:
        lazy = commit.lazy
        tick = self.tick(root, general, lazy.all() if general.is_lazy else [], now_ms)
        # A move of the same tick may have taken a reservation elsewhere.
        dropped = [commit.unreserve(held.node) for held in tick.dropped if held.node.reserved is held]
        decisions: list[Decision] = [*tick.moved, *dropped]
        for container in tick.marked:
            commit.mark(container)
            decisions.append(Warned(container.id, container.node.id, container.attempt.queue.path, container.memory_mb))
        for container in tick.killed:
            if general.is_lazy:
                lazy.add(container)
            else:
                decisions += commit.end(container, "KILL", now_ms, "PREEMPTED")
        return decisions

    def tick(self, root: CapacityQueue, general: CapacitySettings, killable: list[Container], now_ms: int) -> Tick:
        """Select by all rules; moves of reservations are done at once."""
        settings, space, cluster = self.settings, self.space, self.cluster
        labels = (space.exclusive or {}) if general.labels_enabled else {}
        shares = QueueShares(root, labels, space)
        selection = Selection(shares, space, settings, cluster.cluster_timestamp, frozenset(killable))
        moved: list[Decision] = []
        picked: list[tuple[Picked, int]] = []
        if settings.by_priority:
            by_priority = PriorityVictims(selection, partial(self._move, moved))
            picked.append((by_priority.select(self._nodes(), now_ms), settings.wait_ms))
        if settings.by_reservation:
            picked.append((ReservationVictims(selection).select(self._nodes()), settings.wait_ms))
        # Guarantees come before balance: what is beyond them is evened out with what may still go.
        of_queues = QueueVictims(selection).select(reserved=settings.counts_reserved, beyond=False)
        picked.append((of_queues, settings.wait_ms))
        if settings.balances:
            wait_ms = settings.balance_wait_ms if settings.balance_wait_ms > 0 else settings.wait_ms
            picked.append((QueueVictims(selection).select(reserved=False, beyond=True), wait_ms))
        if settings.within_queues:
            picked.append((WithinVictims(selection).select(), settings.wait_ms))
        if settings.observe_only:
            return Tick(moved, [], [], [])
        return self._sort_out(Tick(moved, list(selection.dropped), [], []), selection, picked, now_ms)

    def _sort_out(self, tick: Tick, selection: Selection, picked: list[tuple[Picked, int]], now_ms: int) -> Tick:
        """Return the marked and the ended containers. Source: #preemptOrkillSelectedContainerAfterWait."""
        for containers, wait_ms in picked:
            for container in selection.in_order(containers):
                since_ms = self.since.get(container.id)
                if since_ms is None:
                    tick.marked.append(container)
                    self.since[container.id] = now_ms
                elif since_ms + wait_ms <= now_ms:
                    tick.killed.append(container)
                    del self.since[container.id]
        # A container not selected for so long begins anew when it is selected again.
        oldest_ms = now_ms - 2 * self.settings.wait_ms
        self.since = {each: since_ms for each, since_ms in self.since.items() if since_ms >= oldest_ms}
        return tick

    def _nodes(self) -> list[Node]:
        nodes = list(self.cluster.nodes.values())
        return hash_map_order(nodes, [node_id_hash(node.host, node.port) for node in nodes])

    def _move(self, moved: list[Decision], held: Container, node: Node) -> bool:
        """Move a reservation to a node without one, from the node it was made on.

        Source: CapacityScheduler#moveReservedContainer, FiCaSchedulerApp#moveReservation.
        """
        source, attempt = held.node, capacity_attempt(held.attempt)
        # The real class looks for a reservation on its first node; one that was moved from there is not found.
        if held.number in attempt.moved:
            return False
        if source.partition != node.partition or node.reserved is not None or source.reserved is not held:
            return False
        attempt.moved.add(held.number)
        node.reserved, source.reserved = held, None
        held.node = node
        for kind, where in (Unreserved, source), (Reserved, node):
            moved.append(kind(held.id, where.id, held.priority, held.memory_mb, held.vcores))
        del attempt.reserved[source.id]
        attempt.reserved[node.id] = held
        self.cluster.version += 1
        return True
