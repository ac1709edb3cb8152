"""Shared parts of a scenario's models: strict frozen models, and how amounts are written in them.

A field named `…_ms` is written in a file without its suffix, as a duration or an instant (`at = "09:00"`,
`duration = "1h30m"`, `launch_delay = 0.5`: a bare number is seconds); a field named `…_mb` as an amount of memory
(`memory = "64g"`: a bare number is MB). Code uses the field's own name and integers. A time of day is counted from
the scenario's start, which the reader passes as validation context `{"start": datetime}`.
"""

from datetime import datetime, time
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, WithJsonSchema, model_validator

from engine.model.java_number import INT_MAX
from engine.units import CENTURY_MS, UnitError, is_number, parse_duration, parse_instant, parse_memory

FILE_CONFIG: Final = ConfigDict(
    frozen=True,
    extra="forbid",
    alias_generator=lambda field: field.removesuffix("_ms").removesuffix("_mb"),
    validate_by_name=True,
    validate_by_alias=True,
    allow_inf_nan=False,
)
"""Immutable, unknown keys are faults, and names in a file are without their unit."""


def bare_numbers_as_seconds(cls: type[BaseModel], data: Any) -> Any:  # Any: whatever the user's file holds here
    """Give bare numbers under a file's names their unit; names of code keep ms."""
    if not isinstance(data, dict):
        return data
    spans = {name.removesuffix("_ms") for name in cls.model_fields if name.endswith("_ms")}
    return {key: _seconds(value) if key in spans else value for key, value in data.items()}


class Part(BaseModel):
    """A part of a scenario. Families with a base of their own (`Timed`) take the same two members."""

    model_config = FILE_CONFIG
    _in_seconds = model_validator(mode="before")(bare_numbers_as_seconds)


def _seconds(value: object) -> object:
    """A number, or each number of a list, as text with its unit; anything else as it is."""
    if isinstance(value, list):
        return [_seconds(item) for item in value]
    if is_number(value):
        return f"{value}s" if value >= 0 else f"-{-value}s"
    return value


def _memory(value: object) -> object:
    return parse_memory(value) if isinstance(value, str) else value


def _duration(value: object) -> object:
    return parse_duration(value) if isinstance(value, str) else value


def _instant(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str | time | datetime):
        return value
    return parse_instant(value, (info.context or {}).get("start"))


def _span(value: object) -> object:
    """`"forever"` is None, one duration is a span without spread."""
    if value == "forever":
        return None
    if isinstance(value, str | int) and not isinstance(value, bool):
        return _span([value, value])
    if isinstance(value, list | tuple):
        span = tuple(_duration(item) for item in value)
        if any(isinstance(item, int) and not 0 <= item <= CENTURY_MS for item in span):
            raise UnitError("is longer than a century, or shorter than nothing")
        if len(span) == 2 and isinstance(span[0], int) and isinstance(span[1], int) and span[0] > span[1]:
            raise UnitError("the shorter duration comes first")
        return span
    return value


_SECONDS: Final = {"type": "number", "minimum": 0}
_WRITTEN: Final = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]})
_DURATION: Final = WithJsonSchema({"anyOf": [{"type": "string"}, _SECONDS]})
_MEMORY: Final = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]})
_SPAN: Final = WithJsonSchema(
    {
        "anyOf": [
            {"type": "string"},
            _SECONDS,
            {"type": "array", "items": {"anyOf": [{"type": "string"}, _SECONDS]}, "minItems": 2, "maxItems": 2},
        ]
    }
)
"""How a file writes amounts, as JSON Schema says it; strings have units."""

JavaInt = Annotated[int, Field(ge=0, le=INT_MAX)]
"""A natural number that Hadoop's int can hold."""

Count = Annotated[int, Field(ge=0, le=1_000_000)]
"""How many of something that takes room in the simulation."""

MemoryMb = Annotated[int, BeforeValidator(_memory), Field(ge=0, le=INT_MAX), _MEMORY]
"""Memory [MB]; `"64g"` in a file."""

DurationMs = Annotated[int, BeforeValidator(_duration), Field(ge=0, le=CENTURY_MS), _DURATION]
"""A duration [ms]; `"1h30m"` or seconds in a file."""

TimeoutMs = Annotated[
    Annotated[int, Field(ge=0, le=CENTURY_MS)] | None,
    BeforeValidator(lambda value: None if value == "forever" else _duration(value)),
    _DURATION,
]
"""A duration [ms]; None is for ever (`"forever"` in a file)."""

InstantMs = Annotated[int, BeforeValidator(_instant), Field(ge=-CENTURY_MS, le=CENTURY_MS), _WRITTEN]
"""An instant [ms after the scenario's start]; `"09:00"`, `"+30m"` or seconds in a file."""

SpanMs = Annotated[tuple[int, int] | None, BeforeValidator(_span), _SPAN]
"""Shortest and longest duration [ms], drawn evenly between both; None is for ever (`"forever"`).

In a file: `"25s"`, `["14s", "30s"]` or `"forever"`.
"""


class Size(Part):
    """The size of a container."""

    memory_mb: MemoryMb
    vcores: JavaInt = 1
