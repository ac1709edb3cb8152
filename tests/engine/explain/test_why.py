"""Answers: reasons with numbers and what decides them, holders, places, and the document made of them."""

import json
from collections.abc import Iterator
from datetime import UTC

import pytest

from engine.explain.counterfactuals import Lookahead
from engine.explain.explainers import explainer_of
from engine.explain.instant import SharedLookahead
from engine.explain.reporting import Reporter, Why, WhyQuestion
from engine.formats.scenario_toml import load
from engine.scenario.acts import KillApplication
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene, why
from tests.gates.bench.starts import scenario_of

SMALL = queue("a", 'max_resources = "4096 mb, 8 vcores"')
GREEDY = app("greedy", '{ memory = "1g", count = 40 }', waits=False)


def first(answer: Why) -> tuple[str, dict[str, int], str]:
    row = answer.obstacles[0]
    return row.code, row.numbers, f"{row.decided_by.key} = {row.decided_by.value}" if row.decided_by else ""


def test_a_queue_at_its_maximum_comes_first() -> None:
    assert first(why(scene(SMALL + GREEDY), 30, 1)) == (
        "QUEUE_OVER_MAXIMUM",
        {"used_mb": 5120, "maximum_mb": 4096, "used_vcores": 5, "maximum_vcores": 8},
        "root.a.maxResources = 4096 mb, 8 vcores",
    )


def test_nodes_are_counted_by_reason() -> None:
    answer = why(scene(HALVES), 60, 1)

    assert [(row.code, row.count, row.of) for row in answer.obstacles] == [("DOES_NOT_FIT", 2, 2)]
    assert answer.obstacles[0].numbers["free_mb"] == 4096
    assert answer.obstacles[0].state == "RE_RESERVED"


@pytest.mark.parametrize(
    ("more", "code", "key"),
    [
        ('\n[queue_defaults]\nuserMaxAppsDefault = "1"\n', "QUEUE_NOT_RUNNING_IT", "user ann.maxRunningApps"),
        (queue("a", "max_running_apps = 1"), "QUEUE_NOT_RUNNING_IT", "root.a.maxRunningApps"),
    ],
)
def test_a_limit_on_running_applications_is_named(more: str, code: str, key: str) -> None:
    found = first(why(scene(more + GREEDY + GREEDY, nodes=8), 30, 2))

    assert (found[0], found[2].split(" = ")[0]) == (code, key)


def test_application_masters_over_their_share_are_named() -> None:
    masters = "".join(app(f"job{n}", '{ memory = "1g" }', at=n, am='{ memory = "3g" }') for n in range(1, 5))
    found = first(why(scene(queue("a", "max_am_share = 0.2") + masters), 30, 2))

    assert (found[0], found[2]) == ("AM_SHARE_EXHAUSTED", "root.a.maxAMShare = 0.2")


def test_holders_say_until_when() -> None:
    ends = app("ends", '{ memory = "8g", count = 2, duration = "2m" }') + app("late", '{ memory = "8g" }', at=9)
    stays = app("stays", '{ memory = "8g", count = 2 }') + app("late", '{ memory = "8g" }', at=9)

    (soon,), (never,) = why(scene(ends), 30, 2).holders, why(scene(stays), 30, 2).holders

    assert (soon.hold.application, soon.never, never.never) == (1, False, True)


def test_who_asks_for_nothing_has_no_verdict() -> None:
    scenario = scene(app("short", '{ memory = "1g", duration = "20s" }'))

    assert [why(scenario, seconds, 1).verdict for seconds in (0.5, 10, 60)] == ["unknown", "none", "ended"]


def test_the_places_tell_who_waits() -> None:
    simulation = at(scene(HALVES), 60)

    assert [each.application for each in explainer_of(simulation).waiting_in_queue("root.a")] == [1, 2]
    assert [len(each.obstacles) for each in explainer_of(simulation).waiting_for_node("n1:8041")] == [1, 1]
    assert list(explainer_of(simulation).waiting_in_queue("root.b")) == []


def test_the_document_has_its_documented_keys() -> None:
    reporter = Reporter(at(scene(HALVES), 0.5).control_plane)
    for seconds in (0.5, 10, 60):
        written = reporter.why(why(scene(HALVES), seconds, 1)).written(UTC)
        assert {"schema", "at", "application", "verdict", "reasons", "expected_start", "holders", "proof"} <= set(
            written
        )


def test_a_closed_world_hears_of_no_later_arrival() -> None:
    ahead = Lookahead(
        at(scene(app("one", '{ memory = "1g", duration = "20s" }') + app("late", '{ memory = "1g" }', at=60)), 10)
    )
    while not ahead.advance():
        pass

    assert (ahead.still, 2 in ahead.first) == (True, False)


def test_spark_is_asked_alike() -> None:
    answer = WhyQuestion(at(load("spark-cores-hoarded"), 600), 2).answer()

    assert (answer.verdict, answer.pattern, answer.obstacles[0].code) == ("blocked", "cores hoarded", "DOES_NOT_FIT")
    assert answer.found is not None
    assert answer.found.proof.ends == (1,)


def test_only_who_was_never_taken_in_is_refused() -> None:
    job = '[[workload]]\ntype = "mapreduce"\nname = "job"\nuser = "ann"\nqueue = "root.a"\nmaps = 1\nfailures = 0.99\n'
    failed = why(scene(job), 600, 1)
    killed = at(scene(app("killed", '{ memory = "1g" }')), 9)
    killed.act(KillApplication(1))

    assert failed.row is not None
    assert (failed.row.state, failed.verdict) == ("FAILED", "ended")
    assert WhyQuestion(killed, 1).so_far().verdict == "ended"
    assert why(scene(queue("a.b") + app("away", '{ memory = "1g" }')), 9, 1).verdict == "refused"


def _whys_of(case: int) -> Iterator[tuple[Simulation, Why]]:
    """The answers about every application of a random cluster, at some instants of its run."""
    scenario = scenario_of(case)
    simulation = build_simulation(scenario)
    for seconds in (40, 200, 500, 900, 1800):
        simulation.run_until(scenario.start_ms + seconds * 1000 + case % 1000)
        basis: SharedLookahead | None = None
        for number in range(1, 30):
            question = WhyQuestion(simulation, number, basis=basis)
            basis = question.basis or basis
            yield simulation, question.answer()


def _check(simulation: Simulation, answer: Why) -> None:
    """An answer names its verdict and only living holders, and can be written down."""
    alive = {each.number for each in simulation.control_plane.view().applications()}

    assert answer.verdict
    assert {holder.hold.application for holder in answer.holders} <= alive - {answer.number}
    assert all("?" not in row.sentence for row in answer.obstacles)
    assert json.dumps(Reporter(simulation.control_plane).why(answer).written(UTC))


@pytest.mark.long
@pytest.mark.parametrize("case", range(3))
def test_every_application_can_be_asked_about_at_any_instant(case: int) -> None:
    """Under every policy, also those that ended, were refused or are not there; nothing fails."""
    for simulation, answer in _whys_of(case):
        _check(simulation, answer)


@pytest.mark.long
@pytest.mark.parametrize("case", range(3, 203))
def test_two_hundred_random_runs_can_be_asked_about(case: int) -> None:
    for simulation, answer in _whys_of(case):
        _check(simulation, answer)


def test_that_it_never_starts_is_told_before_who_keeps_what_it_needs() -> None:
    """Every one of them takes a closed world of its own; the verdict stays what it was."""
    question = WhyQuestion(
        at(scene(app("holder", '{ memory = "8g", count = 2 }') + app("late", '{ memory = "8g" }', at=10)), 30), 2
    )
    while not question.so_far().verdict:
        assert not question.advance()
    early, answer = question.so_far(), question.answer()

    assert (early.verdict, early.holders, early.found and early.found.proof.ends) == ("blocked", (), ())
    assert (answer.verdict, [each.hold.application for each in answer.holders]) == ("blocked", [1])
