"""A page that scrolls, by itself: the cursor goes from stop to stop, and stays on what it stood on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui.pages.why import Page, Stop
from tui.protocol.picture import WhySubject
from tui.terminal.theme import styles
from tui.widgets.scrolled_page import ScrolledPage

LINES = 30


def stop(row: int, part: str = "one", begin: int = 0, end: int = 8) -> Stop:
    """A stop in a row, which leads to its number."""
    return Stop(row, begin, end, WhySubject("application", str(row)), part)


STOPS = [stop(1), stop(3), stop(12, "two"), stop(13, "two"), stop(28, "three")]


def page(*stops: Stop, lines: int = LINES) -> Page:
    return Page([[(f"line {row}", "text")] for row in range(lines)], list(stops))


class PageApp(App[None]):
    """One page and nothing else; it notes what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.page = ScrolledPage(styles("none"), id="page")
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.page

    def on_scrolled_page_moved(self) -> None:
        self.said.append("moved")

    def on_scrolled_page_followed(self) -> None:
        self.said.append("followed")


@asynccontextmanager
async def shown(first: Page | None = None) -> AsyncIterator[tuple[PageApp, ScrolledPage, Pilot[None]]]:
    """A page of thirty lines, ten of which are visible."""
    app = PageApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.page.show(page(*STOPS) if first is None else first)
        await pilot.pause()
        yield app, app.page, pilot


def where(shown_page: ScrolledPage) -> tuple[int | None, int]:
    """The row of the cursor, and the first visible line."""
    return shown_page.stop.row if shown_page.stop is not None else None, shown_page.scroll_offset.y


@pytest.mark.parametrize(
    ("moves", "places"),
    [
        ([1], [(3, 0)]),
        ([1, 1], [(3, 0), (3, 1)]),
        ([1, 1, 1], [(3, 0), (3, 1), (3, 2)]),
        ([-1], [(1, 0)]),
        ([1, -1, -1], [(3, 0), (1, 0), (1, 0)]),
        ([1, 1, 1, 1, 1], [(3, 0), (3, 1), (3, 2), (12, 3), (13, 4)]),
    ],
)
async def test_a_move_goes_to_the_next_stop_where_one_is_in_sight_else_by_a_line(
    moves: list[int], places: list[tuple[int, int]]
) -> None:
    """In sight is also the line above and that below; at an end it stays."""
    async with shown() as (_, seen, pilot):
        found = []
        for by in moves:
            seen.move(by)
            await pilot.pause()
            found.append(where(seen))

    assert found == places


@pytest.mark.parametrize(
    ("later", "row"),
    [
        ([stop(5), stop(13, "two"), stop(3)], 3),
        ([stop(7, "two"), stop(8)], 8),
        ([stop(7, "two"), stop(8, "three")], 7),
        ([], None),
    ],
)
async def test_a_new_page_keeps_what_the_cursor_stood_on(later: list[Stop], row: int | None) -> None:
    async with shown() as (_, seen, _):
        seen.move(1)
        seen.show(page(*later))

        assert where(seen)[0] == row
