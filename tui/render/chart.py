"""One series over the whole screen: columns on an axis of time and value, alerts and acts marked, a cursor."""

from collections.abc import Sequence

from tui import format as text
from tui.render.graph import height
from tui.render.line import Look, Span, Spans, joined
from tui.render.trace import Trace

LABEL = 8
"""Width of what stands left of the axis."""
NARROW = 30
"""Width of the whole below which nothing stands there."""
APART = 12
"""Cells from one time below the axis to the next, at least."""
STEPS_S = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
"""What may lie between two times below the axis."""
FOOT_LINES = 3
"""Lines below the columns: the axis, marks, times."""


def edge(width: int) -> int:
    """The first cell of the curve, right of the axis."""
    return LABEL + 1 if width >= NARROW else 1


def lines(trace: Trace, marks: Sequence[int], look: Look, cursor_ms: int, size: tuple[int, int]) -> list[Spans]:
    """The curve with its axes.

    Args:
        trace: The series.
        marks: Instants of alerts and acts [epoch ms].
        look: Glyphs, and where people are.
        cursor_ms: The instant the cursor is on [epoch ms].
        size: Width and height there are [cells].
    """
    width, tall = size
    first = edge(width)
    cells = max(1, width - first)
    rows = max(1, tall - FOOT_LINES)
    top, at = trace.top, trace.cell(cursor_ms, cells)
    eighths = [None if each is None else height(each, top, 8 * rows) for each in trace.levels(cells)]
    drawn: list[Spans] = []
    for row in range(rows):
        below = 8 * (rows - 1 - row)
        signs = [_cell(high, below, look, is_cursor=cell == at) for cell, high in enumerate(eighths)]
        drawn.append([(_label(trace, row, rows, first), "dim"), ("|", "dim"), *joined(signs)])
    marked = {trace.cell(each, cells) for each in marks if trace.since_ms <= each <= trace.until_ms}
    under = [("!", "warn") if cell in marked else ("-", "dim") for cell in range(cells)]
    under[at] = ("^" if at not in marked else "!", "cursor")
    drawn.append([(" " * (first - 1), "dim"), ("+", "dim"), *joined(under)])
    drawn.append([(" " * first, "dim"), (_times(trace, cells, look), "dim")])
    drawn.append(_readout(trace, marks, look, cursor_ms, cells))
    return drawn[: max(0, tall)]


def _cell(high: int | None, below: int, look: Look, *, is_cursor: bool) -> Span:
    sign = " "
    if high is not None and high > below:
        sign = look.glyphs.fills[min(8, high - below) - 1]
    if is_cursor:
        return (look.glyphs.share if sign == " " else sign), "cursor"
    return sign, "bar.used"


def _label(trace: Trace, row: int, rows: int, first: int) -> str:
    """What the top, the middle and the bottom stand for."""
    if first <= 1:
        return ""
    value = None
    if row == 0:
        value = trace.top
    elif row == rows // 2 and rows >= 5 and trace.top >= 2:
        value = trace.top / 2
    elif row == rows - 1:
        value = 0.0
    return " " * (first - 1) if value is None else f"{trace.shown(value):>{first - 2}} "


def _times(trace: Trace, cells: int, look: Look) -> str:
    """Round times of day below the cells they are of, as many as there is room for."""
    span_ms = max(1, trace.until_ms - trace.since_ms)
    step_ms = next((1000 * each for each in STEPS_S if 1000 * each * cells >= APART * span_ms), 1000 * STEPS_S[-1])
    size = 8 if step_ms < 60_000 else 5
    time_ms = trace.since_ms + -(trace.since_ms + look.offset_ms) % step_ms
    words = ""
    while time_ms <= trace.until_ms:
        cell = trace.cell(time_ms, cells)
        if (cell > len(words) or not words) and cell + size <= cells:
            words = words.ljust(cell) + text.clock(time_ms, look.offset_ms)[-8:][:size]
        time_ms += step_ms
    return words


def _readout(trace: Trace, marks: Sequence[int], look: Look, cursor_ms: int, cells: int) -> Spans:
    """The value where the cursor is, and what is marked there."""
    value = trace.at(cursor_ms)
    moment = text.clock(cursor_ms, look.offset_ms)
    at = trace.cell(cursor_ms, cells)
    here = [each for each in marks if trace.since_ms <= each <= trace.until_ms and trace.cell(each, cells) == at]
    said: Spans = [
        (f" {moment}  ", "strong"),
        (trace.name, "head"),
        (" ", "plain"),
        ("nothing was noted yet" if value is None else trace.shown(value), "strong"),
    ]
    if here:
        times = ", ".join(text.near_clock(each, cursor_ms, look.offset_ms) for each in here[:3])
        said.append((f"   ! alert or act at {times}" + (" ..." if len(here) > 3 else ""), "warn"))
    return said
