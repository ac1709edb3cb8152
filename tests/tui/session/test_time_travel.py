"""The past on screen: a mode with a banner, where nothing acts but a branch."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.observe.snapshot import Header
from engine.run import Run
from engine.run.run_reader import KeptRun
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption, SetReservationRule
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_text
from tests.tui.small_run import ByHand, by_hand, small_scenario
from tui.app import SchedlabApp
from tui.protocol.picture import DONE, ActResult, SessionState, Track
from tui.session.alert_monitor import EventLog
from tui.session.opening import open_kept
from tui.session.session import Session
from tui.session.time_travel import NOT_HERE


def ran(seconds: int = 60) -> tuple[ByHand, Run]:
    """A session on a run that was played for a while."""
    log = EventLog()
    run = Run(small_scenario(), [log])
    session = ByHand(Session(run, log, paused=True))
    run.advance(seconds * 1000)
    return session, run


def seconds(session: ByHand, run: Run) -> float:
    return (header(session).time_ms - run.scenario.start_ms) / 1000


def header(session: ByHand) -> Header:
    found: Header = session.picture().snapshot.header
    return found


@pytest.mark.parametrize(("where", "words"), [("+9m", "not come yet"), ("noon", "noon")])
def test_a_time_that_is_none_is_told(where: str, words: str) -> None:
    session, run = ran()

    assert words in session.travel(where)
    assert seconds(session, run) == 60


def test_steps_go_back_and_on_by_what_was_recorded() -> None:
    session, run = ran()
    session.travel("back")
    first = seconds(session, run)
    session.travel("back")
    second = seconds(session, run)
    events = session.picture().events
    session.travel("on")
    assert second < first < 60
    assert events[-1].time_ms == run.scenario.start_ms + int(second * 1000)
    assert seconds(session, run) == first
    while session.picture().run.present_ms is not None:
        session.travel("on")
    assert seconds(session, run) == 60


def test_nothing_acts_in_the_past() -> None:
    session, run = ran()
    session.travel("+20s")
    session.toggle_pause()

    assert session.do(SetPreemption(on=True)) == NOT_HERE
    assert session.do(SetReservationRule("off")) == NOT_HERE
    assert (session.is_clock_stopped(), len(run.simulation.acts)) == (True, 1)


def test_a_branch_goes_on_from_the_past() -> None:
    """From before the kill the script is followed again; what came from outside later is gone."""
    session, run = ran()
    run.simulation.act(SetPreemption(on=True))
    session.travel("+20s")

    assert session.branch() == ""
    assert (seconds(session, run), len(run.simulation.acts), session.picture().run.present_ms) == (20, 0, None)
    run.advance(40_000)
    assert (header(session).containers, len(run.simulation.acts)) == (0, 1)
    assert (session.travel("+10s"), seconds(session, run)) == ("", 10)


def test_a_branch_after_a_step_of_the_script_does_not_repeat_it() -> None:
    session, run = ran()
    session.travel("+30s")
    session.branch()
    run.advance(50_000)

    assert len(run.simulation.acts) == 1


@pytest.mark.parametrize("name", ["spark-worker-lost", "fair-two-users"])
def test_the_past_of_a_session_opened_later_begins_at_the_start(name: str) -> None:
    session = by_hand(name, at="+40s", paused=True)
    moment = header(session).time_ms

    assert session.travel("+5s") == ""
    assert header(session).time_ms == moment - 35_000


def test_a_kept_run_is_opened_at_its_end_or_in_its_past(tmp_path: Path) -> None:
    """Its acts are done where they were done, the script is not followed twice, and it can be branched."""
    with RunWriter(tmp_path, "one", small_scenario(), created="") as keeper:
        run = Run(small_scenario(), [keeper])
        run.advance(60_000)
        keeper.finish(run.simulation.now_ms)
    with KeptRun(tmp_path, "one") as kept:
        at_end, in_past = ByHand(open_kept(kept)), ByHand(open_kept(kept, at="+20s"))
        with pytest.raises(ConfigError, match="not come yet"):
            ByHand(open_kept(kept, at="+5m"))

    assert (header(at_end).time_ms, header(at_end).containers) == (run.simulation.now_ms, 0)
    assert (header(in_past).containers, in_past.branch(), at_end.travel("mark.back")) == (3, "", "")
    at_end.travel("live")
    at_end.toggle_pause()
    assert len(at_end.driver.run.simulation.acts) == 1


class Travelled(FakeSession):
    """A session in the past."""

    def __init__(self, **run: Any) -> None:
        super().__init__(present_ms=fakes.NOW + 60_000, paused=True, **run)


async def test_the_past_has_a_banner_keys_that_act_are_off_there_and_esc_leaves_it() -> None:
    session = Travelled()
    app = SchedlabApp(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "P", "S", "K")
        shown = screen_text(app)
        await press(pilot, "escape")

    for words in ("PAST", "09:02:00", "only B acts here"):
        assert words in shown
    assert session.calls == [("travel", "live")]


async def test_the_timeline_is_there_in_the_past_and_can_be_dragged() -> None:
    """A press and a drag each go to the instant under the mouse; the right end is the present."""
    track = Track(fakes.NOW - 60_000, fakes.NOW - 60_000, (fakes.NOW - 30_000,))
    session = Travelled(track=track)
    app = SchedlabApp(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.mouse_down("#track", offset=(7, 0))
        await pilot.hover("#track", offset=(60, 0))
        await pilot.mouse_up("#track", offset=(60, 0))
        await pilot.click("#track", offset=(119, 0))
        await pilot.pause()
        shown = app.screen.query_one("#track").display

    assert shown
    assert session.calls[0] == ("travel", "+0.000s")
    assert session.calls[-1] == ("travel", "live")


class Present(FakeSession):
    """A session to the present of a run that has a past of a minute."""

    async def picture(self) -> SessionState:
        picture = await super().picture()
        track = Track(fakes.NOW - 60_000, fakes.NOW - 60_000, (fakes.NOW - 30_000,))
        return msgspec.structs.replace(picture, run=msgspec.structs.replace(picture.run, track=track))

    async def travel(self, where: str) -> ActResult:
        self.calls.append(("travel", where))
        return DONE


@pytest.mark.parametrize(
    ("size", "calls"), [((120, 40), [("travel", "+0.000s")]), ((80, 24), [("travel", "+0.000s")]), ((79, 24), [])]
)
async def test_the_present_has_a_timeline_where_there_is_room(size: tuple[int, int], calls: list[object]) -> None:
    """A click goes to the instant; one on the present does nothing; a small terminal has no line for it."""
    session = Present()
    app = SchedlabApp(session)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = app.screen.query_one("#track").display
        if shown:
            await pilot.click("#track", offset=(7, 0))
            await pilot.click("#track", offset=(size[0] - 1, 0))
            await pilot.pause()

    assert (shown, session.calls) == (bool(calls), calls)


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("enter", False)])
async def test_a_branch_asks_first(answer: str, is_done: bool) -> None:
    session = Travelled()
    app = SchedlabApp(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await press(pilot, "B")
        await press(pilot, answer)

    assert (("branch",) in session.calls) is is_done
