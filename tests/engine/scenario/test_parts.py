"""How amounts are written in the parts of a scenario."""

from datetime import UTC, datetime, time
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.model.java_values import INT_MAX
from engine.scenario import AskSpec, ScriptedSpec, Size, SparkSpec, TezSpec
from engine.scenario.cluster import Count, DurationMs, InstantMs, JavaInt, MemoryMb, SpanMs, TimeoutMs
from engine.units import CENTURY_MS

SPAN: TypeAdapter[tuple[int, int] | None] = TypeAdapter(SpanMs)
START = datetime(2017, 11, 11, 8, 30, tzinfo=UTC)


def test_code_uses_integers_under_the_fields_own_names() -> None:
    assert AskSpec(at_ms=500, memory_mb=64).model_dump(include={"at_ms", "memory_mb"}) == {
        "at_ms": 500,
        "memory_mb": 64,
    }


def test_a_bare_number_under_a_files_name_is_seconds() -> None:
    spec = ScriptedSpec.model_validate({"type": "scripted", "user": "u", "at": -0.5})
    assert spec.at_ms == -500


@pytest.mark.parametrize(
    ("written", "span"),
    [
        ("25s", (25_000, 25_000)),
        (["14s", "30s"], (14_000, 30_000)),
        (("14s", "14s"), (14_000, 14_000)),
        ([5, "1s"], (5, 1000)),
        ("forever", None),
        (None, None),
        (70, (70, 70)),
        (0, (0, 0)),
        (CENTURY_MS, (CENTURY_MS, CENTURY_MS)),
    ],
)
def test_a_span_is_one_duration_two_or_for_ever(written: object, span: tuple[int, int] | None) -> None:
    assert SPAN.validate_python(written) == span


@pytest.mark.parametrize("written", [["1s"], ["1s", "2s", "3s"], True, {}, [1, 0.5], [True, "x"]])
def test_what_is_no_span_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        SPAN.validate_python(written)


@pytest.mark.parametrize("written", [["30s", "14s"], [1, 0]])
def test_the_shorter_duration_of_a_span_comes_first(written: list[object]) -> None:
    with pytest.raises(ValidationError, match="the shorter duration comes first"):
        SPAN.validate_python(written)


@pytest.mark.parametrize("written", [-1, CENTURY_MS + 1, [0, CENTURY_MS + 1], [-1, 0], "36601d"])
def test_a_span_is_at_most_a_century(written: object) -> None:
    with pytest.raises(ValidationError, match="is longer than a century, or shorter than nothing"):
        SPAN.validate_python(written)


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        (JavaInt, 0, INT_MAX),
        (Count, 0, 1_000_000),
        (MemoryMb, 0, INT_MAX),
        (DurationMs, 0, CENTURY_MS),
        (TimeoutMs, 0, CENTURY_MS),
        (InstantMs, -CENTURY_MS, CENTURY_MS),
    ],
)
def test_a_number_has_bounds(kind: Any, least: int, most: int) -> None:
    adapter: TypeAdapter[int] = TypeAdapter(kind)
    assert [adapter.validate_python(least), adapter.validate_python(most)] == [least, most]
    for outside in (least - 1, most + 1):
        with pytest.raises(ValidationError):
            adapter.validate_python(outside)


@pytest.mark.parametrize(
    ("kind", "written", "read"),
    [
        (MemoryMb, "64g", 65_536),
        (MemoryMb, 64, 64),
        (DurationMs, "1h30m", 5_400_000),
        (DurationMs, 90, 90),
        (TimeoutMs, "2s", 2000),
        (TimeoutMs, "forever", None),
        (TimeoutMs, 3, 3),
        (InstantMs, "+30m", 1_800_000),
        (InstantMs, "09:00", 1_800_000),
        (InstantMs, time(9, 0), 1_800_000),
        (InstantMs, datetime(2017, 11, 11, 9, 0, tzinfo=UTC), 1_800_000),
        (InstantMs, 7, 7),
    ],
)
def test_an_amount_is_written_with_its_unit(kind: Any, written: object, read: int | None) -> None:
    """A number is in the unit of the field; a time of day counts from the start."""
    adapter: TypeAdapter[int | None] = TypeAdapter(kind)
    assert adapter.validate_python(written, context={"start": START}) == read


def test_a_time_of_day_needs_a_start() -> None:
    adapter: TypeAdapter[int] = TypeAdapter(InstantMs)
    with pytest.raises(ValidationError, match="there is no start to count from"):
        adapter.validate_python("09:00")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"at": 0}, 0),
        ({"at": 1}, 1000),
        ({"at": 0.25}, 250),
        ({"at": -1}, -1000),
        ({"at": "2m"}, 120_000),
        ({"at_ms": 3}, 3),
        ({"at_ms": -3}, -3),
    ],
)
def test_seconds_are_meant_under_a_files_name_only(written: dict[str, object], read: int) -> None:
    assert ScriptedSpec.model_validate({"type": "scripted", "user": "u", **written}).at_ms == read


def test_bare_numbers_of_a_list_are_seconds_each() -> None:
    spark = {"type": "spark", "user": "u", "executors": 3, "executor": {"memory": 5}, "duration": [1, "2s"]}
    read = SparkSpec.model_validate(spark)
    assert (read.executors, read.executor, read.duration_ms) == (3, Size(memory_mb=5), (1000, 2000))


def test_a_truth_value_is_no_number_of_seconds() -> None:
    tez = {"type": "tez", "user": "u", "dags": [{"stages": [{"tasks": 1}]}], "idle_release": True}
    with pytest.raises(ValidationError):
        TezSpec.model_validate(tez)


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValidationError):
        Size.model_validate({"memory": 1, "cores": 2})
    with pytest.raises(ValidationError):
        Size(memory_mb=1).vcores = 2


def test_a_part_is_a_table() -> None:
    with pytest.raises(ValidationError):
        Size.model_validate("64g")
