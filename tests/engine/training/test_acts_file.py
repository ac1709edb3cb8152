"""Steps of JSON lines and of words: their instants, and every problem with its place."""

from datetime import UTC, datetime

import pytest

from engine.errors import ConfigError, Problem
from engine.training.steps import read_steps, step_of_words

BEGINS = datetime(2024, 3, 4, 9, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lines", "instants"),
    [
        (['{"do": "hint"}'], [7]),
        (['{"do": "hint", "at": 2}', '{"do": "hint"}', '{"do": "hint", "at": "1m"}'], [2_000, 2_000, 60_000]),
        (["", '{"do": "hint", "at": "09:06"}', "  ", '{"do": "hint"}'], [60_000, 60_000]),
        ([], []),
    ],
)
def test_a_step_without_an_instant_is_at_that_of_the_one_before(lines: list[str], instants: list[int]) -> None:
    assert [step.at_ms for step in read_steps(lines, "f", BEGINS, now_ms=7)] == instants


def problems(*lines: str, name: str = "f.jsonl") -> list[Problem]:
    with pytest.raises(ConfigError) as caught:
        read_steps(lines, name, BEGINS)
    return list(caught.value.problems)


@pytest.mark.parametrize(("name", "line"), [("f.jsonl", 3), ("", 0)])
def test_what_is_no_object_is_named_by_its_line(name: str, line: int) -> None:
    assert problems('{"do": "hint"}', "", "[1]", name=name) == [Problem("is not an object", name, line)]
    assert problems("", "", "{x", name=name) == [
        Problem("is not JSON: Expecting property name enclosed in double quotes", name, line)
    ]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("hint", {"do": "hint", "at_ms": 0}),
        ("kill application=0017", {"do": "kill", "application": "0017"}),
        ("resize node=n1 memory=16g vcores=16", {"do": "resize", "node": "n1", "memory_mb": 16_384, "vcores": 16}),
        ("'observe' 'pane=Two words'", {"do": "observe", "pane": "Two words"}),
        ("observe pane=a=b", {"do": "observe", "pane": "a=b"}),
        ("hint at=5", {"do": "hint", "at_ms": 5_000}),
    ],
)
def test_words_are_a_step(words: str, found: dict[str, object]) -> None:
    """Numbers are numbers, but of applications; the first equals sign parts a key from its value."""
    step = step_of_words(words, BEGINS).model_dump()

    assert {key: step[key] for key in found} == found


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", Problem("say what, then key=value for each of its keys", key="")),
        ("'", Problem("say what, then key=value for each of its keys", key="'")),
        ("kill 7", Problem("'7' is not key=value", key="kill")),
    ],
)
def test_words_that_are_no_step_are_refused(words: str, problem: Problem) -> None:
    with pytest.raises(ConfigError) as caught:
        step_of_words(words, BEGINS)

    assert list(caught.value.problems) == [problem]
