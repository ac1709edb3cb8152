"""Small plots beside and below each other."""

import pytest

from tests.tui.render.test_chart import LOOK, trace
from tui.panes.graphs import arranged, lines
from tui.panes.line import length


@pytest.mark.parametrize(
    ("count", "size", "columns", "visible", "height"),
    [
        (13, (80, 12), 3, 2, 6),
        (6, (114, 8), 3, 1, 8),
        (13, (78, 14), 3, 2, 7),
        (13, (116, 34), 3, 3, 11),
        (13, (196, 55), 5, 3, 14),
        (2, (80, 30), 2, 1, 14),
        (13, (47, 30), 1, 6, 5),
        (13, (48, 30), 2, 3, 10),
        (13, (10, 3), 1, 1, 3),
    ],
)
def test_plots_fill_their_room(count: int, size: tuple[int, int], columns: int, visible: int, height: int) -> None:
    """Three beside each other, more where all are wide; the first six are seen while they are three rows high."""
    shape = arranged(count, *size)

    assert (shape.columns, shape.visible, shape.height) == (columns, visible, height)
    assert shape.columns * (shape.width + 2) - 2 <= size[0]
    assert shape.visible * shape.height <= size[1]


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (48, 12), (80, 12), (196, 55)])
def test_lines_stay_within_the_room(size: tuple[int, int]) -> None:
    found = lines([trace(each) for each in range(13)], 0, 0, size, LOOK, has_cursor=True)

    assert 0 < len(found) <= size[1]
    assert all(length(line) <= size[0] for line in found)
