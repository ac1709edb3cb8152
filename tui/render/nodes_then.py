"""What is on the nodes now beside what is on them after an act, a bar for each."""

from typing import Final

from engine.explain.aftermath_report import AftermathReport
from engine.explain.node_use import NodeUse
from tui import format as text
from tui.format import Beside
from tui.render.arrangement import natural
from tui.render.hue import hue_of, hue_of_number
from tui.render.line import Look, Spans, length
from tui.render.node_bar import Block, node_bar
from tui.render.on_nodes import common_prefix

BAR: Final = 50  # Cells of a bar
FREE: Final = 6  # Cells of an amount that is free
LEAST: Final = 3  # Nodes from which they are drawn, as far as there are as many


def node_lines(after: AftermathReport, day: Beside, look: Look, width: int, rows: int) -> list[Spans]:
    """Every node now and then, below a line with the instants; nothing where fewer rows would be left than are of use.

    Args:
        day: Writes instants beside the act.
        look: For hues, letters and units.
        width: Cells there are.
        rows: Lines there are.
    """
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
