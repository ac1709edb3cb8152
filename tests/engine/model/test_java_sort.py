"""Java's sort: what `java.util.Collections.sort` of OpenJDK 17 made of lists whose comparison is no order."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_collections import java_sorted

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
