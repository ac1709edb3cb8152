"""Graphs: one line for each series of the cluster, its curve over the room that is left."""

from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.field import COUNT, TEXT, Criteria, RowField
from tui.render.line import Column, Look, Span, Spans
from tui.render.noun import Lead, Noun, Reference, Rows, Source
from tui.render.scope import QUEUE
from tui.render.trace import Trace, traces, window_words
from tui.view_state import Picture


def identity(row: Trace) -> str:
    """What the cursor holds on to."""
    return row.key


def height(value: float, top: float, most: int) -> int:
    """How high a value stands out of `most`; what is not nothing stands at least 1 high, only all stands full.

    >>> [height(value, 100, 8) for value in (0, 0.1, 50, 99, 100, 120)]
    [0, 1, 4, 7, 8, 8]
    """
    return 0 if value <= 0 else max(1, min(most, int(value * most / top)))


def _name(row: Trace, look: Look, width: int) -> Span:
    return row.name, "warn" if row.is_problem else "plain"


def _curve(row: Trace, look: Look, width: int) -> Spans:
    top = row.top
    signs = [_sign(level, top, look) for level in row.levels(width)]
    return [("".join(signs), "bar.used")]


def _sign(level: float | None, top: float, look: Look) -> str:
    if level is None:
        return " "
    high = height(level, top, len(look.glyphs.levels))
    return look.glyphs.levels[high - 1] if high else look.glyphs.room


def _now(row: Trace, look: Look, width: int) -> Span:
    return row.shown(row.now), "strong"


def _low(row: Trace, look: Look, width: int) -> Span:
    return row.shown(row.extremes.low), "plain"


def _high(row: Trace, look: Look, width: int) -> Span:
    return row.shown(row.extremes.high), "plain"


COLUMNS: tuple[Column[Trace], ...] = (
    Column("SERIES", 15, 0, _name, least=10),
    Column("OVER TIME", 8, 1, _curve, grow=1),
    Column("NOW", 5, 0, _now, right=True),
    Column("LOW", 5, 3, _low, right=True),
    Column("HIGH", 5, 2, _high, right=True),
)


def details(row: Trace, look: Look) -> list[Spans]:
    """What the strip says about one series."""
    low, low_ms, high, high_ms = row.extremes
    since, until = (text.near_clock(time_ms, look.now_ms, look.offset_ms) for time_ms in (row.since_ms, row.until_ms))
    reached = (text.near_clock(time_ms, look.now_ms, look.offset_ms) for time_ms in (low_ms, high_ms))
    return [
        [(row.name, "strong"), (f"  from {since} to {until}", "plain")],
        [
            ("now ", "head"),
            (row.shown(row.now), "strong"),
            ("   lowest ", "head"),
            (f"{row.shown(low)} at {next(reached)}", "plain"),
            ("   highest ", "head"),
            (f"{row.shown(high)} at {next(reached)}", "plain"),
        ],
        [
            ("A full cell is ", "dim"),
            (row.shown(row.top), "dim"),
            (". enter draws it large, < > change the window.", "dim"),
        ],
    ]


# The pane

FIELDS = (
    RowField("series", "", TEXT, lambda row, look: row.name, "series"),
    RowField("now", "", COUNT, lambda row, look: round(row.now), "value now"),
    RowField("lowest", "", COUNT, lambda row, look: round(row.extremes.low), "lowest value"),
    RowField("highest", "", COUNT, lambda row, look: round(row.extremes.high), "highest value"),
)


def _rows(picture: Picture, arrangement: Arrangement) -> Rows:
    if picture.graphs is None:
        return (), arrangement
    return traces(picture.graphs, picture.snapshot.header.time_ms, arrangement.window_ms), arrangement


def _version(picture: Picture) -> object:
    """A window moves with the time."""
    recorded = picture.graphs.history.cluster.count if picture.graphs is not None else 0
    return picture.snapshot.header.time_ms, recorded


def _owner(row: Trace, picture: Picture) -> Lead | str:
    return Lead("queues", row.key) if row.is_queue else "This series is the whole cluster's."


NOUN = Noun(
    "graphs",
    "Graphs",
    Source(_rows, _version),
    COLUMNS,
    identity,
    details,
    "Nothing was recorded yet. t makes a step.",
    table="graphs",
    criteria=Criteria(FIELDS, lambda row, look: bool(row.is_problem)),
    about=lambda row, look: (Reference(QUEUE, row.key),) if row.is_queue else (),
    enter_help="Draw the series over the whole screen; there left and right read it off and enter goes to that "
    "instant.",
    owner=_owner,
    facts=lambda row, look: [str(row)],
    size=lambda rows, picture, arrangement: window_words(arrangement.window_ms),
    has_window=True,
)
