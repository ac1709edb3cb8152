"""A drill in words: what a trainee reads first, and what it was worth."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Final, NamedTuple

from engine.explain.remedy import exact_amounts
from engine.model.request import DIMENSIONS
from engine.observe.snapshots import terms_of_system, translate_terms
from engine.training.debrief import Debrief, DebriefRow, WhatIf
from engine.training.drill import WHY_PRICE, Drill, DrillScenario, Hardware, Permission
from engine.training.records import PlayedDrill, Recommendation, best
from engine.training.score import (
    HARM_PRICE,
    HEADS,
    HINT_PRICE,
    LAST_HINT_PRICE,
    PATCH_PRICE,
    PAUSE_MS,
    Score,
    formulas,
    most_points,
    not_accepted,
    spent,
)
from engine.units import span
from tui.panes.fragments import Fragment, Fragments, cell_width, flat
from tui.panes.plot import Line, Scale, bar_signs, drawn, rule
from tui.terminal import format as text
from tui.terminal.format import CRUMB, CURSOR_BAR, FRAME, METER_FULL, OK, TRACK, WATCH

MOST: Final = 104  # Widest frame
HEAD: Final = 14  # Width of the heads of the parts


def brief_screen(drill: DrillScenario, place: tuple[int, int], best: int | None, width: int) -> list[Fragments]:
    inside = min(width, MOST) - 4
    margin = " " * max(0, (width - inside - 4) // 2)
    edge, side, corners = FRAME[0], FRAME[1], FRAME[2:]
    title = f" {drill.title} "
    about = f" {drill.drill.minutes} minutes, {drill.drill.difficulty} "
    calming = f"{about.rstrip()}, nothing can break outside the simulator "
    space = max(0, inside - len(title))
    about = calming if len(calming) <= space else text.fit(about, space).rstrip() + " "
    rest = edge * max(0, inside - len(title) - len(about) + 1)
    top: Fragments = [(margin, "text"), (corners[0] + edge, "line"), (title, "strong"), (about, "faint")]
    lines = [_crumbs(drill, place, width), [], [*top, (rest + corners[1], "line")]]
    one = drill.drill
    counts = _counts(one)[: 1 if drill.is_exam else 2]
    for spans in [*_body(drill, inside, counts), _start(best, inside), []]:
        room = " " * max(0, inside - cell_width(spans))
        lines.append([(margin, "text"), (side + " ", "line"), *spans, (room, "text"), (" " + side, "line")])
    lines.append([(margin, "text"), (corners[2] + edge * (inside + 2) + corners[3], "line")])
    return lines


def _crumbs(drill: DrillScenario, place: tuple[int, int], width: int) -> Fragments:
    left: Fragments = [(f" Drills {CRUMB} ", "soft"), (drill.title, "strong")]
    right = f"drill {place[0]} of {place[1]} "
    return [*left, (" " * max(1, width - cell_width(left) - len(right)), "text"), (right, "soft")]


def _body(drill: DrillScenario, width: int, counts: Sequence[str]) -> list[Fragments]:
    one = drill.drill
    begins = drill.begins
    lines: list[Fragments] = [[]]
    when = f"{begins:%A, %H:%M}. "
    paragraphs = one.brief.strip().removeprefix(when.strip()).strip().split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        first = when if not number and not paragraph.startswith(f"{begins:%A}") else ""
        wrapped = wrap(first + paragraph, width)
        for row, line in enumerate(wrapped):
            has_head = first and not row
            lines.append([(first, "strong"), (line[len(first) :], "text")] if has_head else [(line, "text")])
        lines.append([])
    lines += _part("YOUR TASK", [f"{number}  {task}" for number, task in enumerate(one.task, 1)], width)
    lines += _part("ASKED", [question.text for question in drill.drill.all_questions()], width)
    words = terms_of_system(drill.scenario.system)
    lines += _part("NOT ACCEPTED", [translate_terms("; ".join(not_accepted(one)), words)], width)
    hints, why, *further = [translate_terms(each, words) for each in allowed(drill)]
    lines += _part("ALLOWED", [f"what an operator can do; {hints}; {why}", *further, _clock(drill)], width)
    return [*lines, *_part("COUNTS", [translate_terms(each, words) for each in counts], width)]


def _start(best: int | None, width: int) -> Fragments:
    start: Fragments = [
        (" enter  Start ", "onbadge on accent"),
        ("  ", "text"),
        ("esc", "bold accent"),
        (" not now", "soft"),
    ]
    words = "not played yet" if best is None else f"best so far {best}"
    return [*start, (" " * max(1, width - cell_width(start) - len(words)), "text"), (words, "faint")]


def _counts(drill: Drill) -> list[str]:
    named = ", ".join(f"{name} {most}" for name, most in most_points(drill).items())
    hints = f"a hint -{HINT_PRICE}, the last -{LAST_HINT_PRICE}"
    return [named, f"{hints}, a harm that is not accepted -{HARM_PRICE}, and nothing is solved by it"]


def _clock(drill: DrillScenario) -> str:
    lasts = text.duration(drill.drill.lasts_ms)
    if drill.is_exam:
        return f"you have {lasts}, by the clock on the wall; a pause costs 1 point each {PAUSE_MS // 1000} s"
    return f"you have {lasts} of the cluster's time; it runs {chr(215)}1 at first and stands in dialogs"


def _part(head: str, items: Sequence[str], width: int) -> list[Fragments]:
    wrapped = [line for item in items for line in wrap(item, max(20, width - HEAD), subsequent_indent="   ")]
    lines: list[Fragments] = [
        [(f"{head:{HEAD}}" if not row else " " * HEAD, "faint"), (line, "text")] for row, line in enumerate(wrapped)
    ]
    return [*lines, []]


WIDTH: Final = 100
COLUMN: Final = 14


def brief_lines(drill: DrillScenario, width: int = WIDTH) -> list[str]:
    one = drill.drill
    body = _body(drill, width, formulas(one)[: len(most_points(one))])
    lines = [flat(spans).rstrip() for spans in body]
    return [f"{drill.title}   {one.minutes} minutes, {one.difficulty}", *lines[:-1]]


def allowed(drill: DrillScenario) -> list[str]:
    """The help that a drill permits, with its cost in points; then the further acts and the hardware."""
    may = drill.drill.may
    further = [f"you may {' and '.join(_MAY[each] for each in may)}"] if may else []
    further += [_offered(offer, drill.scenario.system) for offer in drill.drill.hardware]
    if drill.is_exam:
        return ["no hints", "why and remedies are shut; pages come, some reports are wrong", *further]
    price = WHY_PRICE[drill.drill.level]
    why = "shut" if price is None else "free" if not price else f"{price} points each"
    count = text.plural(len(drill.drill.hints), "hint")
    return [f"{count}, {HINT_PRICE} points each, the last one {LAST_HINT_PRICE}", f"why is {why}", *further]


_MAY: Final[Mapping[Permission, str]] = {
    "restart": "restart what runs",
    "patch": f"patch the scheduler, which costs {PATCH_PRICE} each",
    "submit": "submit for the users",
}


def _offered(offer: Hardware, system: str) -> str:
    what = "a new node" if offer.do == "add-node" else "a larger node"
    size = f"up to {exact_amounts((offer.memory_mb, offer.vcores), DIMENSIONS[system])}"
    more = f", {offer.count} of them" if offer.count > 1 else ""
    return f"hardware: {what} of {size}{more}, from +{span(offer.at_ms)} on, price {offer.price}"


def debrief_lines(debrief: Debrief) -> list[str]:
    lines = [f"{debrief.title}: {debrief.verdict}", ""]
    lines += [line for clue in debrief.clues for line in wrap(clue.sentence, WIDTH)]
    half = (WIDTH - 12) // 2
    lines += ["", f"{'AT':>8}  {'THE CLUSTER':{half}}  YOU"]
    for row in debrief.rows:
        lines.append(f"{'+' + span(row.at_ms):>8}  {text.fit(row.cluster or row.effect, half)}  {row.told}".rstrip())
        if row.trainee and row.visible:
            lines.append(f"{'':10}{text.fit(f'visible in {row.visible}', WIDTH - 10)}".rstrip())
    lines.append("")
    for one in debrief.score.lines:
        of = f" /{one.most}" if one.most else ""
        lines.append(f"  {one.what:28} {one.measured:>26}  {one.points:6.1f}{of}")
    lines.append("")
    lines += [f"  {'not met' if at is None else '+' + span(at):>8}  {about}" for about, at in debrief.goals]
    lines += ["", *_compared_lines(debrief.compared(), WIDTH)]
    if debrief.has_shorter_way:
        lines += ["", "A shorter way:"]
        lines += [f"{'+' + span(one.at_ms):>8}  {one.trainee or one.cluster}" for one in debrief.par_rows]
    return [*lines, "", *wrap(debrief.text, WIDTH)]


def _compared_lines(compared: Sequence[tuple[str, Score]], width: int) -> list[str]:
    room = width - 4 * COLUMN
    head = " " * room + "".join(f"{head:>{COLUMN}}" for head in HEADS)
    rows = [
        f"{text.fit(about, room)}{''.join(f'{cell:>{COLUMN}}' for cell in score.cells)}" for about, score in compared
    ]
    return [head, *rows]


# The debrief of a drill as a screen: the lanes, the table and what is said of its chosen row, the score, par.

LABEL: Final = 11  # Width of the names of the lanes
LABELLED: Final = 28  # Longest label of a lane
HEIGHT: Final = 8  # Dots of the curve of waiting applications


def _shown_ms(debrief: Debrief) -> int:
    if debrief.score.solved_ms is None:
        return debrief.lasts_ms
    last_ms = max((one.at_ms for one in debrief.rows), default=0)
    return min(debrief.lasts_ms, max(60_000, last_ms * 5 // 4))


def lanes(debrief: Debrief, width: int, *, is_short: bool) -> list[Fragments]:
    """Shows waiting applications, what the cluster did, what the trainee did and what par does, on one axis of time."""
    cells, shown_ms = max(10, width - LABEL - 2), _shown_ms(debrief)
    lines: list[Fragments] = []
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
    return [bar_signs(heights, 4), bar_signs(heights)]


_CLUSTER_STYLES = {"▲": "alarm", "●": "good"}  # Sign of what the cluster does → its style


def _lane(rows: Sequence[DebriefRow], shown_ms: int, cells: int) -> Fragments:
    signs: dict[int, Fragment] = {}
    for row in sorted(rows, key=lambda one: one.sign.isupper()):
        cell = min(cells - 1, row.at_ms * cells // shown_ms)
        if row.sign:
            own = "watch" if row.sign.isupper() else "bold accent"
            signs[cell] = (row.sign, _CLUSTER_STYLES.get(row.sign, "soft") if row.cluster else own)
    return [signs.get(cell, (TRACK, "line")) for cell in range(cells)]


def _labels(rows: Sequence[DebriefRow], shown_ms: int, cells: int) -> str:
    line = [" "] * cells
    signed = [one for one in rows if one.sign]
    for row in sorted(signed, key=lambda one: (not one.sign.isupper(), one.at_ms)):
        words = (row.cluster or row.trainee)[:LABELLED]
        at = min(cells - 1, row.at_ms * cells // shown_ms)
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
    debrief: Debrief
    cursor: int  # The row chosen
    best: int | None  # The best score before; None: never played
    what_ifs: tuple[WhatIf, ...] = ()  # What would have been from the chosen row on; empty when that was not asked
    is_on_score: bool = False  # Whether the score and the lesson have the keys; a narrow screen shows only them
    first: int = 0  # The first line of these that is shown


def debrief_screen(sheet: DebriefSheet, width: int, height: int) -> tuple[list[Fragments], int]:
    """The whole screen, as high as it is, and how far the score can be scrolled: `first` is at most that."""
    head = [*_head(sheet.debrief, width), *lanes(sheet.debrief, width, is_short=height < SHORT_BELOW)]
    room, is_narrow = max(4, height - len(head)), width < WIDE_FROM
    side = _side(sheet, width - 2 if is_narrow else SIDE)
    most = max(0, len(side) - room)
    side = side[min(sheet.first, most) :][:room]
    if is_narrow and sheet.is_on_score:
        return [*head, *[[(" ", "text"), *line] for line in side]], most
    if is_narrow:
        return [*head, *_table(sheet, width, room)], most
    table, lines = _table(sheet, width - SIDE - 2, room), []
    for row in range(max(len(table), min(room, len(side)))):
        left = table[row] if row < len(table) else []
        right = side[row] if row < len(side) else []
        gap = max(0, width - SIDE - 1 - cell_width(left))
        lines.append([*left, (" " * gap, "text"), *right])
    return [*head, *lines], most


def _head(debrief: Debrief, width: int) -> list[Fragments]:
    left: Fragments = [(f" Drills {CRUMB} {debrief.title} {CRUMB} ", "soft"), ("debrief", "strong")]
    solved = debrief.score.solved_ms
    verdict: Fragment = (
        (f" {OK} SOLVED in {span(solved)}", "good") if solved is not None else (f" {WATCH} NOT SOLVED", "alarm")
    )
    clue = debrief.clues[0].sentence if debrief.clues else ""
    points = f"  {debrief.score.total} of 100  "
    room = max(0, width - len(verdict[0]) - len(points) - 1)
    return [left, [verdict, (points, "strong"), (text.fit(clue, room).rstrip(), "soft")], []]


def _table(sheet: DebriefSheet, width: int, height: int) -> list[Fragments]:
    rows = sheet.debrief.rows
    half = max(10, (width - 12) // (3 if width >= THIRD_FROM else 2))
    said = _said(sheet, width - 3)
    shown = max(1, height - 2 - len(said))
    first = max(0, min(sheet.cursor - shown // 2, len(rows) - shown))
    lines: list[Fragments] = [
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
            (" " + text.fit(one.visible, width - 2 * half - 13) if width >= THIRD_FROM else "", "soft" + behind),
        ])  # fmt: skip
    if width >= THIRD_FROM:
        lines[0].append((" ON THE SCREEN, SINCE WHEN", "faint"))
    return [*lines, [], *[[("   ", "text"), *spans] for spans in said]]


def _answered(row: DebriefRow, room: int, behind: str) -> Fragments:
    if not row.graded:
        return [(text.fit(row.trainee, room), "strong" + behind)]
    graded = f" ({row.graded})"
    style = "good" if row.graded == "right" else "watch"
    words = text.fit(row.trainee, max(1, room - len(graded))).rstrip()
    rest = " " * max(0, room - len(words) - len(graded))
    return [(words, "strong" + behind), (graded, style + behind), (rest, "text" + behind)]


def _said(sheet: DebriefSheet, width: int) -> list[Fragments]:
    rows = sheet.debrief.rows
    if not rows:
        return []
    if sheet.what_ifs:
        run = _score_spans("this run", sheet.debrief.score, width)
        return [run, *[_score_spans(one.about, one.score, width) for one in sheet.what_ifs]][:SAID]
    one = rows[sheet.cursor]
    words = [f"+{span(one.at_ms)}  {one.trainee or one.cluster}"]
    words += [f"accepted: {one.accepted}"] if one.accepted else []
    words += [f"then: {one.effect}"] if one.effect else []
    words += [f"visible in {one.visible}"] if one.visible else []
    return [[(line, "soft")] for part in words for line in wrap(part, width, subsequent_indent="  ")][:SAID]


def _score_spans(about: str, score: Score, width: int) -> Fragments:
    room = max(10, width - len(score.words) - 1)
    return [(text.fit(about, room), "strong"), (f" {score.words}", "soft")]


def _score(sheet: DebriefSheet, width: int) -> list[Fragments]:
    lines: list[Fragments] = [[("Score", "strong")]]
    for line in sheet.debrief.score.lines:
        of = f"/{line.most}" if line.most else ""
        points = f"{line.points:5.1f} {of:>3}"
        name = text.fit(line.what, 12)
        measured = text.fit(line.measured, max(1, width - len(points) - 14), right=True)
        lines.append([(name, "text"), (f" {measured} ", "faint"), (points, "strong")])
    lines.append(_meter("this run", sheet.debrief.score.total, width, "data"))
    lines.append(_meter("par", sheet.debrief.par.total, width, "good"))
    if sheet.best is not None:
        lines.append(_meter("your best", sheet.best, width, "soft"))
    return lines


def _meter(name: str, points: int, width: int, style: str) -> Fragments:
    cells = max(1, width - 17)
    full = max(0, min(cells, points * cells // 100))
    return [
        (f"{name:10} ", "text"),
        (METER_FULL * full, style),
        (TRACK * (cells - full), "line"),
        (f" {points:4}", "strong"),
    ]


def _side(sheet: DebriefSheet, width: int) -> list[Fragments]:
    shorter = [*_shorter(sheet.debrief, width), []] if sheet.debrief.has_shorter_way else []
    lesson: list[Fragments] = [[(line, "soft")] for line in wrap(sheet.debrief.text, width - 1)]
    return [*_score(sheet, width), [], *shorter, *lesson]


def _shorter(debrief: Debrief, width: int) -> list[Fragments]:
    head: Fragments = [("A shorter way", "strong"), ("  r replays it", "faint")]
    loses = f"loses {spent(debrief.par.harm.lost_s)} of work, you {spent(debrief.score.harm.lost_s)}"
    rows = [head]
    for row in debrief.par_rows:
        at = f"+{span(row.at_ms)} "
        words = text.fit(row.trainee or row.cluster, width - len(at)).rstrip()
        rows.append([(at, "faint"), (words, "text" if row.trainee else "good")])
    return [*rows, [(loses, "faint")]]


# Shows a trainee's tries, in words, and the scores over time as a plot.

DRILL_HISTORY_HEIGHT: Final = 8  # Lines of the plot
DRILL_HISTORY_LABEL: Final = 5  # Width of its scale
DRILL_HISTORY_MOST: Final = 8  # Most cells of one exercise
SCALE: Final = Scale(100, 50)


def history_lines(history: Sequence[PlayedDrill], following: Recommendation | None, width: int = 80) -> list[str]:
    """A trainee's exercises, oldest first, the scores over time, the best of each drill, and what to take next."""
    name = max((len(one.drill) for one in history), default=0)
    lines = [
        f"{one.when}  {one.drill:{name}}  {one.score:4}  {_solved(one)}{', exam' * one.is_exam}" for one in history
    ]
    if history:
        lines += ["", *(flat(spans).rstrip() for spans in plot(history, width)), ""]
        lines += [_best_line(history, drill, name) for drill in dict.fromkeys(one.drill for one in history)] + [""]
    next_words = f"{following.drill}: {following.reason}" if following else "every drill is solved, and well"
    return [*lines, f"next    {next_words}"]


def _solved(one: PlayedDrill) -> str:
    return "not solved" if one.solved_s is None else f"solved in {span(int(one.solved_s * 1000))}"


def _best_line(history: Sequence[PlayedDrill], drill: str, width: int) -> str:
    scores = [one.score for one in history if one.drill == drill]
    found = best(history, drill)
    solved = "" if found is None else f", {_solved(found)}"
    return f"{drill:{width}}  best {max(scores)} in {text.plural(len(scores), 'exercise')}{solved}"


def plot(history: Sequence[PlayedDrill], width: int) -> list[Fragments]:
    """The score of each exercise from left to right, and below it the number of the first and of the last."""
    cells = max(1, min(width - DRILL_HISTORY_LABEL - 1, DRILL_HISTORY_MOST * len(history)))
    samples = [history[place * len(history) // (2 * cells)].score for place in range(2 * cells)]
    sheet = drawn(
        [Line([max(0, score) for score in samples], "data")], SCALE, (cells, DRILL_HISTORY_HEIGHT), is_colourless=True
    )
    rule(sheet, SCALE, SCALE.values)
    names = {SCALE.row(value, DRILL_HISTORY_HEIGHT): f"{value:g}" for value in SCALE.values}
    lines: list[Fragments] = [
        [(f"{names.get(row, ''):>{DRILL_HISTORY_LABEL}} ", "faint"), *spans] for row, spans in enumerate(sheet.lines())
    ]
    last = f"{len(history)}" if len(history) > 1 else ""
    axis = f"{'1':<{max(2, cells - len(last))}}{last}"
    return [[("score of each exercise", "soft")], *lines, [(" " * (DRILL_HISTORY_LABEL + 1) + axis, "faint")]]
