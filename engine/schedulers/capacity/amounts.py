"""Amounts of memory [MB] and vcores as plain pairs, the currency of the capacity scheduler's arithmetic.

Source: o.a.h.yarn.util.resource.Resources, Hadoop 3.4.1.
"""

from typing import Final

from engine.model.java_number import truncate_long

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
    """Whether neither side exceeds `big`, whatever the calculator. Source: Resources#fitsIn(Resource, Resource)."""
    return small[0] <= big[0] and small[1] <= big[1]
