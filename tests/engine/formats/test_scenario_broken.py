"""Broken scenario files: whatever stands where something else belongs, there are problems and never a traceback."""

import random
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import tomli_w

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump, loads
from engine.scenario import Scenario
from tests.engine.formats.test_scenario_toml import SMALL

STRANGE = [0, -1, 3.7, "x", "", True, [], {}, [1], [{}], {"a": 1}, "64g", "09:00", 10**12, float("nan"), "25:99", "-5s"]


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.parametrize("seed", range(150))
def test_a_broken_file_gives_problems_with_lines_or_reads_back_the_same(seed: int) -> None:
    chance = random.Random(seed)
    document: dict[str, Any] = tomllib.loads(SMALL)
    *parents, last = chance.choice(list(places(document)))
    target: Any = document
    for key in parents:
        target = target[key]
    target[last] = chance.choice(STRANGE)
    outcome = outcome_of(tomli_w.dumps(document))
    if isinstance(outcome, Scenario):
        assert loads(dump(outcome)) == outcome
    else:
        assert all(problem.line or "." not in problem.key for problem in outcome)


def outcome_of(text: str) -> Scenario | tuple[Problem, ...]:
    try:
        return loads(text, "a.toml")
    except ConfigError as refused:
        return refused.problems
