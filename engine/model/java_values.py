"""Java's own reading of numbers, booleans and blanks.

A configuration file that Hadoop accepts must be accepted here with the same value, and a value Hadoop refuses must
be refused: `Integer.parseInt` takes no blanks and overflows at 2^31, `Float.parseFloat` takes `1.5f` and rounds to
24 bits, `String.trim` takes away control characters.

Source: java.lang.Integer, Long, Float, Double, Boolean, String (JDK 8 and later); java.util.Random (JDK 8 and later);
Well19937c, AbstractWell, BitsStreamGenerator, Commons Math 3.6.1.
"""

import math
import re
import struct
from array import array
from fractions import Fraction
from functools import lru_cache
from math import cos, isnan, log, pi, sin, sqrt
from typing import Final

# Java's float32 and int32 arithmetic.
#
# Fair 2.7 compares ratios of an int and a float, truncates doubles to int and lets sums of ints wrap; decisions hang
# on each of them.

INT_MAX: Final = 2**31 - 1
INT_MIN: Final = -(2**31)
EXACT_MB: Final = 2**24  # Whole numbers up to here are a float32 as they are

_CELL: Final = array("f", [0.0])  # A cell that holds one float32; storing rounds


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


def java_div(dividend: int, divisor: int) -> int:
    """Java's division of whole numbers, towards zero."""
    if dividend >= 0 and divisor > 0:
        return dividend // divisor
    found = abs(dividend) // abs(divisor)
    return found if (dividend >= 0) == (divisor > 0) else -found


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


# Java's generators of random numbers: java.util.Random, and the one that distributions of Commons Math draw from.
#
# The same seed gives the same numbers as there; logarithms, sines and cosines may differ in the last bit.

_MASK_48: Final = 2**48 - 1
_MASK_32: Final = 2**32 - 1
_MULTIPLIER: Final = 0x5DEECE66D
_LENGTH: Final = 624  # Words of the state of Well19937c


class JavaRandom:
    """Implements java.util.Random: 48 bits, linear congruence."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = 0
        self.set_seed(seed)

    def set_seed(self, seed: int) -> None:
        """Begin anew with a seed, a signed or unsigned number of 64 bits."""
        self._state = (seed ^ _MULTIPLIER) & _MASK_48

    def _next(self, bits: int) -> int:
        self._state = (self._state * _MULTIPLIER + 0xB) & _MASK_48
        return self._state >> (48 - bits)

    def next_long(self) -> int:
        high, low = self._next(32), self._next(32)
        return ((high << 32) + (low if low < 2**31 else low - 2**32)) % 2**64

    def next_double(self) -> float:
        """A number from 0 to below 1, of 53 bits."""
        return float((self._next(26) << 27) + self._next(27)) / 2**53

    def next_int(self, bound: int) -> int:
        """A whole number from 0 to below a bound, which is from 1 to 2³¹ - 1."""
        bits = self._next(31)
        if bound & (bound - 1) == 0:
            return bound * bits >> 31
        while bits - bits % bound + bound - 1 >= 2**31:
            bits = self._next(31)
        return bits % bound


class Well19937c:
    """Implements the generator of this name: 624 words of 32 bits."""

    __slots__ = ("_gaussian", "_index", "_words")

    def __init__(self, seed: int) -> None:
        """Begin with a seed, an unsigned number of 64 bits."""
        words = [seed >> 32, seed & _MASK_32]
        for place in range(2, _LENGTH):
            before = words[place - 2]
            signed = before if before < 2**31 else before - 2**32
            words.append((1812433253 * (signed ^ (signed >> 30)) + place) & _MASK_32)
        self._words = words
        self._index = 0
        self._gaussian: float | None = None  # the second of a pair, not drawn yet

    def _next(self, bits: int) -> int:
        words, index = self._words, self._index
        before, last = index - 1, index - 2  # a negative place counts from the end
        v0, m1 = words[index], words[(index + 70) % _LENGTH]
        m2, m3 = words[(index + 179) % _LENGTH], words[(index + 449) % _LENGTH]
        z0 = (0x80000000 & words[before]) ^ (0x7FFFFFFF & words[last])
        z1 = (v0 ^ (v0 << 25 & _MASK_32)) ^ (m1 ^ (m1 >> 27))
        z2 = (m2 >> 9) ^ (m3 ^ (m3 >> 1))
        z3 = z1 ^ z2
        z4 = z0 ^ (z1 ^ (z1 << 9 & _MASK_32)) ^ (z2 ^ (z2 << 21 & _MASK_32)) ^ (z3 ^ (z3 >> 21))
        words[index] = z3
        words[before] = z4
        self._index = before % _LENGTH
        z4 ^= (z4 << 7) & 0xE46E1700
        z4 ^= (z4 << 15) & 0x9B868000
        return z4 >> (32 - bits)

    def _next_double(self) -> float:
        return float((self._next(26) << 26) | self._next(26)) / 2**52

    def next_gaussian(self) -> float:
        """A number of the normal distribution of mean 0 and deviation 1; they are made in pairs."""
        if self._gaussian is not None:
            found, self._gaussian = self._gaussian, None
            return found
        angle, even = 2 * pi * self._next_double(), self._next_double()
        radius = sqrt(-2 * log(even)) if even else float("inf")
        self._gaussian = radius * sin(angle)
        return radius * cos(angle)


LONG_MAX = 2**63 - 1  # `Long.MAX_VALUE`: "never" where Hadoop keeps a timeout
JAVA_BLANKS = "".join(map(chr, range(0x21)))  # What `String#trim` takes away at both ends

_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+")
_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf")}


def trim(text: str) -> str:
    """The text without leading and trailing characters up to U+0020. Source: String#trim."""
    return text.strip(JAVA_BLANKS)


def parse_int(text: str) -> int:
    """An int32 in decimal, without blanks; raises ValueError for anything else. Source: Integer#parseInt."""
    return _integer(text, 2**31)


def parse_long(text: str) -> int:
    """An int64 in decimal, without blanks; raises ValueError for anything else. Source: Long#parseLong."""
    return _integer(text, 2**63)


def wrap_long(value: int) -> int:
    """The value as Java's 64-bit arithmetic leaves it, with overflow.

    >>> wrap_long(2**63)
    -9223372036854775808
    """
    return (value + 2**63) % 2**64 - 2**63


def parse_double(text: str) -> float:
    """A double, also with `f` or `d` behind, `NaN`, `Infinity` or hexadecimal; raises ValueError. Source: Double."""
    body, negative, special = _split(text)
    if special is not None:
        return -special if negative else special
    return float.fromhex(body) if _HEXADECIMAL.fullmatch(body) else float(body)


@lru_cache(maxsize=1024)  # a file repeats few numbers many times
def parse_float(text: str) -> float:
    """A float32, rounded once from the decimal text; raises ValueError. Source: Float#parseFloat."""
    double = parse_double(text)
    if double == 0 or not math.isfinite(double):
        return double
    body = _split(text)[0]
    if _HEXADECIMAL.fullmatch(body):
        return float32(double)
    return float32(_rounded_to_odd(double, Fraction(body)))


def parse_boolean(text: str) -> bool:
    """True only for "true" in any case. Source: Boolean#parseBoolean."""
    return text.lower() == "true"


def setting_boolean(value: str | None, default: bool) -> bool:
    """A boolean; anything but true and false means the default. Source: Configuration#getBoolean, Hadoop 2.7.2."""
    word = trim(value or "").lower()
    return word == "true" if word in ("true", "false") else default


def _integer(text: str, limit: int) -> int:
    if not _INTEGER.fullmatch(text) or any(character > "\uffff" for character in text):
        raise ValueError(f"{text!r} is not a whole number")
    digits = text.lstrip("+-").lstrip("0")
    value = int(text) if len(digits) < 40 else limit + 1
    if not -limit <= value < limit:
        raise ValueError(f"{text} does not fit in {limit.bit_length()} bits")
    return value


def _split(text: str) -> tuple[str, bool, float | None]:
    """The bare number of a Java floating-point text, its sign, and its value where it is NaN or Infinity."""
    body = trim(text)
    negative = body.startswith("-")
    special = _SPECIAL.get(body[1:] if body[:1] in ("+", "-") else body)
    if special is not None:
        return body, negative, special
    number = body[:-1] if body[-1:] in ("f", "F", "d", "D") and not _HEXADECIMAL.fullmatch(body) else body
    if not _DECIMAL.fullmatch(number) and not _HEXADECIMAL.fullmatch(number):
        raise ValueError(f"{text!r} is not a number")
    return number, negative, None


def _rounded_to_odd(double: float, exact: Fraction) -> float:
    """The double that rounds to float32 as the exact value would: truncated, last bit set when inexact."""
    if Fraction(double) == exact:
        return double
    bits: int = struct.unpack("<q", struct.pack("<d", abs(double)))[0]
    if Fraction(abs(double)) > abs(exact):
        bits -= 1
    magnitude: float = struct.unpack("<d", struct.pack("<q", bits | 1))[0]
    return -magnitude if double < 0 else magnitude
