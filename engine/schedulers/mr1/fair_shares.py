"""Fair shares by bisection, and the orders in which pools and jobs are served.

Source: SchedulingAlgorithms, Hadoop 1.2.1 contrib.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

from engine.model.java_number import divide
from engine.model.java_sort import java_sorted

HALVINGS: Final = 25
"""Source: SchedulingAlgorithms.COMPUTE_FAIR_SHARES_ITERATIONS."""


class Sharing(Protocol):
    """A pool or a job that gets a share of slots of one kind. Source: Schedulable."""

    demand: int
    fair_share: float

    def running(self) -> int:
        """Tasks that run."""

    def min_share(self) -> int:
        """Return its minimum share; 0 for a job."""

    def weight(self) -> float:
        """Its weight."""

    def rank(self) -> tuple[int, int, str]:
        """Priority, start and name."""


Member = TypeVar("Member", bound=Sharing)


def compute_fair_shares(members: Sequence[Sharing], slots: float) -> None:
    """Give each its share: the same multiple of its weight, at least its minimum, at most its demand."""
    rows = [(each.weight(), each.min_share(), each.demand) for each in members]
    cap = min(float(sum(each.demand for each in members)), slots)

    def used(ratio: float) -> float:
        total = 0.0
        for row in rows:
            total += _share(row, ratio)
        return total

    most = 1.0
    while used(most) < cap:
        most *= 2.0
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if used(middle) < cap:
            low = middle
        else:
            high = middle
    for each, row in zip(members, rows, strict=True):
        each.fair_share = _share(row, high)


def _share(row: tuple[float, int, int], ratio: float) -> float:
    weight, minimum, demand = row
    return float(min(max(weight * ratio, minimum), demand))


class _Place(NamedTuple):
    """The values an order compares, read once."""

    needs_nothing: bool
    """Whether it has its minimum."""
    ratio: float
    """The ratio of what runs to the minimum of a needy one, to the weight of another."""
    rank: tuple[int, str]


def in_fair_order(members: Sequence[Member]) -> list[Member]:
    """Sort those below their minimum first, then by running tasks per weight. Source: FairShareComparator."""
    places = {id(each): _place(each) for each in members}
    if any(math.isnan(place.ratio) for place in places.values()):
        return java_sorted(members, lambda one, two: _compare(places[id(one)], places[id(two)]))
    return sorted(members, key=lambda member: places[id(member)])


def _place(member: Sharing) -> _Place:
    running, minimum = member.running(), min(member.min_share(), member.demand)
    _, start_ms, name = member.rank()
    is_needy = running < minimum
    ratio = running / max(minimum, 1.0) if is_needy else divide(running, member.weight())
    return _Place(not is_needy, ratio, (start_ms, name))


def _compare(one: _Place, two: _Place) -> int:
    if one.needs_nothing != two.needs_nothing:
        return 1 if one.needs_nothing else -1
    difference = one.ratio - two.ratio
    if difference == 0 or math.isnan(difference):
        return (one.rank > two.rank) - (one.rank < two.rank)
    return 1 if difference > 0 else -1


def in_fifo_order(members: Sequence[Member]) -> list[Member]:
    """By priority, start and name. Source: FifoComparator."""
    return sorted(members, key=lambda each: each.rank())
