"""The options of commands that read traces: what they mean, and which values are none."""

from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.selection import TracePart
from engine.units import CENTURY_MS
from tui.commands.import_options import choice_of, rules_of, selection_of


def rules(**given: Any) -> MappingRules:
    defaults = {"container": None, "split": "128m", "map_rate": 10.0, "reduce_rate": 5.0, "processors": None}
    return rules_of(**{**defaults, "node_size": None, **given})


def selected(**given: Any) -> TracePart:
    defaults = {"first": None, "between": None, "queue_map": (), "scale_time": 1.0, "anonymise": False}
    return selection_of(**{**defaults, **given})


def refusal(what: Any, *args: Any, **given: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        what(*args, **given)
    [problem] = caught.value.problems
    return str(problem)


@pytest.mark.parametrize(
    ("size", "is_good"),
    [
        ("1m,1", True), ("0m,1", False), ("1g,0", False), ("1g,-1", False), ("1g,x", False), ("much,1", False),
        (f"{2**31 - 1}m,1", True), (f"{2**31}m,1", False), (f"1g,{2**31 - 1}", True), (f"1g,{2**31}", False),
    ],
)  # fmt: skip
def test_a_size_is_above_nothing_and_below_what_java_counts_to(size: str, is_good: bool) -> None:
    if is_good:
        memory, _, vcores = size.partition(",")
        found = rules(container=size)
        assert found.container_vcores == int(vcores)
        assert found.container_mb == int(memory[:-1]) * (1024 if memory.endswith("g") else 1)
        assert choice_of(None, None, size).node_vcores == int(vcores)
        return
    assert refusal(rules, container=size) == f"--container: {size!r} is no size (e.g. 64g,16)"
    assert refusal(choice_of, None, None, size) == f"--node-size: {size!r} is no size (e.g. 64g,16)"


@pytest.mark.parametrize("between", [("1h", "1h"), ("2h", "1h"), ("0s", f"{CENTURY_MS + 1}ms")])
def test_a_stretch_that_is_none_is_refused(between: tuple[str, str]) -> None:
    assert refusal(selected, between=between) == "--between: the stretch ends before it begins"
    assert refusal(selected, between=("soon", "1h")).startswith("--between: ")
