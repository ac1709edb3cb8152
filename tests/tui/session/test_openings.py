"""Sessions as they are opened: their speed, their alerts so far, and the name of a twin."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.run.player import Run
from engine.run.run_reader import KeptRun
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from tests.tui.session.test_live_questions import FAIR
from tests.tui.small_run import SMALL, ByHand, by_hand, now, small_scenario
from tui.commands.twin_options import NO_FILES
from tui.session.opening import TwinOpener, open_kept, says_nothing


@pytest.mark.parametrize(("duration", "speed"), [("10m", 10.0), ("60m", 10.0), ("3600001ms", 60.0), ("5h", 60.0)])
def test_a_scenario_of_hours_runs_faster(duration: str, speed: float, tmp_path: Path) -> None:
    """Where no speed is named; one of an hour is still one of minutes."""
    path = tmp_path / "x.toml"
    path.write_text(SMALL.replace("10m", duration))

    assert by_hand(str(path)).state.speed == speed
    assert by_hand(str(path), speed=3.0).state.speed == 3.0


def test_it_stands_where_it_is_told(tmp_path: Path) -> None:
    """At the begin of the scenario where nothing is said, running."""
    path = tmp_path / "x.toml"
    path.write_text(SMALL)
    first, later = by_hand(str(path)), by_hand(str(path), at="+20s", paused=True)

    assert (first.driver.run.now_ms, first.state.paused) == (0, False)
    assert (later.driver.run.now_ms, later.state.paused) == (20_000, True)


def test_what_was_wrong_on_the_way_is_known_and_marked() -> None:
    """As if somebody had watched."""
    session = by_hand("pattern-user-limit", at="+60s", paused=True)
    session.driver._find_alerts()
    alerts = session.driver.alerts.all

    assert [alert.words for alert in alerts] == ["user limit: 0002 is never given what it asks for"]
    assert {alert.since_ms for alert in alerts} <= set(session.picture().run.track.marks)


def test_a_kept_run_stands_where_it_ended(tmp_path: Path) -> None:
    """Paused, with its acts; further acts count from there."""
    with RunWriter(tmp_path, "one", small_scenario(), created="") as keeper:
        run = Run(small_scenario(), [keeper])
        run.advance(10_000)
        _ = run.simulation.act(SetPreemption(on=True))
        keeper.sync()
        run.advance(12_500)
        keeper.finish(run.simulation.now_ms)
    with KeptRun(tmp_path, "one") as kept:
        session = ByHand(open_kept(kept))
        with pytest.raises(ConfigError) as caught:
            _ = open_kept(kept, at="+13s")

    assert (session.driver.run.now_ms, session.state.paused, session.state.speed) == (12_500, True, 10.0)
    assert [type(act) for _, act in session.driver.run.simulation.acts] == [SetPreemption]
    assert session.picture().snapshot.header.preemption
    assert [(problem.key, problem.message) for problem in caught.value.problems] == [
        ("--at", "+13s has not come yet."),
    ]
    assert session.picture().run.judged == ()


def test_a_twin_is_called_as_the_instant_it_is_of() -> None:
    """By the clock of the cluster's people; it stands, and says what it assumes."""
    opener = TwinOpener("rm1", lambda: FAIR, NO_FILES.configuration, offset_ms=3_600_000)
    opened = now(opener.open(""))
    session = opened.connection
    state = now(session.pictures.picture()).run
    seconds = FAIR.header.time_ms // 1000 % 86_400 + 3_600
    clock = f"{seconds // 3600:02d}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"

    assert state.name == state.title
    assert state.name.startswith("TWIN of rm1 at ")
    assert state.name.endswith(clock)
    assert (state.paused, state.offset_ms) == (True, 3_600_000)
    assert len(opened.assumed) > 1
    assert all(opened.assumed)


def test_words_that_mean_nothing_make_no_twin() -> None:
    """Nor is anything asked of it."""
    opener = TwinOpener("rm1", lambda: FAIR, NO_FILES.configuration)

    assert now(says_nothing()) is None
    with pytest.raises(ConfigError):
        now(opener.open("whatever"))


def test_a_twin_is_frozen_where_nothing_starts_any_more() -> None:
    """Of the recorded cluster, whose nodes are all held: if what runs runs on; not if it ends."""
    opener = TwinOpener("rm1", lambda: FAIR, NO_FILES.configuration)
    name = now(now(opener.open("")).connection.pictures.picture()).run.name
    seconds = FAIR.header.time_ms // 1000 % 86_400

    assert (now(opener.is_frozen("forever")), now(opener.is_frozen(""))) == (True, False)
    assert name.endswith(f"{seconds // 3600:02d}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}")
