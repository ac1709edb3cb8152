"""Computes how much each queue should have, and so how much is to be taken from it.

Each parent's ideal is handed to its children: what they use up to their guarantees first, then, to the one furthest
below its guarantee, in shares of what the hungry ones are guaranteed together.

Source: PreemptableResourceCalculator, AbstractPreemptableResourceCalculator, Hadoop 3.4.1.
"""

from math import ceil

from engine.model.java_number import divide, float32, truncate_long
from engine.model.java_priority_queue import Comparison, JavaPriorityQueue
from engine.schedulers.capacity.space import NOTHING, Amount, larger_of_each, minus, plus, smaller_of_each, times
from engine.schedulers.capacity34.preemption.queues import QueueShare, QueueShares
from engine.schedulers.capacity34.preemption.settings import PreemptionSettings
from engine.schedulers.capacity34.queue_order import compare_use
from engine.schedulers.capacity34.space import Space

STEP = (1, 1)
NOBODY_IS_OWED = 2**31 - 1


class IdealShares:
    """Computes for all queues; `reserved` and `beyond` as in `QueueShare.offer`."""

    __slots__ = ("beyond", "reserved", "settings", "shares", "space")

    def __init__(
        self, shares: QueueShares, space: Space, settings: PreemptionSettings, *, reserved: bool, beyond: bool
    ) -> None:
        self.shares = shares
        self.space = space
        self.settings = settings
        self.reserved = reserved
        self.beyond = beyond

    def compute(self, allowed: Amount, *, as_natural: bool) -> None:
        """Set what is to be obtained from each leaf.

        `allowed` may be selected in this tick; `as_natural` takes only a part at once, since some containers end by
        themselves.
        """
        for root in self.shares.roots:
            root.update_extras(self.space)
            root.ideal = root.guaranteed
            self._below(root, allowed)
        for path in self.shares.leaves:
            for share in () if self.shares.is_disabled(path) else self.shares.of(path):
                share.to_obtain = self._to_obtain(share, as_natural)

    def _to_obtain(self, share: QueueShare, as_natural: bool) -> Amount:
        calculator, cluster = self.space.calculator, self.space.cluster
        # A little beyond the guarantee is let be: taking it would only move containers to and fro.
        if calculator.compare(cluster, share.used, times(share.guaranteed, 1.0 + self.settings.ignored_over)) <= 0:
            return NOTHING
        if not as_natural or calculator.compare(cluster, share.to_preempt, NOTHING) <= 0:
            return share.to_preempt
        # Containers end by themselves meanwhile, so each tick asks for a part only.
        return calculator.times_up(share.to_preempt, self.settings.natural_factor, STEP)

    def _below(self, parent: QueueShare, allowed: Amount) -> None:
        if parent.children:
            self._distribute(parent.children, parent.ideal, allowed)
            for child in parent.children:
                self._below(child, allowed)

    def _distribute(self, queues: list[QueueShare], total: Amount, allowed: Amount) -> None:
        """Source: #computeIdealResourceDistribution."""
        compare = self.space.calculator.compare
        owed = [share for share in queues if compare(total, share.guaranteed, NOTHING) > 0]
        not_owed = [share for share in queues if compare(total, share.guaranteed, NOTHING) <= 0]
        # Queues with a guarantee come first; those without one share what they leave.
        left = self._fix(owed, total, total, evenly=False)
        if not_owed and compare(total, left, NOTHING) > 0:
            self._fix(not_owed, left, total, evenly=True)
        needed = NOTHING
        for share in queues:
            if compare(total, share.used, share.ideal) > 0:
                needed = plus(needed, minus(share.used, share.ideal))
        # What all have too much is more than may go in a tick: each gives up the same part.
        factor = 1.0
        if compare(total, needed, allowed) > 0:
            factor = self.space.calculator.divide(total, allowed, needed)
        for share in queues:
            share.assign(factor, self.space, total)

    def _fix(self, queues: list[QueueShare], left: Amount, total: Amount, *, evenly: bool) -> Amount:
        """Give what is left to those that want more; what the caller believes to be left, which is too much.

        Source: #computeFixpointAllocation, which changes the caller's figure only until it first rounds its own up.
        """
        compare = self.space.calculator.compare
        hungry, order = JavaPriorityQueue[QueueShare](), self._order(total)
        for share in queues:
            if compare(total, share.used, share.guaranteed) > 0:
                # What it uses beyond its guarantee, and may not be taken from it, stays its own.
                share.ideal = plus(smaller_of_each(share.guaranteed, share.used), share.untouchable)
            else:
                share.ideal = share.used
            left = minus(left, share.ideal)
            if compare(total, share.ideal, plus(share.used, share.pending)) < 0:
                hungry.add(share, order)
        believed, first = left, True
        while hungry.items and compare(total, left, NOTHING) > 0:
            self._normalise(hungry.items, evenly)
            in_round = left
            for share in self._most_under_served(hungry, order):
                if not self.space.calculator.any_above_zero(left):
                    break
                part = smaller_of_each(self._part(in_round, share.normalised), left)
                rest = share.offer(part, self.space, total, self.reserved, self.beyond)
                done = minus(part, rest)
                # It took something, so it may take more in the next round.
                if compare(total, done, NOTHING) > 0:
                    hungry.add(share, order)
                left = minus(left, done)
                # From here on the real class counts in an object of its own, which its caller does not see.
                if first:
                    believed, first = left, False
                left = larger_of_each(left, NOTHING)
        while hungry.items:
            self.shares.note_under_served(hungry.poll(order))
        return believed

    def _order(self, total: Amount) -> Comparison[QueueShare]:
        """Return the order with the furthest below its guarantee first. Source: TQComparator."""

        def compare(one: QueueShare, other: QueueShare) -> int:
            mine, theirs = self._of_guarantee(one, total), self._of_guarantee(other, total)
            return compare_use(mine, theirs, one.priority, other.priority)

        return compare

    def _of_guarantee(self, share: QueueShare, total: Amount) -> float:
        if self.space.calculator.compare(total, share.guaranteed, NOTHING) <= 0:
            # A queue without a guarantee is as well served as can be, so it comes last.
            return NOBODY_IS_OWED
        return self.space.calculator.divide(total, share.ideal, share.guaranteed)

    def _most_under_served(
        self, hungry: JavaPriorityQueue[QueueShare], order: Comparison[QueueShare]
    ) -> list[QueueShare]:
        """Take those furthest below their guarantees from the heap."""
        found: list[QueueShare] = []
        while hungry.items:
            share = hungry.poll(order)
            found.append(share)
            self.shares.note_under_served(share)
            if not hungry.items:
                break
            if order(share, hungry.items[0]) < 0:
                self.shares.note_under_served(hungry.items[0])
                break
        return found

    def _part(self, left: Amount, shares: list[float]) -> Amount:
        """Source: ResourceCalculator#multiplyAndNormalizeUp(Resource, double[], Resource)."""
        if self.space.calculator.by_memory:
            memory_mb = truncate_long(left[0] * shares[0] + 0.5)
            return (memory_mb, 1 if memory_mb > 0 else 0)
        return (ceil(left[0] * shares[0]), ceil(left[1] * shares[1]))

    @staticmethod
    def _normalise(hungry: list[QueueShare], evenly: bool) -> None:
        """Each one's share of what they are guaranteed together, of memory and of vcores. Source: #resetCapacity."""
        guaranteed, absolute = NOTHING, 0.0
        for share in hungry:
            guaranteed = plus(guaranteed, share.guaranteed)
            absolute = float32(absolute + share.absolute)
        for side in (0, 1):
            whole = guaranteed[side]
            by_absolute = (
                not evenly
                and whole != 0
                and any(share.guaranteed[side] == 0 and share.absolute != 0 for share in hungry)
            )
            for share in hungry:
                if evenly or (not by_absolute and (absolute == 0 or whole == 0)):
                    share.normalised[side] = float32(1 / len(hungry))
                elif by_absolute:
                    share.normalised[side] = (
                        float32(divide(share.absolute, absolute)) if absolute else share.normalised[side]
                    )
                else:
                    share.normalised[side] = float32(divide(float32(share.guaranteed[side]), float32(whole)))
