"""Verdicts: each with a scenario that earns it, and a near-twin that does not."""

import pytest

from engine.explain.alert import LONG_MS
from engine.explain.recent_decisions import RecentDecisions
from engine.explain.verdict_search import PASSED
from engine.explain.why_question import WhyQuestion
from engine.model.decision import Allocated
from engine.simulation.build import build_simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene, verdict_on, why
from tests.engine.simulation.scenes import Log

EACH_NODE = '{{ memory = "3g", hosts = ["{}"], relax = false, duration = "40m" }}'
FOREVER = '{ memory = "8g", count = 2 }'


def test_who_is_served_when_others_end_is_waiting() -> None:
    scenario = scene(app("holder", '{ memory = "8g", count = 2, duration = "2m" }') + app("late", FOREVER, at=10))
    found, _ = verdict_on(scenario, 30, 2)
    simulation = at(scenario, 30)
    log = Log()
    simulation.listeners.append(log)
    simulation.run_until(scenario.start_ms + 600_000)

    assert found.verdict == "waiting"
    assert found.expected_start_ms == next(
        time_ms for time_ms, each in log.entries if isinstance(each, Allocated) and each.container[0] == 2
    )


def test_who_waits_for_holders_that_wait_for_nothing_is_blocked() -> None:
    found, _ = verdict_on(scene(app("holder", FOREVER) + app("late", FOREVER, at=10)), 30, 2)

    assert (found.verdict, found.proof.ends, found.expected_start_ms) == ("blocked", (1,), None)


def test_who_wait_for_each_other_are_deadlocked() -> None:
    found, _ = verdict_on(scene(HALVES), 60, 1)

    assert found.verdict == "deadlocked"
    assert [(step.application, step.holder) for step in found.proof.cycle] == [(1, 2), (2, 1)]
    assert found.proof.allocations == 0
    assert found.proof.still


def test_one_that_needs_less_breaks_the_cycle() -> None:
    report = why(scene(HALVES.replace('priority = 2, memory = "6g"', 'priority = 2, memory = "4g"')), 60, 1)

    assert report.verdict != "deadlocked"


def test_keepers_that_want_more_are_not_deadlocked() -> None:
    """Whoever would not end whatever he was given is nobody a deadlock could be about."""
    greedy = app("greedy", '{ memory = "4g", count = 9 }', waits=False)
    found, _ = verdict_on(scene(greedy + greedy), 60, 2)

    assert found.verdict == "blocked"


def test_what_no_node_could_hold_is_impossible() -> None:
    found, pattern = verdict_on(scene(app("huge", '{ memory = "12g" }'), memory="8g"), 30, 1)

    assert (found.verdict, pattern) == ("impossible", "ask above every node")
    assert [row.code for row in found.proof.bound] == ["NODE_TOO_SMALL"]


def test_what_its_queue_could_never_hold_is_impossible() -> None:
    """Though nodes are free; it was given one more than the maximum holds, as 2.7 looks before it gives."""
    small = queue("a", 'max_resources = "4096 mb, 4 vcores"')
    found, _ = verdict_on(
        scene(small + app("three", '{ memory = "3g", count = 2 }, { priority = 2, memory = "3g" }')), 30, 1
    )

    assert found.verdict == "impossible"


def test_who_is_passed_by_later_ones_is_starving() -> None:
    """A large ask waits while small ones that came later are served, as nobody keeps room for it."""
    small = app("small", '{ memory = "2g", duration = "30s" }', at=20, queue="root.b", waits=False).replace(
        "asks =", "repeat = { times = 200, every = 5 }\nasks ="
    )
    large = app("large", '{ memory = "10g", duration = "1m" }', at=10)
    busy = app("busy", ", ".join(EACH_NODE.format(host) for host in ("n1", "n2")), waits=False)
    off = '"schedlab.reservation.rule" = "off"\n"yarn.scheduler.fair.assignmultiple" = true'
    found, _ = verdict_on(scene(busy + large + small, settings=off), 600, 2)

    assert found.verdict == "starving"
    assert found.proof.passed_by


@pytest.mark.parametrize(("left_ms", "verdict"), [(LONG_MS, "waiting"), (LONG_MS + 1, "starving")])
@pytest.mark.parametrize(("passed", "is_enough"), [(PASSED - 1, False), (PASSED, True)])
def test_who_was_passed_often_and_has_still_long_to_wait_is_starving(
    left_ms: int, verdict: str, passed: int, is_enough: bool
) -> None:
    holder = app("holder", '{ memory = "8g", count = 2, duration = "5m" }')
    scenario = scene(holder + app("late", FOREVER, at=10) + app("later", FOREVER, at=11))
    start_ms = verdict_on(scenario, 30, 2)[0].expected_start_ms
    assert start_ms is not None
    simulation, facts = at(scenario, (start_ms - left_ms - scenario.start_ms) / 1000), RecentDecisions()
    given = Allocated((3, 1, 1), "n1:8041", 1, 1024, 1, "OFF_SWITCH")
    facts.on_records(start_ms - left_ms, [given] * passed)

    found = WhyQuestion(simulation, 2, facts).answer()

    assert (found.verdict, found.expected_start_ms) == (verdict if is_enough else "waiting", start_ms)
    assert (found.proof and found.proof.still) is False


@pytest.mark.long
def test_a_question_leaves_the_journal_as_it_was() -> None:
    scenario = scene(HALVES)
    asked, unasked = Log(), Log()
    simulation = build_simulation(scenario, [asked])
    for second in range(1, 90):
        simulation.run_until(scenario.start_ms + second * 1000)
        for number in (1, 2):
            WhyQuestion(simulation, number).answer()
    other = build_simulation(scenario, [unasked])
    other.run_until(scenario.start_ms + 89_000)

    assert asked.journal == unasked.journal
