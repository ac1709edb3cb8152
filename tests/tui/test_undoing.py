"""The line of an act below the header, and the key that undoes it."""

import msgspec
import pytest

from engine.scenario.acts import DrainNode
from tests.tui.fake_session import FakeSession
from tests.tui.fakes import NOW, frozen_cluster
from tests.tui.screen_text import screen_lines, screen_text, until
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.panes.line import RenderContext, flat
from tui.panes.pulse import ActLine, act_facts
from tui.protocol.picture import EventRow, RunState, SessionState, Track


def _line(app: SchedlabApp) -> str:
    return next((line for line in screen_lines(app) if "u undo" in line and "Killed" in line), "")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_u_goes_on_from_just_before_the_act(size: tuple[int, int]) -> None:
    """What was killed runs again, the act is not an act of the run any more, and the line is gone."""
    session = by_hand("reservation-deadlock", at="08:40", paused=True)
    running = session.picture().snapshot.header.applications_running
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=size) as pilot:
        await pilot.press("K", "y")
        await pilot.pause()
        killed, line = session.picture().snapshot.header.applications_running, _line(app)
        at_row = screen_lines(app).index(line)
        await pilot.press("u")
        await until(pilot, lambda: "Undone" in screen_lines(app)[-1] and not _line(app))
        after = session.picture()

    assert (killed, after.snapshot.header.applications_running) == (running - 1, running)
    assert (at_row, line.lstrip("-= ")[:11], "u undo" in line) == (4, "K  08:40:00", True)
    assert (after.run.present_ms, after.run.track is not None and dict(after.run.track.acts)) == (None, {})


async def test_u_and_redo_go_back_and_forth_and_mean_nothing_else() -> None:
    """Undone, the act comes back with all that came of it; a second u tells that there is no other act."""
    session = by_hand("reservation-deadlock", at="08:40", paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("K", "y")
        await pilot.pause()
        await pilot.press("t", "t")
        await pilot.pause()
        before = session.picture()
        await pilot.press("u")
        await until(pilot, lambda: "Undone" in screen_lines(app)[-1])
        await pilot.press("u")
        await until(pilot, lambda: "no act to undo" in screen_lines(app)[-1])
        twice = screen_lines(app)[-1]
        await pilot.press("ctrl+r")
        await until(pilot, lambda: _line(app))
        after = session.picture()

    assert "There is no act to undo; ctrl+r brings back what was undone" in twice
    assert after.snapshot.header == before.snapshot.header
    assert after.run.track is not None
    assert after.run.track == before.run.track


async def test_many_acts_have_one_line_with_their_number() -> None:
    acts = {NOW: "DrainNode"}
    session = FakeSession(track=Track(NOW - 60_000, NOW - 60_000, acts=acts))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("3", "asterisk", "D", "y")
        await pilot.pause()
        line = next(line for line in screen_lines(app) if "u undo" in line and "Draining" in line)
        await pilot.press("u")
        await until(pilot, lambda: ("branch",) in session.calls)

    count = sum(isinstance(call[1], DrainNode) for call in session.calls if call[0] == "do")
    assert f"Draining {count}" in line
    assert session.calls[-2:] == [("travel", "+59.999s"), ("branch",)]


@pytest.mark.parametrize(("size", "is_told"), [((80, 24), True), ((80, 23), False)])
async def test_an_act_tells_what_it_changed_and_what_came_since(size: tuple[int, int], is_told: bool) -> None:
    session = by_hand("reservation-deadlock", at="10:30", paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=size) as pilot:
        await pilot.press("K", "y")
        await pilot.pause()
        words = screen_text(app)

    assert ("changed   1 container ended, 11 reservations dropped" in words) == is_told
    assert ("u         back to just before 10:30:00" in words) == is_told


def test_what_was_given_since_an_act_is_counted_from_the_next_instant_on() -> None:
    """What came with the act is what it changed; without its record nothing is told."""
    events = [
        EventRow(place, NOW + late_ms, kind, {"container": (place, 1, 1)})
        for place, (late_ms, kind) in enumerate([(0, "Acted"), (0, "Killed"), (1, "Allocated"), (2, "Allocated")])
    ]
    picture = SessionState(frozen_cluster(time_ms=NOW + 2), RunState("x"), events, 0)
    look = RenderContext(NOW + 2, ("memory_mb", "vcores"), (1, 1))
    lines = [flat(line) for line in act_facts(ActLine("K", NOW, "Killed"), None, picture, look, 120)]

    assert lines[0].strip() == "changed   1 container ended; since then 2 containers given to 2 applications"
    assert (
        act_facts(ActLine("K", NOW, "Killed"), None, msgspec.structs.replace(picture, events=events[1:]), look, 120)
        == []
    )
