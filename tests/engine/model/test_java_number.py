"""Float32, int32 and truncation as Java does them."""

import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.model.java_values import divide, float32, int32, truncate, truncate_long


def test_what_is_too_large_for_a_float_becomes_infinite() -> None:
    assert (float32(1e300), float32(-1e300)) == (math.inf, -math.inf)


def _stored(value: float) -> float:
    try:
        (stored,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(stored)


@given(st.floats(allow_nan=False) | st.builds(math.ldexp, st.integers(-(2**26), 2**26), st.integers(-160, 110)))
@example(1 - 2.0**-53)
@example(-0.0)
@example(2.0**24 + 1)
@example(3.4028235677973366e38)
def test_a_float_is_what_four_bytes_keep(value: float) -> None:
    """Halves go to the even neighbour, the smallest ones lose bits, zero keeps its sign."""
    assert struct.pack("d", float32(value)) == struct.pack("d", _stored(value))


@pytest.mark.parametrize(
    ("value", "wrapped"),
    [
        (5, 5),
        (2**31 - 1, 2**31 - 1),
        (2**31, -(2**31)),
        (-(2**31), -(2**31)),
        (-(2**31) - 1, 2**31 - 1),
        (2**32 + 3, 3),
        (-(2**32) - 3, -3),
    ],
)
def test_sums_wrap_as_an_int_does(value: int, wrapped: int) -> None:
    assert int32(value) == wrapped


@pytest.mark.parametrize(
    ("value", "cut"),
    [
        *((2.9, 2), (-2.9, -2), (0.5, 0), (math.nan, 0)),
        *((1e20, 2**31 - 1), (-1e20, -(2**31)), (math.inf, 2**31 - 1), (-math.inf, -(2**31))),
        *((2**31 - 1.5, 2**31 - 2), (2**31 - 1, 2**31 - 1), (1.5 - 2**31, 2 - 2**31), (-(2.0**31), -(2**31))),
    ],
)
def test_doubles_are_cut_towards_zero_and_saturate(value: float, cut: int) -> None:
    assert truncate(value) == cut


@pytest.mark.parametrize(
    ("value", "cut"),
    [
        *((2.9, 2), (-2.9, -2), (math.nan, 0), (1e15 + 0.5, 10**15), (-1e15 - 0.5, -(10**15))),
        *((1e15 - 0.5, 10**15 - 1), (0.5 - 1e15, 1 - 10**15), (2.0**62, 2**62), (-(2.0**62), -(2**62))),
        *((1e300, 2**63 - 1), (-1e300, -(2**63)), (math.inf, 2**63 - 1), (-math.inf, -(2**63))),
        *((2.0**63 - 1024, 2**63 - 1024), (-(2.0**63), -(2**63))),
    ],
)
def test_doubles_are_cut_to_longs_likewise(value: float, cut: int) -> None:
    assert truncate_long(value) == cut


@given(st.floats(allow_nan=False), st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_division_by_anything_else_is_that_of_numbers(dividend: float, divisor: float) -> None:
    assert divide(dividend, divisor) == dividend / divisor


@pytest.mark.parametrize(("dividend", "quotient"), [(3, math.inf), (-3, -math.inf)])
def test_division_by_zero_is_infinite(dividend: float, quotient: float) -> None:
    assert divide(dividend, 0) == quotient


def test_zero_by_zero_is_not_a_number() -> None:
    assert math.isnan(divide(0, 0))
