"""The picker: choose, read what a scenario shows, open."""

from typing import Any

from engine.errors import ConfigError, Problem
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.render.scenario import ScenarioEntry, about_lines
from tui.screens.picker import PickerScreen
from tui.session_protocol import Connection

ENTRIES = (
    ScenarioEntry(
        "fair-two-users", "Fair sharing between two users", "All, half,\na quarter each.\n\nWatch the shares."
    ),
    ScenarioEntry("reservation-deadlock", "The reservation deadlock", "Twelve nodes freeze."),
)


def _app(opened: list[str], error: ConfigError | None = None) -> SchedlabApp:
    def open_session(name: str) -> Connection:
        opened.append(name)
        if error is not None:
            raise error
        return FakeSession()

    return SchedlabApp(entries=ENTRIES, open_session=open_session, ascii_only=True)


async def test_enter_opens_the_scenario_under_the_cursor() -> None:
    """The cluster's screen follows, and q leaves from there."""
    opened: list[str] = []
    app = _app(opened)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "enter")
        await pilot.pause()
        text = screen_text(app)

    assert (opened, "1 Applications 12 run" in text) == (["reservation-deadlock"], True)


async def test_the_strip_says_what_a_scenario_shows() -> None:
    """Paragraphs are filled; another scenario, another text."""
    app = _app([])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = screen_text(app)
        await pilot.press("G")
        await pilot.pause()
        second = screen_text(app)

    assert ("All, half, a quarter each.\n\nWatch the shares." in first, "Twelve nodes freeze." in second) == (
        True,
        True,
    )


async def test_a_broken_scenario_says_why_and_the_picker_stays() -> None:
    """Every problem is named in place of what it shows."""
    problems = [Problem("is missing", "x.toml", 3, "cluster"), Problem("is no key", "x.toml", 7, "clutser")]
    app = _app([], ConfigError(problems))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        text = screen_text(app)
        stays = isinstance(app.screen, PickerScreen)

    assert (stays, "! x.toml:3: cluster: is missing" in text, "! x.toml:7: clutser: is no key" in text) == (
        True,
        True,
        True,
    )


async def test_all_keys_of_the_picker() -> None:
    """Moving, paging, help and leaving."""
    app = _app([])
    rows: list[Any] = []
    async with app.run_test(size=(80, 24)) as pilot:
        picker = app.screen
        assert isinstance(picker, PickerScreen)
        for key in ("down", "up", "j", "k", "pagedown", "pageup", "end", "home", "G", "g"):
            await pilot.press(key)
            rows.append(picker.pane.cursor_row)
        await pilot.press("question_mark", "escape", "q")

    assert (rows, app.return_code) == ([1, 0, 1, 0, 1, 0, 1, 0, 1, 0], 0)


async def test_no_scenario_is_said() -> None:
    """An empty list is not an empty screen, and enter does nothing."""
    app = SchedlabApp(entries=(), open_session=lambda name: FakeSession(), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        text = screen_text(app)

    assert "No scenario was found." in text


def test_long_words_do_not_leave_the_screen() -> None:
    """Text is filled to the width, and control characters are written out."""
    entry = ScenarioEntry("x", "", "word " * 50 + "\x1b[2J")

    assert max(len(line[0][0]) for line in about_lines(entry, 30)) <= 30


async def test_words_find_scenarios_and_escape_shows_all_again() -> None:
    """In names, titles and texts; escape never leaves the program, and says what does."""
    app = _app([])
    async with app.run_test(size=(80, 24)) as pilot:
        picker = app.screen
        assert isinstance(picker, PickerScreen)
        await pilot.press("slash", *"twelve freeze", "enter")
        found = [row.name for row in picker.pane.rows]
        await pilot.press("escape")
        shown = len(picker.pane.rows)
        await pilot.press("escape")
        await pilot.pause()
        words, code = screen_text(app), app.return_code

    assert (found, shown, "q leaves the program" in words, code) == (["reservation-deadlock"], 2, True, None)
