"""The figures that a sweep is judged by, and limits on them."""

import pytest

from engine.errors import ConfigError
from engine.measures import Evenness, Quantiles, RunMeasures
from engine.sweep import limit_of

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
    found = limit_of(text, "--limit")

    assert (found.value, found.is_below, found.text) == (value, is_below, written)


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
    with pytest.raises(ConfigError) as error:
        limit_of(text, "--limit")
    assert str(error.value) == words
