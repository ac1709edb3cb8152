"""The chooser: choose, find, read what a scenario shows, open."""

import pytest

from engine.errors import ConfigError, Problem
from tests.stored import golden
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_text
from tui.app import SchedlabApp
from tui.cli.open import definition, described, offered, offered_drills
from tui.pages.choice import DrillFacts, ScenarioEntry
from tui.panes.fragments import flat
from tui.protocol.session import Connection
from tui.screens.page import PageScreen
from tui.screens.picker import LISTED, PickerScreen, ScenarioList

ENTRIES = (
    ScenarioEntry(
        "fair-two-users", "Fair sharing between two users", "All, half,\na quarter each.\n\nWatch the shares.", "Start"
    ),
    ScenarioEntry("fair-two-users-3.4", "Two users in 3.4", "The same.", "Start", "-3.4", varies="fair-two-users"),
    ScenarioEntry("reservation-deadlock", "The reservation deadlock", "Twelve nodes freeze.", "Incidents"),
    ScenarioEntry("reservation-deadlock-recorded", "As recorded", "Twelve nodes freeze again.", "Incidents"),
)


DRILL = ScenarioEntry(
    "masters-only",
    "Four jobs at nought per cent",
    "Four jobs stand still.\n\nNobody changed anything.",
    "Drills",
    drill=DrillFacts(8, "practised"),
)


def _app(
    opened: list[str], error: ConfigError | None = None, entries: tuple[ScenarioEntry, ...] = ENTRIES
) -> SchedlabApp:
    def open_session(name: str) -> Connection:
        opened.append(name)
        if error is not None:
            raise error
        return FakeSession()

    def text(name: str) -> str:
        return f'title = "{name}"'

    return SchedlabApp(entries=entries, open_session=open_session, definition=text, ascii_only=True)


def _picker(app: SchedlabApp) -> PickerScreen:
    assert isinstance(app.screen, PickerScreen)
    return app.screen


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (("j", "enter"), "reservation-deadlock"),
        (("slash", *"twelve again", "enter"), "reservation-deadlock-recorded"),
    ],
)
async def test_enter_opens_the_scenario_under_the_cursor_or_found(keys: tuple[str, ...], name: str) -> None:
    """In a search the one that has the words, not what it varies."""
    opened: list[str] = []
    app = _app(opened)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, *keys)
        is_open = app.cluster is not None

    assert (opened, is_open) == ([name], True)


async def test_the_preview_says_what_a_scenario_shows() -> None:
    app = _app([])
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        first = screen_text(app)
        await press(pilot, "G")
        second = screen_text(app)

    assert "All, half, a quarter each." in first
    assert "watch    the shares." in first
    assert "Twelve nodes freeze again." in second


async def test_a_broken_scenario_says_why_and_the_chooser_stays() -> None:
    problems = [Problem("is missing", "x.toml", 3, "cluster"), Problem("is no key", "x.toml", 7, "clutser")]
    app = _app([], ConfigError(problems))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter")
        text = screen_text(app)
        stays = isinstance(app.screen, PickerScreen)

    assert (stays, "! x.toml:3: cluster: is missing" in text, "! x.toml:7: clutser: is no key" in text) == (
        True,
        True,
        True,
    )


async def test_variants_are_folded_into_what_they_vary() -> None:
    """Tab lists them and folds them again, as l and h do; the cursor goes to what they vary."""
    app = _app([])
    shown = []
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("g", "tab", "j", "tab", "l", "h"):
            await pilot.press(key)
            selected = _picker(app).selected
            shown.append(("fair-two-users-3.4" in _picker(app).names, selected.name if selected else ""))

    assert shown == [
        (False, "fair-two-users"),
        (True, "fair-two-users"),
        (True, "fair-two-users-3.4"),
        (False, "fair-two-users"),
        (True, "fair-two-users"),
        (False, "fair-two-users"),
    ]


@pytest.mark.parametrize("key", ["x", "f8", "D", "space", "backspace"])
async def test_a_key_without_a_meaning_is_answered(key: str) -> None:
    app = _app([])
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, key)

        assert "does nothing here; ? lists the keys" in screen_text(app)


async def test_words_find_scenarios_and_escape_shows_all_again() -> None:
    """In names, titles and texts, also of variants; escape never leaves the program, and says what does."""
    app = _app([])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"twelve again")
        found = _picker(app).names
        await pilot.press("escape")
        shown = _picker(app).names
        await press(pilot, "escape")
        words, code = screen_text(app), app.return_code

    assert (found, len(shown), "q leaves the program" in words, code) == (
        ["reservation-deadlock-recorded"],
        3,
        True,
        None,
    )


async def test_a_scenario_is_shown_as_its_file_says_it() -> None:
    app = _app([])
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "y")
        is_page, words = isinstance(app.screen, PageScreen), screen_text(app)
        await pilot.press("escape")

        assert (is_page, 'title = "fair-two-users"' in words, isinstance(app.screen, PickerScreen)) == (
            True,
            True,
            True,
        )


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_chooser_of_the_packaged_scenarios(size: tuple[int, int]) -> None:
    """Groups, and the preview of the first with the pulse of its whole run."""
    entries = [*offered(), *offered_drills()]
    app = SchedlabApp(entries=entries, open_session=lambda name: FakeSession(), definition=definition, fill=described)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        drawn = screen_text(app)

    assert drawn == golden(f"chooser-{size[0]}x{size[1]}", drawn)


def test_every_row_has_the_name_the_command_line_takes_and_its_whole_description() -> None:
    """At 120 columns and more, also of variants; no two rows are called alike, a drill by its title."""
    entries = [*offered(), *offered_drills()]
    chosen = ScenarioList(entries)
    chosen.unfolded = {one.name for one in entries}
    chosen.list_anew("", 400)
    lines = [flat(line) for line in chosen.lines(LISTED, len(chosen.rows))]
    rows = zip(lines, chosen.rows, strict=True)
    pairs = [(line, row.entry) for line, row in rows if row.entry is not None]
    called = [one.title if one.drill is not None else one.name for _, one in pairs]

    assert [one.name for line, one in pairs if one.drill is None and f"{one.name} " not in line] == []
    assert [one.name for line, one in pairs if one.drill is None and not line.rstrip().endswith(one.brief)] == []
    assert len(called) == len(set(called)) == len(entries)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_drill_shows_title_minutes_difficulty_and_brief(size: tuple[int, int]) -> None:
    """Its name, which may tell the cause, is not shown, nor is its file."""
    app = _app([], entries=(*ENTRIES, DRILL))
    async with app.run_test(size=size) as pilot:
        await press(pilot, "d")
        drawn = screen_text(app)
        await press(pilot, "y")
        _picker(app)
        answered = screen_text(app)

    row = next(line for line in drawn.splitlines() if "8 min  " in line)
    assert "Four jobs at nought per cent" in row
    assert "practised" in row
    for part in ("DRILLS", "4 scenarios, 1 drill", "Four jobs stand still.", "Nobody changed", "8 min, practised"):
        assert part in drawn
    assert "masters-only" not in drawn
    assert "tells its cause" in answered
