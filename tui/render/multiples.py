"""Small plots of several series beside and below each other: one window of time, the same marks in all of them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui import format as text
from tui.glyphs import CUT, TRACK
from tui.render.line import Look, Spans, raised
from tui.render.mark import Mark
from tui.render.plot import Line, PlotMark, drawn, rule, stand
from tui.render.trace import Trace

LEAST_WIDTH: Final = 24  # Cells of a plot, where the room has as many
WIDE: Final = 38  # Cells from which on more than `USUAL` plots stand beside each other
USUAL: Final = 3
GAP: Final = 2  # Cells between two plots
MOST_ROWS: Final = 12  # Rows of a plot; title and scale come on top of them
LEAST_ROWS: Final = 3
FRAMING: Final = 2  # The title and the scale
FIRST_SEEN: Final = 6  # Plots that are seen at once where there is room for all of them
LINES: Final = 10  # Steps of the scale of a small plot, at most; only the last has a gridline


class Arranged(NamedTuple):
    """The places of small plots in a room."""

    columns: int
    width: int
    """The width of one [cells]."""
    height: int
    """The height of one with title and scale [rows]."""
    visible: int
    """Rows of plots that are seen at once."""


def arranged(count: int, width: int, height: int) -> Arranged:
    """Places plots in a room of cells: as few rows of them as show the first ones, and no plot too high.

    >>> arranged(13, 80, 12), arranged(6, 114, 8).visible
    (Arranged(columns=3, width=25, height=6, visible=2), 1)
    """
    most = max(1, min(width // LEAST_WIDTH, max(USUAL, width // WIDE)))
    columns = max(1, min(most, count))
    rows = -(-count // columns)
    wanted = max(-(-min(count, FIRST_SEEN) // columns), -(-height // (MOST_ROWS + FRAMING)))
    visible = max(1, min(rows, wanted, height // (LEAST_ROWS + FRAMING)))
    one = (width - GAP * (columns - 1)) // columns
    return Arranged(columns, max(1, one), max(1, min(MOST_ROWS + FRAMING, height // visible)), visible)


def plot(trace: Trace, size: tuple[int, int], look: Look, marks: Sequence[Mark], cursor_ms: int | None) -> list[Spans]:
    """The curve of a small plot, without title and scale.

    Of the `marks` acts are left out; `cursor_ms` is where the cursor is, None for none.
    """
    width, height = size
    if height <= 0:
        return []
    of = trace.scale(LINES)
    sheet = drawn(
        [Line(trace.levels(2 * width), trace.style(look))],
        of,
        size,
        plot_marks(trace, marks, width),
        is_colourless=look.is_colourless,
    )
    rule(sheet, of, [of.top])
    if cursor_ms is not None:
        stand(sheet, trace.window.cell(cursor_ms, width))
    return sheet.lines()


def plot_marks(trace: Trace, marks: Sequence[Mark], cells: int, *, with_names: bool = False) -> list[PlotMark]:
    """The marks in a trace's window, of several in a cell the last; without names only alerts."""
    since_ms, until_ms = trace.window
    found: dict[int, PlotMark] = {}
    for mark in marks:
        if since_ms <= mark.time_ms <= until_ms and (with_names or mark.is_alert):
            cell = trace.window.cell(mark.time_ms, cells)
            found[cell] = PlotMark(cell, mark.style, mark.names if with_names else ())
    return list(found.values())


def title(trace: Trace, width: int, *, is_selected: bool = False) -> Spans:
    """The name left and the value now right; of the one under the cursor as the cursor's row is."""
    value = trace.shown(trace.now)
    room = max(0, width - len(value) - 1)
    spans: Spans = [
        (text.fit(trace.name, room, mark=CUT) + " " * (width > len(value)), "soft"),
        (value[:width], "strong"),
    ]
    return raised(spans, width) if is_selected else spans


def foot(trace: Trace, width: int, look: Look) -> Spans:
    """Tells where the window begins, and what the height stands for."""
    begin = text.near_minute(trace.window.since_ms, trace.window.until_ms, look.offset_ms)
    extent = f"0–{trace.shown(trace.scale(LINES).top)}"
    room = width - len(begin) - len(extent)
    if room < 2:
        return [(f"{extent:>{width}}"[:width], "faint")]
    return [(f"{begin} ", "faint"), (TRACK * (room - 2), "line"), (f" {extent}", "faint")]


def small(trace: Trace, size: tuple[int, int], look: Look, *, is_selected: bool) -> list[Spans]:
    """A small plot with title and scale, exactly as high and as wide as asked."""
    width, height = size
    rows = max(0, height - FRAMING)
    lines = [title(trace, width, is_selected=is_selected), *plot(trace, (width, rows), look, trace.marks, None)]
    lines.append(foot(trace, width, look))
    return lines[:height]


def lines(
    traces: Sequence[Trace], at: int, top: int, size: tuple[int, int], look: Look, *, has_cursor: bool
) -> list[Spans]:
    """The visible small plots, line by line. `top` is the first visible row of plots."""
    shape = arranged(len(traces), *size)
    found: list[Spans] = []
    for row in range(top, top + shape.visible):
        first = row * shape.columns
        beside = [
            small(trace, (shape.width, shape.height), look, is_selected=has_cursor and place == at)
            for place, trace in enumerate(traces[first : first + shape.columns], start=first)
        ]
        found += [_beside([plot[line] for plot in beside]) for line in range(shape.height if beside else 0)]
    return found[: size[1]]


def _beside(parts: Sequence[Spans]) -> Spans:
    spans: Spans = []
    for part in parts:
        if spans:
            spans.append((" " * GAP, "text"))
        spans += part
    return spans
