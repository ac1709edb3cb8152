"""One or two series over the whole screen: the plot with its axes, marks, cursor and read-out, and smaller plots below.

Everything is pure: a chart is what is drawn, `lines` draws it for a size.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui import format as text
from tui.glyphs import FRAME, FRAME_TEE, WATCH
from tui.render.chart_head import READ_OUT, Chart, read_out
from tui.render.line import Look, Span, Spans, joined
from tui.render.multiples import GAP, plot, plot_marks, title
from tui.render.plot import Line, PlotMark, Scale, Sheet, box, drawn, name_marks, rule, stand
from tui.render.time_axis import ticks
from tui.render.trace import Trace

LABEL: Final = 4  # Width of the values left of a plot, unless one is longer
NARROW: Final = 30  # Width of the whole below which nothing stands there
RIGHT: Final = 2  # Blanks right of a plot
APART: Final = 10  # Cells from one time below the axis to the next, at least
AWAY: Final = 10  # Cells from the cursor's time to others, at least
FOOT_LINES: Final = 2  # Lines below the plot: the axis with marks, and times
LINES: Final = 6  # Gridlines above 0, at most
BELOW_FROM: Final = (110, 50)  # Width and height of the whole from which on smaller plots stand below
BELOW_ROWS: Final = 5
BELOW_COUNT: Final = 4


class PlotFrame(NamedTuple):
    """Where the plot stands in its room."""

    first: int
    """The first cell of the plot."""
    cells: int
    rows: int


def frame(chart: Chart, size: tuple[int, int]) -> PlotFrame:
    """Tells where the plot stands in a width and a height."""
    width, height = size
    rows = max(1, height - FOOT_LINES - (BELOW_ROWS + 2 if _has_others(chart, size) else 0))
    of = _scale(chart, rows)
    labels = max(LABEL, *(len(chart.traces[0].shown(value)) for value in of.values))
    first = labels + 2 if width >= NARROW else 0
    return PlotFrame(first, max(1, width - first - (RIGHT if first else 0)), rows)


def _has_others(chart: Chart, size: tuple[int, int]) -> bool:
    return bool(chart.others) and size[0] >= BELOW_FROM[0] and size[1] >= BELOW_FROM[1]


def _scale(chart: Chart, rows: int) -> Scale:
    return chart.traces[0].scale(max(1, min(LINES, (rows - 1) // 2)), *chart.traces[1:])


def lines(chart: Chart, look: Look, size: tuple[int, int]) -> tuple[list[Spans], bool]:
    """The plot with all that stands around it, and whether the read-out had room beside the cursor."""
    shape = frame(chart, size)
    first = chart.traces[0]
    of = _scale(chart, shape.rows)
    samples = [
        Line(each.levels(2 * shape.cells), style) for each, style in zip(chart.traces, chart.styles(look), strict=True)
    ]
    marks = plot_marks(first, chart.marks, shape.cells, with_names=True)
    sheet = drawn(samples, of, (shape.cells, shape.rows), marks, is_colourless=look.is_colourless)
    rule(sheet, of, of.values)
    at = None if chart.cursor_ms is None else first.window.cell(chart.cursor_ms, shape.cells)
    if at is not None:
        stand(sheet, at)
    has_room = at is None or box(sheet, at, read_out(chart, look), READ_OUT)
    name_marks(sheet, marks)
    found = _labelled(sheet, first, of, shape)
    found += _axis(chart, look, shape, marks, at)
    if _has_others(chart, size):
        found += _below(chart, look, size[0])
    return found[: size[1]], has_room


def _labelled(sheet: Sheet, trace: Trace, of: Scale, shape: PlotFrame) -> list[Spans]:
    """The rows of the plot with the values of the gridlines left of them."""
    if not shape.first:
        return sheet.lines()
    values = {of.row(value, sheet.height): trace.shown(value) for value in of.values}
    room = shape.first - 1
    return [[(f"{values.get(row, ''):>{room}} ", "faint"), *spans] for row, spans in enumerate(sheet.lines())]


def _axis(chart: Chart, look: Look, shape: PlotFrame, marks: Sequence[PlotMark], at: int | None) -> list[Spans]:
    """The axis with marks on it, and round times below, which give way to the cursor's."""
    window = chart.traces[0].window
    size, cells = shape.first + shape.cells + (RIGHT if shape.first else 0), shape.cells
    row: list[Span] = [(FRAME[0], "line")] * cells
    times: list[Span] = [(" ", "faint")] * size
    own = "" if chart.cursor_ms is None else text.near_clock(chart.cursor_ms, window.until_ms, look.offset_ms)
    begin = 0 if at is None else min(max(0, shape.first + at - len(own) // 2), max(0, size - len(own)))
    for tick in ticks(window, cells, look.offset_ms, APART):
        place = shape.first + tick.cell
        row[tick.cell] = (FRAME_TEE, "line")
        if at is None or (place + len(tick.words) <= begin - 2 and abs(tick.cell - at) > AWAY) or place >= begin + AWAY:
            times[place : place + len(tick.words)] = [(each, "faint") for each in tick.words]
    for mark in marks:
        row[mark.cell] = (WATCH, mark.style)
    if at is not None:
        row[at] = (WATCH, "accent")
        times[begin : begin + len(own)] = [(each, "bold accent") for each in own]
    return [[(" " * shape.first, "text"), *joined(row)], joined(times[:size])]


def _below(chart: Chart, look: Look, width: int) -> list[Spans]:
    """Smaller plots of other series with the same window, marks and cursor."""
    some = chart.others[:BELOW_COUNT]
    one = (width - 2 - GAP * (len(some) - 1)) // len(some)
    drawn_lines = [
        [title(each, one), *plot(each, (one, BELOW_ROWS), look, chart.marks, chart.cursor_ms)] for each in some
    ]
    found: list[Spans] = [[]]
    for row in range(BELOW_ROWS + 1):
        spans: Spans = [(" ", "text")]
        for place, part in enumerate(drawn_lines):
            spans += [(" " * GAP, "text"), *part[row]] if place else part[row]
        found.append(spans)
    return found
