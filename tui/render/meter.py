"""Meters: an amount as a line of half cells, with marks on it.

A meter says how much of a scale there is. Marks stand at a share and at a minimum; past a maximum the meter is blank.
"""

from tui import glyphs
from tui.render.line import Span, Spans, joined


def half_cells(width: int, value: int, scale: int) -> int:
    """Tells how many half cells of a line of `width` cells a value takes.

    What is more than nothing takes one; only the whole scale takes all.

    >>> [half_cells(10, value, 100) for value in (0, 1, 48, 99, 100, 130)]
    [0, 1, 10, 19, 20, 20]
    """
    if value <= 0 or scale <= 0 or width <= 0:
        return 0
    most = 2 * width - (1 if value < scale else 0)
    return min(most, max(1, (4 * width * value + scale) // (2 * scale)))


def line_meter(
    width: int,
    value: int,
    scale: int,
    *,
    share: int | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
    style: str = "data",
) -> Spans:
    """A meter of `width` cells for a value on a scale from 0.

    Args:
        share: Where the mark of the share stands; it covers the mark of the minimum.
        minimum: Where the mark of the minimum stands.
        maximum: What the track ends at; None is the scale.
    """
    filled = half_cells(width, value, scale)
    end = width if maximum is None or maximum >= scale else -(-width * max(0, maximum) // scale)
    cells = [_cell(filled - 2 * place, style, has_track=place < end) for place in range(width)]
    if minimum:
        _mark(cells, minimum, scale, filled, (glyphs.MINIMUM, glyphs.MINIMUM_ON_FILL))
    if share:
        _mark(cells, share, scale, filled, (glyphs.SHARE, glyphs.SHARE_ON_FILL))
    return joined(cells)


def _cell(halves: int, style: str, *, has_track: bool) -> Span:
    if halves >= 1:
        return (glyphs.METER_FULL if halves >= 2 else glyphs.METER_HALF), style
    return (glyphs.TRACK, "line") if has_track else (" ", "text")


def _mark(cells: list[Span], value: int, scale: int, filled: int, signs: tuple[str, str]) -> None:
    """Draw a mark over the cell of a value: one sign on the track, another on what is filled."""
    if not cells or scale <= 0:
        return
    place = min(len(cells) - 1, (2 * len(cells) * value + scale) // (2 * scale))
    cells[place] = signs[filled > 2 * place], "strong"


def wait_bar(width: int, waited: int, longest: int) -> Spans:
    """A line for how long something waits, on the scale of the one that waits longest; no track."""
    filled = half_cells(width, waited, longest)
    words = glyphs.METER_FULL * (filled // 2) + glyphs.METER_HALF * (filled % 2)
    return [(words.ljust(width), "room")] if width > 0 else []
