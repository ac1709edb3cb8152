"""The pane by itself: only visible lines are drawn, and the cursor holds an id."""

from collections.abc import Sequence
from typing import Any

from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.widgets import Static

from tests.tui.screen_text import screen_text
from tui.panes.line import RenderContext, Span
from tui.panes.noun import NO_SOURCE, PaneTexts, PaneView, TableLayout, by_row
from tui.panes.table import Column
from tui.terminal.theme import styles
from tui.widgets.pane import RowPane
from tui.widgets.pane_frames import PaneFrames

LOOK = RenderContext(0, ("memory_mb",), (0,))


class Counting:
    """A column that counts how often it is asked for a cell."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self, row: int, look: RenderContext, width: int) -> Span:
        self.drawn += 1
        return f"row {row}", "text"


class Made(Sequence[int]):
    """Rows that are made when they are looked at, and that find one without making the others."""

    def __init__(self, first: int, count: int) -> None:
        self.first, self.length = first, count
        self.made = 0

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: Any) -> Any:
        self.made += 1
        return range(self.first, self.first + self.length)[index]

    def place_of(self, row_id: str) -> int | None:
        place = int(row_id) - self.first
        return place if 0 <= place < self.length else None


class PaneApp(App[None]):
    """One pane and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = Counting()
        columns = (Column("ROW", 8, 0, self.cell, grow=1),)
        nothing = by_row(lambda row, look: [])
        noun: PaneView[int] = PaneView("rows", "Rows", NO_SOURCE, TableLayout(columns), str, nothing, PaneTexts("none"))
        self.pane: RowPane[int] = RowPane(noun, styles("none"), id="rows")

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
        down = app.pane.cursor_row
        app.pane.move_pages(-1)

    assert (down, app.pane.cursor_row) == (3, 0)


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
            seen.append((app.pane.cursor_id, app.pane.cursor_row))

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


async def test_an_unknown_id_is_not_found() -> None:
    app = PaneApp()
    async with app.run_test(size=(40, 10)) as pilot:
        _show(app, [1, 2, 3], 1)
        await pilot.pause()

        assert (app.pane.go_to_id("9"), app.pane.go_to_id("3"), app.pane.cursor_row) == (False, True, 2)


async def test_rows_that_are_made_when_looked_at_are_made_only_then() -> None:
    """Also when the cursor's row has moved far away; none is kept by a pane that is told to forget."""
    app = PaneApp()
    async with app.run_test(size=(40, 24)) as pilot:
        _show(app, Made(0, 100_000), 1)
        app.pane.go_to(90_000)
        moved = Made(40_000, 100_000)
        _show(app, moved, 2)
        await pilot.pause()
        place = app.pane.cursor_row
        app.pane.forget()
        forgotten = len(app.pane.rows)
        _show(app, moved, 3)

    assert (place, forgotten, app.pane.cursor_row, moved.made < 200) == (50_000, 0, 50_000, True)


# Frames stand where their panes stand.


class _Framed(App[None]):
    """One pane, as high as is said."""

    height_of_pane = 3

    def compose(self) -> ComposeResult:
        with PaneFrames({"line": Style(), "text": Style()}, id="panes"):
            yield Static("", id="one")

    def lower_edge(self) -> int:
        """The line of the screen on which the frame ends."""
        return next(y for y, line in enumerate(screen_text(self).splitlines()) if line.startswith("╰"))


async def test_a_frame_follows_a_layout_nobody_asked_it_for() -> None:
    """Rows change what a pane wants; a child that is laid out again moves, and its frame with it."""
    app = _Framed()
    async with app.run_test(size=(20, 10)) as pilot:
        frames = app.query_one(PaneFrames)
        frames.stand(lambda area: {"one": Region(0, 0, 20, app.height_of_pane)}, is_sided=True)
        await pilot.pause()
        before = app.lower_edge()
        app.height_of_pane = 6
        app.query_one("#one").refresh(layout=True)
        await pilot.pause()
        after = app.lower_edge()

    assert (before, after) == (2, 5)
