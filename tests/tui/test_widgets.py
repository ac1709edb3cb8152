"""The pane by itself: only visible lines are drawn, and the cursor holds an id."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tests.tui.screen_text import press
from tui.pages.why import Page, Stop
from tui.panes.fragments import Fragment, RenderContext
from tui.panes.pane_view import NO_SOURCE, PaneView, by_row
from tui.panes.table import Column
from tui.protocol.picture import WhySubject
from tui.terminal.theme import StyleTable
from tui.widgets.pane import RowPane
from tui.widgets.prompt import Chooser, Prompt, PromptInput
from tui.widgets.scrolled_page import ScrolledPage

LOOK = RenderContext(0, ("memory_mb",), (0,))


class Counting:
    """A column that counts how often it is asked for a cell."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self, row: int, look: RenderContext, width: int) -> Fragment:
        self.drawn += 1
        return f"row {row}", "text"


class PaneApp(App[None]):
    """One pane and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = Counting()
        columns = (Column("ROW", 8, 0, self.cell, grow=1),)
        nothing = by_row(lambda row, look: [])
        view: PaneView[int] = PaneView("rows", "Rows", NO_SOURCE, columns, str, nothing, "none")
        self.pane: RowPane[int] = RowPane(view, StyleTable("none"), id="rows")

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.focus()


def _show(app: PaneApp, rows: Sequence[int], version: Any) -> None:
    app.pane.show(rows, version, LOOK)


async def test_only_visible_rows_are_drawn() -> None:
    app = PaneApp()
    async with app.run_test(size=(40, 24)) as pilot:
        _show(app, range(100_000), 1)
        await pilot.pause()
        app.cell.drawn = 0
        _show(app, range(100_000), 2)
        await pilot.pause()

    assert 0 < app.cell.drawn <= 2 * 24


async def test_the_cursor_scrolls_the_rows_and_the_head_stays() -> None:
    app = PaneApp()
    async with app.run_test(size=(40, 5)) as pilot:
        _show(app, range(100), 1)
        await pilot.pause()
        app.pane.go_to(99)
        await pilot.pause()
        lines = app.pane.visible_text()

    assert lines == [" ROW", " row 96", " row 97", " row 98", "▌row 99"]


async def test_a_page_overlaps_by_a_row() -> None:
    app = PaneApp()
    async with app.run_test(size=(40, 5)) as pilot:
        _show(app, range(100), 1)
        await pilot.pause()
        app.pane.move_pages(1)
        down = app.pane.cursor.at
        app.pane.move_pages(-1)

    assert (down, app.pane.cursor.at) == (3, 0)


async def test_rows_that_come_and_go_leave_the_cursor_on_its_id() -> None:
    """Moved, it follows; gone, it stays at the place; nothing left, it has nothing."""
    app = PaneApp()
    seen: list[Any] = []
    async with app.run_test(size=(40, 10)) as pilot:
        _show(app, [1, 2, 3], 1)
        await pilot.pause()
        app.pane.go_to(1)
        for version, rows in enumerate(([0, 1, 2, 3], [0, 1, 3], [7], []), start=2):
            _show(app, rows, version)
            await pilot.pause()
            seen.append((app.pane.cursor.id, app.pane.cursor.at))

    assert seen == [("2", 2), ("3", 2), ("7", 0), (None, 0)]


async def test_the_same_picture_again_draws_nothing() -> None:
    app = PaneApp()
    async with app.run_test(size=(40, 10)) as pilot:
        _show(app, [1, 2, 3], 1)
        await pilot.pause()
        app.cell.drawn = 0
        _show(app, [1, 2, 3], 1)
        await pilot.pause()

    assert app.cell.drawn == 0


# The prompt and a choice by themselves: what they tell, what they remember, what completes.

WORDS = ("kill", "keep", "kilo")


def _complete(line: str) -> Sequence[str]:
    return [word for word in WORDS if word.startswith(line)]


class PromptApp(App[None]):
    """One prompt, one choice, and what both told."""

    def __init__(self, *options: str, chosen: int = 0) -> None:
        super().__init__()
        self.told: list[tuple[Any, ...]] = []
        self.prompt = Prompt(StyleTable("none"), lambda: None, id="prompt")
        self.chooser = Chooser("kind", options or ("one",), chosen=chosen, id="kind")

    def compose(self) -> ComposeResult:
        yield self.chooser
        yield self.prompt

    def typed(self, words: str) -> None:
        self.told.append(("typed", words))

    def entered(self, words: str) -> None:
        self.told.append(("entered", words))

    def given_up(self) -> None:
        self.told.append(("given up",))

    @on(Chooser.Changed)
    def _changed(self, event: Chooser.Changed) -> None:
        self.told.append(("changed", event.chooser.value))

    @on(Chooser.ListRequested)
    def _list_wanted(self, event: Chooser.ListRequested) -> None:
        self.told.append(("list", event.chooser.title))

    @property
    def line(self) -> str:
        return self.prompt.query_one(PromptInput).value

    async def enter(self, pilot: Pilot[None], *lines: str) -> None:
        for line in lines:
            self.prompt.open(self, "/", line, _complete, "")
            await pilot.press("enter")


# The prompt


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["tab"], "kill"),
        (["tab", "tab"], "kilo"),
        (["tab", "tab", "tab"], "kill"),
        (["shift+tab"], "kilo"),
        (["shift+tab", "shift+tab"], "kill"),
        (["tab", "x"], "killx"),
        (["tab", "backspace", "backspace", "tab"], "kill"),
        (["x", "tab"], "kix"),
    ],
)
async def test_tab_goes_round_what_completes_the_text(keys: list[str], line: str) -> None:
    """What is typed then is a new beginning; the cursor stands at its end."""
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.open(app, ":", "ki", _complete, "hint")
        await press(pilot, *keys)

        assert (app.line, app.prompt.query_one(PromptInput).cursor_position) == (line, len(line))
        assert app.prompt.said == ("nothing to complete" if line == "kix" else "hint")


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["up"], "third"),
        (["up", "up"], "first"),
        (["up", "up", "up"], "first"),
        (["up", "up", "down"], "third"),
        (["up", "down"], ""),
        (["down"], ""),
        (["up", "down", "down", "up"], "third"),
    ],
)
async def test_lines_entered_come_back(keys: list[str], line: str) -> None:
    """Equal ones that follow each other once, empty ones never; behind the last one is an empty one."""
    app = PromptApp()
    async with app.run_test() as pilot:
        await app.enter(pilot, "first", "third", "third", "  ", "")
        app.prompt.open(app, "/", "now", _complete, "")
        await pilot.press(*keys)

        assert app.line == line


# The choice


@pytest.mark.parametrize(
    ("keys", "shown", "told"),
    [
        ([], "< b >  2/3", []),
        (["right"], "< cc >  3/3", [("changed", "cc")]),
        (["right", "right"], "< a >  1/3", [("changed", "cc"), ("changed", "a")]),
        (["left", "left"], "< cc >  3/3", [("changed", "a"), ("changed", "cc")]),
        (["enter", "space"], "< b >  2/3", [("list", "kind"), ("list", "kind")]),
    ],
)
async def test_arrows_go_round_the_options(keys: list[str], shown: str, told: list[tuple[str, ...]]) -> None:
    app = PromptApp("a", "b", "cc", chosen=1)
    async with app.run_test() as pilot:
        app.chooser.focus()
        await press(pilot, *keys)

        assert (str(app.chooser.render()), app.told) == (shown, told)


# A page that scrolls, by itself: the cursor goes from stop to stop, and stays on what it stood on.

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
        self.page = ScrolledPage(StyleTable("none"), id="page")
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
