"""Amounts of memory and vcores, and the totals of a cluster's partitions."""

import pytest

from engine.schedulers.capacity.space import (
    NOTHING,
    fits_all,
    times,
)


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
    assert fits_all(small, big) == fits


@pytest.mark.parametrize(
    ("factor", "product"), [(0.5, (3, 1)), (0.49, (3, 1)), (1.0, (7, 3)), (0.0, (0, 0)), (-0.5, (-3, -1))]
)
def test_a_product_is_cut_towards_zero(factor: float, product: tuple[int, int]) -> None:
    assert times((7, 3), factor) == product
