"""The cursor of a pane: what scrolls with it, how its place is told, what is drawn again, where clicks lead."""

from collections.abc import Sequence
from typing import Any

import pytest
from textual import on

from tests.tui.widgets.test_frames_and_bars import watched
from tests.tui.widgets.test_pane import LOOK, PaneApp
from tui.render.group import GroupedRows, Grouping, RowGroup
from tui.widgets.pane import RowPane

ODD = RowGroup("odd", (1, 3, 5), [("odd", "strong")])
EVEN = RowGroup("even", (0, 2, 4), [("even", "strong")])
EMPTY = RowGroup("none", (), [("none", "strong")])


def grouped(*groups: RowGroup, **folds: bool) -> GroupedRows:
    """Six rows under headlines."""
    return GroupedRows(range(6), Grouping(groups, can_fold=True), folds)


class ToldApp(PaneApp):
    """A pane, and what it told."""

    def __init__(self, **noun: Any) -> None:
        super().__init__()
        self.told: list[Any] = []
        self.pane.noun = self.pane.noun._replace(**noun)

    @on(RowPane.PaneClicked)
    def _clicked(self, event: RowPane.PaneClicked) -> None:
        self.told.append((event.what, event.cell, event.times))

    @on(RowPane.MarkWanted)
    def _mark(self, event: RowPane.MarkWanted) -> None:
        self.told.append("mark")

    @on(RowPane.MenuWanted)
    def _menu(self, event: RowPane.MenuWanted) -> None:
        self.told.append("menu")

    @on(RowPane.Resized)
    def _resized(self, event: RowPane.Resized) -> None:
        self.told.append("resized")


@pytest.mark.parametrize(
    ("places", "top"),
    [
        ([0], 0),
        ([3], 0),
        ([4], 1),
        ([50], 47),
        ([50, 47], 47),
        ([50, 46], 46),
        ([50, 51], 48),
        ([50, 0], 0),
        ([99], 96),
        ([99, -5], 0),
        ([99, 200], 96),
    ],
)
async def test_rows_scroll_no_more_than_it_takes(places: list[int], top: int) -> None:
    """Four rows are in sight."""
    app = PaneApp()
    async with app.run_test(size=(40, 5)) as pilot:
        app.pane.show(range(100), 1, LOOK)
        await pilot.pause()
        for place in places:
            app.pane.go_to(place)
            await pilot.pause()

        assert (app.pane.scroll_offset.y, app.pane.below) == (top, 96 - top)


@pytest.mark.parametrize(
    ("groups", "place", "top"),
    [((ODD, EVEN), 1, 0), ((ODD, EVEN), 2, 0), ((ODD, EVEN), 5, 2), ((ODD, EVEN, EMPTY), 7, 5), ((ODD, EVEN), 7, 4)],
)
async def test_the_headline_at_the_end_is_seen_with_the_last_row(
    groups: Sequence[RowGroup], place: int, top: int
) -> None:
    """No row leads to it; the one before the first row comes into sight with that."""
    app = PaneApp()
    async with app.run_test(size=(40, 5)) as pilot:
        app.pane.show(grouped(*groups), 1, LOOK)
        await pilot.pause()
        app.pane.go_to(place)
        await pilot.pause()

        assert (app.pane.cursor_row, app.pane.scroll_offset.y) == (place, top)


@pytest.mark.parametrize(
    ("rows", "place", "position"),
    [
        (range(3), 0, "1 of 3"),
        (range(3), 2, "3 of 3"),
        ((), 0, ""),
        (grouped(ODD, EVEN), 1, "1 of 6"),
        (grouped(ODD, EVEN), 5, "4 of 6"),
        (grouped(ODD, EVEN, odd=True), 3, "5 of 6"),
    ],
)
async def test_the_place_is_told_without_headlines(rows: Any, place: int, position: str) -> None:
    """Rows of folded groups count."""
    app = PaneApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.pane.show(rows, 1, LOOK)
        await pilot.pause()
        app.pane.go_to(place)

        assert app.pane.position == position


@pytest.mark.parametrize(("place", "moved"), [(2, True), (0, False), (-3, False)])
async def test_only_the_lines_of_the_cursor_are_drawn_again(
    place: int, monkeypatch: pytest.MonkeyPatch, *, moved: bool
) -> None:
    """Where it was and where it is, below the head; none where it stays."""
    app = PaneApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.pane.show(range(6), 1, LOOK)
        await pilot.pause()
        lines: list[int] = []
        monkeypatch.setattr(app.pane, "refresh_line", lines.append)
        app.pane.go_to(place)

        assert lines == ([1, 3] if moved else [])


async def test_new_rows_draw_only_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line of six; all of them at another size."""
    app = PaneApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.pane.show([0, 1, 2, 3], 1, LOOK)
        await pilot.pause()
        app.pane.show([0, 1, 2, 3], 2, LOOK)
        await pilot.pause()
        found = watched(app.pane, monkeypatch)
        app.pane.show([0, 1, 7, 3], 3, LOOK)
        regions = [each for call in found for each in call]
        await pilot.pause()

        assert {each.y for each in regions} == {3}
        assert app.pane.visible_text()[1:5] == ["▌row 0", " row 1", " row 7", " row 3"]


async def test_another_size_is_told_and_keeps_the_cursor_in_sight() -> None:
    """Whoever places panes hears of it."""
    app = ToldApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.pane.show(range(100), 1, LOOK)
        app.pane.go_to(8)
        await pilot.pause()
        app.told.clear()
        await pilot.resize_terminal(40, 5)
        await pilot.pause()

        assert ("resized" in app.told, app.pane.scroll_offset.y) == (True, 5)


@pytest.mark.parametrize(
    ("at", "how", "told", "place"),
    [
        ((5, 2), {}, [], 1),
        ((5, 2), {"times": 2}, [("row", 5, 2)], 1),
        ((5, 2), {"button": 3}, ["menu"], 1),
        ((5, 2), {"control": True}, ["mark"], 1),
        ((0, 3), {}, ["mark"], 2),
        ((1, 3), {}, [], 2),
        ((5, 0), {}, [("head", 4, 1)], 0),
        ((5, 0), {"times": 2}, [("head", 4, 1), ("head", 4, 2)], 0),
        ((5, 9), {}, [], 0),
    ],
)
async def test_a_click_puts_the_cursor_there(
    at: tuple[int, int], how: dict[str, Any], told: list[Any], place: int
) -> None:
    """In the gutter it marks; two go into the row, the right button asks what can be done."""
    app = ToldApp(marks="rows")
    async with app.run_test(size=(40, 12)) as pilot:
        app.pane.show(range(4), 1, LOOK)
        await pilot.pause()
        app.told.clear()
        _ = await pilot.click(app.pane, offset=at, **how)
        await pilot.pause()

        assert (app.told, app.pane.cursor_row) == (told, place)


@pytest.mark.parametrize(("height", "by", "place"), [(5, 1, 3), (5, 2, 6), (12, 1, 10), (2, 1, 1), (2, -1, 0)])
async def test_a_page_is_what_is_in_sight_but_for_a_row(height: int, by: int, place: int) -> None:
    """At least one row."""
    app = PaneApp()
    async with app.run_test(size=(40, height)) as pilot:
        app.pane.show(range(100), 1, LOOK)
        await pilot.pause()
        app.pane.move_pages(by)

        assert app.pane.cursor_row == place


async def test_columns_that_somebody_chose_go_with_another_kind_of_rows() -> None:
    """Nothing is known of them; the cursor is on the first."""
    app = PaneApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.pane.show(range(4), 1, LOOK)
        app.pane.take_columns(app.pane.columns)
        app.pane.go_to(2)
        await pilot.pause()
        before = (app.pane.was_moved, app.pane.wanted_lines, app.pane.map)
        app.pane.become(app.pane.noun)
        after = (app.pane.chosen_columns, app.pane.cursor_row, app.pane.was_moved, app.pane.rows, app.pane.version)

        assert before == (True, 5, None)
        assert after == (None, 0, False, (), None)
