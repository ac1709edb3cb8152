"""Float32, int32 and truncation as Java does them."""

import math

import pytest

from engine.model.java_number import divide, float32, int32, truncate
from engine.model.java_priority_queue import JavaPriorityQueue


def test_what_is_too_large_for_a_float_becomes_infinite() -> None:
    """The sign is kept."""
    assert (float32(1e300), float32(-1e300)) == (math.inf, -math.inf)


@pytest.mark.parametrize(("value", "wrapped"), [(5, 5), (2**31, -(2**31)), (-(2**31) - 1, 2**31 - 1), (2**32 + 3, 3)])
def test_sums_wrap_as_an_int_does(value: int, wrapped: int) -> None:
    """The low 32 bits decide."""
    assert int32(value) == wrapped


@pytest.mark.parametrize(("value", "cut"), [(2.9, 2), (-2.9, -2), (math.nan, 0), (1e20, 2**31 - 1), (-1e20, -(2**31))])
def test_doubles_are_cut_towards_zero_and_saturate(value: float, cut: int) -> None:
    """NaN is 0."""
    assert truncate(value) == cut


@pytest.mark.parametrize(("dividend", "quotient"), [(3, math.inf), (-3, -math.inf)])
def test_division_by_zero_is_infinite(dividend: float, quotient: float) -> None:
    """Nothing is raised."""
    assert divide(dividend, 0) == quotient


def test_zero_by_zero_is_not_a_number() -> None:
    """As in Java."""
    assert math.isnan(divide(0, 0))


def test_equals_come_out_as_a_jvm_gave_them() -> None:
    """The order of equals among a run of adds and polls is the one that java.util.PriorityQueue printed."""
    draw, queue, polled = 1, JavaPriorityQueue(), []
    for number in range(60):
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        if (draw >> 8) % 10 < 6 or not queue:
            queue.add((draw >> 12) % 4, number)
        else:
            polled.append(queue.poll())

    expected = [0, 3, 1, 6, 8, 10, 12, 16, 15, 19, 21, 13, 24, 27, 29, 30, 26, 34, 36, 37, 45, 43, 50, 52, 44, 41]
    assert polled[: len(expected)] == expected[: len(polled)]
