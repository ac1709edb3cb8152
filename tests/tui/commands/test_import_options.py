"""The options of commands that read traces: what they mean, and which values are none."""

from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.selection import TracePart
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.units import CENTURY_MS
from tui.commands.import_options import POLICIES, choice_of, rules_of, selection_of


def rules(**given: Any) -> MappingRules:
    """The rules with some numbers given."""
    defaults = {"container": None, "split": "128m", "map_rate": 10.0, "reduce_rate": 5.0, "processors": None}
    return rules_of(**{**defaults, "node_size": None, **given})


def selected(**given: Any) -> TracePart:
    """The part that some options choose."""
    defaults = {"first": None, "between": None, "queue_map": (), "scale_time": 1.0, "anonymise": False}
    return selection_of(**{**defaults, **given})


def refusal(what: Any, *args: Any, **given: Any) -> str:
    """Why options are refused."""
    with pytest.raises(ConfigError) as caught:
        what(*args, **given)
    [problem] = caught.value.problems
    return str(problem)


def test_what_is_not_given_is_as_by_default() -> None:
    """Containers of a gigabyte and a vcore."""
    assert rules() == MappingRules(
        container_mb=1024, container_vcores=1, split_mb=128, map_mb_per_s=10.0, reduce_mb_per_s=5.0, processors=None
    )
    assert selected() == TracePart(first=None, between_ms=None, queues={}, time_scale=1.0, is_anonymous=False)
    assert choice_of(None, None, None) == ClusterChoice(policy="", nodes=None)


def test_each_number_goes_to_its_rule() -> None:
    """Sizes with or without vcores."""
    found = rules(container="2g,3", split="1g", map_rate=7.0, reduce_rate=3.0, processors=4, node_size="64g,16")

    assert (found.container_mb, found.container_vcores, found.split_mb) == (2048, 3, 1024)
    assert (found.map_mb_per_s, found.reduce_mb_per_s, found.processors) == (7.0, 3.0, 4)
    assert (found.machine_mb, found.machine_vcores) == (65_536, 16)
    assert rules(container="512m").container_vcores == 1


@pytest.mark.parametrize(
    ("size", "is_good"),
    [
        ("1m,1", True), ("0m,1", False), ("1g,0", False), ("1g,-1", False), ("1g,x", False), ("much,1", False),
        (f"{2**31 - 1}m,1", True), (f"{2**31}m,1", False), (f"1g,{2**31 - 1}", True), (f"1g,{2**31}", False),
    ],
)  # fmt: skip
def test_a_size_is_above_nothing_and_below_what_java_counts_to(size: str, is_good: bool) -> None:
    """Of containers and of nodes alike."""
    if is_good:
        memory, _, vcores = size.partition(",")
        found = rules(container=size)
        assert found.container_vcores == int(vcores)
        assert found.container_mb == int(memory[:-1]) * (1024 if memory.endswith("g") else 1)
        assert choice_of(None, None, size).node_vcores == int(vcores)
        return
    assert refusal(rules, container=size) == f"--container: {size!r} is no size (e.g. 64g,16)"
    assert refusal(choice_of, None, None, size) == f"--node-size: {size!r} is no size (e.g. 64g,16)"


@pytest.mark.parametrize("number", [0.0, -1.0, 1e9, float("inf"), float("nan")])
def test_a_rate_is_a_number_above_nothing(number: float) -> None:
    """So is the scale of times; a billion is a slip of the finger."""
    for key, option in (("map_rate", "--map-rate"), ("reduce_rate", "--reduce-rate")):
        assert refusal(rules, **{key: number}) == f"{option}: {number} is not a number above 0"
    assert refusal(selected, scale_time=number) == f"--scale-time: {number} is not a number above 0"
    assert selected(scale_time=999_999_999.0).time_scale == 999_999_999.0


def test_a_split_is_an_amount_of_memory() -> None:
    """Above nothing."""
    assert refusal(rules, split="much").startswith("--split: ")
    assert refusal(rules, split="0m") == "--split: 0 is not a number above 0"


def test_queues_are_renamed_in_pairs() -> None:
    """The first sign parts them."""
    assert selected(queue_map=["a=b", "c=d=e"]).queues == {"a": "b", "c": "d=e"}
    for words in ("a", "=b", "a="):
        assert refusal(selected, queue_map=[words]) == f"--queue-map: {words!r} is not A=B"


@pytest.mark.parametrize(
    ("between", "found"),
    [(("1h", "2h"), (3_600_000, 7_200_000)), (("0s", "1ms"), (0, 1)), (("0s", f"{CENTURY_MS}ms"), (0, CENTURY_MS))],
)
def test_a_stretch_begins_before_it_ends(between: tuple[str, str], found: tuple[int, int]) -> None:
    """Within a century."""
    assert selected(between=between).between_ms == found


@pytest.mark.parametrize("between", [("1h", "1h"), ("2h", "1h"), ("0s", f"{CENTURY_MS + 1}ms")])
def test_a_stretch_that_is_none_is_refused(between: tuple[str, str]) -> None:
    """As is a time that is none."""
    assert refusal(selected, between=between) == "--between: the stretch ends before it begins"
    assert refusal(selected, between=("soon", "1h")).startswith("--between: ")


def test_a_part_is_chosen_by_the_other_options() -> None:
    """The first so many, without names."""
    found = selected(first=3, anonymise=True)

    assert (found.first, found.is_anonymous) == (3, True)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_scheduler_can_be_asked_for(policy: str) -> None:
    """With so many nodes of a size."""
    assert choice_of(policy, 7, "8g,4") == ClusterChoice(
        policy=policy, nodes=7, node_mb=8192, node_vcores=4, is_size_given=True
    )
    assert choice_of(policy, 7, None) == ClusterChoice(policy=policy, nodes=7)


def test_a_scheduler_that_is_none_is_answered_with_the_nearest() -> None:
    """Else with all of them."""
    assert refusal(choice_of, "fiar-2.7", None, None) == (
        "--policy: there is no scheduler fiar-2.7 (did you mean fair-2.7?)"
    )
    assert refusal(choice_of, "zzzz", None, None) == (
        f"--policy: there is no scheduler zzzz (there is {', '.join(POLICIES)})"
    )
