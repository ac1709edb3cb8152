"""What there is to share: the cluster, its partitions, and how amounts of them are compared.

Source: o.a.h.yarn.util.resource.Resources, Hadoop 3.4.1.
"""

from typing import ClassVar, Final, Generic, Protocol, TypeVar

from engine.model.java_number import truncate_long
from engine.model.ledger import Attempt
from engine.state import Shared, State

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


class ComparesAmounts(Protocol):
    """What the resource calculators of every release have in common."""

    by_memory: ClassVar[bool]
    """Whether vcores limit nothing."""

    def compare(self, cluster: Amount, left: Amount, right: Amount) -> int:
        """Negative, 0 or positive, as `left` is less than, equal to or more than `right` in a cluster of a size."""


_Calculator = TypeVar("_Calculator", bound=ComparesAmounts)


class ClusterSpace(Generic[_Calculator], metaclass=State):
    """Totals by partition, the smallest container, and the calculator."""

    calculator: Shared[_Calculator]
    minimum: Amount
    """The smallest container, which is the step everything is rounded to."""
    cluster: Amount = NOTHING
    """The total of all nodes."""
    totals: dict[str, Amount]
    """The total of each partition; empty label for the default one."""

    def __init__(self, calculator: _Calculator, minimum: Amount) -> None:
        self.calculator = calculator
        self.minimum = minimum
        self.totals = {"": NOTHING}

    def total(self, label: str) -> Amount:
        """Return the total of a partition."""
        return self.totals.get(label, NOTHING)

    def add_to(self, label: str, amount: Amount) -> None:
        """A partition grows or, with a negative amount, shrinks."""
        self.totals[label] = plus(self.total(label), amount)

    def exceeds(self, left: Amount, right: Amount) -> bool:
        """Tell whether an amount is larger than another."""
        return self.calculator.compare(self.cluster, left, right) > 0

    def numbers(self, *amounts: Amount) -> tuple[int, ...]:
        """The numbers of an obstacle: the memories of some amounts and, where vcores count, their vcores."""
        memories = tuple(amount[0] for amount in amounts)
        if self.calculator.by_memory:
            return memories
        return (*memories, *(amount[1] for amount in amounts))


def first_size(attempt: Attempt) -> Amount | None:
    """The size of the first ask of an attempt that is still open; None when none is."""
    asked = (attempt.groups[priority].anywhere for priority in attempt.priorities)
    return next(((each.memory_mb, each.vcores) for each in asked if each is not None and each.count > 0), None)
