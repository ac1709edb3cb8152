"""Faults of a scenario's fields: the words for each kind, and the nearest key of the very table it stands in."""

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import loads

HEAD = """scheduler = "fair-2.7"
duration = "10m"
[cluster]
nodes = [{host = "n1", memory = "8g", vcores = 8}]
"""
"""Four lines."""
BARE = '[[workload]]\ntype = "service"\nname = "web"\nuser = "ann"\ninstance = {memory = "1g", vcores = 1}\n'
SERVICE = BARE + "instances = 2\n"
SPARK = '[[workload]]\ntype = "spark"\nuser = "ann"\nexecutor = {memory = 1, vcores = 1}\n'


def told(text: str) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as refused:
        loads(HEAD + text, "a.toml")
    return refused.value.problems


@pytest.mark.parametrize(
    ("text", "line", "key", "hint"),
    [
        ("rakc = 1\n", 5, "cluster.rakc", ""),
        ("[[cluster.groups]]\ncuont = 1\nmemory = 1\nvcores = 1\n", 6, "cluster.groups.0.cuont", "count"),
        (SERVICE + "instnaces = 2\n", 11, "workload.0.instnaces", "instances"),
        (SERVICE + "repeat = {tmies = 2, times = 2, every = 1}\n", 11, "workload.0.repeat.tmies", "times"),
        (SPARK + "stages = [{taks = 3, tasks = 3, duration = 1}]\n", 9, "workload.0.stages.0.taks", "tasks"),
        (SPARK + "dynamic = {initail = 3}\n", 9, "workload.0.dynamic.initail", "initial"),
        (
            '[[script]]\nat = 1\ndo = "kill"\napplication = "x"\naplication = "x"\n',
            9,
            "script.0.aplication",
            "application",
        ),
        ('[[faults]]\nat = 1\ndo = "lose"\nnode = "n1"\nndoe = "n1"\n', 9, "faults.0.ndoe", "node"),
        (
            '[[expectations]]\nat = 1\nof = "node"\nnode = "n1"\nwhat = "containers"\nequals = 1\nndoe = 1\n',
            11,
            "expectations.0.ndoe",
            "node",
        ),
    ],
)
def test_a_key_that_is_none_has_the_nearest_of_its_table(text: str, line: int, key: str, hint: str) -> None:
    """Of the variant that `type` or `do` names; where none is near there is no hint."""
    assert told(text) == (
        Problem("is no key of this table", "a.toml", line, key, f"did you mean {hint}?" if hint else ""),
    )


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        (
            SPARK + "stages = [{tasks = 3, duration = [1, 2, 3]}]\n",
            9,
            "workload.0.stages.0.duration",
            "(1000, 2000, 3000) is refused: tuple should have at most 2 items after validation, not 3",
        ),
        (
            '[[workload]]\ntype = "tez"\nuser = "ann"\ndags = []\n',
            8,
            "workload.0.dags",
            "[] is refused: tuple should have at least 1 item after validation, not 0",
        ),
        (
            '[settings]\n"yarn.scheduler.minimum-allocation-mb" = "x"\n',
            6,
            "yarn.scheduler.minimum-allocation-mb",
            "'x' is not a whole number",
        ),
        (
            '[settings]\n"yarn.resourcemanager.am.max-attempts" = "x"\n',
            6,
            "yarn.resourcemanager.am.max-attempts",
            "'x' is not a whole number",
        ),
    ],
)
def test_other_faults_are_told_in_their_own_words(text: str, line: int, key: str, message: str) -> None:
    """Those of pydantic in small letters, those of the settings as the control plane says them."""
    assert told(text) == (Problem(message, "a.toml", line, key),)
