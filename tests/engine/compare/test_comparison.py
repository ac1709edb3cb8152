"""Runs of the same workload, side by side."""

import pytest
from msgspec.structs import replace

from engine.compare import (
    Comparison,
    ComparisonCandidate,
    ConvertedScenario,
    Divergence,
    carried_over,
    compared,
    partings_of,
)
from engine.compare.harms import effect_of
from engine.errors import ConfigError
from engine.formats.scenario_toml import load, loads
from engine.model.decision import Allocated, ApplicationTransitioned, Decision, Killed, Reserved, Unreserved
from engine.scenario import Scenario
from engine.simulation.build import build_simulation


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
    decided: tuple[Decision, ...] = (
        Allocated(container, node, 1, 1023, 1),
        Allocated((1, 1, 3), node, 1, 1023, 1),
        Killed(container, node, "PREEMPTED"),
        *(Unreserved(container, f"n{place}:8041", 1, 2048, 1) for place in range(1, 5)),
        ApplicationTransitioned(1, "FAILED"),
    )
    only = tuple(Reserved(container, f"n{place}:8041", 1, 1024, 1) for place in range(1, 6))
    start_ms = scene.start_ms + 1000
    apart = Divergence(start_ms, 1, {"A": decided, "B": only}, {"A": (2, 0, 1, 1), "B": (0, 1, 0, 0)})
    (parting,) = partings_of(contestants(scene, "fair-3.4"), [apart])
    a, b = parting.sides
    assert a.decided == (
        "gives it 1023M/1c on n1, 2 times; takes a container from it on n1 (PREEMPTED); drops its reservation of n1; "
        "drops its reservation of n2; drops its reservation of n3; drops its reservation of n4; ends it FAILED"
    )
    assert (b.decided, b.reserved) == ("reserves 5 nodes for 1G/1c, 5 times", 1)
    assert b.rule.endswith("only while it starves")


@pytest.mark.slow
def test_the_same_comparison_gives_the_same_journals(three: Comparison) -> None:
    scene = load("three-schedulers-capacity")
    again = compared(contestants(scene, "fair-2.7", "fifo"), 180_000)
    assert again == three
    alone = compared(contestants(scene, "fifo"), 180_000)
    assert alone.runs[1].journal == three.runs[2].journal


def test_a_proved_freeze_has_its_length() -> None:
    first = compared(contestants(load("pattern-am-only"), "fair-3.4"), 300_000).runs[0]
    assert first.frozen_ms == sum(each.until_ms - each.since_ms for each in first.frozen) > 0
    assert first.frozen[0].verdict == "deadlocked"
    assert set(first.stuck.values()) >= {"deadlocked"}


@pytest.mark.parametrize(("wait_ms", "count"), [(1_099_999, 0), (1_100_000, 1)])
def test_a_wait_that_is_a_tenth_longer_is_told_of(three: Comparison, wait_ms: int, count: int) -> None:
    measures = three.runs[0].measures
    waits = (replace(measures, waits=replace(measures.waits, p95=ms)) for ms in (1_000_000, wait_ms))
    effect = effect_of(replace(three, runs=tuple(replace(three.runs[0], measures=each) for each in waits)))
    assert [row.name.partition(",")[0] for row in effect.rows].count("wait for the first container asked for") == count


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


# A scenario carried over to another policy.

CAPACITY = "yarn.scheduler.capacity.root"


def capacities(scenario: Scenario) -> dict[str, float]:
    ends = {key: value for key, value in scenario.settings.items() if key.endswith(".capacity")}
    return {key.removeprefix(f"{CAPACITY}.").removesuffix(".capacity"): float(value) for key, value in ends.items()}


def test_weights_become_capacities() -> None:
    """Children share all of their parent by weight; the pool nobody uses is left out."""
    carried = carried_over(load("reservation-deadlock"), "capacity-3.4")
    found = capacities(carried.scenario)
    assert found == {"adhoc": 14.286, "etl": 42.857, "mining": 28.571, "reports": 14.286}
    assert any(each.startswith("minimum shares of root.etl") for each in carried.dropped)
    assert any("4 queues" in each for each in carried.mapped)


def test_capacities_become_weights_and_largest_capacities_limits() -> None:
    carried = carried_over(load("three-schedulers-capacity"), "fair-3.4")
    long, short = sorted(carried.scenario.queues, key=lambda each: each.name)
    assert (long.name, short.name) == ("long", "short")
    assert long.weight == pytest.approx(4 * (short.weight or 0))
    assert long.max_resources == "81920 mb, 80 vcores"
    assert short.max_resources is None


def test_a_release_keeps_all_but_the_rule_of_reservations() -> None:
    before = load("reservation-deadlock")
    carried = carried_over(before, "fair-3.4")
    assert carried.scenario.queues == before.queues
    assert "schedlab.reservation.rule" not in carried.scenario.settings
    assert len(carried.dropped) == 1


def test_preemption_goes_with_the_family() -> None:
    carried = carried_over(load("preemption-minshare"), "capacity-2.7")
    assert carried.scenario.settings["yarn.resourcemanager.scheduler.monitor.enable"] == "true"


def test_queues_of_the_other_family_hold_where_the_scenario_has_them() -> None:
    before = load("three-schedulers-fifo")
    carried = carried_over(before, "capacity-3.4")
    assert carried.scenario.settings == before.settings
    assert carried.scenario.workload == before.workload


POLICIES = ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4", "capacity-2.7", "capacity-3.4")


@pytest.mark.parametrize("name", ["prod-dev-fair", "node-labels-capacity-3.4", "lifespans-session"])
def test_every_policy_of_yarn_takes_it(name: str) -> None:
    before = load(name)
    for policy in POLICIES:
        _ = build_simulation(carried_over(before, policy).scenario)


def test_other_control_planes_are_not_compared() -> None:
    for name, policy in (("fair-order", "spark"), ("mr1-slots-of-the-wrong-kind", "fair-2.7")):
        with pytest.raises(ConfigError, match="do not run the same applications"):
            carried_over(load(name), policy)


# What queues become under a policy of another family, to the last setting.

CLUSTER = '[cluster]\nnodes = [{ host = "n1", memory = "8g", vcores = 8 }]\n'
FAIR = """
[[queues]]
name = "a"
weight = 3.0
min_resources = "1024 mb, 0 vcores"
[[queues]]
name = "a.x"
[[queues]]
name = "a.y"
weight = 2.0
policy = "fifo"
[[queues]]
name = "b"
max_resources = "2048 mb, 2 vcores"
"""


def scene(scheduler: str, settings: dict[str, str], text: str, *queues: str | None) -> Scenario:
    """A node, these settings, and an application for each of the queues."""
    head = f'duration = "10m"\nscheduler = "{scheduler}"\n[settings]\n'
    rows = "".join(f'"{key}" = "{value}"\n' for key, value in settings.items())
    work = "".join(
        '[[workload]]\ntype = "scripted"\nname = "one"\nuser = "ann"\nasks = [{ memory = "1g" }]\n'
        + ("" if queue is None else f'queue = "{queue}"\n')
        for queue in queues
    )
    return loads(head + rows + CLUSTER + text + work, "scene")


def fair(**settings: str) -> Scenario:
    """Two pools below one, one beside it; applications of three of them, of a new one and of none."""
    return scene("fair-2.7", settings, FAIR, "root.a.x", None, "new", "b")


def test_the_same_policy_is_the_same_scenario() -> None:
    before = fair()
    assert carried_over(before, "fair-2.7") == ConvertedScenario(before)
    assert carried_over(before, "fair-3.4") == ConvertedScenario(before.model_copy(update={"scheduler": "fair-3.4"}))
    judged = load("fair-order")
    assert carried_over(judged, "fair-2.7").scenario.expectations == judged.expectations
    assert carried_over(judged, "fair-3.4").scenario.expectations == ()
