"""Every key at every place changes something to be seen, asks the session something, or is answered in words."""

import asyncio
import random
import string
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from textual.events import Key

from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import board_of, press
from tui.app import SchedlabApp
from tui.pages.choice import ScenarioEntry

KEYS: Final = (
    *string.ascii_letters,
    *string.digits,
    *(
        "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab", "enter", "escape",
        "space", "backspace", "delete", "insert", "slash", "colon", "question_mark", "exclamation_mark", "plus",
        "minus", "equals_sign", "underscore", "full_stop", "comma", "left_square_bracket", "right_square_bracket",
        "left_curly_bracket", "right_curly_bracket", "less_than_sign", "greater_than_sign", "asterisk", "backslash",
        "left_parenthesis", "right_parenthesis",
        "at", "number_sign", "ctrl+p", "ctrl+d", "ctrl+u", "ctrl+z", *(f"f{number}" for number in range(1, 13)),
    ),
)  # fmt: skip
SAMPLED: Final = 1
"""Keys of each place that are tried in the short gate."""


class Place(NamedTuple):
    """Somewhere a key can be pressed."""

    keys: tuple[str, ...] = ()
    """What leads there."""
    session: dict[str, Any] = {}
    options: dict[str, Any] = {}
    is_chooser: bool = False


PLACES: Final = {
    "applications": Place(),
    "applications, last row": Place(("G",)),
    "queues": Place(("2",)),
    "nodes": Place(("3",)),
    "node map": Place(("3", "v", "v")),
    "reservations": Place(("4",)),
    "events": Place(("5",)),
    "containers": Place(("6",)),
    "users": Place(("7",)),
    "graphs": Place(("8",)),
    "one pane": Place(("f",)),
    "nothing found": Place(("slash", "z", "q", "x", "enter")),
    "filter": Place(("slash",)),
    "command": Place(("colon",)),
    "past": Place((), {"present_ms": 1_999_999_999_999}),
    "paused": Place((), {"paused": True}),
    "ended": Place((), {"ended": True}),
    "read-only": Place((), {}, {"read_only": True}),
    "help": Place(("question_mark",)),
    "menu of acts": Place(("a",)),
    "menu of sorting": Place(("o",)),
    "columns": Place(("f8",)),
    "themes": Place(("f2",)),
    "palette": Place(("ctrl+p",)),
    "a row described": Place(("d",)),
    "why": Place(("w",)),
    "kill": Place(("K",)),
    "submit": Place(("S",)),
    "chooser": Place(is_chooser=True),
    "chooser, search": Place(("slash",), is_chooser=True),
    "chooser, help": Place(("question_mark",), is_chooser=True),
}
PAIRS: Final = [(place, key) for place in PLACES for key in KEYS]
SHORT: Final = [
    *(pair for place in PLACES for pair in random.Random(place).sample([p for p in PAIRS if p[0] == place], SAMPLED)),
    *(("chooser, help", key) for key in ("up", "down", "home", "pageup")),
]


@pytest.fixture(autouse=True)
def _saves_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Screens that a key saves go to a folder of the test."""
    monkeypatch.chdir(tmp_path)


def _app(place: Place) -> tuple[SchedlabApp, FakeSession]:
    session = FakeSession(fakes.held_cluster(), **place.session)
    entries = [ScenarioEntry("x", "X", "One."), ScenarioEntry("y", "Y", "Two.")]
    if place.is_chooser:
        return SchedlabApp(entries=entries, open_session=lambda name: session, ascii_only=True), session
    return SchedlabApp(session, ascii_only=True, **place.options), session


def _seen(app: SchedlabApp) -> tuple[object, ...]:
    strips = app.screen._compositor.render_strips()
    return id(app.screen), tuple(tuple((one.text, one.style) for one in strip) for strip in strips)


async def _is_answered(name: str, key: str) -> bool:
    place = PLACES[name]
    app, session = _app(place)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, *place.keys)
        before, calls = _seen(app), len(session.calls)
        await press(pilot, key)
        if app.return_code is not None or not app.is_running:
            return True
        return _seen(app) != before or len(session.calls) > calls


@pytest.mark.parametrize(("place", "key"), SHORT)
async def test_a_key_is_not_silent(place: str, key: str) -> None:
    assert await _is_answered(place, key)


@pytest.mark.parametrize("call", ["command_line.palette", "program.alerts", "program.themes"])
async def test_what_is_pressed_before_a_screen_is_drawn_or_after_it_has_closed_ends_nothing(call: str) -> None:
    app, _ = _app(PLACES["command"])
    async with app.run_test() as pilot:
        await press(pilot, "colon")
        board_of(app).perform(call)
        while app.screen is app.cluster:  # noqa: ASYNC110 - before it is drawn, a screen tells nobody
            await asyncio.sleep(0)
        app.on_key(Key("f12", None))
        for _ in range(50):
            for menu in app.screen.query("OptionList").exclude("CommandList"):
                await app.run_action("page_down", menu)
            await asyncio.sleep(0)
        closed: Any = app.screen
        await press(pilot, "escape", "escape")
        if call == "program.alerts":
            closed.on_key(Key("f12", None))


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
async def test_no_key_is_silent(place: str) -> None:
    assert [key for key in KEYS if not await _is_answered(place, key)] == []
