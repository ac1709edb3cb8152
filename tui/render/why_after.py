"""What follows a remedy that was tried: the instants that matter, what is allocated, the nodes now and then."""

from typing import Any, Final

from tui import format as text
from tui.glyphs import MARK
from tui.render.braille import LEFT, RIGHT, sign
from tui.render.line import Look, Span, Spans, folded, joined, length
from tui.render.panel import Panel, PanelRow
from tui.render.remedy_text import instant_words, short_remedy

Document = dict[str, Any]

AFTER: Final = "after"
"""The part of a page that tells it."""

PLOT_FROM: Final = 100
"""Width from which a plot stands beside the words."""

PLOT_ROWS: Final = 5
MOST_CELLS: Final = 110
"""A plot is no wider."""


def after_panel(document: Document, place: int, look: Look, width: int, *, is_busy: bool) -> Panel:
    """What follows, beside what is allocated where there is room; else how to see it.

    Args:
        document: The answer.
        place: Where the remedy is listed, from 1 on; 0 where none was tried.
        look: For times.
        width: Cells.
        is_busy: Whether one is being played.
    """
    after = document.get("aftermath")
    if after is None:
        words = "playing it on a copy …" if is_busy else "enter tries a remedy on a copy and shows what follows"
        return Panel(AFTER, [("After a remedy", "text")], [PanelRow([(each, "soft")]) for each in folded(words, width)])
    name = f"After remedy {place}" if place else "After"
    title: Spans = [(name, "text"), (f"  {short_remedy(after['remedy'])}, tried on a copy", "soft")]
    told = [_happening(each, document) for each in after["happenings"]]
    if width < PLOT_FROM or not any([*after["before"], *after["allocated"]]):
        return Panel(AFTER, title, [PanelRow(each) for each in told])
    left = max(40, max((length(each) for each in told), default=0) + 3)
    drawn = _plot(after, document["at"], width - left)
    rows: list[PanelRow] = []
    for row in range(max(len(told), len(drawn))):
        before = told[row] if row < len(told) else []
        plot = drawn[row] if row < len(drawn) else []
        rows.append(PanelRow([*before, (" " * (left - length(before)), "text"), *plot]))
    return Panel(AFTER, title, rows, "allocated per 10 s")


def _happening(each: Document, document: Document) -> Spans:
    clock = instant_words(each["at"], document["at"]).partition(".")[0]
    style = "strong" if each.get("is_target") else "text"
    return [(f"{clock:<8}  ", style), (text.plain(each["words"]), "soft")]


def _plot(after: Document, at: str, width: int) -> list[Spans]:
    """Containers allocated in each bucket before and after the act, filled from the bottom, with the times below."""
    counts = [*after["before"], *after["allocated"]]
    here, top = len(after["before"]), max(*counts, 1)
    cells = min(width, MOST_CELLS)
    samples = [counts[place * len(counts) // (2 * cells)] for place in range(2 * cells)]
    levels = [-(-4 * PLOT_ROWS * each // top) for each in samples]
    now = here * cells // len(counts)
    lines: list[Spans] = []
    for row in range(PLOT_ROWS):
        below = 4 * (PLOT_ROWS - 1 - row)
        drawn: list[Span] = []
        for cell in range(cells):
            left, right = (min(max(each - below, 0), 4) for each in levels[2 * cell : 2 * cell + 2])
            empty = row == PLOT_ROWS - 1 and not left + right
            drawn.append(("⣀", "room") if empty else (sign(LEFT[left] + RIGHT[right]), "data"))
        if drawn[now][0] == " ":
            drawn[now] = (MARK, "accent")
        lines.append(joined(drawn))
    return [*lines, _times(after, at, cells, now)]


def _times(after: Document, at: str, cells: int, now: int) -> Spans:
    """The first, the present and the last instant below a plot."""
    bucket_ms = after["bucket_s"] * 1000
    here_ms = _ms(at)
    first = _time(here_ms - bucket_ms * len(after["before"]))
    last = _time(here_ms + bucket_ms * len(after["allocated"]))
    row = [(" ", "faint")] * cells
    for begin, words, style in ((0, first, "faint"), (now - 2, _time(here_ms), "accent"), (cells - 5, last, "faint")):
        row[begin : begin + 5] = [(each, style) for each in words]
    return joined(row[:cells])


def _ms(iso: str) -> int:
    """The time of day of an instant [ms]."""
    hours, minutes, seconds = iso[11:19].split(":")
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000


def _time(day_ms: int) -> str:
    minutes = day_ms // 60_000 % (24 * 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
