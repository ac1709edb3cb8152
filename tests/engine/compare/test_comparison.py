"""Runs of the same workload, side by side."""

import pytest

from engine.compare import (
    Comparison,
    ComparisonCandidate,
    Divergence,
    carried_over,
    compared,
    partings_of,
)
from engine.errors import ConfigError
from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Reserved, Unreserved
from engine.scenario import Scenario


def contestants(scenario: Scenario, *policies: str) -> list[ComparisonCandidate]:
    found = [ComparisonCandidate("A", scenario.scheduler, scenario)]
    for letter, policy in zip("BCD", policies, strict=False):
        carried = carried_over(scenario, policy)
        found.append(ComparisonCandidate(letter, policy, carried.scenario, carried.mapped, carried.dropped))
    return found


@pytest.fixture(scope="module")
def three() -> Comparison:
    """A large and a small job under three policies, for three minutes."""
    return compared(contestants(load("three-schedulers-capacity"), "fair-2.7", "fifo"), 180_000)


def test_the_first_divergence_is_the_job_that_fifo_lets_wait(three: Comparison) -> None:
    """Both others give the small job a container in its first second, FIFO says who is in the way."""
    scene = load("three-schedulers-capacity")
    small = next(each for each in three.divergences if each.application == 2)
    parting = partings_of(contestants(scene, "fair-2.7", "fifo"), [small])[0]
    assert (parting.name, parting.user, parting.queue, parting.asks) == ("small", "bob", "root.short", "40 × 1G/1c")
    a, b, c = parting.sides
    assert a.decided == b.decided == f"gives it 1G/1c on {parting.node}"
    assert (a.rule, b.rule) == ("", "")
    assert c.decided == "passes it by"
    assert c.rule


def test_every_kind_of_decision_has_its_words() -> None:
    scene = load("fair-order")
    container, node = (1, 1, 2), "n1:8041"
    decided = (
        Allocated(container, node, 1, 512, 1),
        Allocated((1, 1, 3), node, 1, 512, 1),
        Killed(container, node, "PREEMPTED"),
        Unreserved(container, node, 1, 2048, 1),
        ApplicationTransitioned(1, "FAILED"),
    )
    only = (Reserved(container, node, 1, 2048, 1),)
    start_ms = scene.start_ms + 1000
    apart = Divergence(start_ms, 1, {"A": decided, "B": only}, {"A": (2, 0, 1, 1), "B": (0, 1, 0, 0)})
    (parting,) = partings_of(contestants(scene, "fair-3.4"), [apart])
    a, b = parting.sides
    assert a.decided == (
        "gives it 512M/1c on n1, 2 times; takes a container from it on n1 (PREEMPTED); drops its reservation of n1; "
        "ends it FAILED"
    )
    assert (b.decided, b.reserved) == ("reserves n1 for 2G/1c", 1)
    assert b.rule.endswith("only while it starves")


@pytest.mark.slow
def test_the_same_comparison_gives_the_same_journals(three: Comparison) -> None:
    scene = load("three-schedulers-capacity")
    again = compared(contestants(scene, "fair-2.7", "fifo"), 180_000)
    assert again == three
    alone = compared(contestants(scene, "fifo"), 180_000)
    assert alone.runs[1].journal == three.runs[2].journal


def test_a_run_beside_itself_never_parts() -> None:
    scene = load("fair-order")
    both = [ComparisonCandidate("A", "one", scene), ComparisonCandidate("B", "other", scene)]
    found = compared(both, 20_000)
    assert (found.divergences, found.first_trifle_ms) == ((), None)
    assert found.runs[0].measures == found.runs[1].measures


def test_a_proved_freeze_has_its_length() -> None:
    found = compared(contestants(load("pattern-am-only"), "fair-3.4"), 300_000)
    first = found.runs[0]
    assert first.frozen_ms == sum(each.until_ms - each.since_ms for each in first.frozen) > 0
    assert first.frozen[0].verdict == "deadlocked"
    assert set(first.stuck.values()) >= {"deadlocked"}


def test_a_configuration_that_the_class_refuses_is_named_and_the_others_go_on() -> None:
    """Its words are kept; with nobody left to compare with they are the error."""
    scene = load("fair-order")
    broken = scene.model_copy(update={"scheduler": "capacity-3.4"})
    good = ComparisonCandidate("B", "fair-3.4", carried_over(scene, "fair-3.4").scenario)
    found = compared(
        [ComparisonCandidate("A", "fair-2.7", scene), good, ComparisonCandidate("C", "broken", broken)], 10_000
    )
    assert [run.letter for run in found.runs] == ["A", "B"]
    assert "no queues below root" in found.refused["C"][1]
    with pytest.raises(ConfigError, match="no queues below root"):
        compared([ComparisonCandidate("A", "fair-2.7", scene), ComparisonCandidate("B", "broken", broken)], 10_000)
