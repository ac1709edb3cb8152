"""Containers on nodes where a queue of higher priority, still below its guarantee, has had a reservation for long.

Source: QueuePriorityContainerCandidateSelector, Hadoop 3.4.1.
"""

from collections.abc import Callable
from itertools import permutations

from engine.model.java_sort import java_sorted
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus
from engine.schedulers.capacity34.preemption.queues import QueueShare, QueueShares
from engine.schedulers.capacity34.preemption.selection import Picked, Selection
from engine.schedulers.capacity34.preemption.settings import PreemptionSettings
from engine.schedulers.capacity34.space import Space

Move = Callable[[Container, Node], bool]
"""Moves a reservation to another node; whether it did."""


class PriorityVictims:
    """Selects for reservations of queues that come before others."""

    __slots__ = ("before", "move", "owed", "selection", "settings", "shares", "space", "touched")

    def __init__(
        self, shares: QueueShares, selection: Selection, space: Space, settings: PreemptionSettings, move: Move
    ) -> None:
        self.shares = shares
        self.selection = selection
        self.space = space
        self.settings = settings
        self.move = move
        self.before = _before(shares)
        """(path, path) where the first may take from the second."""
        self.owed: dict[tuple[str, str], Amount] = {}
        """What is taken for a queue, by path and partition."""
        self.touched: set[str] = set()
        """Nodes that have been dealt with, by id."""

    def select(self, nodes: list[Node], now_ms: int) -> Picked:
        """Select on nodes, which come in the class's order."""
        picked: Picked = {}
        if not self.before:
            return picked
        first = {path for path, _ in self.before}
        held = [node.reserved for node in nodes if node.reserved is not None]
        held = java_sorted((each for each in held if each.attempt.queue.path in first), self._compare)
        for reserved in held:
            if now_ms - reserved.created_ms < self.settings.by_priority_delay_ms:
                continue
            node, path = reserved.node, reserved.attempt.queue.path
            if self._is_satisfied(path, node.partition):
                continue
            size, chosen = (reserved.memory_mb, reserved.vcores), list[Container]()
            if self._can_make_room(size, path, node, chosen, elsewhere=False):
                self.touched.add(node.id)
                key = path, node.partition
                self.owed[key] = plus(self.owed.get(key, NOTHING), size)
                for container in chosen:
                    self.selection.add(container, picked)
                    self.selection.allowed = minus(self.selection.allowed, (container.memory_mb, container.vcores))
            elif self.settings.moves_reservations:
                self._move_elsewhere(reserved, nodes)
        return picked

    def _compare(self, one: Container, other: Container) -> int:
        """Queues that come first first, then by age."""
        paths = one.attempt.queue.path, other.attempt.queue.path
        if paths in self.before:
            return -1
        if paths[::-1] in self.before:
            return 1
        return one.created_ms - other.created_ms

    def _is_satisfied(self, path: str, label: str) -> bool:
        share = self.shares.shares.get((path, label))
        if share is None:
            return False
        has = plus(minus(share.used, share.reserved), self.owed.get((path, label), NOTHING))
        return self.space.calculator.compare(self.space.cluster, has, share.guaranteed) >= 0

    def _can_make_room(self, size: Amount, path: str, node: Node, chosen: list[Container], *, elsewhere: bool) -> bool:
        """Tell whether a node has room once containers of lesser queues are gone; they are appended to `chosen`."""
        if node.id in self.touched or (node.reserved is not None and elsewhere):
            return False
        calculator, selection = self.space.calculator, self.selection
        lacking = minus(size, (node.free_memory_mb, node.free_vcores))
        running = java_sorted(selection.in_map_order(list(node.containers.values())), self._compare)
        for container in running:
            if selection.has(container):
                lacking = minus(lacking, (container.memory_mb, container.vcores))
        if calculator.fits(lacking, NOTHING):
            return True
        allowed = selection.allowed
        for container in running:
            part = (container.memory_mb, container.vcores)
            if selection.has(container) or (path, container.attempt.queue.path) not in self.before or container.is_am:
                continue
            if calculator.compare(self.space.cluster, allowed, part) >= 0:
                allowed, lacking = minus(allowed, part), minus(lacking, part)
                chosen.append(container)
            if calculator.fits(lacking, NOTHING):
                return True
        return False

    def _move_elsewhere(self, held: Container, nodes: list[Node]) -> None:
        """Source: #tryToMakeBetterReservationPlacement."""
        path, size = held.attempt.queue.path, (held.memory_mb, held.vcores)
        for node in nodes:
            group = held.attempt.groups.get(held.priority)
            anywhere = group.anywhere if group is not None else None
            if anywhere is not None and not anywhere.relax_locality:
                continue
            fits = held.partition == node.partition and self._can_make_room(size, path, node, [], elsewhere=True)
            if fits and self.move(held, node):
                self.touched.add(node.id)


def _before(shares: QueueShares) -> set[tuple[str, str]]:
    """Tell which leaf may take: where their paths part, the higher priority. Source: #initializePriority…."""
    before = set()
    for one, other in permutations(shares.leaves, 2):
        mine, theirs = _where_parted(shares.shares[one, ""], shares.shares[other, ""])
        if mine > theirs:
            before.add((one, other))
    return before


def _where_parted(one: QueueShare, other: QueueShare) -> tuple[int, int]:
    for mine, theirs in zip(_from_root(one), _from_root(other), strict=False):
        if mine.path != theirs.path:
            return mine.priority, theirs.priority
    return 0, 0


def _from_root(share: QueueShare) -> list[QueueShare]:
    path: list[QueueShare] = []
    at: QueueShare | None = share
    while at is not None:
        path.append(at)
        at = at.parent
    return path[::-1]
