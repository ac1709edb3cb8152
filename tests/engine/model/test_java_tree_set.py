"""The order of a Java TreeSet, also where comparing is no total order or changes behind it."""

import json
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.model.java_collections import JavaPriorityQueue, JavaTreeSet, Keyed, by_key, java_sorted, tree_set_order
from engine.model.java_values import (
    JavaRandom,
    Well19937c,
    divide,
    float32,
    int32,
    parse_boolean,
    parse_double,
    parse_float,
    parse_int,
    parse_long,
    setting_boolean,
    trim,
    truncate,
    truncate_long,
)
from engine.state import State


class _Queue(metaclass=State):
    """A queue of which only path and usage matter."""

    path: str
    used: float

    def __init__(self, path: str, used: float = 0.0) -> None:
        self.path = path
        self.used = used


def _compare(left: _Queue, right: _Queue) -> int:
    mine, other = (left.used, left.path), (right.used, right.path)
    return (mine > other) - (mine < other)


def _set_of(queues: list[_Queue]) -> JavaTreeSet[_Queue]:
    tree: JavaTreeSet[_Queue] = JavaTreeSet()
    for queue in queues:
        tree.add(queue, _compare)
    return tree


def _put_back(tree: JavaTreeSet[_Queue], queue: _Queue) -> None:
    tree.remove(queue)
    tree.add(queue, _compare)


def _paths(tree: JavaTreeSet[_Queue]) -> list[str]:
    return [queue.path for queue in tree]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 5)), max_size=60))
def test_an_element_that_is_put_back_lands_where_its_key_belongs(changes: list[tuple[int, int]]) -> None:
    """Every change is followed by putting back, so the order is always sorted and nobody is lost."""
    queues = [_Queue(f"{number:02d}") for number in range(12)]
    tree = _set_of(queues)

    for number, used in changes:
        queues[number].used = used
        _put_back(tree, queues[number])

        assert _paths(tree) == [one.path for one in sorted(queues, key=lambda each: (each.used, each.path))]


@given(st.lists(st.integers(), max_size=200))
def test_a_tree_set_sorts_and_leaves_doubles_out(numbers: list[int]) -> None:
    assert tree_set_order(numbers, lambda left, right: (left > right) - (left < right)) == sorted(set(numbers))


@given(st.lists(st.integers(0, 30), max_size=60, unique=True))
def test_a_tree_set_keeps_everything_that_is_never_equal(numbers: list[int]) -> None:
    def odd(left: int, right: int) -> int:
        return -1 if (left * 7 + right) % 3 else 1

    assert sorted(tree_set_order(numbers, odd)) == sorted(numbers)


@pytest.mark.parametrize(
    ("bound", "steps", "expected"),
    [
        (40, 50, [17, 39, 14, 34, 24, 21, 23, 28, 3, 38, 25, 20, 30, 35, 22, 32]),
        (40, 200, [11, 36, 26, 6, 33, 18, 35, 5, 25, 12, 27, 22, 7, 17, 37, 39, 34, 4, 24, 14]),
        (40, 600, [7, 17, 27, 12, 29, 4, 39, 34, 9, 26, 21, 1, 36, 16, 6, 31, 8, 18, 13, 33, 10, 5]),
        (
            120,
            50,
            [
                *(47, 72, 17, 7, 62, 119, 54, 29, 114, 69, 24, 61, 63, 28, 3, 78, 65, 80, 70, 85, 100, 5, 0, 75),
                *(36, 116),
            ],
        ),
        (
            120,
            200,
            [
                *(47, 17, 7, 59, 119, 91, 116, 51, 21, 1, 61, 41, 111, 31, 66, 6, 11, 8, 68, 78, 48, 33, 58, 108),
                *(118, 35, 85, 95, 115, 40, 55, 45, 65, 5, 0, 75, 107, 87, 32, 52, 22, 72, 77, 49, 34, 109, 114, 104),
                *(69, 84, 94, 74, 99, 89),
            ],
        ),
        (
            120,
            600,
            [
                *(17, 71, 111, 31, 56, 38, 18, 28, 53, 73, 118, 13, 93, 113, 33, 68, 48, 110, 55, 50, 115, 75, 90, 95),
                *(20, 30, 65, 80, 10, 40, 25, 82, 27, 2, 92, 67, 117, 37, 107, 102, 7, 62, 109, 59, 34, 14, 114, 29),
                *(104, 24, 89, 69, 54, 99, 74, 84, 79, 45, 60, 106, 21, 76, 116, 41, 36, 6),
            ],
        ),
    ],
)
def test_a_set_without_an_order_is_walked_as_javas_is(bound: int, steps: int, expected: list[int]) -> None:
    """What a JVM printed after a run of adding and taking out by a comparison that goes round in a circle."""

    def circle(left: int, right: int) -> int:
        return 0 if left == right else -1 if (7 * left + 3 * right) % 5 < 2 else 1

    draw, tree = 1, JavaTreeSet[int]()
    for _ in range(steps):
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        number = (draw >> 8) % bound
        if number in list(tree):
            tree.remove(number)
        else:
            tree.add(number, circle)

    assert list(tree) == expected


# Float32, int32 and truncation as Java does them.


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
        *((2.0**63 - 1024, 2**63 - 1024), (-(2.0**63), -(2**63)), (1e19, 2**63 - 1), (-1e19, -(2**63))),
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


# Java's random numbers, recorded of java.util.Random (JDK 17) and Commons Math 3.6.1.


def test_numbers_of_a_seed_are_those_of_java() -> None:
    """Longs, doubles and whole numbers below a bound: a power of two, another, and one that draws again."""
    random = JavaRandom(-42)

    assert random.next_long() == 5028867820122015268
    assert random.next_double() == 0.06094973837072859
    assert [random.next_int(bound) for bound in (16, 10)] == [4, 2]
    assert [random.next_int(2**30 + 1) for _ in range(3)] == [736493986, 392995081, 466405580]


def test_longs_are_those_of_java() -> None:
    random = JavaRandom(7)

    assert [random.next_long() for _ in range(8)] == [
        *(13479018154088150040, 13819740045872401209, 6425179856112732765, 16551841614421182354),
        *(13063562651533298269, 6491681576930330529, 2227187148198412255, 15678129534028410364),
    ]


def test_doubles_are_those_of_java() -> None:
    random = JavaRandom(7)

    assert [random.next_double() for _ in range(6)] == [
        *(0.7306990420600421, 0.7491696031336331, 0.34830970303125697),
        *(0.8972771427421047, 0.7081771577767972, 0.35191477764630685),
    ]


@pytest.mark.parametrize(
    ("bound", "numbers"),
    [
        (1, [0, 0, 0, 0, 0, 0]),
        (2, [1, 1, 1, 0, 0, 0]),
        (3, [1, 2, 0, 1, 1, 1]),
        (7, [3, 5, 4, 2, 5, 6]),
        (2**30, [784582118, 685624582, 804414742, 10339022, 373994690, 526783127]),
        (2**30 + 1, [20678044, 747989380, 1053566254, 755731200, 259278708, 542588911]),
        (2**31 - 1, [1569164236, 1371249164, 1608829485, 20678044, 747989380, 1053566254]),
    ],
)
def test_numbers_below_a_bound_are_those_of_java(bound: int, numbers: list[int]) -> None:
    """Of a power of two the upper bits; what would favour small numbers is drawn again."""
    random = JavaRandom(7)

    assert [random.next_int(bound) for _ in range(6)] == numbers


def test_gaussians_are_those_of_commons_math() -> None:
    """The first ones, and those after the state has been gone through several times."""
    well = Well19937c(2**64 - 42)

    drawn = [well.next_gaussian() for _ in range(1000)]

    assert drawn[:3] == pytest.approx([-0.3733758411010926, -1.5230300017418725, -1.392905139819089], abs=1e-15)
    assert drawn[-2:] == pytest.approx([-0.4590184205396259, -1.5071934644261502], abs=1e-15)


# A heap whose equal members leave it as they leave Java's.


def _by_number(one: tuple[int, str], other: tuple[int, str]) -> int:
    return one[0] - other[0]


def _heap(members: list[tuple[int, str]]) -> JavaPriorityQueue[tuple[int, str]]:
    heap = JavaPriorityQueue[tuple[int, str]]()
    for member in members:
        heap.add(member, _by_number)
    return heap


@given(st.lists(st.integers(0, 9)))
def test_members_leave_in_order(numbers: list[int]) -> None:
    heap = _heap([(number, "") for number in numbers])

    assert [heap.poll(_by_number)[0] for _ in numbers] == sorted(numbers)


@pytest.mark.parametrize(
    ("steps", "array"),
    [
        (12, [8, 5, 3, 9, 6, 7, 0, 11]),
        (40, [17, 38, 16, 19, 33, 3, 15, 23, 9, 14, 35, 7, 11, 0, 18, 27, 26, 29, 12, 6, 5, 36]),
    ],
)
def test_the_array_is_that_of_a_jvm(steps: int, array: list[int]) -> None:
    draw, queue = 7, JavaPriorityQueue[Keyed]()
    for number in range(steps):
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        if (draw >> 8) % 10 < 7 or not queue.items:
            queue.add(((draw >> 12) % 5, number), by_key)
        else:
            queue.poll(by_key)

    assert [number for _, number in queue.items] == array


# Java's sort: what `java.util.Collections.sort` of OpenJDK 17 made of lists whose comparison is no order.

Values = list[int | None]


def differences(values: Values) -> Callable[[int, int], int]:
    """Compare numbers; None is not a number and equals everything."""

    def compare(one: int, other: int) -> int:
        left, right = values[one], values[other]
        return 0 if left is None or right is None else left - right

    return compare


def circle(values: Values) -> Callable[[int, int], int]:
    """Compare so that some are before one another in a circle."""

    def compare(one: int, other: int) -> int:
        left, right = values[one] or 0, values[other] or 0
        return 0 if left == right else (7 * left + 3 * right) % 5 - 2

    return compare


COMPARISONS = {"differences": differences, "circle": circle}
GOLDEN = Path(__file__).parents[2] / "cases" / "recorded"
CASES = [json.loads(line) for line in (GOLDEN / "java-sort.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES)
def test_the_order_is_that_of_java(case: dict[str, Any]) -> None:
    values: Values = case["values"]
    assert java_sorted(range(len(values)), COMPARISONS[case["compare"]](values)) == case["order"]


@given(st.lists(st.integers(0, 30), max_size=200))
def test_by_an_order_it_sorts_as_any_stable_sort_does(values: list[int]) -> None:
    assert java_sorted(range(len(values)), differences([*values])) == sorted(range(len(values)), key=values.__getitem__)


@given(st.lists(st.integers(0, 9), max_size=120))
def test_nobody_is_lost(values: list[int]) -> None:
    assert sorted(java_sorted(range(len(values)), circle([*values]))) == list(range(len(values)))


# Java's reading of numbers, booleans and blanks.


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
