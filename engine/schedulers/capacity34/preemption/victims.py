"""Containers on nodes where a queue of higher priority, still below its guarantee, has had a reservation for long.

Source: QueuePriorityContainerCandidateSelector, CapacitySchedulerPreemptionUtils, PreemptionCandidatesSelector,
FifoCandidatesSelector, ReservedContainerCandidatesSelector, Hadoop 3.4.1.
"""

from collections.abc import Callable, Iterator
from itertools import permutations

from engine.model.identity import attempt_id_hash, container_id_hash, hash_map_order
from engine.model.java_collections import java_sorted
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.space import NOTHING, Amount, minus, non_negative, plus, times
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.preemption.ideal import IdealShares, PreemptionSettings, QueueShare, QueueShares
from engine.schedulers.capacity34.queue import CapacityAttempt, Leaf, capacity_attempt

# Selects containers for a tick, one by one, and keeps those selected so far.

Picked = dict[CapacityAttempt, dict[Container, None]]  # Selected containers by attempt


class Selection:
    """Containers selected by all rules of a tick, and what may still be selected."""

    def __init__(
        self,
        shares: QueueShares,
        space: PartitionResources,
        settings: PreemptionSettings,
        cluster_timestamp: int,
        killable: frozenset[Container],
    ) -> None:
        self.shares = shares
        self.space = space
        self.settings = settings
        self.cluster_timestamp = cluster_timestamp
        self.allowed = times(space.cluster, settings.per_round)
        self.killable = killable  # containers selected long ago that live until others take their place
        self.by_attempt: Picked = {}
        self.dropped: dict[Container, None] = {}  # reservations to be dropped once the tick is over

    def has(self, container: Container) -> bool:
        attempt = capacity_attempt(container.attempt)
        return container in self.by_attempt.get(attempt, ())

    def add(self, container: Container, picked: Picked) -> None:
        attempt = capacity_attempt(container.attempt)
        self.by_attempt.setdefault(attempt, {})[container] = None
        picked.setdefault(attempt, {})[container] = None

    def in_order(self, picked: Picked) -> Iterator[Container]:
        """A rule's containers in the order of the class's maps."""
        for attempt in self.attempts_in_map_order(list(picked)):
            yield from self.in_map_order(list(picked[attempt]))

    def attempts_in_map_order(self, attempts: list[CapacityAttempt]) -> list[CapacityAttempt]:
        stamp = self.cluster_timestamp
        return hash_map_order(
            attempts, [attempt_id_hash(stamp, each.application.number, each.number) for each in attempts]
        )

    def in_map_order(self, containers: list[Container]) -> list[Container]:
        return hash_map_order(containers, [container_id_hash(self.cluster_timestamp, each.id) for each in containers])

    def deduct(self) -> None:
        """Subtract the containers that earlier rules selected from the amount to obtain."""
        for container in self.in_order(self.by_attempt):
            share = self.shares.shares[container.attempt.queue.path, container.node.partition]
            amount = (container.memory_mb, container.vcores)
            share.deduct(amount, self.space)
            for each in share.applications:
                each.deduct(amount, self.space, share.total)

    def try_one(self, container: Container, wanted: dict[str, Amount], picked: Picked, *, conservative: bool) -> bool:
        """Select a container if it helps to obtain what is wanted, by partition; whether it was selected.

        A partition with nothing more to obtain leaves `wanted`; `conservative` is whether both memory and vcores must
        be wanted.
        """
        label, space = container.node.partition, self.space
        left = wanted.get(label)
        if left is None or self.has(container):
            return False
        # A dimension that is used up counts as overdrawn, so that it does not call for more.
        left = wanted[label] = (left[0] or -1, left[1] or -1)
        calculator, size = space.calculator, (container.memory_mb, container.vcores)
        if not calculator.any_above_zero(left) or not calculator.fits(size, self.allowed):
            return False
        after = minus(left, size)
        if conservative:
            helps = not any_zero_or_less(left, space)
        else:
            before = non_negative(left)
            helps = calculator.compare(space.cluster, non_negative(after), before) < 0
        if not helps:
            return False
        wanted[label] = after
        self.allowed = minus(self.allowed, size)
        if calculator.compare(space.cluster, after, NOTHING) <= 0:
            del wanted[label]
        self.add(container, picked)
        return True


def any_zero_or_less(amount: Amount, space: PartitionResources) -> bool:
    """Tell whether memory or, where they count, vcores are used up. Source: #isAnyMajorResourceZeroOrNegative."""
    return amount[0] <= 0 or (not space.calculator.by_memory and amount[1] <= 0)


def last_first(containers: list[Container]) -> list[Container]:
    """By priority, the least important first, then the newest. Source: PreemptionCandidatesSelector#sortContainers."""
    return sorted(containers, key=lambda each: (-each.priority, [-part for part in each.id]))


class Victims:
    """A rule that selects containers: what it has picked, beside what all rules of the tick have."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.shares = selection.shares
        self.space = selection.space
        self.settings = selection.settings
        self.picked: Picked = {}


Move = Callable[[Container, Node], bool]  # Moves a reservation to another node; whether it did


class PriorityVictims(Victims):
    """Selects for reservations of queues that come before others."""

    def __init__(self, selection: Selection, move: Move) -> None:
        super().__init__(selection)
        self.move = move
        self.before = _before(self.shares)  # (path, path) where the first may take from the second
        self.owed: dict[tuple[str, str], Amount] = {}  # what is taken for a queue, by path and partition
        self.touched: set[str] = set()  # nodes that have been dealt with, by id

    def select(self, nodes: list[Node], now_ms: int) -> Picked:
        """Select on nodes, which come in the class's order."""
        if not self.before:
            return self.picked
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
                    self.selection.add(container, self.picked)
                    self.selection.allowed = minus(self.selection.allowed, (container.memory_mb, container.vcores))
            elif self.settings.moves_reservations:
                self._move_elsewhere(reserved, nodes)
        return self.picked

    def _compare(self, one: Container, other: Container) -> int:
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


# Containers of queues that have more than they should.
#
# Leaf by leaf: first containers that are in a partition without having asked for it, then application by application,
# the last one first, reservations before containers. Application masters are kept until the end, and used only while
# they need more than the leaf's application masters may.


class QueueVictims(Victims):
    """Selects so that queues come to their ideal shares."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.wanted: dict[str, Amount] = {}
        self.masters: list[Container] = []
        self.masters_size: Amount = NOTHING

    def select(self, *, reserved: bool, beyond: bool) -> Picked:
        ideal = IdealShares(self.shares, self.space, self.settings, reserved=reserved, beyond=beyond)
        ideal.compute(self.selection.allowed, as_natural=not reserved)
        self.selection.deduct()
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


# Containers on nodes with a reservation, where enough of them may be taken that it can be fulfilled.


class ReservationVictims(Victims):
    """Selects for reservations, the one that costs least in proportion first."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.wanted: dict[tuple[str, str], Amount] = {}  # what may be taken, by (path, partition)

    def select(self, nodes: list[Node]) -> Picked:
        """Select on nodes, which come in the class's order."""
        ideal = IdealShares(self.shares, self.space, self.settings, reserved=True, beyond=False)
        ideal.compute(self.selection.allowed, as_natural=False)
        for path in self.shares.leaves:
            for label, amount in self.shares.to_obtain(path, self.space).items():
                self.wanted[path, label] = amount
        costs = [(cost, node) for node in nodes for cost, _ in self._on(node, only_look=True)]
        for _, node in sorted(costs, key=lambda each: each[0]):
            for _, containers in self._on(node, only_look=False):
                for container in containers:
                    self.selection.add(container, self.picked)
        return self.picked

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
