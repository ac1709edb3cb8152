"""What is on the nodes now beside what is on them after an act, a bar for each; of the document of an answer."""

from typing import Any, Final

from tui import format as text
from tui.render.arrangement import natural
from tui.render.hue import hue_of, hue_of_number
from tui.render.line import Look, Spans, length
from tui.render.node_bar import Block, node_bar
from tui.render.on_nodes import common_prefix

BAR: Final = 50
"""Cells of a bar."""
FREE: Final = 6
"""Cells of an amount that is free."""
LEAST: Final = 3
"""Nodes from which they are drawn, as far as there are as many."""

Document = dict[str, Any]


def node_lines(after: Document, at: str, look: Look, width: int, rows: int) -> list[Spans]:
    """Every node now and then, below a line with the instants; nothing where fewer rows would be left than are of use.

    Args:
        after: What follows, as `aftermath_document` writes it.
        at: The instant of the act.
        look: For hues, letters and units.
        width: Cells there are.
        rows: Lines there are.
    """
    now, then = after["nodes"]["now"], after["nodes"]["then"]
    most = after["memory"]["most"]
    if not now or most is None or rows <= min(LEAST, len(now)):
        return []
    names = [text.short_node(each["node"]) for each in now]
    prefix = common_prefix(names)
    pairs = sorted(zip(names, now, then, strict=True), key=lambda pair: natural(pair[0]))
    shown = len(pairs) if len(pairs) < rows else rows - 2
    side = max(len(name) for name in names) - len(prefix)
    half = width // 2
    lines = [_beside([("NODES NOW", "faint")], [(f"NODES AT {text.written_clock(most['at'], at)}", "faint")], half)]
    for name, *uses in pairs[:shown]:
        first: Spans = [(f"{name.removeprefix(prefix):<{side}} ", "soft")]
        left, right = ([*first, *_bar(each, look)] for each in uses)
        lines.append(_beside(left, right, half))
    return [*lines, [(f"… {len(pairs) - shown} more", "faint")]] if shown < len(pairs) else lines


def _beside(left: Spans, right: Spans, half: int) -> Spans:
    return [*left, (" " * max(2, half - length(left)), "text"), *right]


def _bar(use: Document, look: Look) -> Spans:
    blocks = [
        Block(
            queue or application,
            application,
            f"{place:06d}",
            size,
            hue_of(queue, look) if queue else hue_of_number(int(application)),
            text.short_queue(queue) if queue else application,
        )
        for place, (queue, application, size) in enumerate(use["blocks"])
    ]
    bar = node_bar(
        BAR,
        use["total_mb"],
        tuple(blocks),
        reserved="somebody" if use["is_reserved"] else "",
        has_letters=look.is_ascii or look.is_colourless,
    )
    return [*bar, (f" {text.memory(use['free_mb']):>{FREE}}", "text"), (" free", "soft")]
