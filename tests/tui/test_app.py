"""The whole program before a fake cluster: what stands on screen at every size, and what keys ask of the session."""

import re
from typing import Any

import pytest

from engine.scenario.acts import SetPreemption, SetReservationRule
from tests.stored import golden
from tests.tui import fake_holders, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import edge_cell, screen_lines, screen_text
from tui.app import SchedlabApp
from tui.board.dialects import YARN
from tui.screens.page import HelpScreen

SIZES = [(80, 24), (120, 40), (200, 60)]


def _app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", list(YARN.titles))
async def test_every_pane_looks_as_stored(pane: str, size: tuple[int, int]) -> None:
    app = _app(FakeSession(fake_holders.held_cluster()))
    async with app.run_test(size=size) as pilot:
        digit = str(list(YARN.titles).index(pane) + 1)
        await pilot.press(*([digit] if digit != "1" else []))  # the first is there, and would say so
        actual = screen_text(app)

    assert actual == golden(f"{pane}-{size[0]}x{size[1]}", actual)


@pytest.mark.parametrize("size", [(200, 60), (60, 14), (40, 8), (20, 4), (1, 1)])
async def test_any_size_is_drawn(size: tuple[int, int]) -> None:
    """A huge and a tiny terminal both show something and no line leaves the screen."""
    app = _app()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        lines = screen_text(app).splitlines()

    assert (len(lines) <= size[1], all(len(line) <= size[0] for line in lines)) == (True, True)


async def test_block_characters_are_the_default() -> None:
    app = SchedlabApp(FakeSession())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        text = screen_text(app)

    assert ("━" in text, "► ×10" in text) == (True, True)


async def test_ascii_means_ascii() -> None:
    """With `--ascii` no character is outside ASCII, whatever is open and whatever users call things."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        shown = [screen_text(app)]
        for key in ("2", "3", "4", "5", "f", "f", "1", "S", "escape", "K", "n", "question_mark"):
            await pilot.press(key)
            shown.append(screen_text(app))

    assert re.findall(r"[^\x00-\x7f]", "".join(shown)) == []


@pytest.mark.parametrize(
    ("key", "call"),
    [
        ("p", ("toggle_pause",)),
        ("t", ("step", "second")),
        ("full_stop", ("step", "event")),
        ("left_square_bracket", ("travel", "back")),
        ("right_square_bracket", ("travel", "on")),
        ("left_curly_bracket", ("travel", "mark.back")),
        ("right_curly_bracket", ("travel", "mark.on")),
        ("plus", ("change_speed", 1)),
        ("equals_sign", ("change_speed", 1)),
        ("minus", ("change_speed", -1)),
        ("P", ("do", SetPreemption(on=True))),
        ("R", ("do", SetReservationRule("limited"))),
    ],
)
async def test_a_key_asks_the_session_for_one_thing(key: str, call: tuple[Any, ...]) -> None:
    session = FakeSession()
    async with _app(session, confirm="never").run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()
        calls = list(session.calls)

    assert calls == [call]


async def test_the_cursor_stays_with_its_application() -> None:
    session = FakeSession(paused=True)
    app = _app(session)
    async with app.run_test() as pilot:
        await pilot.press("1", *"jjjj")
        assert app.cluster is not None
        before = app.cluster.active.cursor_id
        rows = (fakes.application_row(1), *session.snapshot.applications())
        session.change(fakes.FakeSnapshot(fakes.header(), 2, applications=rows))
        await pilot.pause()
        after, place = app.cluster.active.cursor_id, app.cluster.active.number

    assert (after, place) == (before, 6)


async def test_until_somebody_moves_the_cursor_it_stays_on_top() -> None:
    """Who holds most nodes is under the cursor; who comes to hold more takes its place."""
    session = FakeSession(paused=True)
    app = _app(session)
    async with app.run_test() as pilot:
        assert app.cluster is not None
        before = app.cluster.active.cursor_id
        rows = (*session.snapshot.applications(), fakes.application_row(7, state="ACCEPTED", reservations=12))
        nodes = [fakes.node_row(host, reserved_by=f"application_{fakes.TIMESTAMP}_0007") for host in fakes.HOSTS]
        session.change(fakes.FakeSnapshot(fakes.header(), 2, applications=rows, nodes=nodes))
        await pilot.pause()
        after, place = app.cluster.active.cursor_id, app.cluster.active.number

    assert (before, after, place) == (fakes.BIG, f"application_{fakes.TIMESTAMP}_0007", 1)


async def test_help_lists_every_key_and_goes_back() -> None:
    """Help opens on ?, and any of its keys returns to the same pane."""
    app = _app()
    async with app.run_test(size=(120, 90)) as pilot:
        await pilot.press("2", "question_mark")
        shown = app.screen
        assert isinstance(shown, HelpScreen)
        text = shown.text
        await pilot.press("escape")
        assert app.cluster is not None
        back = app.screen is app.cluster and app.cluster.active.noun.name == "queues"

    assert (back, "K F9" in text, "Kill the application under the cursor" in text) == (True, True, True)


async def test_a_long_reason_can_be_scrolled_sideways() -> None:
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o", "p")
        await pilot.pause()
        before = screen_text(app)
        await pilot.press("l", "l", "l", "l")
        await pilot.pause()
        after = screen_text(app)
        await pilot.press("h", "h", "h", "h")
        await pilot.pause()
        back = screen_text(app)

    assert ("  1 by 183354, 1 by 183342" in after, back == before) == (True, True)


async def test_the_mouse_points_at_rows_panes_and_hints() -> None:
    """A click on a row, a tab and a hint does what the key does."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click("#applications", offset=(5, 3))
        assert app.cluster is not None
        row = app.cluster.active.number
        await pilot.click(offset=edge_cell(app, "applications", "3 Nodes"))
        pane = app.cluster.active.noun.name
        await pilot.click("#hints", offset=(screen_lines(app)[-1].index("p pause"), 0))
        await pilot.pause()

    assert (row, pane, session.calls) == (2, "nodes", [("toggle_pause",)])


async def test_hidden_panes_and_unchanged_sections_are_not_built() -> None:
    """At 80x24 only the shown section is built, and not again while its version stays; what all rows need once."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for _ in range(3):
            session.change()
            await pilot.pause()
        built = list(session.snapshot.built)

    assert (built.count("applications"), built.count("queues"), built.count("users")) == (3, 1, 0)


async def test_quitting_closes_the_session() -> None:
    session = FakeSession()
    app = _app(session)
    async with app.run_test() as pilot:
        await pilot.press("q")

    assert (session.closed, app.return_code) == (True, 0)


async def test_no_colour_leaves_weight_and_reverse_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        styles = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
        coloured = [one for one in styles if one is not None and one.color and not one.color.is_default]

    assert coloured == []


@pytest.mark.parametrize(("present_ms", "is_offered"), [(None, False), (fakes.NOW + 60_000, True)])
async def test_the_next_mark_is_offered_in_the_past_only(present_ms: int | None, *, is_offered: bool) -> None:
    app = _app(FakeSession(present_ms=present_ms))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        text = screen_text(app)

    assert ("next mark" in text) is is_offered
