"""A plot: lines of braille dots over a window of time, filled below the first, with gridlines, marks and a cursor.

A plot is drawn on a sheet of cells, each a sign, the token of its colour and what it lies on; words or a box over it
are written on the sheet before it becomes lines.
"""

from collections.abc import Sequence
from itertools import groupby
from math import ceil, floor, log, log10
from typing import Final, NamedTuple

from tui.panes.fragments import Fragments
from tui.terminal import format as text
from tui.terminal.format import BRAILLE, CURSOR_LINE, GRIDLINE, MARK

DOTS: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # Bit of each dot: left column, right column
LEFT: Final = (0x00, 0x40, 0x44, 0x46, 0x47)  # The bits of a left column filled from the bottom, by height
RIGHT: Final = (0x00, 0x80, 0xA0, 0xB0, 0xB8)  # The bits of a right column filled from the bottom, by height


def sign(bits: int) -> str:
    """The character with these dots; a space without any, which every font draws.

    >>> sign(0), sign(0xC0), sign(0xFF)
    (' ', '⣀', '⣿')
    """
    return chr(BRAILLE + bits) if bits else " "


def bar_signs(levels: Sequence[int], below: int = 0) -> str:
    """One row of bars, two a cell, from their heights [dots]; `below` dots of each are in the rows under it.

    >>> bar_signs([0, 0, 1, 4]), bar_signs([2, 8], below=4)
    (' ⣸', '⢸')
    """
    left, right = ([min(max(level - below, 0), 4) for level in levels[side::2]] for side in (0, 1))
    return "".join(sign(LEFT[low] + RIGHT[high]) for low, high in zip(left, right, strict=True))


class DotGrid:
    """Dots that lines are drawn of, two by four a cell; column 0 is left, row 0 is the top."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.bits = [[0] * width for _ in range(height)]  # The dots of each cell, row by row

    def draw(self, rows: Sequence[int | None], every: int = 1) -> None:
        """Draw one row for each column of dots, neighbours joined upright; None leaves a gap.

        Only `every` so many columns get their dots, so that lines differ without colour.
        """
        before: int | None = None
        for column, row in enumerate(rows):
            if row is not None and column % every == 0:
                joint = row if before is None or before == row else before + (1 if before < row else -1)
                first, last = min(row, joint), max(row, joint)
                bits = DOTS[column % 2]
                for dot in range(first, last + 1):
                    self.bits[dot >> 2][column >> 1] |= bits[dot & 3]
            before = row


STEPS_S: Final = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
"""What may lie between two times on an axis [s]."""
MINUTE_S: Final = 60


class Window(NamedTuple):
    since_ms: int
    until_ms: int

    def cell(self, time_ms: int, cells: int) -> int:
        """The cell out of so many that an instant lies in; what lies outside is at an end."""
        span_ms = max(1, self.until_ms - self.since_ms)
        return min(max(((time_ms - self.since_ms) * cells - 1) // span_ms, 0), cells - 1)

    def moment(self, cell: int, cells: int) -> int:
        """The last instant of a cell out of so many [epoch ms]."""
        return self.since_ms + (self.until_ms - self.since_ms) * (cell + 1) // max(1, cells)


class AxisTime(NamedTuple):
    cell: int
    words: str


def ticks(window: Window, cells: int, offset_ms: int, apart: int) -> list[AxisTime]:
    """Round times of day at least `apart` cells from one another; with seconds where they lie less than a minute apart.

    A day begins with its name. Rounding takes a cell, seconds add three.
    """
    span_ms = max(1, window.until_ms - window.since_ms)
    step_s = next((each for each in STEPS_S if 1000 * each * cells >= (apart + _size(each) - 5) * span_ms), STEPS_S[-1])
    size = _size(step_s)
    first_ms = window.since_ms + -(window.since_ms + offset_ms) % (1000 * step_s)
    found = [
        AxisTime(window.cell(time_ms, cells), _words(time_ms, offset_ms)[:size])
        for time_ms in range(first_ms, window.until_ms + 1, 1000 * step_s)
    ]
    return [each for each in found if each.cell + size <= cells]


def _words(time_ms: int, offset_ms: int) -> str:
    day, _, clock = text.clock(time_ms, offset_ms).partition(" ")
    return day if clock == "00:00:00" else clock


def _size(step_s: int) -> int:
    return 8 if step_s < MINUTE_S else 5


FILLS: Final = ((0.40, "fill"), (0.72, "fill2"), (1.0, "fill3"))  # (down to this part of the height, what lies below)
UPPER_DOTS: Final = 0o33  # The bits of a cell's upper two rows of dots
KIBI: Final = 1024


class Line(NamedTuple):
    samples: Sequence[float | None]  # Two for each cell; None where nothing is known
    style: str


class PlotMark(NamedTuple):
    cell: int
    style: str
    names: Sequence[str] = ()  # What stands beside its top, the longest first; none in small plots


class Scale(NamedTuple):
    """The value that the height of a plot stands for, from 0 up."""

    top: float
    step: float  # From one gridline to the next

    @property
    def values(self) -> list[float]:
        return [self.step * number for number in range(round(self.top / self.step) + 1)]

    def row(self, value: float, height: int) -> int:
        """The row of cells a value lies in, of so many from the top."""
        return row_of(value, self.top, 4 * height) >> 2


def scale(highest: float, lines: int, *, is_memory: bool = False) -> Scale:
    """A scale up to a value or a little more, with at most so many gridlines above 0, every 1, 2 or 5 · 10ⁿ.

    Memory [MB] is counted in the largest unit of which there are ten.

    >>> scale(107, 6), scale(63, 10), scale(0, 6)
    (Scale(top=120, step=20), Scale(top=70, step=10), Scale(top=1, step=1))
    >>> scale(300 * 1024, 6, is_memory=True).step / 1024
    50.0
    """
    unit = KIBI ** max(0, floor(log(max(highest / 10, 1), KIBI))) if is_memory else 1
    wanted = max(highest / unit, 1)
    size = 10 ** max(0, floor(log10(wanted / lines)))
    step = next(size * each for each in (1, 2, 5, 10, 20) if ceil(wanted / (size * each)) <= lines)
    return Scale(unit * step * ceil(wanted / step), unit * step)


class CellGrid:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.signs = [[" "] * width for _ in range(height)]
        self.styles = [["text"] * width for _ in range(height)]
        self.surfaces = [[""] * width for _ in range(height)]  # What each cell lies on; empty: the background

    def put(self, row: int, cell: int, signs: str, style: str) -> None:
        """Write over cells of a row, what reaches beyond it not."""
        for place, sign in enumerate(signs, start=cell):
            if 0 <= place < self.width:
                self.signs[row][place], self.styles[row][place] = sign, style

    def put_dots(self, grid: DotGrid, style: str, cell: int = 0) -> None:
        for row, line in enumerate(grid.bits):
            for place, bits in enumerate(line, start=cell):
                if bits:
                    self.signs[row][place], self.styles[row][place] = sign(bits), style

    def is_free(self, row: int, cell: int, size: int) -> bool:
        """True where these cells lie on the sheet and hold only gridlines and blanks."""
        if not (0 <= row < self.height and cell >= 0 and cell + size <= self.width):
            return False
        return all(each in (" ", GRIDLINE) for each in self.signs[row][cell : cell + size])

    def lines(self) -> list[Fragments]:
        return [_joined(*row) for row in zip(self.signs, self.styles, self.surfaces, strict=True)]


def _joined(signs: Sequence[str], styles: Sequence[str], surfaces: Sequence[str]) -> Fragments:
    spans: Fragments = []
    begin = 0
    words = "".join(signs)
    for (style, surface), run in groupby(zip(styles, surfaces, strict=True)):
        end = begin + len(list(run))
        spans.append((words[begin:end], f"{style} on {surface}" if surface else style))
        begin = end
    return spans


def row_of(value: float, top: float, rows: int) -> int:
    """The row of dots a value lies in, of so many from the top; what is beyond an end lies at it.

    >>> [row_of(value, 100, 8) for value in (0, 50, 100, 120)]
    [7, 3, 0, 0]
    """
    row = rows - 1 - floor(value / top * (rows - 1) + 0.5)
    return 0 if row < 0 else row if row < rows else rows - 1


def drawn(
    lines: Sequence[Line], of: Scale, size: tuple[int, int], marks: Sequence[PlotMark] = (), *, is_colourless: bool
) -> CellGrid:
    """A plot of at most two lines: below the first it is filled; the second lies behind, with gaps without colour."""
    sheet = CellGrid(*size)
    for mark in marks:
        for row in range(1 if mark.names else 0, sheet.height):
            sheet.put(row, mark.cell, MARK, mark.style)
    for place in range(len(lines) - 1, -1, -1) if sheet.height else ():
        _draw(sheet, lines[place], of.top, every=2 if place and is_colourless else 1, is_filled=place == 0)
    return sheet


def rule(sheet: CellGrid, of: Scale, values: Sequence[float]) -> None:
    """Draw gridlines where nothing else is."""
    for value in values:
        row = of.row(value, sheet.height)
        signs, styles = sheet.signs[row], sheet.styles[row]
        for cell, written in enumerate(signs):
            if written == " ":
                signs[cell], styles[cell] = GRIDLINE, "grid"


def _draw(sheet: CellGrid, line: Line, top: float, *, every: int, is_filled: bool) -> None:
    rows = 4 * sheet.height
    dots = [None if each is None else row_of(each, top, rows) for each in line.samples]
    grid = DotGrid(sheet.width, sheet.height)
    grid.draw(dots, every)
    sheet.put_dots(grid, line.style)
    if is_filled:
        _fill(sheet, grid, dots)


def _fill(sheet: CellGrid, grid: DotGrid, dots: Sequence[int | None]) -> None:
    """Lay a background below a line, and under its own cells where they have a dot in the upper half."""
    firsts = [_first_filled(grid, cell, dots[2 * cell], dots[2 * cell + 1]) for cell in range(sheet.width)]
    for row in range(sheet.height):
        surface = next(surface for part, surface in FILLS if (row + 0.5) / sheet.height < part)
        sheet.surfaces[row] = [surface if first <= row else "" for first in firsts]


def _first_filled(grid: DotGrid, cell: int, left: int | None, right: int | None) -> int:
    """The first row of a cell's column that is filled; behind the last where nothing is known there."""
    if left is None and right is None:
        return grid.height
    own = max(-1 if left is None else left, -1 if right is None else right) >> 2
    return own if grid.bits[own][cell] & UPPER_DOTS else own + 1


def name_marks(sheet: CellGrid, marks: Sequence[PlotMark]) -> None:
    """Write the names of marks on the top row beside them, the longest that has room: right of it, else left."""
    row = 0
    for mark in marks:
        if not mark.names or not sheet.height:
            continue
        sheet.signs[row][mark.cell] = " "
        for name in mark.names:
            places = (mark.cell + 2, mark.cell - 1 - len(name))
            found = next((at for at in places if _has_room(sheet, marks, at, len(name))), None)
            if found is not None:
                sheet.put(row, found - 1, f" {name} ", mark.style)
                break


def _has_room(sheet: CellGrid, marks: Sequence[PlotMark], at: int, size: int) -> bool:
    return sheet.is_free(0, at, size) and not any(at - 1 <= each.cell <= at + size for each in marks if each.names)


def stand(sheet: CellGrid, cell: int) -> None:
    """Draw the cursor over everything."""
    for row in range(sheet.height):
        sheet.put(row, cell, CURSOR_LINE, "accent")


def box(sheet: CellGrid, cell: int, lines: Sequence[Fragments], width: int) -> bool:
    """Lay lines on a panel in the first free place beside a cell, right of it or left; False where there is none."""
    places = ((row, at) for at in (cell + 2, cell - 1 - width) for row in range(2, sheet.height - len(lines) + 1))
    found = next(
        ((y, x) for y, x in places if all(sheet.is_free(each, x, width) for each in range(y, y + len(lines)))), None
    )
    if found is None:
        return False
    for row, spans in enumerate(lines, start=found[0]):
        _lay(sheet, row, found[1], spans, width)
    return True


def _lay(sheet: CellGrid, row: int, at: int, spans: Fragments, width: int) -> None:
    sheet.surfaces[row][at : at + width] = ["panel"] * width
    sheet.put(row, at, " " * width, "text")
    place = at + 1
    for words, style in spans:
        sheet.put(row, place, words, style)
        place += len(words)
