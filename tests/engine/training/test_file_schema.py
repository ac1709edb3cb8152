"""The JSON Schemas of scenarios and drills take what their readers take, and see common mistakes."""

import json
import tomllib
from datetime import UTC, date, datetime, time
from importlib.resources import files
from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.file_schema import file_schema
from engine.formats.scenario_toml import packaged
from engine.scenario import Scenario
from engine.training.drill import drill_model, packaged_drills
from engine.training.steps import read_steps, step_of_words
from tests.json_schema import faults

SCENARIO = file_schema(Scenario, "scenario")
DRILL = file_schema(drill_model(), "drill")
SMALL = """
scheduler = "fifo"
[[cluster.groups]]
count = 1
memory = "4g"
vcores = 4
"""
JOB = '\n[[workload]]\ntype = "mapreduce"\nuser = "u"\nmaps = 1\n'


def _plain(value: Any) -> Any:
    """As an editor hands a TOML file to a schema: dates and times are strings."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def _faults(text: str, schema: dict[str, Any] = SCENARIO) -> list[str]:
    return faults(_plain(tomllib.loads(text)), schema, schema)


def test_every_packaged_scenario_is_right() -> None:
    texts = {name: (files("scenarios") / f"{name}.toml").read_text(encoding="utf-8") for name in packaged()}

    assert {name: found for name, text in texts.items() if (found := _faults(text))} == {}


def test_every_packaged_drill_is_right() -> None:
    folder = files("scenarios") / "drills"
    texts = {name: (folder / f"{name}.toml").read_text(encoding="utf-8") for name in packaged_drills()}

    assert {name: found for name, text in texts.items() if (found := _faults(text, DRILL))} == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('scheduler = "fair"\n[cluster]', ".scheduler: enum"),
        ("title = 'x'", ".cluster: is missing"),
        (f"{SMALL}{JOB}map_durations = 3", ".workload.0.map_durations: is no array"),
        (f"{SMALL}{JOB}durations = '3s'", ".workload.0.durations: is not known"),
        (f"{SMALL}{JOB}slow_start = 1.5", ".workload.0.slow_start: maximum"),
        (f"{SMALL}{JOB}map_duration = ['1s']", ".workload.0.map_duration: is no string"),
        (f"{SMALL}\n[[script]]\ndo = 'kill'\napplication = '1'", ".script.0.at: is missing"),
    ],
)
def test_a_mistake_is_seen(text: str, fault: str) -> None:
    assert fault in _faults(text)


@pytest.mark.parametrize(("kind", "schema"), [("scenario", SCENARIO), ("drill", DRILL)])
def test_the_shipped_schema_is_current(kind: str, schema: dict[str, Any]) -> None:
    shipped = files("scenarios") / "schema" / f"{kind}-1.schema.json"

    assert json.loads(shipped.read_text(encoding="utf-8")) == schema


# Steps of JSON lines and of words: their instants, and every problem with its place.

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
