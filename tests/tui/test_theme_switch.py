"""Another theme while the program runs: everything is drawn anew, dialogs too, and what was tried can be taken back."""

from typing import Any

import pytest
from rich.segment import Segment
from textual.color import Color

from tests.tui.fake_session import FakeSession
from tui.actions import ACTIONS
from tui.acts.command import titles
from tui.app import SchedlabApp
from tui.dialogs.forms import MenuScreen
from tui.terminal.palettes import PALETTES


def _app(palette: str = "dark", **options: Any) -> SchedlabApp:
    return SchedlabApp(FakeSession(), palette=palette, **options)


def _segments(app: SchedlabApp) -> list[Segment]:
    return [segment for strip in app.screen._compositor.render_strips() for segment in strip]


def _drawn(app: SchedlabApp) -> list[tuple[str, str]]:
    """Every cell with its style, as a terminal gets it."""
    return [(sign, str(segment.style)) for segment in _segments(app) for sign in segment.text]


@pytest.mark.parametrize(
    ("first", "theme"), [*(("dark", theme) for theme in PALETTES if theme != "dark"), ("none", "dark"), ("16", "light")]
)
async def test_a_theme_chosen_looks_as_one_begun_with(first: str, theme: str) -> None:
    """Cell by cell: panes, borders, tabs, hints; only what is told of it differs, and goes."""
    began, switched = _app(theme), _app(first)
    async with began.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        wanted = _drawn(began)
    async with switched.run_test(size=(120, 40)) as pilot:
        await pilot.press("colon", *f"theme {theme}", "enter")
        await pilot.pause()
        assert switched.cluster is not None
        switched.cluster.frame.answer("escape", is_typed=True)
        await pilot.pause()
        found = _drawn(switched)

    assert found == wanted


@pytest.mark.parametrize(
    ("key", "theme"), [("question_mark", "light"), ("K", "none"), ("S", "16"), ("d", "light"), ("ctrl+p", "none")]
)
async def test_dialogs_follow_the_theme(key: str, theme: str) -> None:
    began, switched = _app(theme), _app("dark")
    async with began.run_test(size=(120, 40)) as pilot:
        await pilot.press(key)
        await pilot.pause()
        wanted = _styles(began)
    async with switched.run_test(size=(120, 40)) as pilot:
        switched.colours.take(theme)
        await pilot.pause()
        await pilot.press(key)
        await pilot.pause()
        found = _styles(switched)

    assert found == wanted


def _styles(app: SchedlabApp) -> set[str]:
    return {str(segment.style) for segment in _segments(app)}


async def test_themes_are_tried_while_one_looks_for_one() -> None:
    """The key F2 opens the menu at the theme in use; moving tries, esc takes it back, enter keeps it."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f2")
        await pilot.pause()
        opened = isinstance(app.screen, MenuScreen)
        await pilot.press("down")
        await pilot.pause()
        tried, background = app.colours.palette, app.screen_stack[-2].styles.background
        await pilot.press("escape")
        await pilot.pause()
        back = app.colours.palette
        await pilot.press("f2", "down", "down", "enter")
        await pilot.pause()
        kept = app.colours.palette

    assert (opened, tried, back, kept) == (True, "light", "dark", "high-contrast")
    assert background == Color.parse(PALETTES["light"]["bg"])


async def test_a_theme_is_chosen_by_its_digit() -> None:
    app = _app("light")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f2", "6")
        await pilot.pause()

    assert (app.colours.palette, app.no_color) == ("none", True)


async def test_a_theme_that_is_not_there_is_told() -> None:
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("colon", *"theme blue", "enter")
        await pilot.pause()
        assert app.cluster is not None
        said = app.cluster.prompt.said

    assert "dark, light, high-contrast" in said


def test_every_theme_is_in_the_palette() -> None:
    calls = [action.call for _, action in titles(ACTIONS)]

    assert {f"program.choose_theme({name!r})" for name in PALETTES} <= set(calls)
