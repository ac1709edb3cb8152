"""The timeline of a run on one line: from where its past begins to its present, alerts and acts on it, and here."""

from tui import format as text
from tui.render.line import Glyphs, Look, Spans
from tui.view_state import Track

LABEL = 9
"""Width of a time at either end, with a blank."""
ACT = "^"
"""Where somebody acted; ! is an alert, which hides an act in the same cell."""
NARROW = 40
"""Width below which the ends have no times."""


def _edges(width: int) -> tuple[int, int]:
    """The first cell of the way and its length, at least 1."""
    margin = LABEL if width >= NARROW else 0
    return margin, max(width - 2 * margin, 1)


def cell_of(time_ms: int, track: Track, present_ms: int, width: int) -> int:
    """The cell of an instant; what lies outside is at an end."""
    first, cells = _edges(width)
    span = max(present_ms - track.first_ms, 1)
    return first + min(max((time_ms - track.first_ms) * (cells - 1) // span, 0), cells - 1)


def time_at(cell: int, track: Track, present_ms: int, width: int) -> int:
    """The instant of a cell [epoch ms]; the last cell is the present, and a mark's cell is the mark."""
    marked = [each for each in track.marks if cell_of(each, track, present_ms, width) == cell]
    if marked:
        return marked[-1]
    first, cells = _edges(width)
    place = min(max(cell - first, 0), cells - 1)
    return track.first_ms + (present_ms - track.first_ms) * place // max(cells - 1, 1)


def line(track: Track, present_ms: int, look: Look, width: int) -> Spans:
    """The timeline with `width` cells."""
    first, cells = _edges(width)
    alerts = {cell_of(each, track, present_ms, width) for each in track.marks if each not in track.acts}
    here = cell_of(look.now_ms, track, present_ms, width)
    acts = {cell_of(each, track, present_ms, width) for each in track.acts}
    spans: Spans = [_cell(cell, here, alerts, acts, look.glyphs) for cell in range(first, first + cells)]
    if not first:
        return spans
    ends = [text.near_clock(time_ms, look.now_ms, look.offset_ms) for time_ms in (track.first_ms, present_ms)]
    first_end = f"{ends[0]:>8}" if len(ends[0]) <= 8 else ends[0][:-3]  # a weekday takes the place of seconds
    return [(f"{first_end[:9]:<9}", "dim"), *spans, (f" {ends[1][-8:]:<8}", "dim")]


def _cell(cell: int, here: int, alerts: set[int], acts: set[int], glyphs: Glyphs) -> tuple[str, str]:
    if cell == here:
        return glyphs.used, "bad"
    if cell in alerts:
        return "!", "warn"
    return (ACT, "key") if cell in acts else (glyphs.room, "dim")
