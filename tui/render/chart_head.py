"""What is said of a chart: the lines above the plot, and the read-out beside its cursor."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui import format as text
from tui.glyphs import CRUMB, DOTTED, METER_FULL
from tui.picture import Picture, RunState
from tui.render.line import Look, Span, Spans, length, opposite
from tui.render.mark import Mark
from tui.render.trace import Trace, window_words

READ_OUT: Final = 21  # Width of the box beside the cursor
SECOND: Final = "held"  # Token of the second line where it would look like the first


class Chart(NamedTuple):
    """What is drawn."""

    traces: Sequence[Trace]
    """One or two of one unit, in one window."""
    marks: Sequence[Mark]
    cursor_ms: int | None
    """Where the cursor is; None while nobody moved it."""
    length_ms: int | None = None
    """How long the window is; None where it is the run so far."""
    events: Sequence[str] = ()
    """What happened in the cursor's cell, for the read-out."""
    others: Sequence[Trace] = ()
    """Series for the smaller plots."""

    def styles(self, look: Look) -> list[str]:
        """The tokens of the lines."""
        styles = [each.style(look) for each in self.traces]
        return styles if len(set(styles)) == len(styles) else [styles[0], SECOND]


def lines(chart: Chart, picture: Picture, look: Look, width: int, *, is_read_out: bool) -> list[Spans]:
    """Three lines: where one is and when; what the lines of the plot are; a blank one.

    Args:
        picture: Of the time that is looked at.
        width: Cells there are.
        is_read_out: Whether the plot has the read-out; else it stands in place of the legend.
    """
    now_ms, first = picture.snapshot.header.time_ms, chart.traces[0]
    where: Spans = [(" Graphs ", "soft"), (f"{CRUMB} ", "faint"), (heading(chart.traces), "bold strong")]
    day = f"{text.clock(now_ms, look.offset_ms)[:3]} {text.date(now_ms, look.offset_ms)} "
    moment = (text.clock(now_ms, look.offset_ms)[-8:], "bold strong")
    state = _state(picture.run)
    said = legend(chart, look)
    if not is_read_out:
        said = [(" ", "text"), *(span for line in read_out(chart, look) for span in (*line, ("   ", "text")))]
    begin, end = (text.near_minute(each, now_ms, look.offset_ms) for each in first.window)
    of = f"of {words}" if (words := window_words(chart.length_ms)).startswith("the") else words
    extent: Spans = [(f"{begin} – {end}  {of}", "faint")]
    return [
        opposite(where, [state, (day, "soft"), moment], width, [state, moment]),
        opposite(said, extent, width, [(f"{begin} – {end}", "faint")]),
        [],
    ]


def _state(run: RunState) -> Span:
    if run.present_ms is not None:
        return "PAST  ", "watch"
    return ("paused  ", "watch") if run.paused else (f"×{run.speed:g}  ", "good")


def read_out(chart: Chart, look: Look) -> list[Spans]:
    """The time under the cursor, the values there, and what happened."""
    if chart.cursor_ms is None:
        return []
    moment = text.near_clock(chart.cursor_ms, chart.traces[0].window.until_ms, look.offset_ms)
    found: list[Spans] = [[(moment, "bold strong")]]
    names = short_names(chart.traces)
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


def _cut(spans: Spans) -> Spans:
    """A line of the read-out within the box."""
    room = READ_OUT - 1
    return spans if length(spans) <= room else [(text.fit("".join(words for words, _ in spans), room), spans[0][1])]


def short_names(traces: Sequence[Trace]) -> list[str]:
    """The names of series without the noun that they share.

    >>> short_names([])
    []
    """
    names = [each.name for each in traces]
    heads = {name.partition(" ")[0] for name in names}
    if len(names) == 2 and len(heads) == 1 and all(" " in name for name in names):
        return [name.partition(" ")[2] for name in names]
    return names


def heading(traces: Sequence[Trace]) -> str:
    """The common title of the series."""
    names = [each.name for each in traces]
    short = short_names(traces)
    return names[0].partition(" ")[0] if short != names else " and ".join(names)


def legend(chart: Chart, look: Look) -> Spans:
    """The legend: name and value of each line, and the maximum of the first."""
    spans: Spans = [(" ", "text")]
    names = short_names(chart.traces) if len(chart.traces) > 1 else ["now"]
    for place, (trace, name, style) in enumerate(zip(chart.traces, names, chart.styles(look), strict=True)):
        sign = DOTTED if place and look.is_colourless else METER_FULL
        spans += [("   " if place else "", "text"), (2 * sign, style), (f" {name} ", "text")]
        spans.append((trace.shown(trace.now), "strong"))
    low, _, high, _ = chart.traces[0].extremes
    spans.append((f"   lowest {chart.traces[0].shown(low)}, highest {chart.traces[0].shown(high)}", "faint"))
    return spans
