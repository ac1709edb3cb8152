"""Panels: frames around lines, some of which lead somewhere, put below or beside each other to one page.

A page is drawn line by line; its stops are where the cursor may stand, panel by panel.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from tui.answers import WhySubject
from tui.glyphs import CUT
from tui.render import frame
from tui.render.line import Span, Spans, crop, length

GAP: Final = 2  # Cells between two columns


class Made(Sequence[Any]):
    """So many things, each made when it is looked at: of a long list only what is visible costs."""

    def __init__(self, count: int, make: Callable[[int], Any]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._make(each) for each in range(*place.indices(self._count))]
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return self._make(place % self._count)


class TextColumn(NamedTuple):
    """A column: its title, and one cell for each row."""

    title: str
    cells: Sequence[Span]
    rank: int = 0
    """0 stays; a higher rank goes earlier where there is no room."""
    right: bool = False
    widest: int = 0
    """The width of its widest cell, where that is known; 0 has all cells made to find it."""

    @property
    def width(self) -> int:
        """Returns the width of its widest cell."""
        if self.widest:
            return max(length([(self.title, "")]), self.widest)
        return max(length([(self.title, "")]), *(length([cell]) for cell in self.cells), 0)


def table(columns: Sequence[TextColumn], width: int) -> tuple[Spans, Sequence[Spans]]:
    """The head and the rows of the columns there is room for; the last one is cut where it must be.

    Columns without a word in any cell are left out, and repeated values are faint.
    Rows are made when they are looked at.
    """
    placed = [(column, column.width) for column in columns if any(words for words, _ in column.cells)]
    while len(placed) > 1 and _needed(placed) > width and max(column.rank for column, _ in placed):
        placed.remove(max(reversed(placed), key=lambda one: one[0].rank))
    head = [_cell((column.title, "faint"), column, cells) for column, cells in placed]
    most = 0 if _needed(placed) <= width else width

    def cell(column: TextColumn, place: int) -> Span:
        words, style = column.cells[place]
        is_repeated = place > 0 and column.cells[place - 1][0] == words and style == "text"
        return (words, "faint" if is_repeated else style)

    def row(place: int) -> Spans:
        return _line([_cell(cell(column, place), column, cells) for column, cells in placed], most)

    return _line(head, most), Made(len(placed[0][0].cells) if placed else 0, row)


def fits(columns: Sequence[TextColumn], width: int) -> bool:
    """True where all of these columns fit into a width."""
    return _needed([(column, column.width) for column in columns]) <= width


def _needed(placed: Sequence[tuple[TextColumn, int]]) -> int:
    return sum(cells for _, cells in placed) + GAP * (len(placed) - 1)


def _cell(cell: Span, column: TextColumn, cells: int) -> Spans:
    words = cell[0]
    blank = (" " * (cells - (len(words) if words.isascii() else length([cell]))), "text")
    return [blank, cell] if column.right else [cell, blank]


def _line(cells: Sequence[Spans], width: int) -> Spans:
    """A line of cells, cut to a width unless that is 0."""
    spans: Spans = []
    for cell in cells:
        spans += [*([(" " * GAP, "text")] if spans else []), *cell]
    while spans and not spans[-1][0].strip():
        spans.pop()
    return crop(spans, width, CUT) if width else spans


INSIDE: Final = 4  # Cells of a frame and the blanks within it
EDGES: Final = 2  # Lines of a frame


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
    link: Callable[[int], WhySubject | None] | None = None
    """Where each row leads, told without making it; None looks at the row."""


class Stop(NamedTuple):
    """The places of the cursor: cells of a line."""

    row: int
    begin: int
    end: int
    link: WhySubject
    part: str


class Page(NamedTuple):
    """Lines, and where the cursor may stand, panel by panel."""

    lines: Sequence[Spans]
    stops: list[Stop]


def height_of(panel: Panel) -> int:
    """Its lines with the frame."""
    return len(panel.rows) + EDGES


def framed(panel: Panel, width: int, height: int = 0, *, has_focus: bool = False) -> Page:
    """A panel in a frame. It has at least `height` lines; 0 as many as it needs."""
    edges = _edges(panel, is_focused=has_focus, is_sided=True)
    count = max(len(panel.rows), height - EDGES)

    def line(place: int) -> Spans:
        if place in (0, count + 1):
            return frame.upper(edges, width) if place == 0 else frame.lower(edges, width)
        left, right = frame.side(edges, place - 1)
        inside = panel.rows[place - 1].spans if place <= len(panel.rows) else []
        taken = length(inside)
        if taken > width - INSIDE:
            inside, taken = crop(inside, width - INSIDE, CUT), width - INSIDE
        return [left, (" ", "text"), *inside, (" " * (width - INSIDE - taken + 1), "text"), right]

    return Page(Made(count + EDGES, line), _stops(panel, 1, width - 1))


def ruled(panel: Panel, width: int, *, has_focus: bool = False) -> Page:
    """A panel below a rule, for narrow screens."""
    edges = _edges(panel, is_focused=has_focus, is_sided=False)

    def line(place: int) -> Spans:
        if place == 0:
            return frame.upper(edges, width)
        return [(" ", "text"), *crop(panel.rows[place - 1].spans, width - 2, CUT)]

    return Page(Made(len(panel.rows) + 1, line), _stops(panel, 0, width))


def _edges(panel: Panel, *, is_focused: bool, is_sided: bool) -> frame.PaneFrame:
    right = (frame.EdgeWords(((panel.right, "soft"),)),) if panel.right else ()
    title = (frame.EdgeWords(tuple(panel.title)),)
    return frame.PaneFrame(title, right, is_focused=is_focused, is_sided=is_sided)


def _stops(panel: Panel, begin: int, end: int) -> list[Stop]:
    link = panel.link or (lambda place: panel.rows[place].link)
    links = ((place, link(place - 1)) for place in range(1, len(panel.rows) + 1))
    return [Stop(place, begin, end, found, panel.part) for place, found in links if found is not None]


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
