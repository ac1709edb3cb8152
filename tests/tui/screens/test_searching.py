"""Words are found in what a dialog shows: on a page line by line, in a list by leaving the others out."""

import pytest
from textual.containers import VerticalScroll

from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_lines, screen_text
from tui.app import SchedlabApp
from tui.dialogs.forms import MenuScreen
from tui.screens.page import PageScreen


def _said(app: SchedlabApp) -> str:
    return str(app.screen.query_one("#box").border_subtitle)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_page_goes_from_one_line_with_the_words_to_the_next(size: tuple[int, int]) -> None:
    """After the last comes the first, before the first the last; esc shows the page as it was, and then closes it."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=size) as pilot:
        await pilot.press("d")
        await pilot.press("slash", *"Reserved")
        first = _said(app)
        await pilot.press("enter", "n")
        second = _said(app)
        await pilot.press("n", "N")
        last = _said(app)
        await pilot.press("escape")
        stays, whole = isinstance(app.screen, PageScreen), _said(app)
        await pilot.press("escape")
        closed = app.screen is app.cluster

    assert [words.partition(":")[0] for words in (first, second, last)] == ["1 of 2", "2 of 2", "2 of 2"]
    assert (stays, whole, closed) == (True, "/ finds, c copies, x saves, esc closes", True)


async def test_a_page_scrolls_to_what_was_found() -> None:
    """On a small terminal the line comes into sight; no key that was typed does anything else."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("d")
        before = screen_text(app)
        await pilot.press("slash", *"nodes res")
        await pilot.pause()
        await pilot.pause()
        after, top = screen_text(app), app.screen.query_one(VerticalScroll).scroll_offset.y

    assert ("nodes reserved" in before, "nodes reserved" in after, top > 0) == (False, True, True)


async def test_the_last_line_of_a_long_page_is_seen_while_words_are_sought() -> None:
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("d")
        page = app.screen
        assert isinstance(page, PageScreen)
        await pilot.press("slash", "a", "enter", "end")
        await pilot.pause()
        seen = screen_lines(app)

    last = next(line for line in reversed(page.text.splitlines()) if line.strip())
    assert any(last.strip() in line for line in seen)


async def test_a_list_keeps_what_has_the_words() -> None:
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("a", "slash", *"PREEMPTION")
        menu = app.screen
        assert isinstance(menu, MenuScreen)
        found = [one.value for one in menu.choices]
        await pilot.press("enter", "enter")
        await pilot.pause()

    assert found == ["cluster_acts.toggle_preemption"]
