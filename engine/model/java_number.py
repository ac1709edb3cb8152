"""Java's float32 and int32 arithmetic.

Fair 2.7 compares ratios of an int and a float, truncates doubles to int and lets sums of ints wrap; decisions hang on
each of them.
"""

from array import array
from math import isnan
from typing import Final

INT_MAX: Final = 2**31 - 1
INT_MIN: Final = -(2**31)

_CELL: Final = array("f", [0.0])
"""A cell that holds one float32; storing rounds."""


def float32(value: float) -> float:
    """The nearest float32, as a Python float; too large becomes infinite.

    Of a number less 2**29 times as much a double keeps the bits that are a float32's, rounded as the hardware rounds.

    >>> float32(0.8)
    0.800000011920929
    """
    if 1e-37 < value < 1e38 or not value or -1e38 < value < -1e-37:
        scaled = value * 536870912.0
        return scaled - (scaled - value)
    _CELL[0] = value
    return _CELL[0]


def int32(value: int) -> int:
    """The value wrapped into a signed int32.

    >>> int32(2**31)
    -2147483648
    """
    if INT_MIN <= value <= INT_MAX:
        return value
    return (value + 2**31) % 2**32 - 2**31


def truncate(value: float) -> int:
    """Java's `(int)` of a double: towards zero, saturating, NaN is 0.

    >>> truncate(1e12), truncate(-0.9), truncate(float("nan"))
    (2147483647, 0, 0)
    """
    if value >= INT_MAX:
        return INT_MAX
    if value <= INT_MIN:
        return INT_MIN
    return 0 if isnan(value) else int(value)


def truncate_long(value: float) -> int:
    """Java's `(long)` of a double: towards zero, saturating, NaN is 0."""
    if -(2.0**63) < value < 2.0**63:
        return int(value)
    if isnan(value):
        return 0
    return 2**63 - 1 if value > 0 else -(2**63)


def divide(dividend: float, divisor: float) -> float:
    """Java's floating division: by zero gives an infinity or NaN instead of an error."""
    if divisor:
        return dividend / divisor
    if dividend > 0:
        return float("inf")
    return float("-inf") if dividend < 0 else float("nan")
