"""Every act is found in the menu of acts and in the palette."""

from typing import Any

import pytest
from textual.command import CommandPalette

from engine.scenario.acts import SetPreemption
from tests.tui.fake_session import FakeSession
from tui.actions import ACTIONS
from tui.acts.command import Names, parse, titles
from tui.app import SchedlabApp
from tui.board.dialects import YARN
from tui.dialogs.forms import MenuScreen

ACTS = [action for action in ACTIONS if action.changes_cluster]
CALLS = {action.id: action.call for action in ACTS}
NAMES = Names(("applications", "nodes"), ("183354", "183360"), ("root.a", "root.b"), ("n1:45454",), ("user:", "queue:"))


def _app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)


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
