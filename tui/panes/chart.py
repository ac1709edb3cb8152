"""One or two series over the whole screen: the plot with its axes, marks, cursor and read-out, smaller plots below."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui.panes.fragments import Fragment, Fragments, RenderContext, cell_width, flat, justify_line, merge_fragments
from tui.panes.graphs import GAP, Trace, beside, plot, plot_marks, title, window_words
from tui.panes.header import speed_words
from tui.panes.plot import CellGrid, Line, PlotMark, Scale, box, drawn, name_marks, rule, stand, ticks
from tui.panes.pulse import Mark
from tui.protocol.picture import RunState, SessionState
from tui.terminal import format as text
from tui.terminal.format import CRUMB, DOTTED, FRAME, FRAME_TEE, METER_FULL, WATCH

READ_OUT: Final = 21  # Width of the box beside the cursor
SECOND: Final = "held"  # Token of the second line where it would look like the first


class Chart(NamedTuple):
    traces: Sequence[Trace]  # One or two of one unit, in one window
    marks: Sequence[Mark]
    cursor_ms: int | None  # Where the cursor is; None until it is moved
    length_ms: int | None = None  # How long the window is; None where it is the run so far
    events: Sequence[str] = ()  # What happened in the cursor's cell, for the read-out
    others: Sequence[Trace] = ()  # Series for the smaller plots

    def styles(self, look: RenderContext) -> list[str]:
        styles = [each.style(look) for each in self.traces]
        return styles if len(set(styles)) == len(styles) else [styles[0], SECOND]


def head_lines(
    chart: Chart, picture: SessionState, look: RenderContext, width: int, *, is_read_out: bool
) -> list[Fragments]:
    """Three lines: where one is and when; what the lines are, or the read-out unless the plot has it; a blank one."""
    now_ms, first = picture.snapshot.header.time_ms, chart.traces[0]
    where: Fragments = [(" Graphs ", "soft"), (f"{CRUMB} ", "faint"), (_heading(chart.traces), "bold strong")]
    day = f"{text.clock(now_ms, look.offset_ms)[:3]} {text.date(now_ms, look.offset_ms)} "
    moment = (text.clock(now_ms, look.offset_ms)[-8:], "bold strong")
    state = _state(picture.run)
    said = legend(chart, look)
    if not is_read_out:
        said = [(" ", "text"), *(span for line in _read_out(chart, look) for span in (*line, ("   ", "text")))]
    begin, end = (text.near_minute(each, now_ms, look.offset_ms) for each in first.window)
    of = f"of {words}" if (words := window_words(chart.length_ms)).startswith("the") else words
    extent: Fragments = [(f"{begin} – {end}  {of}", "faint")]
    return [
        justify_line(where, [state, (day, "soft"), moment], width, [state, moment]),
        justify_line(said, extent, width, [(f"{begin} – {end}", "faint")]),
        [],
    ]


def _state(run: RunState) -> Fragment:
    if run.present_ms is not None:
        return "PAST  ", "watch"
    return ("paused  ", "watch") if run.paused else (f"{speed_words(run)}  ", "good")


def _read_out(chart: Chart, look: RenderContext) -> list[Fragments]:
    if chart.cursor_ms is None:
        return []
    moment = text.near_clock(chart.cursor_ms, chart.traces[0].window.until_ms, look.offset_ms)
    found: list[Fragments] = [[(moment, "bold strong")]]
    names = _short_names(chart.traces)
    wide = max(map(len, names))
    values = [each.at(chart.cursor_ms) for each in chart.traces]
    shown = ["?" if value is None else each.shown(value) for each, value in zip(chart.traces, values, strict=True)]
    room = max(map(len, shown))
    found += [
        [(f"{name:<{wide}}  ", "soft"), (f"{value:>{room}}", "strong")]
        for name, value in zip(names, shown, strict=True)
    ]
    found += [[(words, "soft")] for words in chart.events]
    return [_cut(spans) for spans in found]


def _cut(spans: Fragments) -> Fragments:
    room = READ_OUT - 1
    return spans if cell_width(spans) <= room else [(text.fit(flat(spans), room), spans[0][1])]


def _short_names(traces: Sequence[Trace]) -> list[str]:
    """The names of series without the noun that they share.

    >>> _short_names([])
    []
    """
    names = [each.name for each in traces]
    heads = {name.partition(" ")[0] for name in names}
    if len(names) == 2 and len(heads) == 1 and all(" " in name for name in names):
        return [name.partition(" ")[2] for name in names]
    return names


def _heading(traces: Sequence[Trace]) -> str:
    names = [each.name for each in traces]
    short = _short_names(traces)
    return names[0].partition(" ")[0] if short != names else " and ".join(names)


def legend(chart: Chart, look: RenderContext) -> Fragments:
    """The legend: name and value of each line, and the maximum of the first."""
    spans: Fragments = [(" ", "text")]
    names = _short_names(chart.traces) if len(chart.traces) > 1 else ["now"]
    for place, (trace, name, style) in enumerate(zip(chart.traces, names, chart.styles(look), strict=True)):
        sign = DOTTED if place and look.is_colourless else METER_FULL
        spans += [("   " if place else "", "text"), (2 * sign, style), (f" {name} ", "text")]
        spans.append((trace.shown(trace.now), "strong"))
    low, _, high, _ = chart.traces[0].extremes
    spans.append((f"   lowest {chart.traces[0].shown(low)}, highest {chart.traces[0].shown(high)}", "faint"))
    return spans


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
    first: int  # The first cell of the plot
    cells: int
    rows: int


def frame(chart: Chart, size: tuple[int, int]) -> PlotFrame:
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


def lines(chart: Chart, look: RenderContext, size: tuple[int, int]) -> tuple[list[Fragments], bool]:
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
    has_room = at is None or box(sheet, at, _read_out(chart, look), READ_OUT)
    name_marks(sheet, marks)
    found = _labelled(sheet, first, of, shape)
    found += _axis(chart, look, shape, marks, at)
    if _has_others(chart, size):
        found += _below(chart, look, size[0])
    return found[: size[1]], has_room


def _labelled(sheet: CellGrid, trace: Trace, of: Scale, shape: PlotFrame) -> list[Fragments]:
    if not shape.first:
        return sheet.lines()
    values = {of.row(value, sheet.height): trace.shown(value) for value in of.values}
    room = shape.first - 1
    return [[(f"{values.get(row, ''):>{room}} ", "faint"), *spans] for row, spans in enumerate(sheet.lines())]


def _axis(
    chart: Chart, look: RenderContext, shape: PlotFrame, marks: Sequence[PlotMark], at: int | None
) -> list[Fragments]:
    window = chart.traces[0].window
    size, cells = shape.first + shape.cells + (RIGHT if shape.first else 0), shape.cells
    row: list[Fragment] = [(FRAME[0], "line")] * cells
    times: list[Fragment] = [(" ", "faint")] * size
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
    return [[(" " * shape.first, "text"), *merge_fragments(row)], merge_fragments(times[:size])]


def _below(chart: Chart, look: RenderContext, width: int) -> list[Fragments]:
    some = chart.others[:BELOW_COUNT]
    one = (width - 2 - GAP * (len(some) - 1)) // len(some)
    drawn_lines = [
        [title(each, one), *plot(each, (one, BELOW_ROWS), look, chart.marks, chart.cursor_ms)] for each in some
    ]
    rows = (beside([part[row] for part in drawn_lines]) for row in range(BELOW_ROWS + 1))
    return [[], *([(" ", "text"), *row] for row in rows)]
