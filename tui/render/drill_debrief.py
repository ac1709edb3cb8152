"""The debrief of a drill as a screen: the lanes, the table and what is said of its chosen row, the score, par."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Final, NamedTuple

from engine.instants import span
from engine.training.debrief import Debrief
from engine.training.debrief_rows import DebriefRow
from engine.training.what_if import ExerciseFigures, WhatIf
from tui import format as text
from tui.glyphs import CRUMB, CURSOR_BAR, METER_FULL, OK, TRACK, WATCH
from tui.render import braille
from tui.render.line import Span, Spans, length

LABEL: Final = 11  # Width of the names of the lanes
LABELLED: Final = 28  # Longest label of a lane
HEIGHT: Final = 8  # Dots of the curve of who waits


def _shown_ms(debrief: Debrief) -> int:
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


SIDE: Final = 40  # Width of score and shorter way beside the table
WIDE_FROM: Final = 100  # Width from which they stand there
SHORT_BELOW: Final = 32  # Height below which lanes have no labels
THIRD_FROM: Final = 110  # Width of the table from which it also has what stood on the screen
SAID: Final = 4  # Most lines of what is said of the chosen row


class DebriefSheet(NamedTuple):
    """The part of a debrief that is looked at."""

    debrief: Debrief
    cursor: int
    """The row chosen."""
    best: int | None
    """The best score before; None: never played."""
    what_ifs: tuple[WhatIf, ...] = ()
    """What would have been from the chosen row on; empty when that was not asked."""
    is_on_score: bool = False
    """Whether a narrow screen shows the score and the shorter way, and not the table."""


def debrief_screen(sheet: DebriefSheet, width: int, height: int) -> list[Spans]:
    """The whole screen, as high as it is: what the table has no room for is scrolled."""
    head = [*_head(sheet.debrief, width), *lanes(sheet.debrief, width, is_short=height < SHORT_BELOW)]
    room = max(4, height - len(head))
    if width < WIDE_FROM:
        if not sheet.is_on_score:
            return [*head, *_table(sheet, width, room)]
        side = _side(sheet, width - 2)
        return [*head, *[[(" ", "text"), *line] for line in side[:room]]]
    table = _table(sheet, width - SIDE - 2, room)
    side = _side(sheet, SIDE)
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


def _table(sheet: DebriefSheet, width: int, height: int) -> list[Spans]:
    """The rows around the cursor, and below them what there is to say of the chosen one."""
    rows = sheet.debrief.rows
    half = max(10, (width - 12) // (3 if width >= THIRD_FROM else 2))
    said = _said(sheet, width - 3)
    shown = max(1, height - 2 - len(said))
    first = max(0, min(sheet.cursor - shown // 2, len(rows) - shown))
    lines: list[Spans] = [
        [("   AT        ", "faint"), (text.fit("THE CLUSTER", half), "faint"), (text.fit("YOU", half - 1), "faint")]
    ]
    for place in range(first, min(len(rows), first + shown)):
        one, is_here = rows[place], place == sheet.cursor
        behind = " on raise" if is_here else ""
        lines.append([
            (f" {CURSOR_BAR if is_here else ' '}", "accent" + behind),
            (f" +{span(one.at_ms):<8} ", "faint" + behind),
            (text.fit(one.cluster or one.effect, half), ("text" if one.cluster else "soft") + behind),
            *_answered(one, half - 1, behind),
            (" " + text.fit(one.on_screen, width - 2 * half - 13) if width >= THIRD_FROM else "", "soft" + behind),
        ])  # fmt: skip
    if width >= THIRD_FROM:
        lines[0].append((" ON THE SCREEN, SINCE WHEN", "faint"))
    return [*lines, [], *[[("   ", "text"), *spans] for spans in said]]


def _answered(row: DebriefRow, room: int, behind: str) -> Spans:
    """Return what the trainee did; whether an answer is right always fits."""
    if not row.graded:
        return [(text.fit(row.trainee, room), "strong" + behind)]
    graded = f" ({row.graded})"
    style = "good" if row.graded == "right" else "watch"
    words = text.fit(row.trainee, max(1, room - len(graded))).rstrip()
    rest = " " * max(0, room - len(words) - len(graded))
    return [(words, "strong" + behind), (graded, style + behind), (rest, "text" + behind)]


def _said(sheet: DebriefSheet, width: int) -> list[Spans]:
    """Says what the chosen row would have been, where that was asked; else what stood on screen, and its effect."""
    rows = sheet.debrief.rows
    if not rows:
        return []
    if sheet.what_ifs:
        run = _figure_spans("this run", sheet.debrief.run, width)
        return [run, *[_figure_spans(one.about, one.figures, width) for one in sheet.what_ifs]][:SAID]
    one = rows[sheet.cursor]
    words = [f"+{span(one.at_ms)}  {one.trainee or one.cluster}"]
    words += [f"accepted: {one.accepted}"] if one.accepted else []
    words += [f"then: {one.effect}"] if one.effect else []
    words += [f"on screen in {one.on_screen}"] if one.on_screen else []
    return [[(line, "soft")] for part in words for line in wrap(part, width, subsequent_indent="  ")][:SAID]


def _figure_spans(about: str, figures: ExerciseFigures, width: int) -> Spans:
    room = max(10, width - len(figures.words) - 1)
    return [(text.fit(about, room), "strong"), (f" {figures.words}", "soft")]


def _score(sheet: DebriefSheet, width: int) -> list[Spans]:
    lines: list[Spans] = [[("Score", "strong")]]
    for line in sheet.debrief.score.lines:
        of = f"/{line.most}" if line.most else ""
        points = f"{line.points:5.1f} {of:>3}"
        name = text.fit(line.what, 12)
        measured = text.fit(line.measured, max(1, width - len(points) - 14), right=True)
        lines.append([(name, "text"), (f" {measured} ", "faint"), (points, "strong")])
    lines.append(_meter("this run", sheet.debrief.score.total, width, "data"))
    lines.append(_meter("par", sheet.debrief.par.score, width, "good"))
    if sheet.best is not None:
        lines.append(_meter("your best", sheet.best, width, "soft"))
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


def _side(sheet: DebriefSheet, width: int) -> list[Spans]:
    """The score, a shorter way where there is one, and the lesson."""
    shorter = [*_shorter(sheet.debrief, width), []] if sheet.debrief.has_shorter_way else []
    return [*_score(sheet, width), [], *shorter, *_lesson(sheet.debrief, width)]


def _shorter(debrief: Debrief, width: int) -> list[Spans]:
    head: Spans = [("A shorter way", "strong"), ("  r replays it", "faint")]
    loses = f"loses {span(round(debrief.par.lost_s) * 1000)} of work, you {span(round(debrief.run.lost_s) * 1000)}"
    rows = [head]
    for one in debrief.par_rows:
        at = f"+{span(one.at_ms)} "
        words = text.fit(one.trainee or one.cluster, width - len(at)).rstrip()
        rows.append([(at, "faint"), (words, "text" if one.trainee else "good")])
    return [*rows, [(loses, "faint")]]


def _lesson(debrief: Debrief, width: int) -> list[Spans]:
    return [[(line, "soft")] for line in wrap(debrief.text, width - 1)]
