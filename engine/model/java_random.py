"""Java's generators of random numbers: java.util.Random, and the one that distributions of Commons Math draw from.

The same seed gives the same numbers as there; logarithms, sines and cosines may differ in the last bit.

Source: java.util.Random (JDK 8 and later); Well19937c, AbstractWell, BitsStreamGenerator, Commons Math 3.6.1.
"""

from math import cos, log, pi, sin, sqrt
from typing import Final

_MASK_48: Final = 2**48 - 1
_MASK_32: Final = 2**32 - 1
_MULTIPLIER: Final = 0x5DEECE66D
_LENGTH: Final = 624
"""Words of the state of Well19937c."""


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
        """So many random bits, unsigned."""
        self._state = (self._state * _MULTIPLIER + 0xB) & _MASK_48
        return self._state >> (48 - bits)

    def next_long(self) -> int:
        """A number of 64 bits, unsigned."""
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
        self._gaussian: float | None = None
        """The second of a pair, not drawn yet."""

    def _next(self, bits: int) -> int:
        """So many random bits, unsigned."""
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
        """A number from 0 to below 1, of 52 bits."""
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
