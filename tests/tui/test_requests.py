"""What is asked for in the background: lessons, remedies, the end of a run, a twin, a connection."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.explain.alert import Alert
from engine.explain.answer import RemediesReport
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from tests.engine.live.recorded import FakeServer, connected
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_text
from tui.app import SchedlabApp
from tui.cli.live import ClusterFiles
from tui.protocol.picture import ExpectationResult
from tui.screens.lessons import DEMO, LESSONS, TOUR
from tui.screens.requests_shown import RemedyRequests
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.opening import TwinOpener

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
        await press(pilot, "escape")
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
        await press(pilot, "f", "escape")

        assert DEMO.steps[0].lines[0] in screen_text(app)


async def test_a_step_of_the_tour_waits_for_its_own_key() -> None:
    app = _app(FakeSession(), "tour")
    seen = []
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("3", "j"):
            await press(pilot, key)
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
            await press(pilot, *keys)
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
        await press(pilot, "escape")
        first = screen_text(app)
        await press(pilot, "escape")
        second = screen_text(app)

    assert ("esc once more ends the tour" in first, TOUR.steps[0].lines[0] in first) == (True, True)
    assert TOUR.steps[0].lines[0] not in second


@pytest.mark.parametrize("name", LESSONS)
def test_every_line_of_a_lesson_has_room_in_80_cells(name: str) -> None:
    steps = LESSONS[name].steps

    assert max(len(line) for step in steps for line in step.lines) <= 79
    assert max(len(step.lines) for step in steps) <= 3


# How expectations came out is shown when a scenario has ended.

MISSED = ExpectationResult("failed", "nothing waits", "applications count = 0; it was 3", 1510362060000)
MET = ExpectationResult("met", "", "cluster nodes = 12", 1510362061000)


async def test_expectations_are_shown_once_the_missed_first() -> None:
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(100, 24)) as pilot:
        session.change(ended=True, judged=(MET, MISSED))
        await pilot.pause()
        text = screen_text(app)
        await pilot.press("escape")
        session.change()
        await pilot.pause()
        after = screen_text(app)

    assert "1 of 2 expectations met" in text
    assert "MISSED  Sat 09:01:00  nothing waits: applications count = 0; it was 3" in text
    assert text.index("MISSED") < text.index("cluster nodes = 12")
    assert "expectations met" not in after


async def test_expectations_wait_for_what_is_on_top() -> None:
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("question_mark")
        session.change(ended=True, judged=(MET,))
        await pilot.pause()
        meanwhile = screen_text(app)
        await pilot.press("escape")
        session.change()
        await pilot.pause()

        assert ("expectation met" in meanwhile, "expectation met" in screen_text(app)) == (False, True)


# The twin over the screen of a live cluster or a recorded past, and back.

Opened = tuple[SchedlabApp, LiveConnection]


async def for_ever(seconds: float) -> None:
    await asyncio.Event().wait()


async def live(*, has_twin: bool = True) -> Opened:
    """An app that shows a cluster of which every node is reserved."""
    server = FakeServer("2.7.2-fair-kill")
    view = LivePictures(
        YarnSource(RestClient([f"http://{server.host}"], connected(server)), PollPace()), [], sleep=for_ever
    )
    await view.round()
    opener = TwinOpener("rm1:8088", view.looked_at, ClusterFiles(None, None, None).configuration)
    connection = LiveConnection(view, twin=opener if has_twin else None)
    return SchedlabApp(connection, read_only=True), connection


@pytest.mark.parametrize(
    ("words", "said"), [("twin 10m", "containers whose end is not known run 10m"), ("twin x", "No twin")]
)
async def test_the_command_says_what_to_assume(words: str, said: str) -> None:
    app, _ = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "colon", *("space" if letter == " " else letter for letter in words), "enter")

        assert said in screen_text(app)


async def test_the_menu_of_a_cluster_that_is_only_watched_offers_the_twin() -> None:
    app, _ = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "a")

        assert "Live or in a log: the twin." in screen_text(app)
        assert "Kill" not in screen_text(app)


async def test_without_a_way_to_make_one_there_is_no_twin() -> None:
    app, _ = await live(has_twin=False)
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "B")

        assert "No twin can be made" in screen_text(app)


# Remedies on the main screen: tried while the clock stands and a badge does.


FREEZE = Alert("frozen", fakes.NOW - 60_000, fakes.NOW - 59_000, "Nothing moves", "deadlocked", "", (183354,))
FROZEN_TEXT: dict[str, Any] = {"paused": True, "alerts": (FREEZE,), "standing": (FREEZE,)}


@pytest.fixture(autouse=True)
def _without_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RemedyRequests, "REST_S", 0.0)


def _asked(session: FakeSession) -> list[tuple[object, ...]]:
    return [call for call in session.calls if call[0] == "why"]


async def test_the_best_remedy_stands_in_the_header_and_its_kin_in_the_strip() -> None:
    session = FakeSession(fakes.held_cluster(), **FROZEN_TEXT)
    app = SchedlabApp(session, ascii_only=True, tries_remedies=True)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        found = report_of(RemediesReport, {**answered.helped(), "tried": 2, "of": 2})
        session.asked[0].tell(plan=msgspec.structs.replace(found, at_ms=fakes.NOW), doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert _asked(session) == [("why", "cluster", "")]
    for part in ("W kill 183342 starts 1, loses 15   w why", "1  kill 183342 etl-183342", "15 containers, 1h30m"):
        assert part in shown


@pytest.mark.parametrize(
    ("options", "run"),
    [({"tries_remedies": False}, {}), ({}, {"paused": False}), ({}, {"standing": (), "alerts": ()})],
    ids=["not wanted", "the clock runs", "no badge stands"],
)
async def test_nothing_is_tried_where_nothing_would_be_shown(options: dict[str, Any], run: dict[str, Any]) -> None:
    session = FakeSession(fakes.held_cluster(), **{**FROZEN_TEXT, **run})
    app = SchedlabApp(session, **{"tries_remedies": True, **options})
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()

    assert _asked(session) == []


# A cluster without a clock, without acts or without questions: the screen shows it, and keys say what is missing.


class OnlyView(FakeSession):
    """What may be seen and nothing else."""

    @property
    def clock(self) -> None:
        """None."""

    @property
    def acts(self) -> None:
        """None."""

    @property
    def questions(self) -> None:
        """None."""


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (["p"], "its clock cannot be driven"),
        (["t"], "its clock cannot be driven"),
        (["plus"], "its clock cannot be driven"),
        (["left_square_bracket"], "its clock cannot be driven"),
        (["1", "w"], "can only be asked of a simulation"),
        (["P", "y"], "Nothing here can change"),
        (["1", "K", "y"], "Nothing here can change"),
    ],
)
async def test_a_key_of_what_is_missing_says_so_in_the_footer(keys: list[str], words: str) -> None:
    session: Any = OnlyView()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await press(pilot, *keys)
        footer = screen_text(app).splitlines()[-1]

    assert words in footer
    assert session.calls == []
