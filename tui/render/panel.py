"""Panels: frames around lines, some of which lead somewhere, put below or beside each other to one page.

A page is drawn line by line; its stops are where the cursor may stand, panel by panel.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui.answers import WhySubject
from tui.glyphs import CUT, FRAME
from tui.render.line import Spans, crop, length

EDGE, SIDE, UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT = FRAME

INSIDE: Final = 4
"""Cells of a frame and the blanks within it."""


class PanelRow(NamedTuple):
    """One line of a panel, and where it leads."""

    spans: Spans
    link: WhySubject | None = None


class Panel(NamedTuple):
    """A titled part of a page."""

    part: str
    """What it is called among the parts; the same link may be in several."""
    title: Spans
    rows: Sequence[PanelRow]
    right: str = ""
    """At the right of the title."""
    below: str = ""
    """At the right of the bottom edge."""


class Stop(NamedTuple):
    """Where the cursor may stand: cells of a line."""

    row: int
    begin: int
    end: int
    link: WhySubject
    part: str


class Page(NamedTuple):
    """Lines, and where the cursor may stand, panel by panel."""

    lines: list[Spans]
    stops: list[Stop]


def height_of(panel: Panel) -> int:
    """Its lines with the frame."""
    return len(panel.rows) + 2


def framed(panel: Panel, width: int, height: int = 0, *, has_focus: bool = False) -> Page:
    """A panel in a frame.

    Args:
        panel: What is in it.
        width: Cells of the frame.
        height: Its lines at least; 0 as many as it needs.
        has_focus: Whether the cursor is in it.
    """
    style = "accent" if has_focus else "line"
    rows = [*panel.rows, *[PanelRow([])] * (height - height_of(panel))]
    lines = [_edge(panel.title, panel.right, width, (UPPER_LEFT, UPPER_RIGHT), style)]
    for row in rows:
        inside = crop(row.spans, width - INSIDE, CUT)
        lines.append(
            [(f"{SIDE} ", style), *inside, (" " * (width - INSIDE - length(inside)), "text"), (f" {SIDE}", style)]
        )
    lines.append(_edge([], panel.below, width, (LOWER_LEFT, LOWER_RIGHT), style))
    return Page(lines, _stops(rows, panel.part, 1, width - 1))


def ruled(panel: Panel, width: int, *, has_focus: bool = False) -> Page:
    """A panel below a rule, for narrow screens."""
    style = "accent" if has_focus else "line"
    head = _edge(panel.title, panel.right, width, (EDGE, EDGE), style)
    lines = [head, *([(" ", "text"), *crop(row.spans, width - 2, CUT)] for row in panel.rows)]
    return Page(lines, _stops(panel.rows, panel.part, 0, width))


def _stops(rows: Sequence[PanelRow], part: str, begin: int, end: int) -> list[Stop]:
    return [Stop(place, begin, end, row.link, part) for place, row in enumerate(rows, 1) if row.link is not None]


def _edge(title: Spans, right: str, width: int, corners: tuple[str, str], style: str) -> Spans:
    """A rule with words at both ends; those at the right go where there is no room."""
    before: Spans = [(f"{corners[0]}{EDGE}" if title else corners[0], style)]
    if title:
        before += [(" ", "text"), *crop(title, width - 8, CUT), (" ", "text")]
    behind: Spans = [(f" {right} ", "soft"), (EDGE, style)] if right else []
    if length(before) + length(behind) + 2 > width:
        behind = []
    left = width - length(before) - length(behind) - 1
    return [*before, (EDGE * left, style), *behind, (corners[1], style)]


def stacked(pages: Sequence[Page]) -> Page:
    """Pages below each other."""
    lines: list[Spans] = []
    stops: list[Stop] = []
    for page in pages:
        stops += [stop._replace(row=stop.row + len(lines)) for stop in page.stops]
        lines += page.lines
    return Page(lines, stops)


def beside(left: Page, right: Page, width: int) -> Page:
    """Two pages of as many lines; the left one is `width` cells wide."""
    lines: list[Spans] = [[*one, *other] for one, other in zip(left.lines, right.lines, strict=True)]
    moved = [stop._replace(begin=stop.begin + width, end=stop.end + width) for stop in right.stops]
    return Page(lines, [*left.stops, *moved])
