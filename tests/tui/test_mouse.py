"""Whatever a key does, the mouse can do too: rows, heads, titles, header, strip, dialogs, wheel."""

from typing import Any

import pytest
from textual import events
from textual.command import CommandPalette
from textual.widget import Widget

from engine.scenario.acts import SetPreemption, SetReservationRule
from tests.tui.fake_holders import held_cluster
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import edge_cell, way_of
from tui.actions import ACTIONS
from tui.acts.command import Names, parse, titles
from tui.app import SchedlabApp
from tui.board.dialects import YARN
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import MenuScreen
from tui.dialogs.submit import SubmitScreen
from tui.screens.cluster import ClusterScreen
from tui.screens.page import HelpScreen, PageScreen
from tui.widgets.lines import Lines


def _app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)


def _board(app: SchedlabApp) -> ClusterScreen:
    assert app.cluster is not None
    return app.cluster


def _header(app: SchedlabApp, line: int, words: str) -> tuple[int, int]:
    spans = _board(app).query_one("#header", Lines).lines[line]
    return "".join(text for text, _ in spans).index(words), line


async def test_two_clicks_on_a_row_are_enter() -> None:
    app = _app(FakeSession(held_cluster()))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        await pilot.click("#queues", offset=(5, 2))
        row = _board(app).active.cursor_row
        await pilot.double_click("#queues", offset=(5, 2))
        await pilot.pause()
        pane = _board(app).pane_name

    assert (row, pane) == (1, "applications")


async def test_a_click_on_a_head_sorts_and_another_turns_it_round() -> None:
    app = _app()
    async with app.run_test(size=(200, 40)) as pilot:
        pane = _board(app).pane("applications")
        said = []
        for title in ("USER", "QUEUE", "WAITS", "STATE", "NAME"):
            line = pane.visible_text()[0]
            await pilot.click("#applications", offset=(line.index(title) + 1, 0))
            await pilot.pause()
            said.append(way_of(app, "applications"))

    firsts = {"USER": "A", "QUEUE": "A", "WAITS": "longest", "STATE": "A", "NAME": "A"}
    assert said == [f"by {title}, {first} first" for title, first in firsts.items()]


async def test_a_click_on_the_way_goes_back_to_there() -> None:
    """The title over a pane shows the steps; each leads back to where it was taken."""
    app = _app(FakeSession(held_cluster()))
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.press("2", "enter", "enter")
        deep = _board(app).pane_name
        await pilot.click(offset=edge_cell(app, "detail", "app:"))
        await pilot.pause()
        middle = _board(app).pane_name
        await pilot.click(offset=edge_cell(app, "detail", "queue:"))
        await pilot.pause()
        top = _board(app).pane_name

    assert (deep, middle, top) == ("containers", "applications", "queues")


@pytest.mark.parametrize(
    ("line", "words", "call"),
    [
        (0, "×10", ("toggle_pause",)),
        (0, "preemption", ("do", SetPreemption(on=True))),
        (0, "reservations strict", ("do", SetReservationRule("limited"))),
    ],
)
async def test_the_header_takes_clicks(line: int, words: str, call: tuple[Any, ...]) -> None:
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await pilot.click("#header", offset=_header(app, line, words))
        await pilot.pause()
        if isinstance(app.screen, ConfirmScreen):
            await pilot.press("y")
            await pilot.pause()

    assert call in session.calls


@pytest.mark.parametrize(("line", "words", "pane"), [(2, "memory", "nodes"), (2, "running ", "applications")])
async def test_counts_in_the_header_lead_to_their_panes(line: int, words: str, pane: str) -> None:
    app = _app(FakeSession(held_cluster()))
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.press("5")
        await pilot.pause()
        await pilot.click("#header", offset=_header(app, line, words))
        await pilot.pause()
        found = _board(app).pane_name

    assert found == pane


@pytest.mark.parametrize(
    ("key", "kind"), [("d", PageScreen), ("question_mark", HelpScreen), ("o", MenuScreen), ("K", ConfirmScreen)]
)
async def test_a_click_on_the_lower_edge_leaves_a_dialog(key: str, kind: type[Widget]) -> None:
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await pilot.pause()
        opened = isinstance(app.screen, kind)
        box = app.screen.children[0].region
        await pilot.click(offset=(box.x + 3, box.bottom - 1))
        await pilot.pause()
        is_closed = app.screen is app.cluster

    assert (opened, is_closed, [call for call in session.calls if call[0] == "do"]) == (True, True, [])


async def test_a_click_beside_a_dialog_leaves_it_but_no_form() -> None:
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("d")
        await pilot.pause()
        await pilot.click(offset=(1, 1))
        await pilot.pause()
        is_closed = app.screen is app.cluster
        await pilot.press("S")
        await pilot.pause()
        await pilot.click(offset=(1, 1))
        await pilot.pause()
        stays = isinstance(app.screen, SubmitScreen)

    assert (is_closed, stays) == (True, True)


async def test_the_wheel_scrolls_rows_and_sideways_the_reason() -> None:
    app = _app()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press("o", "p")
        await pilot.pause()
        pane = _board(app).active
        pane.go_to(0)
        for kind in (events.MouseScrollDown, events.MouseScrollRight):
            pane.post_message(kind(pane, 5, 5, 0, 0, 0, False, False, False))
            await pilot.pause()
        scrolled, shift = pane.scroll_offset.y, pane.look.shift if pane.look else 0

    assert (scrolled > 0, shift > 0, pane.number) == (True, True, 1)


# Every act is found in the menu of acts and in the palette.

ACTS = [action for action in ACTIONS if action.changes_cluster]
CALLS = {action.id: action.call for action in ACTS}
NAMES = Names(("applications", "nodes"), ("183354", "183360"), ("root.a", "root.b"), ("n1:45454",), ("user:", "queue:"))


@pytest.mark.parametrize("action", ACTS, ids=[action.id for action in ACTS])
def test_every_act_has_a_key_a_command_and_a_place_in_palette_and_menu(action: Any) -> None:
    """Whatever the hand is at: the key, `:id`, the palette, and the menu that the mouse can click."""
    assert action.keys
    assert parse(action.id, ACTIONS, NAMES) == action.call
    assert action in [one for _, one in titles(ACTIONS)]


async def test_the_menu_lists_every_act_for_the_mouse() -> None:
    """The key a, or a click on its hint, on an application and on a node; what the cluster never does is left out."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        calls = {CALLS["branch"]}
        for pane in "13":
            await pilot.press(pane, "a")
            assert isinstance(app.screen, MenuScreen)
            calls |= {choice.value for choice in app.screen.choices}
            await pilot.press("escape")

    assert calls == {action.call for action in ACTS} - YARN.greyed.keys()


async def test_the_palette_runs_what_is_chosen() -> None:
    session = FakeSession()
    app = _app(session, confirm="never")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        is_open = isinstance(app.screen, CommandPalette)
        await pilot.press(*"switch preemption")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    assert (is_open, session.calls) == (True, [("do", SetPreemption(on=True))])
