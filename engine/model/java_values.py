"""Java's own reading of numbers, booleans and blanks.

A configuration file that Hadoop accepts must be accepted here with the same value, and a value Hadoop refuses must
be refused: `Integer.parseInt` takes no blanks and overflows at 2^31, `Float.parseFloat` takes `1.5f` and rounds to
24 bits, `String.trim` takes away control characters.

Source: java.lang.Integer, Long, Float, Double, Boolean, String (JDK 8 and later).
"""

import math
import re
import struct
from fractions import Fraction
from functools import lru_cache

from engine.model.java_number import float32

LONG_MAX = 2**63 - 1
"""`Long.MAX_VALUE`: "never" where Hadoop keeps a timeout."""

JAVA_BLANKS = "".join(map(chr, range(0x21)))
"""What `String#trim` takes away at both ends."""

_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+")
_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf")}


def trim(text: str) -> str:
    """The text without leading and trailing characters up to U+0020. Source: String#trim."""
    return text.strip(JAVA_BLANKS)


def parse_int(text: str) -> int:
    """An int32 in decimal. Source: Integer#parseInt.

    Raises:
        ValueError: The text is not a decimal integer, has blanks, or does not fit in 32 bits.
    """
    return _integer(text, 2**31)


def parse_long(text: str) -> int:
    """An int64 in decimal. Source: Long#parseLong.

    Raises:
        ValueError: The text is not a decimal integer, has blanks, or does not fit in 64 bits.
    """
    return _integer(text, 2**63)


def wrap_long(value: int) -> int:
    """The value as Java's 64-bit arithmetic leaves it, with overflow.

    >>> wrap_long(2**63)
    -9223372036854775808
    """
    return (value + 2**63) % 2**64 - 2**63


def parse_double(text: str) -> float:
    """A double; a trailing `f` or `d`, `NaN`, `Infinity` and hexadecimal forms are allowed. Source: Double#parseDouble.

    Raises:
        ValueError: The text is no Java floating-point number.
    """
    body, negative, special = _split(text)
    if special is not None:
        return -special if negative else special
    return float.fromhex(body) if _HEXADECIMAL.fullmatch(body) else float(body)


@lru_cache(maxsize=1024)  # a file repeats few numbers many times
def parse_float(text: str) -> float:
    """A float32, rounded once from the decimal text. Source: Float#parseFloat.

    Raises:
        ValueError: The text is no Java floating-point number.
    """
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
    """A boolean of a Hadoop configuration; anything but true and false means the default.

    Source: Configuration#getBoolean, Hadoop 2.7.2.
    """
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
