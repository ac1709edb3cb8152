"""Selects containers for a tick, one by one, and keeps those selected so far.

Source: CapacitySchedulerPreemptionUtils, PreemptionCandidatesSelector, Hadoop 3.4.1.
"""

from collections.abc import Iterator

from engine.model.identity import attempt_id_hash, container_id_hash, hash_map_order
from engine.model.ledger import Container
from engine.schedulers.capacity.space import NOTHING, Amount, larger_of_each, minus
from engine.schedulers.capacity34.preemption.queues import QueueShares
from engine.schedulers.capacity34.queue import CapacityAttempt
from engine.schedulers.capacity34.space import Space

Picked = dict[CapacityAttempt, dict[Container, None]]
"""Selected containers by attempt."""


class Selection:
    """Containers selected by all rules of a tick, and what may still be selected."""

    __slots__ = ("allowed", "by_attempt", "cluster_timestamp", "dropped", "killable", "space")

    def __init__(self, allowed: Amount, space: Space, cluster_timestamp: int, killable: frozenset[Container]) -> None:
        self.allowed = allowed
        self.space = space
        self.cluster_timestamp = cluster_timestamp
        self.killable = killable
        """Containers selected long ago that live until somebody takes their place."""
        self.by_attempt: Picked = {}
        self.dropped: dict[Container, None] = {}
        """Reservations to be dropped once the tick is over."""

    def has(self, container: Container) -> bool:
        """Tell whether a container is selected already."""
        attempt = container.attempt
        assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
        return container in self.by_attempt.get(attempt, ())

    def add(self, container: Container, picked: Picked) -> None:
        """Select a container, for a rule with its own list."""
        attempt = container.attempt
        assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
        self.by_attempt.setdefault(attempt, {})[container] = None
        picked.setdefault(attempt, {})[container] = None

    def in_order(self, picked: Picked) -> Iterator[Container]:
        """A rule's containers in the order of the class's maps."""
        attempts = list(picked)
        hashes = [attempt_id_hash(self.cluster_timestamp, each.application.number, each.number) for each in attempts]
        for attempt in hash_map_order(attempts, hashes):
            yield from self.in_map_order(list(picked[attempt]))

    def in_map_order(self, containers: list[Container]) -> list[Container]:
        """Containers in the order of a map by their ids."""
        return hash_map_order(containers, [container_id_hash(self.cluster_timestamp, each.id) for each in containers])

    def deduct_from(self, shares: QueueShares) -> None:
        """Subtract the containers that earlier rules selected from the amount to obtain."""
        for container in self.in_order(self.by_attempt):
            share = shares.shares[container.attempt.queue.path, container.node.partition]
            amount = (container.memory_mb, container.vcores)
            share.deduct(amount, self.space)
            for each in share.applications:
                each.deduct(amount, self.space, share.total)

    def try_one(self, container: Container, wanted: dict[str, Amount], picked: Picked, *, conservative: bool) -> bool:
        """Select a container if it helps to obtain what is wanted, by partition; whether it was selected.

        Args:
            wanted: What is to be obtained; it is changed, and a partition with nothing more to obtain leaves it.
            picked: Of the rule that asks.
            conservative: Whether both memory and vcores must be wanted.
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
            before = larger_of_each(left, NOTHING)
            helps = calculator.compare(space.cluster, larger_of_each(after, NOTHING), before) < 0
        if not helps:
            return False
        wanted[label] = after
        self.allowed = minus(self.allowed, size)
        if calculator.compare(space.cluster, after, NOTHING) <= 0:
            del wanted[label]
        self.add(container, picked)
        return True


def any_zero_or_less(amount: Amount, space: Space) -> bool:
    """Tell whether memory or, where they count, vcores are used up. Source: #isAnyMajorResourceZeroOrNegative."""
    return amount[0] <= 0 or (not space.calculator.by_memory and amount[1] <= 0)


def last_first(containers: list[Container]) -> list[Container]:
    """By priority, the least important first, then the newest. Source: PreemptionCandidatesSelector#sortContainers."""
    return sorted(containers, key=lambda each: (-each.priority, [-part for part in each.id]))
