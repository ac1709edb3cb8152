"""Cells of a screen as a PNG, by its pixels."""

import io
from collections.abc import Sequence

import pytest
from PIL import Image
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.commands.picture_png import CELL, png_of

BACK, FRONT = (41, 41, 41), (197, 200, 198)
"""What rich has where a style names no colour."""
RED, BLUE = (255, 0, 0), (0, 0, 255)


def drawn(lines: Sequence[Sequence[tuple[str, str]]], columns: int, rows: int) -> Image.Image:
    """A picture of lines of (text, style)."""
    strips = [Strip([Segment(text, Style.parse(style) if style else None) for text, style in line]) for line in lines]
    return Image.open(io.BytesIO(png_of(strips, (columns, rows)))).convert("RGB")


def inked(image: Image.Image, colour: tuple[int, int, int]) -> set[tuple[int, int]]:
    """Where a colour is."""
    width, height = image.size
    return {(x, y) for x in range(width) for y in range(height) if image.getpixel((x, y)) == colour}


def cell(column: int, row: int) -> set[tuple[int, int]]:
    """All places of a cell."""
    width, height = CELL
    return {
        (x, y) for x in range(column * width, (column + 1) * width) for y in range(row * height, (row + 1) * height)
    }


@pytest.mark.parametrize(("columns", "rows", "size"), [(1, 1, (12, 24)), (5, 3, (60, 72))])
def test_a_cell_has_12_by_24_pixels(columns: int, rows: int, size: tuple[int, int]) -> None:
    """Empty ones have the colour behind."""
    image = drawn([], columns, rows)

    assert (image.size, image.getcolors()) == (size, [(size[0] * size[1], BACK)])


def test_lines_below_the_screen_are_left_out() -> None:
    """The last that fits is drawn."""
    red, blue = "on rgb(255,0,0)", "on rgb(0,0,255)"
    image = drawn([[("  ", red)], [("  ", blue)], [("  ", red)]], 2, 2)

    assert inked(image, RED) == cell(0, 0) | cell(1, 0)
    assert inked(image, BLUE) == cell(0, 1) | cell(1, 1)


def test_what_is_behind_text_fills_its_cells() -> None:
    """Neither more nor less, also below signs of two cells."""
    rgb = "on rgb(255,0,0)", "on rgb(0,0,255)"
    image = drawn([[("  ", "")], [(" ", ""), ("  ", rgb[0]), (" ", rgb[1]), ("\u3000", rgb[0])]], 7, 3)

    assert inked(image, RED) == cell(1, 1) | cell(2, 1) | cell(4, 1) | cell(5, 1)
    assert inked(image, BLUE) == cell(3, 1)


def test_a_sign_after_a_wide_one_stands_two_cells_on() -> None:
    """In one text as in two."""
    one, two = (drawn([line], 4, 1) for line in ([("\u3042x", "")], [("\u3042", ""), ("x", "")]))

    assert one.tobytes() == two.tobytes()
    assert one.crop((24, 0, 36, 24)).tobytes() == drawn([[("x", "")]], 1, 1).tobytes()


def dot(column: int, row: int) -> set[tuple[int, int]]:
    """The cross that a braille dot covers at least: its middle is a quarter or three, and an odd eighth of the cell."""
    x, y = (3, 9)[column], (3, 9, 15, 21)[row]
    return {(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)}


@pytest.mark.parametrize(
    ("bit", "column", "row"),
    [(0, 0, 0), (1, 0, 1), (2, 0, 2), (3, 1, 0), (4, 1, 1), (5, 1, 2), (6, 0, 3), (7, 1, 3)],
)
def test_each_bit_of_braille_is_a_dot_in_its_place(bit: int, column: int, row: int) -> None:
    """Four pixels wide and high, and alone."""
    found = inked(drawn([[(chr(0x2800 + (1 << bit)), "rgb(255,0,0)")]], 1, 1), RED)
    across, down = {x for x, _ in found}, {y for _, y in found}
    x, y = (3, 9)[column], (3, 9, 15, 21)[row]

    assert dot(column, row) <= found
    assert (across, down) == (set(range(x - 2, x + 2)), set(range(y - 2, y + 2)))


def test_braille_has_all_dots_of_its_bits_in_its_cell() -> None:
    """The empty pattern has none, the full one all eight."""
    full = inked(drawn([[(" ", ""), ("\u28ff", "rgb(255,0,0)")]], 2, 1), RED)
    alone = [inked(drawn([[(chr(0x2800 + (1 << bit)), "rgb(255,0,0)")]], 1, 1), RED) for bit in range(8)]

    assert full == {(x + 12, y) for each in alone for x, y in each}
    assert drawn([[("\u2800", "")]], 1, 1).getcolors() == [(288, BACK)]


def test_signs_beside_braille_are_letters() -> None:
    """The one before the first and the one after the last pattern."""
    first, last = (drawn([[(sign, "rgb(255,0,0)")]], 1, 1) for sign in ("\u27ff", "\u2900"))

    assert all(len(image.getcolors() or []) > 1 for image in (first, last))


def test_letters_stand_on_one_line_nineteen_pixels_down() -> None:
    """None of a letter without a tail is below it; a tail is."""
    height = {sign: {y for _, y in _letter(sign)} for sign in "Eg_"}

    assert (max(height["E"]), min(height["E"]) > 0) == (18, True)
    assert max(height["g"]) > 18
    assert max(height["E"]) - min(height["E"]) + 1 == 15  # capitals of DejaVu are 0.729 of 20 pixels high


def _letter(sign: str) -> set[tuple[int, int]]:
    image = drawn([[(sign, "")]], 1, 1)
    return cell(0, 0) - inked(image, BACK)


@pytest.mark.parametrize(("style", "is_wider"), [("bold", True), ("not bold", False), ("italic", False), ("", False)])
def test_bold_letters_have_more_ink(style: str, is_wider: bool) -> None:
    """Only bold ones."""
    usual = cell(0, 0) - inked(drawn([[("l", "")]], 1, 1), BACK)
    found = cell(0, 0) - inked(drawn([[("l", style)]], 1, 1), BACK)

    assert (len(found) > len(usual), found == usual) == (is_wider, not is_wider)


@pytest.mark.parametrize(
    ("style", "front", "back"),
    [
        ("", FRONT, BACK),
        ("rgb(255,0,0)", RED, BACK),
        ("on rgb(0,0,255)", FRONT, (0, 0, 255)),
        ("rgb(255,0,0) on rgb(0,0,255)", RED, BLUE),
        ("reverse", BACK, FRONT),
        ("rgb(255,0,0) reverse", BACK, RED),
        ("default on default", FRONT, BACK),
        ("on default", FRONT, BACK),
        ("red", (204, 85, 90), BACK),
        ("on red", FRONT, (204, 85, 90)),
    ],
)
def test_signs_have_the_colours_of_their_style(
    style: str, front: tuple[int, int, int], back: tuple[int, int, int]
) -> None:
    """Those of the usual theme where none is named; exchanged where it is reversed."""
    image = drawn([[("\u28ff", style)]], 1, 1)

    assert (image.getpixel((3, 3)), image.getpixel((0, 0))) == (front, back)
