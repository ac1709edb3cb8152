"""The incident: when its deadlock forms, how it comes round, and until when it could have been prevented."""

import pytest

from engine.explain.alerts import Alerts, FreezeDetector
from engine.explain.instant import instant_of, longest_wait
from engine.explain.point_of_no_return import Search
from engine.explain.remedy import remedy_sentence
from engine.explain.reporting import WhyQuestion
from engine.formats.scenario_toml import load
from engine.observe.journal import Fingerprint
from engine.run import play
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.timeline import Timeline
from tests.engine.explain.stuck import HALVES, at, scene

SCENARIO = "reservation-deadlock"
FORMED_MS = 2_090_547
"""The last allocation before the silence, 09:04:50.547 [ms after the start]."""


def _alerts(name: str, until_ms: int) -> list[tuple[str, str, str, int, int]]:
    scenario = load(name)
    alerts = Alerts()
    play(scenario, until_ms, [alerts], watched=alerts.look)
    start_ms = scenario.start_ms
    return [(each.kind, each.verdict, each.pattern, each.since_ms - start_ms, each.found_ms) for each in alerts.all]


@pytest.mark.long
def test_the_incident_is_told_within_a_second_of_its_forming() -> None:
    found = _alerts(SCENARIO, 3_600_000)

    assert [each[:4] for each in found] == [("frozen", "deadlocked", "reservation deadlock", FORMED_MS)]
    assert 0 < found[0][4] - load(SCENARIO).start_ms - FORMED_MS <= 1000


@pytest.mark.long
@pytest.mark.parametrize("variant", ["rule-off", "rule-limited", "small-maximum", "big-nodes"])
def test_its_near_twins_are_silent(variant: str) -> None:
    assert _alerts(f"{SCENARIO}-{variant}", 3_600_000) == []


@pytest.mark.parametrize(("at_ms", "verdict"), [(FORMED_MS - 1, "starving"), (FORMED_MS, "deadlocked")])
def test_the_verdict_turns_at_the_instant_it_forms(at_ms: int, verdict: str) -> None:
    simulation = instant_of(load(SCENARIO), at_ms).simulation

    assert WhyQuestion(simulation, 183_354).answer().verdict == verdict


@pytest.mark.long
def test_the_cycle_is_that_of_the_incident() -> None:
    """The weekly job waits for what holders keep, and they for what is reserved for it."""
    found = WhyQuestion(instant_of(load(SCENARIO), 5_400_000).simulation, 183_354).answer().found
    assert found is not None

    steps = [(step.application, step.holder, step.because.name) for step in found.proof.cycle]

    assert steps == [(183_354, 183_314, "DOES_NOT_FIT"), (183_314, 183_354, "NODE_RESERVED")]


@pytest.mark.long
def test_the_point_of_no_return_is_the_instant_it_forms() -> None:
    """Until then a kill of the weekly job or no reservations at all would have done; other kills only for seconds."""
    scenario = load(SCENARIO)
    past, start_ms = Timeline(build_simulation(scenario)), scenario.start_ms
    past.follow([], start_ms + FORMED_MS + 10_000)
    search = Search(past, start_ms + FORMED_MS, past.now_ms)
    while not search.advance(100):
        assert search.tried <= (search.of or 0)

    found = search.answer()

    assert (found.formed_ms - start_ms, found.latest_ms) == (FORMED_MS, start_ms + FORMED_MS)
    assert search.tried == search.of
    assert found.inevitable_ms - start_ms == 1_825_000
    assert {remedy_sentence(rescue.remedy) for rescue in found.remedies[:3]} == {
        "kill application 183354 (pyspark weekly model)",
        "set the reservation rule to limited",
        "set the reservation rule to off",
    }
    assert all(rescue.latest_ms - start_ms < 1_850_000 for rescue in found.remedies[3:])


@pytest.mark.long
def test_watching_changes_no_byte_of_the_journal() -> None:
    prints = []
    for is_watched in (True, False):
        alerts, fingerprint = Alerts(), Fingerprint()
        play(load(SCENARIO), 2_400_000, [fingerprint, alerts], watched=alerts.look if is_watched else None)
        prints.append(fingerprint.hexdigest())

    assert prints[0] == prints[1]


@pytest.mark.long
def test_a_finished_application_is_asked_about_in_its_longest_wait() -> None:
    found = longest_wait(load(SCENARIO), "183320")
    assert found is not None

    assert WhyQuestion(found.simulation, 183_320, found.facts).answer().verdict == "deadlocked"


def test_the_last_round_tells_what_the_scheduler_said() -> None:
    facts = instant_of(load("delay-scheduling"), 41_000).facts

    assert {fact.code for fact in facts.of(3)} <= {"DELAY_SCHEDULING", "DOES_NOT_FIT"}


@pytest.mark.parametrize(("number", "keepers"), [(10, (1,)), (16, (1, 2, 3)), (20, (1,))])
def test_the_recorded_incident_is_blocked_and_not_deadlocked(number: int, keepers: tuple[int, ...]) -> None:
    """Services keep every node from ever having 64000 MB; those are named whose end would help who is asked about."""
    answer = WhyQuestion(instant_of(load(f"{SCENARIO}-recorded"), 60_000).simulation, number).answer()

    assert answer.found is not None
    assert (answer.verdict, answer.found.proof.ends) == ("blocked", keepers)


def test_it_formed_no_sooner_than_the_last_act() -> None:
    simulation = at(scene(HALVES), 60)
    formed_ms = []
    for acts in (False, True):
        other = FreezeDetector()
        simulation.listeners.append(other)
        if acts:
            simulation.act(SetPreemption(False))
        simulation.run_until(simulation.now_ms + 10_000)
        assert other.look(simulation)
        formed_ms.append(other.formed_ms)

    assert formed_ms[1] == simulation.now_ms - 10_000
    assert formed_ms[0] is not None
    assert formed_ms[0] < simulation.now_ms - 20_000
