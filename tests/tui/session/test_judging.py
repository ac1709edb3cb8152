"""Expectations are judged at the end of a run, as it went."""

from engine.formats.scenario_toml import load
from engine.run import Run, play
from tests.tui.small_run import by_hand
from tui.protocol.picture import ExpectationResult
from tui.session.keeping import ExpectationReplay

NAME = "spark-spread-out"


def _judged(run: Run) -> tuple[ExpectationResult, ...]:
    judging = ExpectationReplay(run.scenario, run.simulation.acts, run.until_ms)
    assert judging.work(lambda: False)
    return judging.results()


def test_a_run_nobody_touched_is_judged_as_play_judges_it() -> None:
    """The same verdicts at the same instants, whether a script acts or nobody does."""
    for name in (NAME, "spark-no-worker-large-enough"):
        scenario = load(name)
        run = Run(scenario, is_judged=False)
        run.advance(run.until_ms)

        expected = [(one.verdict, one.time_ms) for one in play(scenario).results]
        start_ms = scenario.start_ms

        assert [(one.verdict, (one.time_ms or 0) - start_ms) for one in _judged(run)] == expected


def test_a_session_tells_how_the_expectations_came_out_when_it_has_ended() -> None:
    session = by_hand(NAME, at="+1m")
    before = session.picture().run.judged
    session.driver.run.advance(session.driver.run.until_ms)
    for _ in range(2000):
        session.slice()
        if session.picture().run.judged:
            break
    judged = session.picture().run.judged
    session.travel("+90s")
    session.branch()

    assert before == ()
    assert {one.verdict for one in judged} == {"met"}
    assert session.picture().run.judged == ()
