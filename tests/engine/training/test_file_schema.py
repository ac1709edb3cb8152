"""The JSON Schemas of scenarios and drills take what their readers take, and see common mistakes."""

import json
import tomllib
from datetime import UTC, date, datetime, time
from importlib.resources import files
from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.file_schema import field_words, file_schema
from engine.formats.scenario_toml import loads, packaged
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


@pytest.mark.parametrize("size", ['"unmanaged"', '{ memory = "2g" }'])
def test_a_master_has_a_size_or_is_unmanaged(size: str) -> None:
    assert _faults(f"{SMALL}{JOB}am = {size}") == []
    assert _faults(f'{SMALL}{JOB}am = "none"') != []


def test_a_default_is_written_with_its_unit() -> None:
    fields = SCENARIO["$defs"]["MapReduceSpec"]["properties"]

    assert SCENARIO["properties"]["duration"]["default"] == "1h"
    assert fields["task_timeout"]["default"] == "10m"
    assert "default" not in fields["number"]


def test_a_field_has_the_sentences_of_its_class() -> None:
    fields = SCENARIO["$defs"]["MapReduceSpec"]["properties"]

    assert fields["at"]["description"] == "When it is submitted."
    assert fields["hangs"]["description"].startswith("Share of task attempts that hang")
    assert "description" not in fields["maps"]
    assert field_words(drill_model())["seed"].startswith("Seed of everything random")


@pytest.mark.parametrize(("kind", "schema"), [("scenario", SCENARIO), ("drill", DRILL)])
def test_the_shipped_schema_is_current(kind: str, schema: dict[str, Any]) -> None:
    shipped = files("scenarios") / "schema" / f"{kind}-1.schema.json"

    assert json.loads(shipped.read_text(encoding="utf-8")) == schema


def test_a_line_that_names_the_schema_is_no_part_of_the_description() -> None:
    scenario = loads(f"#:schema scenario-1.schema.json\n# Shows something.\n{SMALL}")

    assert scenario.about == "Shows something."


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
