"""Graphs on the board: what a session keeps for them, and what is to be seen."""

from pathlib import Path

from engine.run.keeping import Keeper
from engine.run.kept import KeptRun
from engine.run.player import Run
from tests.tui.test_past import ran
from tests.tui.test_session import _scenario
from tui.opening import open_kept, open_session
from tui.picture import Graphs
from tui.render.trace import Trace, traces
from tui.session import Session


def graphs(session: Session) -> Graphs:
    """What the picture has for them."""
    found = session.picture().graphs
    assert found is not None
    return found


def trace(session: Session, key: str) -> Trace:
    """One series since the beginning, as the picture has it."""
    now_ms = session.picture().snapshot.header.time_ms
    return next(each for each in traces(graphs(session), now_ms, None) if each.key == key)


def test_the_past_shows_what_was_known_then() -> None:
    """At 20 s three containers run and nothing is known of 30 s, when they were killed."""
    session, run = ran()
    now = trace(session, "containers")
    session.travel("+20s")
    past = trace(session, "containers")

    assert (now.now, now.extremes.high) == (0, 3)
    assert (past.now, past.until_ms) == (3, run.scenario.start_ms + 20_000)
    assert past.at(run.scenario.start_ms + 40_000) == 3
    assert graphs(session).history.cluster.times[-1] > run.scenario.start_ms + 20_000


def test_looking_at_the_past_leaves_the_present_as_it_was() -> None:
    """Back in the present the series are the same."""
    session, _ = ran()
    before = (list(graphs(session).history.cluster.times), trace(session, "containers").points)
    session.travel("+20s")
    _ = session.picture()
    session.travel("live")

    assert (list(graphs(session).history.cluster.times), trace(session, "containers").points) == before


def test_a_branch_has_a_history_of_its_own() -> None:
    """What came after the instant is forgotten; what comes now is noted."""
    session, run = ran()
    session.travel("+20s")
    assert session.branch() == ""
    cut = list(graphs(session).history.cluster.times)
    run.advance(60_000)
    after = trace(session, "containers")

    assert cut[-1] <= run.scenario.start_ms + 20_000
    assert (after.now, after.extremes.high) == (0, 3)
    assert len(graphs(session).history.cluster) > len(cut)


def test_marks_are_those_of_the_run() -> None:
    """The operator's kill at 30 s is one."""
    session, run = ran()

    assert graphs(session).marks == (run.scenario.start_ms + 30_000,)
    assert graphs(session).start_ms == run.scenario.start_ms


def test_what_was_played_before_is_known() -> None:
    """A session that begins at an hour has the series from the start on, alerts marked."""
    session = open_session("reservation-deadlock", at="09:10", paused=True)
    reserved = trace(session, "reservations")

    assert (reserved.now, reserved.extremes.low) == (12, 0)
    assert reserved.since_ms == graphs(session).start_ms
    assert len(graphs(session).marks) > 0
    assert "root.report" not in graphs(session).history.queues
    assert trace(session, "root.etl").now > 0


def test_a_kept_run_has_its_series(tmp_path: Path) -> None:
    """Replayed to its end, they are there."""
    with Keeper(tmp_path, "one", _scenario(), created="") as keeper:
        run = Run(_scenario(), [keeper])
        run.advance(60_000)
        keeper.finish(run.simulation.now_ms)
    with KeptRun(tmp_path, "one") as kept:
        session = open_kept(kept)

    assert trace(session, "containers").extremes.high == 3
