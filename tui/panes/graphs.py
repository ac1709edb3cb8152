"""One series of a cluster's history in a window of time: what is drawn, shown and saved of it.

A trace looks its values up when it is drawn, so what is not on screen costs nothing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import inf, isinf
from operator import itemgetter
from typing import Any, Final, NamedTuple

from engine.observe.history import ALLOCATED, MAPREDUCE_1, SPARK, YARN, History, Reading, Steps
from tui.panes.arrangement import WINDOWS, SortFilter
from tui.panes.field import COUNT as FIELD_KIND_COUNT
from tui.panes.field import QUEUE, TEXT, Draw, RowField, RowFields, text_cell
from tui.panes.fragments import Fragments, RenderContext, highlight_line, hue_of
from tui.panes.pane_view import PLOTS, NavigationTarget, PaneView, Reference, Rows, RowSource, by_row
from tui.panes.plot import Line, PlotMark, Scale, Window, drawn, rule, scale, stand
from tui.panes.pulse import Mark, marks_of
from tui.panes.table import Column
from tui.protocol.picture import Graphs, SessionState
from tui.terminal import format as text
from tui.terminal.format import CUT, TRACK

COUNT, MEMORY, PERCENT, RATE = "count", "memory", "percent", "rate"
"""Units: a number, an amount of memory [MB], a share of the whole [%], how many in the minute before."""
MINUTE_MS: Final = 60_000


class Gauge(NamedTuple):
    key: str
    name: str
    unit: str
    of: tuple[str, ...]  # Names in the reading: one, or a part and its whole, or what is left of it
    is_trouble: bool = False  # Whether more than none of it is a problem
    style: str = "data"
    beside: str = ""  # Key of the series that is drawn with it at first; empty for none


WAITING: Final = Gauge("waiting", "waiting, in all", COUNT, ("waiting",), is_trouble=True, beside="waiting_first")
"""The applications that wait, in the header's words."""
FIRST: Final = Gauge("waiting_first", "waiting, with none", COUNT, ("waiting_first",), is_trouble=True)
"""The ones of them that have no container."""
NOT_RUNNING: Final = Gauge("applications_pending", "not running yet", COUNT, ("applications_pending",), is_trouble=True)

GAUGES: Final[Mapping[tuple[str, ...], tuple[Gauge, ...]]] = {
    YARN: (
        Gauge("used_memory", "memory used", PERCENT, ("used_memory_mb", "total_memory_mb")),
        Gauge("allocated", "allocated per minute", RATE, (ALLOCATED,)),
        WAITING,
        Gauge("reservations", "nodes reserved", COUNT, ("reservations",), is_trouble=True, style="held"),
        Gauge("used_vcores", "vcores used", PERCENT, ("used_vcores", "total_vcores")),
        Gauge("pending_containers", "containers asked", COUNT, ("pending_containers",), is_trouble=True),
        Gauge("containers", "containers running", COUNT, ("containers",), beside="pending_containers"),
        Gauge("reserved_memory", "memory reserved", MEMORY, ("reserved_memory_mb",), is_trouble=True, style="held"),
        Gauge("preempted", "preempted per minute", RATE, ("preempted_containers",), is_trouble=True),
        Gauge("applications_running", "applications running", COUNT, ("applications_running",)),
        FIRST,
        Gauge("nodes", "nodes up", COUNT, ("nodes",)),
    ),
    MAPREDUCE_1: (
        Gauge("used_maps", "map slots", PERCENT, ("used_map_slots", "total_map_slots")),
        Gauge("used_reduces", "reduce slots", PERCENT, ("used_reduce_slots", "total_reduce_slots")),
        Gauge("idle_maps", "idle map slots", COUNT, ("used_map_slots", "total_map_slots")),
        Gauge("idle_reduces", "idle reduce slots", COUNT, ("used_reduce_slots", "total_reduce_slots")),
        Gauge("pending_tasks", "tasks waiting", COUNT, ("pending_tasks",), is_trouble=True),
        Gauge("attempts", "attempts running", COUNT, ("attempts",), beside="pending_tasks"),
        Gauge("allocated", "launched per minute", RATE, (ALLOCATED,)),
        WAITING,
        Gauge("applications_running", "jobs running", COUNT, ("jobs_running",)),
        FIRST,
        Gauge("nodes", "trackers up", COUNT, ("trackers",)),
    ),
    SPARK: (
        Gauge("used_cores", "cores used", PERCENT, ("used_cores", "total_cores")),
        Gauge("pending_executors", "executors asked", COUNT, ("pending_executors",), is_trouble=True),
        Gauge("executors", "executors running", COUNT, ("executors",), beside="pending_executors"),
        Gauge("used_memory", "memory used", PERCENT, ("used_memory_mb", "total_memory_mb")),
        Gauge("workers", "workers alive", COUNT, ("workers",)),
        Gauge("lost", "executors lost", COUNT, ("lost_executors",)),
        Gauge("free_cores", "cores free", COUNT, ("used_cores", "total_cores")),
        Gauge("allocated", "started per minute", RATE, (ALLOCATED,)),
        WAITING,
        FIRST,
        Gauge("applications_running", "applications running", COUNT, ("applications_running",)),
    ),
}  # What a history reads → what is drawn of it, the most telling first


class Points(NamedTuple):
    """A step function in a window: each value holds from its time on."""

    times: Sequence[int]  # Epoch ms; the first may be before the window
    values: Sequence[float]


class Extremes(NamedTuple):
    """The lowest and the highest value in a window, and when each was first reached [epoch ms]."""

    low: float
    low_ms: int
    high: float
    high_ms: int


class Trace:
    def __init__(
        self,
        key: str,
        name: str,
        unit: str,
        look_up: Callable[[int, int], Points],
        window: Window,
        now: float,
        *,
        gauge: Gauge | None = None,
        marks: Sequence[Mark] = (),
    ) -> None:
        """`look_up` has the points of a window, given its ends [epoch ms]; a queue has its path and no gauge."""
        self.is_queue = gauge is None
        self.key, self.name, self.unit = key, name, unit
        self.window, self.marks = window, marks
        self.now = now
        self.is_problem = gauge is not None and gauge.is_trouble and now > 0
        self.beside = "" if gauge is None else gauge.beside  # Key of the series drawn with it at first; empty: none
        self._style = "" if gauge is None else gauge.style
        self._look_up = look_up

    def __str__(self) -> str:
        low, _, high, _ = self.extremes
        return f"{self.name}: now {self.shown(self.now)}, lowest {self.shown(low)}, highest {self.shown(high)}"

    @cached_property
    def points(self) -> Points:
        """The points in the window; the last is the value that holds at its end."""
        times, values = self._look_up(*self.window)
        if values and values[-1] == self.now:
            return Points(times, values)
        return Points([*times, self.window.until_ms], [*values, self.now])

    @cached_property
    def extremes(self) -> Extremes:
        times, values = self.points
        low, high = min(values), max(values)
        reached = [max(times[values.index(value)], self.window.since_ms) for value in (low, high)]
        return Extremes(low, reached[0], high, reached[1])

    def style(self, look: RenderContext) -> str:
        """The token of its line: a queue's is its hue."""
        return self._style or hue_of(self.key, look)

    def at(self, time_ms: int) -> float | None:
        """The value at an instant of the window; None before anything was noted."""
        place = bisect_right(self.points.times, time_ms)
        return self.points.values[place - 1] if place else None

    def levels(self, cells: int) -> list[float | None]:
        """The highest value in each of so many equal parts of the window; None before anything was noted."""
        times, values = self.points
        found: list[float | None] = []
        since_ms, span_ms = self.window.since_ms, self.window.until_ms - self.window.since_ms
        first = bisect_right(times, since_ms) - 1
        for cell in range(1, cells + 1):
            end = bisect_right(times, since_ms + span_ms * cell // cells, max(first, 0))
            begin = max(first, 0)
            found.append(None if end <= begin else values[begin] if end == begin + 1 else max(values[begin:end]))
            first = end - 1
        return found

    def scale(self, lines: int, *others: "Trace") -> Scale:
        """A scale with room for this and other series of its unit, with at most so many gridlines above 0."""
        if self.unit == PERCENT:
            return Scale(100, next(step for step in (20, 25, 50, 100) if 100 // step <= max(1, lines)))
        highest = max(each.extremes.high for each in (self, *others))
        return scale(highest, lines, is_memory=self.unit == MEMORY)

    def shown(self, value: float) -> str:
        if self.unit == PERCENT:
            return f"{int(value)}%"
        return text.memory(round(value)) if self.unit == MEMORY else f"{value:.0f}"


def window_words(length_ms: int | None) -> str:
    """Tells how a window is called.

    >>> [window_words(length) for length in (600_000, 3_600_000, 90_000, None)]
    ['last 10m', 'last 1h', 'last 1m30s', 'the run so far']
    """
    if length_ms is None:
        return "the run so far"
    words = text.duration(length_ms)
    return "last " + words.removesuffix("00m" if length_ms >= 3_600_000 else "00s")


def next_window(length_ms: int | None, by: int) -> int | None:
    """The next longer one of `WINDOWS` (1), or the next shorter (-1); at an end it stays [ms].

    >>> next_window(600_000, 1), next_window(None, 1), next_window(900_000, -1), next_window(21_600_000, 1)
    (3600000, None, 600000, None)
    """
    if by > 0:
        return next((each for each in WINDOWS if each is None or (length_ms or inf) < each), None)
    shorter = [each for each in WINDOWS if each is not None and (length_ms is None or each < length_ms)]
    return shorter[-1] if shorter else length_ms


def traces(graphs: Graphs, now_ms: int, length_ms: int | None, marks: Sequence[Mark] = ()) -> list[Trace]:
    """The series of the cluster, then used memory of its queues by path, in a window that ends now [epoch ms]."""
    history = graphs.history
    window = _window_of(history, now_ms, length_ms)
    place = {name: index for index, name in enumerate(history.names)}
    found = []
    for gauge in _gauges(history.names):
        places = [place[name] for name in gauge.of]
        if gauge.unit == RATE:
            look_up, now = _rates(history.cluster, places[0]), _rate(history.cluster, places[0], now_ms)
        else:
            read = _reader(gauge.unit, places)
            look_up, now = _read(history.cluster, read), read(graphs.reading)
        found.append(Trace(gauge.key, gauge.name, gauge.unit, look_up, window, now, gauge=gauge, marks=marks))
    for path, steps in sorted(history.queues.items()):
        if steps.at(now_ms) is not None:
            name = f"queue {text.plain(text.short_queue(path))}"
            now = float(steps.at(now_ms) or 0)
            found.append(Trace(path, name, MEMORY, _read(steps, float), window, now, marks=marks))
    return found


def _gauges(names: tuple[str, ...]) -> list[Gauge]:
    known = next(gauges for each, gauges in GAUGES.items() if each[: len(names)] == names)
    return [
        NOT_RUNNING if gauge is WAITING and gauge.key not in names else gauge
        for gauge in known
        if gauge is WAITING or set(gauge.of) <= set(names)
    ]


def _window_of(history: History, now_ms: int, length_ms: int | None) -> Window:
    """The time that ends now [epoch ms], so long [ms] or, with None, since the history begins."""
    if length_ms is not None:
        return Window(now_ms - length_ms, now_ms)
    first_ms = history.cluster.times[0] if history.cluster.times else now_ms
    return Window(min(first_ms, now_ms - 1), now_ms)


def _reader(unit: str, places: Sequence[int]) -> Callable[[Reading], float]:
    part = places[0]
    if len(places) == 1:
        return itemgetter(part)
    whole = places[1]
    if unit == PERCENT:
        return lambda reading: 100 * reading[part] / reading[whole] if reading[whole] else 0.0
    return lambda reading: reading[whole] - reading[part]


def _read(steps: Steps[Any], value: Callable[[Any], float]) -> Callable[[int, int], Points]:

    def look_up(since_ms: int, until_ms: int) -> Points:
        first = max(0, bisect_right(steps.times, since_ms) - 1)
        end = bisect_right(steps.times, until_ms)
        return Points(steps.times[first:end], list(map(value, steps.values[first:end])))

    return look_up


def _rates(steps: Steps[Reading], place: int) -> Callable[[int, int], Points]:

    def look_up(since_ms: int, until_ms: int) -> Points:
        noted, values = steps.times, steps.values
        if not noted:
            return Points((), ())
        begin_ms = max(since_ms, noted[0])
        some = range(max(1, bisect_left(noted, since_ms - MINUTE_MS)), bisect_right(noted, until_ms))
        grown = [noted[index] for index in some if values[index][place] > values[index - 1][place]]
        moments = {begin_ms, *grown, *(time_ms + MINUTE_MS for time_ms in grown)}
        times = sorted(time_ms for time_ms in moments if begin_ms <= time_ms <= until_ms)
        return Points(times, [_rate(steps, place, time_ms) for time_ms in times])

    return look_up


def _rate(steps: Steps[Reading], place: int, time_ms: int) -> float:
    now, before = steps.at(time_ms), steps.at(time_ms - MINUTE_MS)
    if now is None:
        return 0.0
    return float(now[place] - (before[place] if before is not None else steps.values[0][place]))


_now: Draw[Trace] = text_cell(lambda row, look: row.shown(row.now), "strong")


def _details(row: Trace, look: RenderContext) -> list[Fragments]:
    low, low_ms, high, high_ms = row.extremes
    since, until = (text.near_clock(time_ms, look.now_ms, look.offset_ms) for time_ms in row.window)
    reached = (text.near_clock(time_ms, look.now_ms, look.offset_ms) for time_ms in (low_ms, high_ms))
    return [
        [(row.name, "strong"), (f"  from {since} to {until}", "text")],
        [
            ("now ", "soft"),
            (row.shown(row.now), "strong"),
            ("   lowest ", "soft"),
            (f"{row.shown(low)} at {next(reached)}", "text"),
            ("   highest ", "soft"),
            (f"{row.shown(high)} at {next(reached)}", "text"),
        ],
        [("enter draws it large, < > change the window.", "faint")],
    ]


FIELDS: RowFields[Trace] = RowFields(
    (
        RowField("series", "name", TEXT, help="series", column=Column("SERIES", 15, 0)),
        RowField(
            "now",
            kind=FIELD_KIND_COUNT,
            help="value now",
            own=lambda row, look: round(row.now),
            column=Column("NOW", 5, 0, _now, right=True),
        ),
        RowField("lowest", kind=FIELD_KIND_COUNT, help="lowest value", own=lambda row, look: round(row.extremes.low)),
        RowField(
            "highest", kind=FIELD_KIND_COUNT, help="highest value", own=lambda row, look: round(row.extremes.high)
        ),
    )
)
COLUMNS = FIELDS.columns("series now")  # Of a table of the series; the pane draws them as small plots


def _rows(picture: SessionState, arrangement: SortFilter) -> Rows:
    if picture.graphs is None:
        return (), arrangement
    now_ms = picture.snapshot.header.time_ms
    marks = marks_of(picture.run, now_ms)
    return traces(picture.graphs, now_ms, arrangement.window_ms, marks), arrangement


def plots_version(picture: SessionState) -> object:
    """Changes when plots are to be drawn again: at every change while the clock stands, else about once a second."""
    run, now_ms = picture.run, picture.snapshot.header.time_ms
    stands = run.paused or run.present_ms is not None
    when = now_ms if stands or isinf(run.speed) else now_ms // max(1, round(1000 * run.speed))
    version = picture.snapshot.version("applications") if stands else 0  # an act changes what is at the same instant
    return when, version, stands, len(run.alerts), picture.graphs is None


def _window(rows: Sequence[Trace], picture: SessionState, arrangement: SortFilter) -> str:
    if not rows or arrangement.window_ms is not None:
        return window_words(arrangement.window_ms)
    window, offset_ms = rows[0].window, picture.run.offset_ms
    begin, end = (text.near_minute(each, window.until_ms, offset_ms) for each in window)
    return f"{begin} to {end}"


VIEW = PaneView(
    name="graphs",
    title="Graphs",
    source=RowSource(_rows, plots_version),
    columns=COLUMNS,
    identity=lambda row: row.key,
    details=by_row(_details),
    criteria=FIELDS.criteria(lambda row, look: bool(row.is_problem)),
    facts=lambda row, look: [str(row)],
    layout_mode=PLOTS,
    empty_text="Nothing was recorded yet. t makes a step.",
    size=_window,
    caption=lambda look: "enter large",
    refers_to=lambda row, look: (Reference(QUEUE, row.key),) if row.is_queue else (),
    enter_help="Draw the series over the whole screen; there left and right read it off and enter goes to that "
    "instant.",
    owner=lambda row, picture: (
        NavigationTarget("queues", row.key) if row.is_queue else "This series is of the whole cluster."
    ),
)


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
    columns: int
    width: int  # The width of one [cells]
    height: int  # The height of one with title and scale [rows]
    visible: int  # Rows of plots that are seen at once


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


def plot(
    trace: Trace, size: tuple[int, int], look: RenderContext, marks: Sequence[Mark], cursor_ms: int | None
) -> list[Fragments]:
    """The curve of a small plot, without title and scale; of the `marks` acts are left out."""
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


def title(trace: Trace, width: int) -> Fragments:
    """The name left and the value now right."""
    value = trace.shown(trace.now)
    room = max(0, width - len(value) - 1)
    return [
        (text.fit(trace.name, room, mark=CUT) + " " * (width > len(value)), "soft"),
        (value[:width], "strong"),
    ]


def foot(trace: Trace, width: int, look: RenderContext) -> Fragments:
    """Tells where the window begins, and what the height stands for."""
    begin = text.near_minute(trace.window.since_ms, trace.window.until_ms, look.offset_ms)
    extent = f"0–{trace.shown(trace.scale(LINES).top)}"
    room = width - len(begin) - len(extent)
    if room < 2:
        return [(f"{extent:>{width}}"[:width], "faint")]
    return [(f"{begin} ", "faint"), (TRACK * (room - 2), "line"), (f" {extent}", "faint")]


def small(trace: Trace, size: tuple[int, int], look: RenderContext) -> list[Fragments]:
    """A small plot with title and scale, exactly as high and as wide as asked."""
    width, height = size
    rows = max(0, height - FRAMING)
    return [title(trace, width), *plot(trace, (width, rows), look, trace.marks, None), foot(trace, width, look)][
        :height
    ]


def lines(plots: Sequence[Sequence[Fragments]], shape: Arranged, at: int | None) -> list[Fragments]:
    """Small plots, line by line; the title of the one `at` a place is the cursor's."""
    found: list[Fragments] = []
    for first in range(0, len(plots), shape.columns):
        row = [list(each) for each in plots[first : first + shape.columns]]
        if at is not None and first <= at < first + len(row):
            row[at - first][0] = highlight_line(row[at - first][0], shape.width)
        found += map(beside, zip(*row, strict=True))
    return found


def beside(parts: Sequence[Fragments]) -> Fragments:
    """A line of several small plots."""
    spans: Fragments = []
    for part in parts:
        if spans:
            spans.append((" " * GAP, "text"))
        spans += part
    return spans
