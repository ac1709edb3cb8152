"""The debrief of a drill as a screen: lanes of the cluster and of the trainee, the table, the score, a shorter way."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Final, NamedTuple

from engine.training.debrief import Debrief, DebriefRow, span
from tui import format as text
from tui.glyphs import CRUMB, CURSOR_BAR, METER_FULL, OK, TRACK, WATCH
from tui.render import braille
from tui.render.line import Span, Spans, length

LABEL: Final = 11
"""Width of the names of the lanes."""
SIDE: Final = 40
"""Width of score and shorter way beside the table."""
WIDE_FROM: Final = 100
"""Width from which they stand there."""
LABELLED: Final = 28
"""Longest label of a lane."""
SHORT_BELOW: Final = 32
"""Height below which lanes have no labels."""
HEIGHT: Final = 8
"""Dots of the curve of who waits."""


class DebriefView(NamedTuple):
    """What is looked at of a debrief."""

    debrief: Debrief
    cursor: int
    """Of the row chosen."""
    best: int | None
    """The best score before; None: never played."""
    is_on_score: bool = False
    """Whether a narrow screen shows the score and the shorter way, and not the table."""


def debrief_screen(view: DebriefView, width: int, height: int) -> list[Spans]:
    """The whole screen, as high as it is: what the table has no room for is scrolled."""
    head = [*_head(view.debrief, width), *_lanes(view.debrief, width, is_short=height < SHORT_BELOW)]
    room = max(4, height - len(head))
    if width < WIDE_FROM:
        if not view.is_on_score:
            return [*head, *_table(view, width, room)]
        side = [*_score(view, width - 2), [], *_shorter(view.debrief, width - 2), [], *_lesson(view.debrief, width - 2)]
        return [*head, *[[(" ", "text"), *line] for line in side[:room]]]
    table = _table(view, width - SIDE - 2, room)
    side = [*_score(view, SIDE), [], *_shorter(view.debrief, SIDE), [], *_lesson(view.debrief, SIDE)]
    lines = []
    for row in range(max(len(table), min(room, len(side)))):
        left = table[row] if row < len(table) else []
        right = side[row] if row < len(side) else []
        gap = max(0, width - SIDE - 1 - length(left))
        lines.append([*left, (" " * gap, "text"), *right])
    return [*head, *lines]


def _head(debrief: Debrief, width: int) -> list[Spans]:
    left: Spans = [(f" Drills {CRUMB} {debrief.title} {CRUMB} ", "soft"), ("debrief", "strong")]
    solved = debrief.score.solved_ms
    verdict: Span = (
        (f" {OK} SOLVED in {span(solved)}", "good") if solved is not None else (f" {WATCH} NOT SOLVED", "alarm")
    )
    clue = debrief.clues[0].sentence if debrief.clues else ""
    points = f"  {debrief.score.total} of 100  "
    room = max(0, width - len(verdict[0]) - len(points) - 1)
    return [left, [verdict, (points, "strong"), (text.fit(clue, room).rstrip(), "soft")], []]


def _shown_ms(debrief: Debrief) -> int:
    """How much time the lanes show: up to a while after the last thing that happened."""
    if debrief.score.solved_ms is None:
        return debrief.lasts_ms
    last_ms = max((one.at_ms for one in debrief.rows), default=0)
    return min(debrief.lasts_ms, max(60_000, last_ms * 5 // 4))


def _lanes(debrief: Debrief, width: int, *, is_short: bool) -> list[Spans]:
    """Who waits, what the cluster did and what the trainee did, on one axis of time."""
    cells, shown_ms = max(10, width - LABEL - 2), _shown_ms(debrief)
    lines: list[Spans] = []
    for row, bar in enumerate(_curve(debrief, cells, shown_ms)):
        lines.append([(f" {'waiting' if not row else '':{LABEL}}", "soft"), (bar, "data")])
    marks = {
        "cluster": [one for one in debrief.rows if one.cluster],
        "you": [one for one in debrief.rows if one.trainee],
    }
    for name, rows in marks.items():
        lines.append([(f" {name:{LABEL}}", "soft"), *_lane(rows, shown_ms, cells)])
        if not is_short:
            lines.append([(" " * (LABEL + 1), "text"), (_labels(rows, shown_ms, cells), "soft")])
    return [*lines, [(" " * (LABEL + 1), "text"), (_axis(shown_ms, cells), "faint")], []]


def _curve(debrief: Debrief, cells: int, shown_ms: int) -> list[str]:
    """How many wait, as filled dots over two lines."""
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


def _lane(rows: Sequence[DebriefRow], shown_ms: int, cells: int) -> Spans:
    """A line with the signs of rows at their times; a later sign stands over an earlier one."""
    signs: dict[int, Span] = {}
    for one in rows:
        cell = min(cells - 1, one.at_ms * cells // shown_ms)
        if one.sign:
            signs[cell] = (one.sign, _sign_style(one))
    spans: Spans = []
    for cell in range(cells):
        spans.append(signs.get(cell, (TRACK, "line")))
    return spans


def _labels(rows: Sequence[DebriefRow], shown_ms: int, cells: int) -> str:
    """What the signs of a lane stand for, below them, as far as there is room; acts go before looks."""
    line = [" "] * cells
    signed = [one for one in rows if one.sign]
    for one in sorted(signed, key=lambda one: (not one.sign.isupper(), one.at_ms)):
        words = (one.cluster or one.trainee)[:LABELLED]
        at = min(cells - 1, one.at_ms * cells // shown_ms)
        if at + len(words) < cells and not "".join(line[max(0, at - 1) : at + len(words) + 1]).strip():
            line[at : at + len(words)] = words
    return "".join(line)


def _sign_style(one: DebriefRow) -> str:
    if one.cluster:
        return {"▲": "alarm", "●": "good"}.get(one.sign, "soft")
    return "watch" if one.sign.isupper() else "bold accent"


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


def _table(view: DebriefView, width: int, height: int) -> list[Spans]:
    """The rows around the cursor, and below them what the chosen one says in full."""
    rows = view.debrief.rows
    half = max(10, (width - 12) // 2)
    shown = max(1, height - 4)
    first = max(0, min(view.cursor - shown // 2, len(rows) - shown))
    lines: list[Spans] = [
        [("   AT        ", "faint"), (text.fit("THE CLUSTER", half), "faint"), ("YOU", "faint")],
    ]
    for place in range(first, min(len(rows), first + shown)):
        one, is_here = rows[place], place == view.cursor
        behind = " on raise" if is_here else ""
        lines.append([
            (f" {CURSOR_BAR if is_here else ' '}", "accent" + behind),
            (f" +{span(one.at_ms):<8} ", "faint" + behind),
            (text.fit(one.cluster, half), "text" + behind),
            (text.fit(one.trainee, max(1, width - half - 13)), "strong" + behind),
        ])  # fmt: skip
    chosen = rows[view.cursor] if rows else None
    if chosen is not None:
        words = wrap(f"+{span(chosen.at_ms)}  {chosen.cluster or chosen.trainee}", width - 3)[:2]
        lines += [[], *[[("   ", "text"), (line, "soft")] for line in words]]
    return lines


def _score(view: DebriefView, width: int) -> list[Spans]:
    lines: list[Spans] = [[("Score", "strong")]]
    for line in view.debrief.score.lines:
        of = f"/{line.most}" if line.most else ""
        points = f"{line.points:5.1f} {of:>3}"
        name = text.fit(line.what, 12)
        measured = text.fit(line.measured, max(1, width - len(points) - 14), right=True)
        lines.append([(name, "text"), (f" {measured} ", "faint"), (points, "strong")])
    lines.append(_meter("this run", view.debrief.score.total, width, "data"))
    if view.best is not None:
        lines.append(_meter("your best", view.best, width, "soft"))
    return lines


def _meter(name: str, points: int, width: int, style: str) -> Spans:
    cells = max(1, width - 17)
    full = max(0, min(cells, points * cells // 100))
    return [
        (f"{name:10} ", "text"),
        (METER_FULL * full, style),
        (TRACK * (cells - full), "line"),
        (f" {points:4}", "strong"),
    ]


def _shorter(debrief: Debrief, width: int) -> list[Spans]:
    head: Spans = [("A shorter way", "strong"), (f"  {debrief.par_score} points", "faint")]
    steps = [(f"+{span(one.at_ms)} ", text.fit(one.trainee, width - 8).rstrip()) for one in debrief.par]
    return [head, *[[(at, "faint"), (words, "text")] for at, words in steps]]


def _lesson(debrief: Debrief, width: int) -> list[Spans]:
    return [[(line, "soft")] for line in wrap(debrief.text, width - 1)]
