"""How amounts are written in the parts of a scenario."""

from datetime import UTC, datetime, time
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.model.java_values import INT_MAX
from engine.scenario import ScriptedSpec
from engine.scenario.cluster import Count, DurationMs, InstantMs, JavaInt, MemoryMb, SpanMs, TimeoutMs
from engine.units import CENTURY_MS

SPAN: TypeAdapter[tuple[int, int] | None] = TypeAdapter(SpanMs)
START = datetime(2017, 11, 11, 8, 30, tzinfo=UTC)


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
