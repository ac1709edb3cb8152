"""Containers of applications that have more than they should, for others in the same leaf.

Source: IntraQueueCandidatesSelector, FifoIntraQueuePreemptionPlugin, Hadoop 3.4.1.
"""

from engine.schedulers.capacity.space import NOTHING, Amount, minus, minus_at_most, plus, times
from engine.schedulers.capacity34.preemption.queues import QueueShare, QueueShares
from engine.schedulers.capacity34.preemption.selection import Picked, Selection, any_zero_or_less, last_first
from engine.schedulers.capacity34.preemption.settings import USER_LIMIT_FIRST, PreemptionSettings
from engine.schedulers.capacity34.preemption.within import ApplicationShare, UserShare, am_amount, in_order
from engine.schedulers.capacity34.queue import CapacityAttempt, Leaf
from engine.schedulers.capacity34.space import Space


class WithinVictims:
    """Selects within leaves that want more than they are given."""

    __slots__ = ("by_users", "picked", "selection", "settings", "shares", "space")

    def __init__(self, shares: QueueShares, selection: Selection, space: Space, settings: PreemptionSettings) -> None:
        self.shares = shares
        self.selection = selection
        self.space = space
        self.settings = settings
        self.by_users = settings.within_order == USER_LIMIT_FIRST
        """Whether users' limits come first, and not applications' priorities."""
        self.picked: Picked = {}

    def select(self) -> Picked:
        """Select in all under-served leaves, partition by partition."""
        wanting = [
            self.shares.shares[path, label]
            for label in self.shares.labels
            for path in self.shares.under_served.get(label, ())
        ]
        for share in wanting:
            if share.queue.leaf is not None:
                self._compute(share, share.queue.leaf)
        self.selection.deduct_from(self.shares)
        for share in wanting:
            leaf, settings = share.queue.leaf, share.queue.settings
            if leaf is not None and not settings.intra_queue_disabled and not settings.preemption_disabled:
                self._select_in(share, leaf)
        return self.picked

    def _compare(self, one: Amount, other: Amount) -> int:
        return self.space.calculator.compare(self.space.cluster, one, other)

    def _smaller(self, one: Amount, other: Amount) -> Amount:
        return one if self._compare(one, other) <= 0 else other

    # ---------------------------------------------------------------- who has too much

    def _compute(self, share: QueueShare, leaf: Leaf) -> None:
        """Source: #computeIntraQueuePreemptionDemand, #computeAppsIdealAllocation."""
        if share.queue.share(share.label).used_ratio < self.settings.within_threshold:
            return
        masters: dict[str, Amount] = {}
        left = minus(share.used, share.to_obtain)
        for attempt in leaf.order:
            amount = am_amount(attempt, share.label)
            masters[attempt.user] = plus(masters.get(attempt.user, NOTHING), amount)
            left = minus(left, amount)
        attempts = [*leaf.waiting, *leaf.order]
        if len(attempts) == 1:
            return
        applications = [self._application(attempt, share, leaf, masters) for attempt in attempts]
        ordered = in_order(leaf, applications, self.space, fairly=self.by_users)
        for each in ordered:
            left = self._assign(each, share.label, left)
        most = times(share.guaranteed, self.settings.within_limit)
        most = minus(most, share.to_obtain) if self._compare(most, share.to_obtain) > 0 else NOTHING
        share.applications = ordered[::-1]
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
        """Assign an application's ideal part of what is left; the remaining amount."""
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
        """Only what somebody is owed is taken. Source: #validateOutSameAppPriorityFromDemand."""
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
