"""The amounts to share: the cluster, its partitions, and how amounts of them are compared.

Source: o.a.h.yarn.util.resource.Resources, Hadoop 3.4.1.
"""

from typing import Final

from engine.model.java_number import truncate_long
from engine.model.ledger import Attempt
from engine.state import State

Amount = tuple[int, int]
"""(memory [MB], vcores)."""

NOTHING: Final[Amount] = (0, 0)
"""Source: Resources#none."""


def plus(left: Amount, right: Amount) -> Amount:
    """The sum."""
    return (left[0] + right[0], left[1] + right[1])


def minus(left: Amount, right: Amount) -> Amount:
    """The difference; may be negative."""
    return (left[0] - right[0], left[1] - right[1])


def minus_at_most(left: Amount, right: Amount) -> Amount:
    """The difference, each side at least 0. Source: Resources#subtractNonNegative."""
    return (max(left[0] - right[0], 0), max(left[1] - right[1], 0))


def smaller_of_each(left: Amount, right: Amount) -> Amount:
    """The smaller memory and the smaller vcores. Source: Resources#componentwiseMin."""
    return (min(left[0], right[0]), min(left[1], right[1]))


def larger_of_each(left: Amount, right: Amount) -> Amount:
    """The larger memory and the larger vcores. Source: Resources#componentwiseMax."""
    return (max(left[0], right[0]), max(left[1], right[1]))


def times(amount: Amount, factor: float) -> Amount:
    """The product, rounded towards zero. Source: Resources#multiply, #multiplyAndRoundDown."""
    return (truncate_long(amount[0] * factor), truncate_long(amount[1] * factor))


def fits_all(small: Amount, big: Amount) -> bool:
    """Tell whether both sides fit into `big`, whatever the calculator. Source: Resources#fitsIn(Resource, Resource)."""
    return small[0] <= big[0] and small[1] <= big[1]


class ClusterSpace(metaclass=State):
    """Totals by partition, and the smallest container; each release adds its calculator."""

    by_memory: bool
    """Whether vcores limit nothing."""
    minimum: Amount
    """The smallest container, which is the step everything is rounded to."""
    cluster: Amount = NOTHING
    """The total of all nodes."""
    default_total: Amount = NOTHING
    """The total of the default partition."""
    totals: dict[str, Amount] = {}
    """The total of each other partition."""

    def __init__(self, by_memory: bool, minimum: Amount) -> None:
        self.by_memory = by_memory
        self.minimum = minimum

    def total(self, label: str) -> Amount:
        """Return the total of a partition."""
        return self.totals.get(label, NOTHING) if label else self.default_total

    def add_to(self, label: str, amount: Amount) -> None:
        """A partition grows or, with a negative amount, shrinks."""
        if label:
            self.totals[label] = plus(self.total(label), amount)
        else:
            self.default_total = plus(self.default_total, amount)

    def numbers(self, *amounts: Amount) -> tuple[int, ...]:
        """The numbers of an obstacle: the memories of some amounts and, where vcores count, their vcores."""
        memories = tuple(amount[0] for amount in amounts)
        if self.by_memory:
            return memories
        return (*memories, *(amount[1] for amount in amounts))


def first_size(attempt: Attempt) -> Amount | None:
    """The size of the first ask of an attempt that is still open; None when none is."""
    asked = (attempt.groups[priority].anywhere for priority in attempt.priorities)
    return next(((each.memory_mb, each.vcores) for each in asked if each is not None and each.count > 0), None)
