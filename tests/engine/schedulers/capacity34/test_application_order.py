"""Orders in which a leaf serves its applications: by priority, by use, and each partition by itself."""

from math import log, log1p
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.schedulers.capacity34.order import FairOrder, FifoOrder, PartitionedOrder, make_order
from engine.schedulers.capacity34.queue import ApplicationOrder, CapacityAttempt
from tests.build import attempt_of, resource_manager, submit

PREFIX = "yarn.scheduler.capacity.root.default."
COUNT = 5


def attempts() -> list[CapacityAttempt]:
    """Attempts of applications 1 to 5, in order of their start."""
    rm = resource_manager(
        "capacity-3.4", settings={f"{PREFIX}user-limit-factor": "10", f"{PREFIX}maximum-am-resource-percent": "1"}
    )
    found = [attempt_of(rm, submit(rm)) for _ in range(COUNT)]
    for started_ms, each in enumerate(found):
        assert isinstance(each, CapacityAttempt)
        each.started_ms = started_ms
    return [each for each in found if isinstance(each, CapacityAttempt)]


class Settings:
    """What an order reads of a leaf's settings."""

    def __init__(self, order: str = "fair", size_based: bool = False, partitions: tuple[str, ...] = ()) -> None:
        self.order, self.size_based, self.order_partitions = order, size_based, partitions


def made(**settings: Any) -> ApplicationOrder:
    one: Any = Settings(**settings)
    return make_order(one)


def numbers(found: Any) -> list[int]:
    return [each.application.number for each in found]


AMOUNTS = st.tuples(st.integers(0, 4), st.integers(0, 4))
LOADS = st.lists(AMOUNTS, min_size=COUNT, max_size=COUNT)


def use(attempt: CapacityAttempt, load: tuple[int, int]) -> None:
    """Let an application use and want so many GB, in two partitions."""
    used, wanted = load
    attempt.used_in = {"": (1024 * used, 1), "gpu": (512 * used, 1)}
    attempt.pending_in = {"": (1024 * wanted, 1)}


@given(LOADS, LOADS, st.booleans())
def test_whoever_uses_least_is_first(
    first: list[tuple[int, int]], then: list[tuple[int, int]], size_based: bool
) -> None:
    """In proportion to its demand where sizes count; of equals who started first. Looking does not change it."""
    order, all_of = made(size_based=size_based), attempts()
    assert isinstance(order, FairOrder)
    for loads in (first, then):
        for attempt, load in zip(all_of, loads, strict=True):
            use(attempt, load)
            if attempt not in order:
                order.add(attempt)
            order.usage_changed(attempt)

        def key(attempt: CapacityAttempt) -> tuple[float, int]:
            used_mb = sum(memory for memory, _ in attempt.used_in.values())
            demand_mb = used_mb + attempt.pending_in[""][0]
            weight = log1p(demand_mb) / log(2) if size_based and used_mb else 1.0
            return used_mb / weight, attempt.started_ms

        expected = numbers(sorted(all_of, key=key))
        assert numbers(order.peek("")) == expected
        assert numbers(order.peek("")) == expected
        assert numbers(order.for_assignment("")) == expected
        assert numbers(order) == expected
        assert numbers(order.for_preemption()) == expected[::-1]


@pytest.mark.parametrize("size_based", [False, True])
def test_demand_counts_where_sizes_do(size_based: bool) -> None:
    order, (one, other, *_) = made(size_based=size_based), attempts()
    for attempt in (one, other):
        use(attempt, (2, 0))
        order.add(attempt)
        order.usage_changed(attempt)
    assert numbers(order.for_assignment("")) == [1, 2]
    use(other, (2, 4))
    order.demand_changed(other)
    assert numbers(order.peek("")) == numbers(order.for_assignment("")) == ([2, 1] if size_based else [1, 2])


def test_an_application_that_left_is_not_ordered_any_more() -> None:
    for name in ("fair", "fifo"):
        order, (one, other, *_) = made(order=name), attempts()
        for attempt in (one, other):
            use(attempt, (1, 1))
            order.add(attempt)
            order.usage_changed(attempt)
        assert (order.remove(one), order.remove(one), len(order), one in order, other in order) == (
            True,
            False,
            1,
            False,
            True,
        )
        assert numbers(order.for_assignment("")) == [2]
        assert "x" not in order


def test_first_in_is_first_out_by_priority() -> None:
    """The larger one before, then the lower number; whoever was put back has its place again."""
    order, all_of = made(order="fifo"), attempts()
    assert isinstance(order, FifoOrder)
    for attempt, priority in zip(all_of, (0, 2, 1, 2, 0), strict=True):
        attempt.priority = priority
    for attempt in reversed(all_of):
        order.add(attempt)
    assert numbers(order.for_assignment("gpu")) == numbers(order.peek("")) == numbers(order) == [2, 4, 3, 1, 5]
    assert numbers(order.for_preemption()) == [5, 1, 3, 4, 2]


def test_partitions_have_orders_of_their_own() -> None:
    order, all_of = made(order="fifo-with-partitions", partitions=("gpu",)), attempts()
    assert isinstance(order, PartitionedOrder)
    for attempt, label in zip(all_of, ("gpu", "", "ssd", "gpu", ""), strict=True):
        attempt.label = label
    for attempt in reversed(all_of):
        order.add(attempt)
    assert numbers(order.for_assignment("gpu")) == numbers(order.peek("gpu")) == [1, 4]
    assert numbers(order.for_assignment("")) == numbers(order.peek("ssd")) == [2, 3, 5]
    assert (numbers(order), numbers(order.for_preemption()), len(order)) == ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 5)
    assert (order.remove(all_of[3]), order.remove(all_of[3]), all_of[0] in order, all_of[3] in order) == (
        True,
        False,
        True,
        False,
    )
