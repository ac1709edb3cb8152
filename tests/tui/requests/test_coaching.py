"""The demonstration and the tour: what is said, when it goes on, how it ends."""

from pathlib import Path
from typing import Any

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.screens.lessons import DEMO, LESSONS, TOUR

FROZEN = Alert("frozen", fakes.NOW, fakes.NOW, "nothing moves")


def _app(session: FakeSession, lesson: str, **options: Any) -> SchedlabApp:
    return SchedlabApp(session, lesson=lesson, ascii_only=True, **options)


async def test_the_demonstration_stops_when_the_cluster_has_frozen_and_says_what_to_try() -> None:
    session = FakeSession()
    app = _app(session, "demo")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = screen_text(app)
        session.change(alerts=(FROZEN,))
        await pilot.pause()
        after = screen_text(app)
        session.change(paused=False)
        await pilot.pause()

    assert DEMO.steps[0].lines[0] in before
    assert all(line in after for line in DEMO.steps[1].lines)
    assert session.calls == [("toggle_pause",)]


async def test_escape_closes_the_demonstration_for_ever(tmp_path: Path) -> None:
    """A file says so, and whoever knows of it shows nothing, but the clock still stops."""
    mark = tmp_path / "state" / "closed"
    session = FakeSession()
    app = _app(session, "demo", lesson_mark=mark)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        closed = DEMO.steps[0].lines[0] not in screen_text(app)
    again = _app(session, "demo", lesson_mark=mark, is_lesson_hidden=mark.exists())
    async with again.run_test(size=(80, 24)) as pilot:
        session.change(alerts=(FROZEN,))
        await pilot.pause()
        hidden = DEMO.steps[1].lines[0] not in screen_text(again)

    assert (closed, hidden, session.calls) == (True, True, [("toggle_pause",)])


async def test_escape_closes_a_lesson_only_where_it_ends_nothing_else() -> None:
    app = _app(FakeSession(), "demo")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f", "escape")
        await pilot.pause()

        assert DEMO.steps[0].lines[0] in screen_text(app)


async def test_a_step_of_the_tour_waits_for_its_own_key() -> None:
    app = _app(FakeSession(), "tour")
    seen = []
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("3", "j"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(next(n for n, step in enumerate(TOUR.steps) if step.lines[0] in screen_text(app)))

    assert seen == [0, 1]


async def test_every_step_of_the_tour_is_reached_by_what_it_asks_for() -> None:
    session = FakeSession(paused=True)
    app = _app(session, "tour")
    killed = session.snapshot.having(
        applications=[fakes.application_row(183354, state="KILLED", finished_ms=fakes.NOW)]
    )
    async with app.run_test(size=(80, 24)) as pilot:
        for keys in (("j",), ("w", "escape"), ("4",), ("enter",)):
            await pilot.press(*keys)
            await pilot.pause()
        session.change(present_ms=fakes.NOW + 1)
        await pilot.pause()
        session.change(present_ms=None)
        await pilot.pause()
        session.change(killed)
        await pilot.pause()
        session.change(paused=False)
        await pilot.pause()

        assert TOUR.steps[-1].lines[0] in screen_text(app)


async def test_the_tour_ends_at_the_second_escape() -> None:
    app = _app(FakeSession(), "tour")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        await pilot.pause()
        first = screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        second = screen_text(app)

    assert ("esc once more ends the tour" in first, TOUR.steps[0].lines[0] in first) == (True, True)
    assert TOUR.steps[0].lines[0] not in second


@pytest.mark.parametrize("name", LESSONS)
def test_every_line_of_a_lesson_has_room_in_80_cells(name: str) -> None:
    steps = LESSONS[name].steps

    assert max(len(line) for step in steps for line in step.lines) <= 79
    assert max(len(step.lines) for step in steps) <= 3
