"""Java's reading of numbers, booleans and blanks."""

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_values import (
    parse_boolean,
    parse_double,
    parse_float,
    parse_int,
    parse_long,
    setting_boolean,
    trim,
    wrap_long,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("+5", 5),
        ("-5", -5),
        ("2147483647", 2**31 - 1),
        ("-2147483648", -(2**31)),
        ("0" * 60 + "7", 7),
        ("５", 5),
    ],
)
def test_integers_java_takes(text: str, value: int) -> None:
    assert parse_int(text) == value


@pytest.mark.parametrize(
    "text", ["", "+", " 5", "5 ", "5.0", "0x10", "1_000", "1,000", "2147483648", "-2147483649", "9" * 5000, "𝟓", "five"]
)
def test_integers_java_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r"whole number|does not fit"):
        parse_int(text)


def test_longs_end_at_64_bits() -> None:
    assert parse_long("9223372036854775807") == 2**63 - 1
    with pytest.raises(ValueError, match="64 bits"):
        parse_long("9223372036854775808")


def test_longs_wrap_when_multiplied() -> None:
    assert [wrap_long(2**63), wrap_long((2**63 - 1) * 1000), wrap_long(-5)] == [-(2**63), -1000, -5]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5f", 1.5),
        ("1.5D", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("+.5e-3d", 0.0005),
        ("0x1p3", 8.0),
        ("0x.8p0f", 0.5),
        ("1e400", math.inf),
        (" 2 ", 2.0),
        ("-Infinity", -math.inf),
        ("+Infinity", math.inf),
    ],
)
def test_floating_numbers_java_takes(text: str, value: float) -> None:
    assert parse_double(text) == value


@pytest.mark.parametrize(
    "text", ["", ".", "nan", "inf", "0x10", "1e", "1,5", "50%", "1_0", "５", "1ff", "3w", "NaNf", "--1"]
)
def test_floating_numbers_java_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        parse_double(text)


def test_not_a_number_is_a_number_text() -> None:
    assert math.isnan(parse_double("-NaN"))
    assert math.isnan(parse_float("NaN"))


def test_floats_are_rounded_once() -> None:
    """A decimal just above a midpoint goes up, though its double lies on the midpoint."""
    assert [parse_float("16777217"), parse_float("16777217.0000000001")] == [16777216.0, 16777218.0]
    assert parse_float("-16777217.0000000001") == -16777218.0
    assert parse_float("16777216.9999999999") == 16777216.0


def test_floats_of_other_forms() -> None:
    assert [parse_float("0"), parse_float("0x1.000001p0"), parse_float("1e39"), parse_float("0.1")] == [
        0.0,
        1.0,
        math.inf,
        0.10000000149011612,
    ]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=20))
def test_floats_are_the_nearest(number: object) -> None:
    text = format(number, "f")
    exact = Fraction(text)
    value = parse_float(text)
    bits = struct.unpack("<i", struct.pack("<f", abs(value)))[0]
    neighbours = [struct.unpack("<f", struct.pack("<i", bits + step))[0] for step in (-1, 1) if bits + step >= 0]

    assert all(abs(Fraction(value) - exact) <= abs(Fraction(math.copysign(n, value)) - exact) for n in neighbours)


def test_only_true_is_true() -> None:
    assert [parse_boolean(word) for word in ("true", "TRUE", "yes", "1", " true", "")] == [True, True] + [False] * 4


@pytest.mark.parametrize(
    ("text", "value"), [(" True ", True), ("FALSE", False), ("no", True), ("", True), (None, True)]
)
def test_settings_fall_back_to_their_default(text: str | None, value: bool) -> None:
    assert setting_boolean(text, default=True) is value


def test_trimming_takes_control_characters_and_no_other_blanks() -> None:
    assert trim("\x00\t a \n") == "a"
    assert trim("\u00a0a") == "\u00a0a"
