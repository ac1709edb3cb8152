"""The plot: dots, fills, gridlines, marks, cursor, boxes."""

import pytest

from tui.panes.line import flat
from tui.panes.plot import CellGrid, PlotMark, name_marks, scale


def text(sheet: CellGrid) -> list[str]:
    return [flat(line) for line in sheet.lines()]


@pytest.mark.parametrize(
    ("highest", "lines", "expected"),
    [
        (0, 6, (1, 1)),
        (6, 6, (6, 1)),
        (7, 6, (8, 2)),
        (12, 6, (12, 2)),
        (13, 6, (15, 5)),
        (107, 6, (120, 20)),
        (120, 6, (120, 20)),
        (121, 6, (150, 50)),
        (107, 1, (200, 200)),
        (9_999, 6, (10_000, 2_000)),
    ],
)
def test_gridlines_are_one_two_or_five_powers_of_ten_apart(
    highest: float, lines: int, expected: tuple[float, float]
) -> None:
    """The top is the first of them that is not below the highest value."""
    assert scale(highest, lines) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [((3,), "     long"), ((16,), "           long"), ((9, 13), "    long       b"), ((0, 4), "  x   long")],
)
def test_names_stand_right_of_a_mark_else_left(cells: tuple[int, ...], expected: str) -> None:
    names = (["long", "x"], ["long", "b"])
    marks = [PlotMark(cell, "watch", names[place]) for place, cell in enumerate(cells)]
    sheet = CellGrid(18, 2)
    name_marks(sheet, marks)

    assert text(sheet)[0].rstrip() == expected
