"""Amounts in every spelling of Hadoop 3.4.1."""

import pytest

from engine.model.java_values import LONG_MAX
from engine.model.request import Resource
from engine.schedulers.fair34.settings import Amount34, parse_amount


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1024 mb, 2 vcores", Resource(1024, 2)),
        ("2 vcores 1024mb", Resource(1024, 2)),
        ("1024.7 MB,2.9 vcores", Resource(1024, 2)),
        ("1024 mb, 2 vcores,", Resource(1024, 2)),
        ("memory-mb=1024, vcores = 2", Resource(1024, 2)),
        ("vcores=3", Resource(LONG_MAX, 3)),
        ("memory-mb=7", Resource(7, -1)),
    ],
)
def test_an_absolute_amount_is_read(text: str, amount: Resource) -> None:
    """In the old form in any order, and by name, where missing memory is unbounded and missing vcores are -1."""
    assert parse_amount(text).fixed == amount


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("50%", (0.5, 0.5)),
        ("50.5 %", (0.505, 0.505)),
        ("40% memory, 60% cpu", (0.4, 0.6)),
        ("60 % CPU,40 % Memory", (0.4, 0.6)),
        ("vcores=25%, memory-mb=40%", (0.4, 0.25)),
        ("vcores=25%", (1.0, 0.25)),
    ],
)
def test_parts_of_the_cluster_are_read(text: str, parts: tuple[float, float]) -> None:
    """For both dimensions, each by its own, or by name, where what is missing is all."""
    assert parse_amount(text) == Amount34(None, parts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1024",
        "1024 mb",
        "-1 mb, 2 vcores",
        "1 mb, x vcores",
        "a mb, 2 vcores",
        "50 percent",
        "-5%",
        "x%",
        "40% memory",
        "40% memory, 6 cpu%",
        "memory-mb=",
        "memory-mb=1=2",
        "memory-mb=-1",
        "memory-mb=1.5",
        "gpu=1",
        "memory-mb=40%, vcores=2",
        "=",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_amount(text)


def test_what_is_missing_may_count_as_nothing() -> None:
    assert parse_amount("vcores=3", 0).fixed == Resource(0, 3)


def test_parts_follow_the_cluster_and_are_cut() -> None:
    assert parse_amount("40% memory, 60% cpu").of(1001, 9) == Resource(400, 5)
    assert parse_amount("10 mb, 1 vcores").of(1001, 9) == Resource(10, 1)
