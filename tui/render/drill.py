"""A drill in words: what a trainee reads first, and what it was worth."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from engine.instants import span
from engine.training.debrief import Debrief
from engine.training.drill import WHY_PRICE, Drill, DrillScenario
from engine.training.protocol import begins_at
from engine.training.score import (
    HINT_PRICE,
    LAST_HINT_PRICE,
    PATCH_PRICE,
    PAUSE_MS,
    SHORTCUT_PRICE,
    Score,
    formulas,
    most_points,
)
from engine.training.what_if import HEADS, ExerciseFigures
from tui import format as text
from tui.glyphs import CRUMB, FRAME
from tui.render.line import Spans, length

MOST: Final = 104  # Widest frame
HEAD: Final = 12  # Width of the heads of the parts


def brief_screen(drill: DrillScenario, place: tuple[int, int], best: int | None, width: int) -> list[Spans]:
    """The lines of the brief, the frame centred where there is room."""
    inside = min(width, MOST) - 4
    margin = " " * max(0, (width - inside - 4) // 2)
    edge, side, corners = FRAME[0], FRAME[1], FRAME[2:]
    title = f" {drill.title} "
    about = f" {drill.drill.minutes} minutes, {drill.drill.difficulty} "
    calming = f"{about.rstrip()}, nothing can break outside the simulator "
    space = max(0, inside - len(title))
    about = calming if len(calming) <= space else text.fit(about, space).rstrip() + " "
    rest = edge * max(0, inside - len(title) - len(about) + 1)
    top: Spans = [(margin, "text"), (corners[0] + edge, "line"), (title, "strong"), (about, "faint")]
    lines = [_crumbs(drill, place, width), [], [*top, (rest + corners[1], "line")]]
    for spans in _body(drill, best, inside):
        room = " " * max(0, inside - length(spans))
        lines.append([(margin, "text"), (side + " ", "line"), *spans, (room, "text"), (" " + side, "line")])
    lines.append([(margin, "text"), (corners[2] + edge * (inside + 2) + corners[3], "line")])
    return lines


def _crumbs(drill: DrillScenario, place: tuple[int, int], width: int) -> Spans:
    left: Spans = [(f" Drills {CRUMB} ", "soft"), (drill.title, "strong")]
    right = f"drill {place[0]} of {place[1]} "
    return [*left, (" " * max(1, width - length(left) - len(right)), "text"), (right, "soft")]


def _body(drill: DrillScenario, best: int | None, width: int) -> list[Spans]:
    one = drill.drill
    begins = begins_at(drill)
    lines: list[Spans] = [[]]
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
    lines += _part("COUNTS", _counts(one)[: 1 if drill.is_exam else 2], width)
    lines += _part("ALLOWED", [f"every key; {allowed(drill)[0]}; {allowed(drill)[1]}", _clock(drill)], width)
    lines += _part("FORBIDDEN", [f"{each.name}: {each.reason}" for each in one.forbidden], width)
    start: Spans = [
        (" enter  Start ", "onbadge on accent"),
        ("  ", "text"),
        ("esc", "bold accent"),
        (" not now", "soft"),
    ]
    words = "not played yet" if best is None else f"best so far {best}"
    return [*lines, [*start, (" " * max(1, width - length(start) - len(words)), "text"), (words, "faint")], []]


def _counts(drill: Drill) -> list[str]:
    named = ", ".join(f"{name} {most}" for name, most in most_points(drill).items())
    hints = f"a hint -{HINT_PRICE}, the last -{LAST_HINT_PRICE}"
    return [named, f"{hints}, a forbidden shortcut -{SHORTCUT_PRICE}, what takes a patch -{PATCH_PRICE}"]


def _clock(drill: DrillScenario) -> str:
    lasts = text.duration(drill.drill.lasts_ms)
    if drill.is_exam:
        return f"you have {lasts}, by the clock on the wall; a pause costs 1 point each {PAUSE_MS // 1000} s"
    return f"you have {lasts} of the cluster's time; it runs {chr(215)}1 at first and stands in dialogs"


def _part(head: str, items: list[str], width: int) -> list[Spans]:
    wrapped = [line for item in items for line in wrap(item, max(20, width - HEAD), subsequent_indent="   ")]
    lines: list[Spans] = [
        [(f"{head:{HEAD}}" if not row else " " * HEAD, "faint"), (line, "text")] for row, line in enumerate(wrapped)
    ]
    return [*lines, []]


WIDTH: Final = 100
COLUMN: Final = 12


def brief_lines(drill: DrillScenario) -> list[str]:
    """The briefing: situation, task, questions, score, permitted help."""
    one = drill.drill
    begins = begins_at(drill)
    lines = [f"{drill.title}   {one.minutes} minutes, {one.difficulty}", ""]
    for paragraph in one.brief.strip().split("\n\n"):
        lines += [*wrap(paragraph, WIDTH), ""]
    lines += _listed("YOUR TASK", [f"{place}  {task}" for place, task in enumerate(one.task, 1)])
    lines += _listed("QUESTIONS", [question.text for question in one.all_questions()])
    lines += _listed("COUNTS", list(formulas(one)[: len(most_points(one))]))
    lines += _listed("ALLOWED", allowed(drill))
    lines += _listed("FORBIDDEN", [f"{each.name}: {each.reason}" for each in one.forbidden])
    return [*lines, f"It is {begins:%A, %H:%M:%S}; you have {text.duration(one.lasts_ms)}."]


def allowed(drill: DrillScenario) -> list[str]:
    """The help that a drill permits, with its cost in points."""
    if drill.is_exam:
        return ["no hints", "why and remedies are shut; pages come, some reports are wrong"]
    price = WHY_PRICE[drill.drill.level]
    why = "shut" if price is None else "free" if not price else f"{price} points each"
    count = text.plural(len(drill.drill.hints), "hint")
    return [f"{count}, {HINT_PRICE} points each, the last one {LAST_HINT_PRICE}", f"why is {why}"]


def _listed(head: str, items: list[str]) -> list[str]:
    lines = [line for item in items for line in wrap(item, WIDTH - COLUMN, subsequent_indent="   ")]
    return [f"{head if not place else '':{COLUMN}}{line}" for place, line in enumerate(lines)] + [""]


def debrief_lines(debrief: Debrief) -> list[str]:
    """The debriefing: the score, the events beside the acts, the fault."""
    lines = [f"{debrief.title}: {debrief.verdict}", ""]
    lines += [line for clue in debrief.clues for line in wrap(clue.sentence, WIDTH)]
    half = (WIDTH - 12) // 2
    lines += ["", f"{'AT':>8}  {'THE CLUSTER':{half}}  YOU"]
    for one in debrief.rows:
        lines.append(f"{'+' + span(one.at_ms):>8}  {text.fit(one.cluster or one.effect, half)}  {one.told}".rstrip())
        if one.trainee and one.on_screen:
            lines.append(f"{'':10}{text.fit(f'on screen: {one.on_screen}', WIDTH - 10)}".rstrip())
    lines += ["", *score_lines(debrief.score), ""]
    lines += [f"  {'not met' if at is None else '+' + span(at):>8}  {about}" for about, at in debrief.goals]
    lines += ["", *compared_lines(debrief.compared(), WIDTH)]
    if debrief.has_shorter_way:
        lines += ["", "A shorter way:"]
        lines += [f"{'+' + span(one.at_ms):>8}  {one.trainee or one.cluster}" for one in debrief.par_rows]
    return [*lines, "", *wrap(debrief.text, WIDTH)]


def compared_lines(compared: Sequence[tuple[str, ExerciseFigures]], width: int) -> list[str]:
    """A table of exercises: what was done, and the figures of each."""
    room = width - 4 * COLUMN
    head = " " * room + "".join(f"{head:>{COLUMN}}" for head in HEADS)
    rows = [
        f"{text.fit(about, room)}{''.join(f'{cell:>{COLUMN}}' for cell in figures.cells)}"
        for about, figures in compared
    ]
    return [head, *rows]


def score_lines(score: Score) -> list[str]:
    """A score, a line for each part of it."""
    return [
        f"  {line.what:28} {line.measured:>26}  {line.points:6.1f}{f' /{line.most}' if line.most else ''}"
        for line in score.lines
    ]
