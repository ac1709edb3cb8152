"""Graphs: the series of the cluster as small plots, in one window of time."""

from collections.abc import Sequence
from math import isinf

from tui import format as text
from tui.picture import Picture
from tui.render.arrangement import Arrangement
from tui.render.field import Draw, Fields, RowField, said
from tui.render.field_kind import COUNT, TEXT
from tui.render.line import Look, Spans
from tui.render.mark import marks_of
from tui.render.noun import PLOTS, Lead, Leads, Noun, Reference, Rows, Shape, Source, Words, by_row
from tui.render.scope import QUEUE
from tui.render.table import Column
from tui.render.trace import Trace, traces, window_words

_now: Draw[Trace] = said(lambda row, look: row.shown(row.now), "strong")


def details(row: Trace, look: Look) -> list[Spans]:
    """Returns the lines of the strip about one series."""
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


# The pane

FIELDS: Fields[Trace] = Fields(
    (
        RowField("series", "name", TEXT, help="series", column=Column("SERIES", 15, 0)),
        RowField(
            "now",
            kind=COUNT,
            help="value now",
            own=lambda row, look: round(row.now),
            column=Column("NOW", 5, 0, _now, right=True),
        ),
        RowField("lowest", kind=COUNT, help="lowest value", own=lambda row, look: round(row.extremes.low)),
        RowField("highest", kind=COUNT, help="highest value", own=lambda row, look: round(row.extremes.high)),
    )
)
COLUMNS = FIELDS.columns("series now")  # Of a table of the series; the pane draws them as small plots


def _rows(picture: Picture, arrangement: Arrangement) -> Rows:
    if picture.graphs is None:
        return (), arrangement
    now_ms = picture.snapshot.header.time_ms
    marks = marks_of(picture.run, now_ms)
    return traces(picture.graphs, now_ms, arrangement.window_ms, marks), arrangement


def plots_version(picture: Picture) -> object:
    """Changes when plots are to be drawn again: at every change while the clock stands, else about once a second."""
    run, now_ms = picture.run, picture.snapshot.header.time_ms
    stands = run.paused or run.present_ms is not None
    when = now_ms if stands or isinf(run.speed) else now_ms // max(1, round(1000 * run.speed))
    version = picture.snapshot.version("applications") if stands else 0  # an act changes what is at the same instant
    return when, version, stands, len(run.alerts), picture.graphs is None


def _window(rows: Sequence[Trace], picture: Picture, arrangement: Arrangement) -> str:
    if not rows or arrangement.window_ms is not None:
        return window_words(arrangement.window_ms)
    window, offset_ms = rows[0].window, picture.run.offset_ms
    begin, end = (text.near_minute(each, window.until_ms, offset_ms) for each in window)
    return f"{begin} to {end}"


def _owner(row: Trace, picture: Picture) -> Lead | str:
    return Lead("queues", row.key) if row.is_queue else "This series is of the whole cluster."


NOUN = Noun(
    name="graphs",
    title="Graphs",
    source=Source(_rows, plots_version),
    shape=Shape(columns=COLUMNS),
    identity=lambda row: row.key,
    details=by_row(details),
    table="graphs",
    criteria=FIELDS.criteria(lambda row, look: bool(row.is_problem)),
    facts=lambda row, look: [str(row)],
    drawn=PLOTS,
    words=Words(nothing="Nothing was recorded yet. t makes a step.", size=_window, caption=lambda look: "enter large"),
    leads=Leads(
        about=lambda row, look: (Reference(QUEUE, row.key),) if row.is_queue else (),
        enter_help="Draw the series over the whole screen; there left and right read it off and enter goes to that "
        "instant.",
        owner=_owner,
    ),
)
