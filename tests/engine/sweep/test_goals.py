"""The figures that a sweep is judged by, and limits on them."""

import msgspec
import pytest

from engine.errors import ConfigError
from engine.measures import Evenness, Quantiles, RunMeasures
from engine.sweep import GOALS, goal_named, limit_of

RUN = RunMeasures(
    until_ms=1,
    applications=2,
    refused=3,
    finished=4,
    failed=5,
    unfinished=6,
    makespan_ms=7,
    waits=Quantiles(9, 10, 11, 12),
    waits_of_queues={},
    waits_of_users={},
    never_started=13,
    starved=14,
    waiting_most=15,
    slowdown=Quantiles(9, 16, 17, 18),
    used_share={"memory_mb": 0.25, "vcores": 0.5},
    held_s={},
    users=Evenness(0.75, 1, {}),
    queues=Evenness(0.5, 1, {}),
    containers=40,
    preempted=10,
    preempted_s=21,
    lost=22,
    lost_s=23,
    reserved_most=24,
    reserved_most_by_one=25,
    reserved_in_vain_s=26,
    standstill_ms=27,
    master_waits=Quantiles(9, 28, 29, 30),
    frozen_ms=0,
)
"""A run each of whose figures is another one."""


def test_every_goal_is_its_figure() -> None:
    """What is preempted counts in relation to what was allocated."""
    assert {name: goal.of(RUN) for name, goal in GOALS.items()} == {
        "median_wait": 10,
        "p95_wait": 11,
        "worst_wait": 12,
        "p95_master_wait": 29,
        "p95_slowdown": 17,
        "makespan": 7,
        "unfinished": 6,
        "starved": 14,
        "never_started": 13,
        "frozen": 0,
        "refused": 3,
        "failed": 5,
        "standstill": 27,
        "preempted": 0.25,
        "lost_work": 23,
        "reserved_in_vain": 26,
        "used": 0.25,
        "fairness": 0.75,
    }


def test_a_run_without_anything_has_its_goals() -> None:
    """Nothing is preempted of no container, nothing held, and nobody is treated unfairly."""
    run = msgspec.structs.replace(RUN, containers=0, preempted=0, used_share={}, users=Evenness())

    assert [GOALS[name].of(run) for name in ("preempted", "used", "fairness")] == [0, 0, 1]


def test_only_of_use_and_fairness_more_is_better() -> None:
    """Of all others less is."""
    assert [name for name, goal in GOALS.items() if not goal.is_less_better] == ["used", "fairness"]


@pytest.mark.parametrize(("name", "found"), [("p95", "p95_wait"), ("worst", "worst_wait"), ("used", "used")])
def test_a_wait_may_be_named_without_the_word(name: str, found: str) -> None:
    """The figure itself comes first."""
    assert goal_named(name, "--goal").name == found


def test_an_unknown_figure_names_the_nearest_or_all() -> None:
    """And the option it was given with."""
    with pytest.raises(ConfigError) as near:
        goal_named("starvd", "--goal")
    with pytest.raises(ConfigError) as far:
        goal_named("xyzzy", "--limit")
    assert str(near.value) == "--goal: there is no measure starvd (did you mean starved?)"
    assert str(far.value).startswith("--limit: there is no measure xyzzy (there is median_wait, p95_wait, ")


@pytest.mark.parametrize(
    ("text", "value", "is_below", "written"),
    [
        ("p95_wait < 5m", 300_000, True, "p95_wait < 5m"),
        ("  p95<=1.5s ", 1500, True, "p95_wait < 1.5s"),
        ("used > 30%", 0.3, False, "used > 30%"),
        ("used>=0.5", 0.5, False, "used > 0.5"),
        ("starved < 1", 1, True, "starved < 1"),
        ("p95_slowdown < 2.5", 2.5, True, "p95_slowdown < 2.5"),
        ("lost_work < 10", 10, True, "lost_work < 10"),
    ],
)
def test_a_limit_is_a_measure_a_sign_and_a_value_in_its_unit(
    text: str, value: float, is_below: bool, written: str
) -> None:
    """With or without blanks; `=` changes nothing."""
    found = limit_of(text, "--limit")

    assert (found.value, found.is_below, found.text) == (value, is_below, written)


@pytest.mark.parametrize(("value", "below", "above"), [(10, True, False), (11, False, False), (12, False, True)])
def test_a_value_at_the_limit_breaks_it(value: float, below: bool, above: bool) -> None:
    """Whichever side the limit is on."""
    run = msgspec.structs.replace(RUN, waits=Quantiles(1, 0, value, 0))

    assert (limit_of("p95_wait < 11ms", "-").holds(run), limit_of("p95_wait > 11ms", "-").holds(run)) == (below, above)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p95_wait 5m", "--limit: 'p95_wait 5m' is not MEASURE < VALUE ('p95_wait < 5m')"),
        ("p95_wait <", "--limit: 'p95_wait <' is not MEASURE < VALUE ('p95_wait < 5m')"),
        ("starved < many", "--limit: 'starved < many': could not convert string to float: 'many'"),
        ("used < %", "--limit: 'used < %': could not convert string to float: ''"),
    ],
)
def test_what_is_no_limit_is_said_with_its_option(text: str, words: str) -> None:
    """And what it should look like."""
    with pytest.raises(ConfigError) as error:
        limit_of(text, "--limit")
    assert str(error.value) == words
