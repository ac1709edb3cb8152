"""Panels: frames around lines, some of which lead somewhere, put below or beside each other to one page."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from engine.explain.answer import WhyReport
from engine.explain.impact import ImpactReport, NodeUse
from engine.observe.mr1_snapshot import JobRow
from engine.observe.snapshot import Snapshot
from tui.pages.remedy_text import short_remedy
from tui.panes import frame
from tui.panes.arrangement import natural
from tui.panes.fragments import (
    Fragment,
    Fragments,
    RenderContext,
    cell_width,
    crop,
    folded,
    hue_of,
    hue_of_number,
    merge_fragments,
)
from tui.panes.misfit import KINDS, left
from tui.panes.nodes import Block, common_prefix, node_bar
from tui.panes.plot import Line, PlotMark, drawn, scale
from tui.protocol.picture import WhySubject
from tui.terminal import format as text
from tui.terminal.format import CUT, METER_FULL, NONE, TRACK, RelativeTimeFormat

GAP: Final = 2  # Cells between two columns


class LazySequence(Sequence[Any]):
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
    title: str
    cells: Sequence[Fragment]
    rank: int = 0  # 0 stays; a higher rank goes earlier where there is no room
    right: bool = False
    widest: int = 0  # The width of its widest cell, where that is known; 0 has all cells made to find it

    @property
    def width(self) -> int:
        if self.widest:
            return max(cell_width([(self.title, "")]), self.widest)
        return max(cell_width([(self.title, "")]), *(cell_width([cell]) for cell in self.cells), 0)


def table(columns: Sequence[TextColumn], width: int) -> tuple[Fragments, Sequence[Fragments]]:
    """The head and the rows, made when looked at, of the columns with a word that have room; repeats are faint."""
    placed = [(column, column.width) for column in columns if any(words for words, _ in column.cells)]
    while len(placed) > 1 and _needed(placed) > width and max(column.rank for column, _ in placed):
        placed.remove(max(reversed(placed), key=lambda one: one[0].rank))
    head = [_cell((column.title, "faint"), column, cells) for column, cells in placed]
    most = 0 if _needed(placed) <= width else width

    def cell(column: TextColumn, place: int) -> Fragment:
        words, style = column.cells[place]
        is_repeated = place > 0 and column.cells[place - 1][0] == words and style == "text"
        return (words, "faint" if is_repeated else style)

    def row(place: int) -> Fragments:
        return _line([_cell(cell(column, place), column, cells) for column, cells in placed], most)

    return _line(head, most), LazySequence(len(placed[0][0].cells) if placed else 0, row)


def fits(columns: Sequence[TextColumn], width: int) -> bool:
    return _needed([(column, column.width) for column in columns]) <= width


def _needed(placed: Sequence[tuple[TextColumn, int]]) -> int:
    return sum(cells for _, cells in placed) + GAP * (len(placed) - 1)


def _cell(cell: Fragment, column: TextColumn, cells: int) -> Fragments:
    words = cell[0]
    blank = (" " * (cells - (len(words) if words.isascii() else cell_width([cell]))), "text")
    return [blank, cell] if column.right else [cell, blank]


def _line(cells: Sequence[Fragments], width: int) -> Fragments:
    spans: Fragments = []
    for cell in cells:
        spans += [*([(" " * GAP, "text")] if spans else []), *cell]
    while spans and not spans[-1][0].strip():
        spans.pop()
    return crop(spans, width, CUT) if width else spans


INSIDE: Final = 4  # Cells of a frame and the blanks within it
EDGES: Final = 2  # Lines of a frame


class PanelRow(NamedTuple):
    spans: Fragments
    link: WhySubject | None = None

    @classmethod
    def folded(cls, words: str, width: int, style: str = "soft", link: WhySubject | None = None) -> "list[PanelRow]":
        """Words as rows of a width; the first of them leads somewhere."""
        first, *rest = folded(words, width)
        return [cls([(first, style)], link), *(cls([(each, style)]) for each in rest)]


class Panel(NamedTuple):
    part: str  # What it is called among the parts; the same link may be in several
    title: Fragments
    rows: Sequence[PanelRow]
    right: str = ""  # At the right of the title
    link: Callable[[int], WhySubject | None] | None = None  # Where each row leads, told without making it


class Stop(NamedTuple):
    row: int
    begin: int
    end: int
    link: WhySubject
    part: str


class Page(NamedTuple):
    lines: Sequence[Fragments]
    stops: list[Stop]


def height_of(panel: Panel) -> int:
    return len(panel.rows) + EDGES


def framed(panel: Panel, width: int, height: int = 0, *, has_focus: bool = False) -> Page:
    """A panel in a frame. It has at least `height` lines; 0 as many as it needs."""
    edges = _edges(panel, is_focused=has_focus, is_sided=True)
    count = max(len(panel.rows), height - EDGES)

    def line(place: int) -> Fragments:
        if place in (0, count + 1):
            return frame.upper(edges, width) if place == 0 else frame.lower(edges, width)
        left, right = frame.side(edges, place - 1)
        inside = panel.rows[place - 1].spans if place <= len(panel.rows) else []
        taken = cell_width(inside)
        if taken > width - INSIDE:
            inside, taken = crop(inside, width - INSIDE, CUT), width - INSIDE
        return [left, (" ", "text"), *inside, (" " * (width - INSIDE - taken + 1), "text"), right]

    return Page(LazySequence(count + EDGES, line), _stops(panel, 1, width - 1))


def ruled(panel: Panel, width: int, *, has_focus: bool = False) -> Page:
    edges = _edges(panel, is_focused=has_focus, is_sided=False)

    def line(place: int) -> Fragments:
        if place == 0:
            return frame.upper(edges, width)
        return [(" ", "text"), *crop(panel.rows[place - 1].spans, width - 2, CUT)]

    return Page(LazySequence(len(panel.rows) + 1, line), _stops(panel, 0, width))


def _edges(panel: Panel, *, is_focused: bool, is_sided: bool) -> frame.PaneFrame:
    right = (frame.BorderLabel(((panel.right, "soft"),)),) if panel.right else ()
    title = (frame.BorderLabel(tuple(panel.title)),)
    return frame.PaneFrame(title, right, is_focused=is_focused, is_sided=is_sided)


def _stops(panel: Panel, begin: int, end: int) -> list[Stop]:
    link = panel.link or (lambda place: panel.rows[place].link)
    links = ((place, link(place - 1)) for place in range(1, len(panel.rows) + 1))
    return [Stop(place, begin, end, found, panel.part) for place, found in links if found is not None]


def stacked(pages: Sequence[Page]) -> Page:
    """One page of several below each other; their stops move with their lines."""
    lines: list[Fragments] = []
    stops: list[Stop] = []
    for page in pages:
        stops += [stop._replace(row=stop.row + len(lines)) for stop in page.stops]
        lines += page.lines
    return Page(lines, stops)


def beside(left: Page, right: Page, width: int) -> Page:
    """Two pages of as many lines; the left one is `width` cells wide."""
    lines: list[Fragments] = [[*one, *other] for one, other in zip(left.lines, right.lines, strict=True)]
    moved = [stop._replace(begin=stop.begin + width, end=stop.end + width) for stop in right.stops]
    return Page(lines, [*left.stops, *moved])


# The consequences of a remedy that was tried: the instants that matter, what is allocated, the nodes now and then.

BAR: Final = 50  # Cells of a bar
FREE: Final = 6  # Cells of an amount that is free
LEAST: Final = 3  # Nodes from which they are drawn, as far as there are as many


def _node_lines(
    after: ImpactReport, day: RelativeTimeFormat, look: RenderContext, width: int, rows: int
) -> list[Fragments]:
    now, then = after.nodes.now, after.nodes.then
    most = after.memory.most
    if not now or most is None or rows <= min(LEAST, len(now)):
        return []
    names = [text.short_node(each.node) for each in now]
    prefix = common_prefix(names)
    pairs = sorted(zip(names, now, then, strict=True), key=lambda pair: natural(pair[0]))
    shown = len(pairs) if len(pairs) < rows else rows - 2
    side = max(len(name) for name in names) - len(prefix)
    half = width // 2
    lines = [_beside([("NODES NOW", "faint")], [(f"NODES AT {day.clock(most.at_ms)}", "faint")], half)]
    for name, *uses in pairs[:shown]:
        first: Fragments = [(f"{name.removeprefix(prefix):<{side}} ", "soft")]
        left, right = ([*first, *_bar(each, look)] for each in uses)
        lines.append(_beside(left, right, half))
    return [*lines, [(f"… {len(pairs) - shown} more", "faint")]] if shown < len(pairs) else lines


def _beside(left: Fragments, right: Fragments, half: int) -> Fragments:
    return [*left, (" " * max(2, half - cell_width(left)), "text"), *right]


def _bar(use: NodeUse, look: RenderContext) -> Fragments:
    blocks = [
        Block(
            block.queue or block.application,
            block.application,
            f"{place:06d}",
            block.memory_mb,
            hue_of(block.queue, look) if block.queue else hue_of_number(int(block.application)),
            text.short_queue(block.queue) if block.queue else block.application,
        )
        for place, block in enumerate(use.blocks)
    ]
    bar = node_bar(
        BAR,
        use.total_mb,
        tuple(blocks),
        reserved="somebody" if use.is_reserved else "",
        has_letters=look.is_ascii or look.is_colourless,
    )
    return [*bar, (f" {text.memory(use.free_mb):>{FREE}}", "text"), (" free", "soft")]


AFTER: Final = "after"  # The part of a page that tells it
PLOT_FROM: Final = 72  # Width from which a plot stands beside the words
NODES_FROM: Final = 150  # Width from which the nodes stand below it, now and then
PLOT_ROWS: Final = 5
MOST_CELLS: Final = 110  # A plot is no wider


def after_panel(
    after: ImpactReport | None,
    day: RelativeTimeFormat,
    place: int,
    look: RenderContext,
    size: tuple[int, int],
    *,
    is_busy: bool,
) -> Panel:
    """What follows a remedy, beside what is allocated and above the nodes where there is room; else how to see it."""
    width, height = size
    if after is None:
        words = "simulating it on a copy …" if is_busy else "enter tries a remedy on a copy and shows what follows"
        return Panel(AFTER, [("After a remedy", "text")], PanelRow.folded(words, width))
    name = f"After remedy {place}" if place else "After"
    done = f"{short_remedy(after.remedy)}, " if after.remedy is not None else ""
    title: Fragments = [(name, "text"), (f"  {done}tried on a copy", "soft")]
    happenings: list[Fragments] = [
        [(f"{day.clock(each.at_ms):<8}  ", "strong" if each.is_target else "text"), (text.plain(each.words), "soft")]
        for each in after.happenings
    ]
    if width < PLOT_FROM or not any([*after.before, *after.allocated]):
        return Panel(AFTER, title, [PanelRow(each) for each in happenings])
    left = max(40, max((cell_width(each) for each in happenings), default=0) + 3)
    plotted = _plot(after, day, width - left, is_colourless=look.is_colourless)
    lines: list[Fragments] = []
    for before, plot in zip_longest(happenings, plotted, fillvalue=()):
        lines.append([*before, (" " * (left - cell_width([*before])), "text"), *plot])
    nodes = _node_lines(after, day, look, width, height - len(lines) - 1) if width >= NODES_FROM else []
    lines += [[], *nodes] if nodes else []
    return Panel(AFTER, title, [PanelRow(each) for each in lines], "allocated per 10 s")


def _plot(after: ImpactReport, day: RelativeTimeFormat, width: int, *, is_colourless: bool) -> list[Fragments]:
    counts = [*after.before, *after.allocated]
    here, cells = len(after.before), min(width, MOST_CELLS)
    places = [place * len(counts) // (2 * cells) for place in range(2 * cells)]
    was = [float(counts[place]) if place < here else None for place in places]
    comes = [float(counts[place]) if place >= here else None for place in places]
    is_flat = not any(after.before)
    now = here * cells // len(counts)
    lines = [Line(comes, "data"), Line(was, "alarm" if is_flat else "data")]
    mark = PlotMark(now, "accent")
    sheet = drawn(lines, scale(max(counts), 10), (cells, PLOT_ROWS), [mark], is_colourless=is_colourless)
    return [*sheet.lines(), _times(after, day, cells, now)]


def _times(after: ImpactReport, day: RelativeTimeFormat, cells: int, now: int) -> Fragments:
    bucket_ms = after.bucket_s * 1000
    times_ms = (day.now_ms - bucket_ms * len(after.before), day.now_ms, day.now_ms + bucket_ms * len(after.allocated))
    first, here, last = (text.near_minute(time_ms, time_ms, day.offset_ms) for time_ms in times_ms)
    row = [(" ", "faint")] * cells
    for begin, words, style in ((0, first, "faint"), (now - 2, here, "accent"), (cells - 5, last, "faint")):
        row[begin : begin + 5] = [(each, style) for each in words]
    return merge_fragments(row[:cells])


# A JobTracker's waiting job as tables: its tasks with their starts, and every limit with its figures.

_METER: Final = 8  # Cells of a meter
_UNLIMITED: Final = 2**31 - 1  # A maximum that is none
_REASONS: Final = {
    "QUEUE_OVER_MAXIMUM": "limit of the pool",
    "USER_OVER_LIMIT": "limit of the user",
    "QUEUE_NOT_RUNNING_IT": "limit of running jobs",
    "MAPS_FIRST": "after the maps",
    "DOES_NOT_FIT": "no free slot",
}  # Code of an obstacle → what its tasks wait for


def job_of(why: WhyReport, snapshot: Snapshot | None) -> JobRow | None:
    """The job asked about; None on other systems, where it is not known, and where there is no snapshot."""
    rows = snapshot.applications() if snapshot is not None and snapshot.dialect == "mr1" else ()
    return next((row for row in rows if isinstance(row, JobRow) and row.id == why.application.id), None)


def task_rows(why: WhyReport, job: JobRow, day: RelativeTimeFormat, width: int) -> list[PanelRow]:
    """Each kind of tasks of a job: how many are done, run and wait, when the next one starts, what it waits for."""
    tasks = (job.maps, job.reduces)
    has_ended = why.application.finished_ms is not None
    rest = [0 if has_ended else left(each) for each in tasks]
    due = 0 if rest[0] else 1
    starts = {ask.priority: ask.expected_start_ms for ask in why.application.listed_asks}
    reason = _REASONS.get(why.reasons[0].code, why.reasons[0].sentence) if why.reasons else "its turn"
    none = "the job has ended" if has_ended else "not waiting"
    words = [none if not rest[kind] else reason if kind == due else "after the maps" for kind in (0, 1)]
    waiting = [str(rest[kind]) if rest[kind] and kind == due else NONE for kind in (0, 1)]
    at = [starts.get(kind) if rest[kind] else None for kind in (0, 1)]
    styles = ["strong" if kind == due and rest[kind] else "text" for kind in (0, 1)]
    head, lines = table(
        [
            TextColumn("TASKS", [(f"{kind}s", style) for kind, style in zip(KINDS, styles, strict=True)]),
            TextColumn("", [_meter(done, every) for _, done, every in tasks], rank=2),
            TextColumn("DONE", [(f"{done}/{every}", "text") for _, done, every in tasks], right=True),
            TextColumn("RUN", [(str(running or NONE), "text") for running, _, _ in tasks], right=True),
            TextColumn("WAIT", [(each, "text") for each in waiting], right=True),
            TextColumn("NEXT STARTS", [(NONE if each is None else day.clock(each), "strong") for each in at]),
            TextColumn("WHY", [(each, "text") for each in words], rank=1),
        ],
        width,
    )
    return [PanelRow(head), *map(PanelRow, lines)]


def limit_rows(why: WhyReport, job: JobRow, snapshot: Snapshot, width: int) -> list[PanelRow]:
    """Each limit on the tasks that wait: whose it is, its key, its figures, and whether it decides; that one first."""
    kind, code = 0 if left(job.maps) else 1, why.reasons[0].code if why.reasons else ""
    found: list[tuple[str, str, int, int, bool]] = []
    for pool in snapshot.queues():
        most = pool.max_share[kind] if isinstance(pool.max_share, tuple) else _UNLIMITED
        if pool.path == job.queue and most < _UNLIMITED:
            key = f"max{KINDS[kind].capitalize()}s"
            found.append((f"pool {pool.path}", key, pool.used[kind], most, code == "QUEUE_OVER_MAXIMUM"))
    used, total = snapshot.header.used[kind], snapshot.header.total[kind]
    found.append(("trackers", f"{KINDS[kind]} slots", used, total, code == "DOES_NOT_FIT"))
    found.sort(key=lambda one: not one[-1])
    styles = ["strong" if decides else "soft" for *_, decides in found]
    lines = table(
        [
            TextColumn("WHOSE", [(one[0], style) for one, style in zip(found, styles, strict=True)]),
            TextColumn("LIMIT", [(one[1], style) for one, style in zip(found, styles, strict=True)]),
            TextColumn("USED", [(f"{one[2]} of {one[3]}", style) for one, style in zip(found, styles, strict=True)]),
            TextColumn("", [_meter(one[2], one[3]) for one in found], rank=1),
            TextColumn("", [("full: decides" if one[-1] else "not in the way", "soft") for one in found]),
        ],
        width,
    )
    return [PanelRow(lines[0]), *map(PanelRow, lines[1])]


def _meter(part: int, whole: int) -> Fragment:
    cells = min(_METER, part * _METER // whole) if whole else 0
    return METER_FULL * cells + TRACK * (_METER - cells), "data"
