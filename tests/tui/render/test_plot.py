"""The plot: dots, fills, gridlines, marks, cursor, boxes."""

import pytest

from tui.glyphs import CURSOR_LINE, GRIDLINE, MARK
from tui.render.line import flat
from tui.render.plot import Line, PlotMark, Scale, Sheet, box, drawn, name_marks, row_of, rule, scale, stand

TEN = Scale(10, 5)


def plotted(*samples: float | None, height: int = 2, second: tuple[float, ...] = ()) -> Sheet:
    """A line from 0 to 10, and maybe a second one, without colour."""
    lines = [Line(samples, "data"), *([Line(second, "held")] if second else [])]
    return drawn(lines, TEN, (len(samples) // 2, height), is_colourless=True)


def text(sheet: Sheet) -> list[str]:
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


@pytest.mark.parametrize(("mebibytes", "step"), [(700, 200), (10 * 1024, 2 * 1024), (1_228_800, 200 * 1024)])
def test_gridlines_of_memory_are_round_in_its_unit(mebibytes: int, step: int) -> None:
    assert scale(mebibytes, 6, is_memory=True).step == step


@pytest.mark.parametrize(("value", "row"), [(0, 7), (0.7, 7), (0.8, 6), (5, 3), (10, 0), (11, 0), (-1, 7)])
def test_a_value_lies_in_the_nearest_row_of_dots(value: float, row: int) -> None:
    assert row_of(value, 10, 8) == row


def test_the_first_line_is_filled_below() -> None:
    """Cells under the line, and its own where it runs in the upper half; three shades by height."""
    sheet = plotted(10, 10, 7, 7, 0, 0, None, None, height=4)

    assert ["".join(surface[-1:] or " " for surface in row) for row in sheet.surfaces] == [
        "l   ",
        "ll  ",
        "22  ",
        "333 ",
    ]
    assert sheet.lines()[0][0] == ("⠉", "data on fill")


def test_a_line_in_the_lower_half_of_a_cell_has_no_fill_there() -> None:
    sheet = plotted(8.7, 8.7, 7.8, 7.8, height=2)

    assert [bool(surface) for surface in sheet.surfaces[0]] == [True, False]
    assert [bool(surface) for surface in sheet.surfaces[1]] == [True, True]


def test_the_first_line_lies_over_the_second() -> None:
    """The second one shows where the first does not run, in every other column of dots without colour."""
    sheet = plotted(10, 10, 0, 0, second=(0, 0, 0, 0))

    assert text(sheet) == ["⠉⡆", "⡀⣇"]
    assert [style for _, style in sheet.lines()[1]] == ["held on fill3", "data on fill3"]


def test_gridlines_give_way_to_everything() -> None:
    sheet = drawn([Line((5, 5, 0, 0, 0, 0), "data")], TEN, (3, 3), [PlotMark(2, "alarm")], is_colourless=False)
    rule(sheet, TEN, TEN.values)

    assert text(sheet)[0] == f"{GRIDLINE}{GRIDLINE}{MARK}"
    assert sheet.signs[1][2] == MARK
    assert sheet.lines()[2][0] == (GRIDLINE, "grid on fill3")
    assert GRIDLINE not in text(sheet)[2][1:]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [((3,), "     long"), ((16,), "           long"), ((9, 13), "    long       b"), ((0, 4), "  x   long")],
)
def test_names_stand_right_of_a_mark_else_left(cells: tuple[int, ...], expected: str) -> None:
    names = (["long", "x"], ["long", "b"])
    marks = [PlotMark(cell, "watch", names[place]) for place, cell in enumerate(cells)]
    sheet = Sheet(18, 2)
    name_marks(sheet, marks)

    assert text(sheet)[0].rstrip() == expected


def test_the_cursor_hides_what_is_under_it() -> None:
    sheet = plotted(10, 10, 10, 10)
    stand(sheet, 1)

    assert text(sheet) == [f"⠉{CURSOR_LINE}", f" {CURSOR_LINE}"]
    assert sheet.styles[0] == ["data", "accent"]


def test_a_box_takes_the_first_free_place() -> None:
    """Right of the cell from the third row on; left where it is not free; nowhere without room."""
    words = [[("one", "strong")], [("two", "soft")]]
    for busy, place in (((), (2, 12)), ((12, 13, 14), (2, 4)), (range(20), None)):
        sheet = Sheet(20, 4)
        for cell in busy:
            sheet.put(2, cell, "x", "data")
        found = box(sheet, 9, words, 5)
        assert found == (place is not None)
        if place is not None:
            row, cell = place
            assert text(sheet)[row][cell : cell + 3] == "one"
            assert sheet.surfaces[row + 1][cell - 1 : cell + 4] == ["panel"] * 5
