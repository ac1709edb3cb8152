"""Containers on nodes with a reservation, where enough of them may be taken that it can be fulfilled.

Source: ReservedContainerCandidatesSelector, Hadoop 3.4.1.
"""

from engine.model.ledger import Container, Node
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus
from engine.schedulers.capacity34.preemption.ideal import IdealShares
from engine.schedulers.capacity34.preemption.queues import QueueShares
from engine.schedulers.capacity34.preemption.selection import Picked, Selection
from engine.schedulers.capacity34.preemption.settings import PreemptionSettings
from engine.schedulers.capacity34.space import Space


class ReservationVictims:
    """Selects for reservations, the one that costs least in proportion first."""

    __slots__ = ("selection", "settings", "shares", "space", "wanted")

    def __init__(self, shares: QueueShares, selection: Selection, space: Space, settings: PreemptionSettings) -> None:
        self.shares = shares
        self.selection = selection
        self.space = space
        self.settings = settings
        self.wanted: dict[tuple[str, str], Amount] = {}
        """What may be taken, by (path, partition)."""

    def select(self, nodes: list[Node]) -> Picked:
        """Select on nodes, which come in the class's order."""
        ideal = IdealShares(self.shares, self.space, self.settings, reserved=True, beyond=False)
        ideal.compute(self.selection.allowed, as_natural=False)
        for path in self.shares.leaves:
            for label, amount in self.shares.to_obtain(path, self.space).items():
                self.wanted[path, label] = amount
        picked: Picked = {}
        costs = [(cost, node) for node in nodes for cost, _ in self._on(node, only_look=True)]
        for _, node in sorted(costs, key=lambda each: each[0]):
            for _, containers in self._on(node, only_look=False):
                for container in containers:
                    self.selection.add(container, picked)
        return picked

    def _on(self, node: Node, *, only_look: bool) -> list[tuple[float, list[Container]]]:
        """Return the containers to preempt on a node, with their cost; nothing where that does not help."""
        held, calculator = node.reserved, self.space.calculator
        if held is None:
            return []
        size = (held.memory_mb, held.vcores)
        free = (node.free_memory_mb, node.free_vcores)
        running = sorted(node.containers.values(), key=lambda each: each.id, reverse=True)
        for each in running:
            if each in self.selection.killable:
                free = plus(free, (each.memory_mb, each.vcores))
        if calculator.fits(size, free):
            return []
        selected, chosen = NOTHING, list[Container]()
        for container in [each for each in running if each not in self.selection.killable and not each.is_am]:
            part = (container.memory_mb, container.vcores)
            if not self._take(container, part, only_look):
                continue
            if not self.selection.has(container):
                if not only_look:
                    chosen.append(container)
                selected = plus(selected, part)
            free = plus(free, part)
            if calculator.fits(size, free):
                return [(calculator.ratio(selected, size), chosen)]
        self._give_back(chosen)
        return []

    def _give_back(self, chosen: list[Container]) -> None:
        """Give back containers taken in vain; the total that may be selected stays as it is, as in the class."""
        for container in chosen:
            key = container.attempt.queue.path, container.node.partition
            self.wanted[key] = plus(self.wanted[key], (container.memory_mb, container.vcores))

    def _take(self, container: Container, size: Amount, only_look: bool) -> bool:
        """Tell whether a container's queue has enough to give; unless one only looks, it has given it."""
        key = container.attempt.queue.path, container.node.partition
        left, fits = self.wanted.get(key), self.space.calculator.fits
        if left is None or not fits(size, left) or not fits(size, self.selection.allowed):
            return False
        if not only_look:
            self.wanted[key] = minus(left, size)
            self.selection.allowed = minus(self.selection.allowed, size)
        return True
