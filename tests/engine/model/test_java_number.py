"""Float32, int32 and truncation as Java does them."""

import math

import pytest

from engine.model.java_number import divide, float32, int32, truncate


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
