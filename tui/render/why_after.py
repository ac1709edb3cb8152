"""The consequences of a remedy that was tried: the instants that matter, what is allocated, the nodes now and then."""

from itertools import zip_longest
from typing import Final

from engine.explain.aftermath_report import AftermathReport, NodeUse
from tui import format as text
from tui.format import Beside
from tui.render.arrangement import natural
from tui.render.hue import hue_of, hue_of_number
from tui.render.line import Look, Spans, folded, joined, length
from tui.render.node_bar import Block, common_prefix, node_bar
from tui.render.panel import Panel, PanelRow
from tui.render.plot import Line, PlotMark, drawn, scale
from tui.render.remedy_text import short_remedy

BAR: Final = 50  # Cells of a bar
FREE: Final = 6  # Cells of an amount that is free
LEAST: Final = 3  # Nodes from which they are drawn, as far as there are as many


def node_lines(after: AftermathReport, day: Beside, look: Look, width: int, rows: int) -> list[Spans]:
    """Every node now and then, below a line with the instants; nothing where too few rows would be left."""
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
        first: Spans = [(f"{name.removeprefix(prefix):<{side}} ", "soft")]
        left, right = ([*first, *_bar(each, look)] for each in uses)
        lines.append(_beside(left, right, half))
    return [*lines, [(f"… {len(pairs) - shown} more", "faint")]] if shown < len(pairs) else lines


def _beside(left: Spans, right: Spans, half: int) -> Spans:
    return [*left, (" " * max(2, half - length(left)), "text"), *right]


def _bar(use: NodeUse, look: Look) -> Spans:
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
PLOT_FROM: Final = 100  # Width from which a plot stands beside the words
NODES_FROM: Final = 150  # Width from which the nodes stand below it, now and then
PLOT_ROWS: Final = 5
MOST_CELLS: Final = 110  # A plot is no wider


def after_panel(
    after: AftermathReport | None, day: Beside, place: int, look: Look, size: tuple[int, int], *, is_busy: bool
) -> Panel:
    """Return what follows, beside what is allocated and above the nodes where there is room; else how to see it.

    `after` is None where nothing was tried; `place` is where the remedy is listed, from 1 on, 0 where none was tried.
    """
    width, height = size
    if after is None:
        words = "simulating it on a copy …" if is_busy else "enter tries a remedy on a copy and shows what follows"
        return Panel(AFTER, [("After a remedy", "text")], [PanelRow([(each, "soft")]) for each in folded(words, width)])
    name = f"After remedy {place}" if place else "After"
    done = f"{short_remedy(after.remedy)}, " if after.remedy is not None else ""
    title: Spans = [(name, "text"), (f"  {done}tried on a copy", "soft")]
    happenings: list[Spans] = [
        [(f"{day.clock(each.at_ms):<8}  ", "strong" if each.is_target else "text"), (text.plain(each.words), "soft")]
        for each in after.happenings
    ]
    if width < PLOT_FROM or not any([*after.before, *after.allocated]):
        return Panel(AFTER, title, [PanelRow(each) for each in happenings])
    left = max(40, max((length(each) for each in happenings), default=0) + 3)
    plotted = _plot(after, day, width - left, is_colourless=look.is_colourless)
    lines: list[Spans] = []
    for before, plot in zip_longest(happenings, plotted, fillvalue=()):
        lines.append([*before, (" " * (left - length([*before])), "text"), *plot])
    nodes = node_lines(after, day, look, width, height - len(lines) - 1) if width >= NODES_FROM else []
    lines += [[], *nodes] if nodes else []
    return Panel(AFTER, title, [PanelRow(each) for each in lines], "allocated per 10 s")


def _plot(after: AftermathReport, day: Beside, width: int, *, is_colourless: bool) -> list[Spans]:
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


def _times(after: AftermathReport, day: Beside, cells: int, now: int) -> Spans:
    bucket_ms = after.bucket_s * 1000
    times_ms = (day.now_ms - bucket_ms * len(after.before), day.now_ms, day.now_ms + bucket_ms * len(after.allocated))
    first, here, last = (text.near_minute(time_ms, time_ms, day.offset_ms) for time_ms in times_ms)
    row = [(" ", "faint")] * cells
    for begin, words, style in ((0, first, "faint"), (now - 2, here, "accent"), (cells - 5, last, "faint")):
        row[begin : begin + 5] = [(each, style) for each in words]
    return joined(row[:cells])
