"""The lanes of a debrief: who waits, and what the cluster, the trainee and par did, on one axis of time."""

from collections.abc import Sequence
from typing import Final

from engine.training.debrief import Debrief
from engine.training.debrief_rows import DebriefRow
from tui.glyphs import TRACK
from tui.render import braille
from tui.render.line import Span, Spans

LABEL: Final = 11  # Width of the names of the lanes
LABELLED: Final = 28  # Longest label of a lane
HEIGHT: Final = 8  # Dots of the curve of who waits


def _shown_ms(debrief: Debrief) -> int:
    """Tells how much time the lanes show: up to a while after the last thing that happened."""
    if debrief.score.solved_ms is None:
        return debrief.lasts_ms
    last_ms = max((one.at_ms for one in debrief.rows), default=0)
    return min(debrief.lasts_ms, max(60_000, last_ms * 5 // 4))


def lanes(debrief: Debrief, width: int, *, is_short: bool) -> list[Spans]:
    """Tells who waits, what the cluster did, what the trainee did and what par does, on one axis of time."""
    cells, shown_ms = max(10, width - LABEL - 2), _shown_ms(debrief)
    lines: list[Spans] = []
    for row, bar in enumerate(_curve(debrief, cells, shown_ms)):
        lines.append([(f" {'waiting' if not row else '':{LABEL}}", "soft"), (bar, "data")])
    marks = {
        "cluster": [one for one in debrief.rows if one.cluster],
        "you": [one for one in debrief.rows if one.trainee],
        "par": [one for one in debrief.par_rows if one.trainee],
    }
    for name, rows in marks.items():
        lines.append([(f" {name:{LABEL}}", "soft"), *_lane(rows, shown_ms, cells)])
        if not is_short and name != "par":
            lines.append([(" " * (LABEL + 1), "text"), (_labels(rows, shown_ms, cells), "soft")])
    return [*lines, [(" " * (LABEL + 1), "text"), (_axis(shown_ms, cells), "faint")], []]


def _curve(debrief: Debrief, cells: int, shown_ms: int) -> list[str]:
    """Tells how many wait, as filled dots over two lines."""
    most = max((sample.waiting for sample in debrief.samples), default=0)
    heights = [0] * (2 * cells)
    for place in range(2 * cells):
        at_ms = place * shown_ms / (2 * cells)
        sample = next((one for one in debrief.samples if one.at_ms >= at_ms), None)
        if sample is not None and most:
            heights[place] = max(1 if sample.waiting else 0, round(sample.waiting * HEIGHT / most))
    return [_dots(heights, 4), _dots(heights, 0)]


def _dots(heights: Sequence[int], below: int) -> str:
    """One line of dots, of what stands above so many."""
    cut = [max(0, min(4, height - below)) for height in heights]
    pairs = zip(cut[::2], cut[1::2], strict=True)
    return "".join(braille.sign(braille.LEFT[left] | braille.RIGHT[right]) for left, right in pairs)


_CLUSTER_STYLES = {"▲": "alarm", "●": "good"}  # Sign of what the cluster does → its style


def _lane(rows: Sequence[DebriefRow], shown_ms: int, cells: int) -> Spans:
    """A line with the signs of rows at their times; a later sign stands over an earlier one."""
    signs: dict[int, Span] = {}
    for one in rows:
        cell = min(cells - 1, one.at_ms * cells // shown_ms)
        if one.sign:
            own = "watch" if one.sign.isupper() else "bold accent"
            signs[cell] = (one.sign, _CLUSTER_STYLES.get(one.sign, "soft") if one.cluster else own)
    spans: Spans = []
    for cell in range(cells):
        spans.append(signs.get(cell, (TRACK, "line")))
    return spans


def _labels(rows: Sequence[DebriefRow], shown_ms: int, cells: int) -> str:
    """Write the meaning of signs below them as far as there is room; acts take precedence over looks."""
    line = [" "] * cells
    signed = [one for one in rows if one.sign]
    for one in sorted(signed, key=lambda one: (not one.sign.isupper(), one.at_ms)):
        words = (one.cluster or one.trainee)[:LABELLED]
        at = min(cells - 1, one.at_ms * cells // shown_ms)
        if at + len(words) < cells and not "".join(line[max(0, at - 1) : at + len(words) + 1]).strip():
            line[at : at + len(words)] = words
    return "".join(line)


def _axis(shown_ms: int, cells: int) -> str:
    minutes = max(1, shown_ms // 60_000)
    every = next((step for step in (1, 2, 5, 10, 20, 60) if cells * step // minutes >= 8), 60)
    line = [" "] * cells
    for minute in range(0, minutes + 1, every):
        words = f"+{minute}m"
        at = minute * 60_000 * cells // shown_ms
        if at + len(words) <= cells:
            line[at : at + len(words)] = words
    return "".join(line)
