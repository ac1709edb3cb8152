"""Where the cursor of a pane stands when its rows come, go and move; no widget."""

from typing import Any

from tui.panes.noun import NO_SOURCE, PaneTexts, PaneView, TableLayout, by_row
from tui.widgets.pane import Cursor

ROWS: PaneView[Any] = PaneView(
    "rows", "Rows", NO_SOURCE, TableLayout(()), str, by_row(lambda row, look: []), PaneTexts("none")
)


def _cursor(at: int, rows: str = "abcd") -> Cursor:
    cursor = Cursor()
    cursor.move(at, rows, ROWS)
    return cursor


def test_a_cursor_nobody_moved_stays_on_the_first_row() -> None:
    cursor = Cursor()
    moved = cursor.settle("xab", ROWS)

    assert (cursor.at, cursor.id, moved) == (0, "x", None)


def test_a_cursor_that_was_moved_to_the_first_row_stays_on_its_id() -> None:
    cursor = _cursor(0)

    assert (cursor.settle("xab", ROWS), cursor.at, cursor.id) == (1, 1, "a")


def test_a_cursor_that_was_moved_by_one_row_stays_on_its_id() -> None:
    cursor = _cursor(1)

    assert (cursor.settle("xyab", ROWS), cursor.at, cursor.id) == (2, 3, "b")


def test_where_the_id_is_gone_the_place_stays() -> None:
    same, fewer = _cursor(2), _cursor(3)
    moved = same.settle("abxd", ROWS), fewer.settle("ab", ROWS)

    assert (moved, same.at, same.id, fewer.at, fewer.id) == ((0, 0), 2, "x", 1, "b")
