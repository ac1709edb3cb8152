"""Containers of queues that have more than they should.

Leaf by leaf: first containers that are in a partition without having asked for it, then application by application,
the last one first, reservations before containers. Application masters are kept until the end, and used only
while they need more than the leaf's application masters may.

Source: FifoCandidatesSelector, Hadoop 3.4.1.
"""

from engine.model.ledger import Container
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus, times
from engine.schedulers.capacity34.preemption.ideal import IdealShares
from engine.schedulers.capacity34.preemption.queues import QueueShares
from engine.schedulers.capacity34.preemption.selection import Picked, Selection, last_first
from engine.schedulers.capacity34.preemption.settings import PreemptionSettings
from engine.schedulers.capacity34.queue import CapacityAttempt, Leaf
from engine.schedulers.capacity34.space import Space


class QueueVictims:
    """Selects so that queues come to their ideal shares."""

    __slots__ = ("masters", "masters_size", "picked", "selection", "settings", "shares", "space", "wanted")

    def __init__(self, shares: QueueShares, selection: Selection, space: Space, settings: PreemptionSettings) -> None:
        self.shares = shares
        self.selection = selection
        self.space = space
        self.settings = settings
        self.picked: Picked = {}
        self.wanted: dict[str, Amount] = {}
        self.masters: list[Container] = []
        self.masters_size: Amount = NOTHING

    def select(self, *, reserved: bool, beyond: bool) -> Picked:
        """Select; arguments as of `IdealShares`."""
        ideal = IdealShares(self.shares, self.space, self.settings, reserved=reserved, beyond=beyond)
        ideal.compute(self.selection.allowed, as_natural=not reserved)
        self.selection.deduct_from(self.shares)
        for path in self.shares.leaves:
            leaf = self.shares.shares[path, ""].queue.leaf
            if leaf is not None and not self.shares.is_disabled(path):
                self.wanted = self.shares.to_obtain(path, self.space)
                self._in_leaf(leaf)
        return self.picked

    def _try(self, container: Container) -> bool:
        return self.selection.try_one(container, self.wanted, self.picked, conservative=self.settings.conservative)

    def _in_leaf(self, leaf: Leaf) -> None:
        for label in list(self.wanted):
            for container in sorted(leaf.foreign.get(label, ()), key=lambda each: each.id, reverse=True):
                self._try(container)
        self.masters, self.masters_size = [], NOTHING
        for attempt in leaf.order.for_preemption():
            if not self.wanted:
                break
            self._in_application(attempt)
        most = times(leaf.queue.share("").effective_minimum, leaf.queue.share("").am_percent)
        for container in self.masters:
            compare = self.space.calculator.compare
            if not self.wanted or compare(self.space.cluster, self.masters_size, most) <= 0:
                break
            if self._try(container):
                self.masters_size = minus(self.masters_size, (container.memory_mb, container.vcores))

    def _in_application(self, attempt: CapacityAttempt) -> None:
        for held in attempt.all_reservations_in_order():
            if self.selection.has(held):
                continue
            if not self.wanted:
                return
            self._try(held)
            if not self.settings.observe_only:
                self.selection.dropped[held] = None
        for container in last_first(list(attempt.live.values())):
            if not self.wanted:
                return
            if self.selection.has(container) or container in self.selection.killable:
                continue
            if container.is_am:
                self.masters.append(container)
                self.masters_size = plus(self.masters_size, (container.memory_mb, container.vcores))
                continue
            self._try(container)
