"""How an answer grows, piece by piece: what is done, in words, and what is known after each."""

from collections.abc import Sequence

import pytest

from engine.explain.remedy import remedy_sentence
from engine.explain.shared_lookahead import Basis
from engine.model.decision import Allocated
from engine.run.player import Run
from engine.scenario.acts import KillApplication
from engine.simulation.record_log import NumberedRecord
from engine.simulation.records import Draining
from tests.engine.explain.stuck import HALVES, scene
from tests.tui.small_run import ByHand, Wall, small_session
from tui.answers import ACT, CLUSTER, WhyAnswer, WhySubject
from tui.render.why_remedies import remedies_of
from tui.session.event_log import EventLog
from tui.session.reasoning import (
    AHEAD,
    ASKING,
    FREEING,
    NOT_WAITING,
    REMEDIES,
    RETURN,
    ROUND,
    TRYING,
    Reasoning,
    facts_of,
    settled,
)
from tui.session.session import Session

FIRST = WhySubject("application", "1")


def halves(seconds: int = 60) -> ByHand:
    """Two applications that hold half of every node and want another half."""
    log = EventLog()
    run = Run(scene(HALVES), [log])
    session = ByHand(Session(run, log, paused=True, wall=Wall()))
    run.advance(seconds * 1000)
    return session


def asked(subject: WhySubject, session: ByHand | None = None, basis: Basis | None = None) -> Reasoning:
    """A question about them."""
    return Reasoning((session or halves()).session.scene(), subject, basis)


def doings(reasoning: Reasoning) -> list[str]:
    """What was done, in words, each once: until all is known."""
    begin = reasoning.answer.doing
    found = [begin, *(reasoning.answer.doing for _ in reasoning.work())]
    return list(dict.fromkeys(words.partition(":")[0] for words in (*found, reasoning.answer.doing)))


def test_before_any_work_only_the_question_is_known() -> None:
    """At the instant looked at, by the clock of the cluster's people."""
    session = halves()
    reasoning = asked(FIRST, session)
    driver = session.driver

    assert reasoning.answer == WhyAnswer(FIRST, driver.run.simulation.now_ms, driver.state.offset_ms, doing=AHEAD)
    assert (reasoning.basis, reasoning.search) == (None, None)


def test_an_application_is_simulated_ahead_and_its_end_tried() -> None:
    """Then nothing is left to do."""
    assert doings(asked(FIRST)) == [AHEAD, ROUND, FREEING, ""]


def test_remedies_are_tried_after_what_was_asked() -> None:
    """Of a deadlock also the last moment of each."""
    reasoning = asked(FIRST)
    assert reasoning.ask_remedies() == ""
    words = doings(reasoning)

    assert words[:4] == [AHEAD, ROUND, FREEING, REMEDIES]
    assert RETURN in words
    assert words[-1] == ""
    assert reasoning.answer.why is not None
    assert reasoning.answer.why.would_help is not None
    assert reasoning.answer.why.aftermath is not None
    assert reasoning.answer.why.aftermath.number == 1


def test_how_many_were_tried_is_told() -> None:
    """Up to all of them."""
    reasoning = asked(WhySubject(CLUSTER, ""))
    told = [reasoning.answer.doing for _ in reasoning.work()]
    counted = [words for words in told if words.startswith(f"{REMEDIES}: ")]
    plan = reasoning.answer.plan

    assert plan is not None
    assert counted == sorted(counted, key=lambda words: int(words.split()[2]))
    assert {words.rpartition(" ")[2] for words in counted} == {str(plan.of)}


def test_what_was_found_for_one_question_is_used_for_the_next() -> None:
    """At the same instant; the answer is the same as without."""
    session = halves()
    first = asked(FIRST, session)
    alone = doings(first)
    second = asked(WhySubject("application", "2"), session, first.basis)
    _ = doings(second)
    fresh = asked(WhySubject("application", "2"), session)
    _ = doings(fresh)

    assert alone[-1] == ""
    assert first.basis is not None
    assert second.answer == fresh.answer


def test_remedies_are_for_who_waits_and_for_the_cluster() -> None:
    """Asked twice they are tried once."""
    waits, place, cluster = asked(FIRST), asked(WhySubject("queue", "root")), asked(WhySubject(CLUSTER, ""))
    refusals = [one.ask_remedies() for one in (waits, place, cluster)]
    _ = doings(waits)
    tried = waits.answer
    again = waits.ask_remedies()
    _ = doings(waits)

    assert refusals == ["", NOT_WAITING, ""]
    assert (again, waits.answer) == ("", tried)


@pytest.mark.parametrize("number", [0, 99])
def test_a_remedy_that_is_not_there_is_not_followed(number: int) -> None:
    """In words."""
    reasoning = asked(WhySubject(CLUSTER, ""))
    _ = doings(reasoning)

    assert reasoning.ask_aftermath(number) == f"There is no remedy {number}."


def test_a_chosen_remedy_is_followed_in_place_of_the_best() -> None:
    """Each by its number."""
    reasoning = asked(WhySubject(CLUSTER, ""))
    _ = doings(reasoning)
    best = reasoning.answer.aftermath
    last = remedies_of(reasoning.answer.plan)[-1]
    assert reasoning.ask_aftermath(last.number) == ""
    _ = doings(reasoning)
    chosen = reasoning.answer.aftermath

    assert best is not None
    assert chosen is not None
    assert (best.number, chosen.number, chosen.remedy) == (1, last.number, last.remedy)
    assert reasoning.answer.doing == ""


def test_who_waits_at_a_place_is_found_one_by_one() -> None:
    """First that there is such a place."""
    reasoning = asked(WhySubject("queue", "root"))
    seen = []
    for _ in reasoning.work():
        assert reasoning.answer.place is not None
        seen.append((reasoning.answer.doing, len(reasoning.answer.place.waiting)))

    assert seen == [(ASKING, 0), (ASKING, 1), (ASKING, 2)]
    assert reasoning.answer.doing == ""


def test_an_act_is_tried_on_a_copy() -> None:
    """At the instant looked at, which stays as it is."""
    session = halves()
    before = session.driver.run.simulation.world.clock.position
    reasoning = asked(WhySubject(ACT, "", (KillApplication("2"),)), session)
    words = doings(reasoning)
    after = reasoning.answer.aftermath

    assert words == [AHEAD, TRYING, ""]
    assert after is not None
    assert (after.refused, reasoning.answer.time_ms) == ("", session.driver.run.simulation.now_ms)
    assert session.driver.run.simulation.world.clock.position == before


def test_the_names_of_those_in_a_proof_are_told() -> None:
    """By their ids."""
    reasoning = asked(FIRST)
    _ = doings(reasoning)
    why = reasoning.answer.why

    assert why is not None
    assert why.proof is not None
    assert set(reasoning.answer.names) == {step.application for step in why.proof.cycle}
    assert set(reasoning.answer.names.values()) == {"first", "second"}


def test_what_frees_others_is_told_of_who_holds_something() -> None:
    """Its own end is the remedy."""
    reasoning = asked(FIRST)
    _ = doings(reasoning)
    freeing = reasoning.answer.freeing

    assert freeing is not None
    assert [remedy_sentence(each.remedy) for each in freeing.remedies] == ["kill application 1 (first)"]


@pytest.mark.parametrize(
    ("times", "until_ms", "found"),
    [((1, 2, 3), 3, [1, 2, 3]), ((1, 2, 3), 2, [1, 2]), ((1, 2, 2, 3), 2, [1, 2, 2]), ((1, 2), 0, []), ((), 9, [])],
)
def test_facts_are_those_up_to_the_end_of_an_instant(times: Sequence[int], until_ms: int, found: list[int]) -> None:
    """Only what was given; other records are none."""
    given = [NumberedRecord(n, at, Allocated((1, 1, n), "n1:1", 1, 1024, 1)) for n, at in enumerate(times)]
    others = [NumberedRecord(9, at, Draining("n1:1")) for at in times]
    events = sorted([*given, *others], key=lambda event: event.time_ms)

    assert [at for at, _ in facts_of(events, until_ms).allocated] == found


def test_a_run_between_two_instants_is_asked_as_it_is() -> None:
    """Within one, a copy that has ended it is asked; the run stays where it is."""
    session, run, _ = small_session()
    run.advance(1_000)
    simulation = run.simulation
    between = settled(simulation)
    while simulation.next_event_ms() != simulation.now_ms:
        simulation.step()
    before = simulation.world.clock.position
    copy = settled(simulation)

    assert between is simulation
    assert copy is not simulation
    assert (copy.now_ms, copy.next_event_ms() != copy.now_ms) == (simulation.now_ms, True)
    assert (simulation.world.clock.position, session.driver.run.simulation) == (before, simulation)
