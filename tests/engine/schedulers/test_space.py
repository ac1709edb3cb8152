"""Amounts of memory and vcores, and the totals of a cluster's partitions."""

import pytest

from engine.schedulers.capacity.space import (
    NOTHING,
    ClusterSpace,
    first_size,
    fits_all,
    larger_of_each,
    minus,
    plus,
    smaller_of_each,
    times,
)
from tests.build import ask, attempt_of, resource_manager, submit


@pytest.mark.parametrize(
    ("small", "big", "fits"),
    [
        ((4, 2), (4, 2), True),
        ((5, 2), (4, 9), False),
        ((4, 3), (9, 2), False),
        ((1, 5), (4, 5), True),
        ((3, 4), (4, 1), False),
        ((2, 1), (1, 9), False),
        (NOTHING, NOTHING, True),
    ],
)
def test_both_sides_have_to_fit(small: tuple[int, int], big: tuple[int, int], fits: bool) -> None:
    """Memory into memory, vcores into vcores."""
    assert fits_all(small, big) == fits


def test_sides_are_counted_apart() -> None:
    """Each with its own."""
    left, right = (5, 1), (2, 3)
    assert plus(left, right) == (7, 4)
    assert (minus(left, right), minus(right, left)) == ((3, -2), (-3, 2))
    assert (smaller_of_each(left, right), larger_of_each(left, right)) == ((2, 1), (5, 3))


@pytest.mark.parametrize(
    ("factor", "product"), [(0.5, (3, 1)), (0.49, (3, 1)), (1.0, (7, 3)), (0.0, (0, 0)), (-0.5, (-3, -1))]
)
def test_a_product_is_cut_towards_zero(factor: float, product: tuple[int, int]) -> None:
    """Of seven and three."""
    assert times((7, 3), factor) == product


def test_totals_are_kept_by_partition() -> None:
    """The default one for itself; a partition that is not there has nothing."""
    space = ClusterSpace(False, (1024, 1))
    space.add_to("", (8192, 8))
    space.add_to("x", (4096, 4))
    space.add_to("x", (-1024, -1))
    assert (space.total(""), space.total("x"), space.total("y")) == ((8192, 8), (3072, 3), NOTHING)
    assert (space.minimum, space.cluster) == ((1024, 1), NOTHING)


def test_numbers_have_vcores_where_these_count() -> None:
    """After all memories."""
    assert ClusterSpace(True, (1, 1)).numbers((1, 2), (3, 4)) == (1, 3)
    assert ClusterSpace(False, (1, 1)).numbers((1, 2), (3, 4)) == (1, 3, 2, 4)


def test_the_first_size_is_that_of_the_first_open_ask() -> None:
    """By priority; none where nothing is open."""
    rm = resource_manager("capacity-3.4")
    number = submit(rm, "default")
    assert first_size(attempt_of(rm, number)) is None
    ask(rm, number, 1, 3072, 2, priority=5)
    assert first_size(attempt_of(rm, number)) == (3072, 1)
    ask(rm, number, 1, 2048, 1, priority=2)
    assert first_size(attempt_of(rm, number)) == (2048, 1)
    ask(rm, number, 0, 2048, 1, priority=2)
    assert first_size(attempt_of(rm, number)) == (3072, 1)
    ask(rm, number, 0, 3072, 2, priority=5)
    assert first_size(attempt_of(rm, number)) is None
