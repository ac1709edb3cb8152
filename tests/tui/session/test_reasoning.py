"""How an answer grows, piece by piece: what is done, in words, and what is known after each."""

from engine.explain.shared_lookahead import Basis
from engine.run.player import Run
from engine.scenario.acts import KillApplication
from tests.engine.explain.stuck import HALVES, scene
from tests.tui.small_run import ByHand, Wall, small_session
from tui.answers import ACT, CLUSTER, WhySubject
from tui.render.why_remedies import remedies_of
from tui.session.event_log import EventLog
from tui.session.reasoning import (
    AHEAD,
    ASKING,
    FREEING,
    REMEDIES,
    RETURN,
    ROUND,
    TRYING,
    Reasoning,
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
    return Reasoning((session or halves()).session.scene(), subject, basis)


def doings(reasoning: Reasoning) -> list[str]:
    """What was done, in words, each once: until all is known."""
    begin = reasoning.answer.doing
    found = [begin, *(reasoning.answer.doing for _ in reasoning.work())]
    return list(dict.fromkeys(words.partition(":")[0] for words in (*found, reasoning.answer.doing)))


def test_remedies_are_tried_after_what_was_asked() -> None:
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


def test_a_chosen_remedy_is_followed_in_place_of_the_best() -> None:
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
    reasoning = asked(WhySubject("queue", "root"))
    seen = []
    for _ in reasoning.work():
        assert reasoning.answer.place is not None
        seen.append((reasoning.answer.doing, len(reasoning.answer.place.waiting)))

    assert seen == [(ASKING, 0), (ASKING, 1), (ASKING, 2)]
    assert reasoning.answer.doing == ""


def test_an_act_is_tried_on_a_copy() -> None:
    session = halves()
    before = session.driver.run.simulation.world.clock.position
    reasoning = asked(WhySubject(ACT, "", (KillApplication("2"),)), session)
    words = doings(reasoning)
    after = reasoning.answer.aftermath

    assert words == [AHEAD, TRYING, ""]
    assert after is not None
    assert (after.refused, reasoning.answer.time_ms) == ("", session.driver.run.simulation.now_ms)
    assert session.driver.run.simulation.world.clock.position == before


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
