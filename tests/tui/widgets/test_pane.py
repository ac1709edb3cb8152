"""The pane by itself: only visible lines are drawn, and the cursor holds an id."""

from collections.abc import Sequence
from typing import Any

from textual.app import App, ComposeResult

from tui.panes.line import RenderContext, Span
from tui.panes.noun import NO_SOURCE, PaneTexts, PaneView, TableLayout, by_row
from tui.panes.table import Column
from tui.terminal.theme import styles
from tui.widgets.pane import RowPane

LOOK = RenderContext(0, ("memory_mb",), (0,))


class Counting:
    """A column that counts how often it is asked for a cell."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self, row: int, look: RenderContext, width: int) -> Span:
        self.drawn += 1
        return f"row {row}", "text"


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


# Frames stand where their panes stand.
