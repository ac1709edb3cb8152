"""Graphs: one line for each series of the cluster, its curve over the room that is left."""

from tui import format as text
from tui.render.line import Column, Look, Span, Spans
from tui.render.trace import Trace


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
    since, until = (text.clock(time_ms, look.offset_ms)[-8:] for time_ms in (row.since_ms, row.until_ms))
    reached = (text.clock(time_ms, look.offset_ms)[-8:] for time_ms in (low_ms, high_ms))
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
