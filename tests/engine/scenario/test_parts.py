"""How amounts are written in the parts of a scenario."""

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.scenario import AskSpec, ScriptedSpec, Size
from engine.scenario.parts import SpanMs

SPAN: TypeAdapter[tuple[int, int] | None] = TypeAdapter(SpanMs)


def test_code_uses_integers_under_the_fields_own_names() -> None:
    """A number under a name with its unit is in that unit."""
    assert AskSpec(at_ms=500, memory_mb=64).model_dump(include={"at_ms", "memory_mb"}) == {
        "at_ms": 500,
        "memory_mb": 64,
    }


def test_a_bare_number_under_a_files_name_is_seconds() -> None:
    """Also a fraction, also below zero."""
    spec = ScriptedSpec.model_validate({"type": "scripted", "user": "u", "at": -0.5})
    assert spec.at_ms == -500


@pytest.mark.parametrize(
    ("written", "span"),
    [("25s", (25_000, 25_000)), (["14s", "30s"], (14_000, 30_000)), ("forever", None), (70, (70, 70))],
)
def test_a_span_is_one_duration_two_or_for_ever(written: object, span: tuple[int, int] | None) -> None:
    """Integers are ms."""
    assert SPAN.validate_python(written) == span


@pytest.mark.parametrize("written", [["30s", "14s"], ["1s"], True, {}])
def test_what_is_no_span_is_refused(written: object) -> None:
    """The shorter one comes first, and there are two."""
    with pytest.raises(ValidationError):
        SPAN.validate_python(written)


def test_a_part_is_a_table() -> None:
    """A plain value where a table belongs is refused."""
    with pytest.raises(ValidationError):
        Size.model_validate("64g")
