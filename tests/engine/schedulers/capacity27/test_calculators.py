"""The calculators of 2.7.2."""

from math import isnan

import pytest

from engine.schedulers.capacity27.calculators import DominantCalculator27, MemoryCalculator27, larger, smaller

MEMORY, DOMINANT = MemoryCalculator27(), DominantCalculator27()
TOTAL = (10_240, 10)


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [((2048, 1), (1024, 9), 1), ((1024, 9), (1024, 1), 0), ((1023, 9), (1024, 1), -1)],
)
def test_the_memory_calculator_sees_no_vcores(left: tuple[int, int], right: tuple[int, int], sign: int) -> None:
    difference = MEMORY.compare(TOTAL, left, right)

    assert (difference > 0) - (difference < 0) == sign


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [((1024, 2), (2048, 1), 0), ((1024, 3), (2048, 1), 1), ((1024, 1), (2048, 2), -1), ((2048, 2), (2048, 1), 1)],
)
def test_the_dominant_calculator_compares_larger_shares_first(
    left: tuple[int, int], right: tuple[int, int], sign: int
) -> None:
    assert DOMINANT.compare(TOTAL, left, right) == sign


def test_without_a_cluster_contradictory_amounts_are_equal() -> None:
    assert DOMINANT.compare((0, 0), (2, 1), (1, 2)) == 0
    assert DOMINANT.compare((0, 0), (2, 2), (1, 2)) == 1


def test_of_equal_amounts_the_first_is_taken() -> None:
    assert smaller(MEMORY, TOTAL, (1, 5), (1, 6)) == (1, 5)
    assert larger(MEMORY, TOTAL, (1, 5), (1, 6)) == (1, 5)


def test_a_part_is_rounded_to_the_nearest_mb_and_then_up_to_the_step() -> None:
    assert MEMORY.part_up((10_234, 1), 0.1, (1024, 1)) == (1024, 1)
    assert MEMORY.part_up((10_245, 1), 0.1, (1024, 1)) == (2048, 1)
    assert MEMORY.part_down((10_245, 1), 0.1, (1024, 1)) == (1024, 1)


def test_what_is_over_committed_is_rounded_towards_zero() -> None:
    assert MEMORY.round_down((-1500, 0), (1024, 1)) == (-1024, 0)


def test_a_share_of_nobody_is_nothing() -> None:
    assert DOMINANT.share((5, 5), 0) == (0, 0)
    assert DOMINANT.share((5, 5), 2) == (3, 3)


def test_a_ratio_with_an_undefined_side_is_undefined() -> None:
    assert isnan(DOMINANT.ratio((1024, 0), (1024, 0)))


def test_asks_are_raised_rounded_and_capped() -> None:
    assert MEMORY.normalise((1500, 7), (1024, 1), (8192, 4)) == (2048, 1)
    assert DOMINANT.normalise((1500, 7), (1024, 2), (8192, 4)) == (2048, 4)


def test_any_number_of_empty_containers_fits() -> None:
    assert DOMINANT.how_many((1024, 4), (1024, 0)) == 1
