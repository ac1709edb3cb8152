"""A drill in words: what a trainee reads first, and what it was worth."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from engine.instants import span
from engine.training.debrief import Debrief
from engine.training.drill import WHY_PRICE, DrillScenario
from engine.training.protocol import begins_at
from engine.training.score import HINT_PRICE, LAST_HINT_PRICE, Score, formulas, most_points
from engine.training.what_if import HEADS, ExerciseFigures
from tui import format as text

WIDTH: Final = 100
COLUMN: Final = 12


def brief_lines(drill: DrillScenario, width: int = WIDTH) -> list[str]:
    """The briefing: situation, task, questions, score, permitted help."""
    one = drill.drill
    begins = begins_at(drill)
    lines = [f"{drill.title}   {one.minutes} minutes, {one.difficulty}", ""]
    for paragraph in one.brief.strip().split("\n\n"):
        lines += [*wrap(paragraph, width), ""]
    lines += _listed("YOUR TASK", [f"{place}  {task}" for place, task in enumerate(one.task, 1)], width)
    lines += _listed("QUESTIONS", [question.text for question in one.all_questions()], width)
    lines += _listed("COUNTS", list(formulas(one)[: len(most_points(one))]), width)
    lines += _listed("ALLOWED", allowed(drill), width)
    lines += _listed("FORBIDDEN", [f"{each.name}: {each.reason}" for each in one.forbidden], width)
    return [*lines, f"It is {begins:%A, %H:%M:%S}; you have {text.duration(one.lasts_ms)}."]


def allowed(drill: DrillScenario) -> list[str]:
    """The help that a drill permits, with its cost in points."""
    price = WHY_PRICE[drill.drill.level]
    why = "shut" if price is None else "free" if not price else f"{price} points each"
    count = text.plural(len(drill.drill.hints), "hint")
    return [f"{count}, {HINT_PRICE} points each, the last one {LAST_HINT_PRICE}", f"why is {why}"]


def _listed(head: str, items: list[str], width: int) -> list[str]:
    lines = [line for item in items for line in wrap(item, width - COLUMN, subsequent_indent="   ")]
    return [f"{head if not place else '':{COLUMN}}{line}" for place, line in enumerate(lines)] + [""]


def debrief_lines(debrief: Debrief, width: int = WIDTH) -> list[str]:
    """The debriefing: the score, the events beside the acts, the fault."""
    lines = [f"{debrief.title}: {debrief.verdict}", ""]
    lines += [line for clue in debrief.clues for line in wrap(clue.sentence, width)]
    half = (width - 12) // 2
    lines += ["", f"{'AT':>8}  {'THE CLUSTER':{half}}  YOU"]
    for one in debrief.rows:
        lines.append(f"{'+' + span(one.at_ms):>8}  {text.fit(one.cluster or one.effect, half)}  {one.told}".rstrip())
        if one.trainee and one.on_screen:
            lines.append(f"{'':10}{text.fit(f'on screen: {one.on_screen}', width - 10)}".rstrip())
    lines += ["", *score_lines(debrief.score), ""]
    lines += [f"  {'not met' if at is None else '+' + span(at):>8}  {about}" for about, at in debrief.goals]
    lines += ["", *compared_lines(debrief.compared(), width), "", "A shorter way:"]
    lines += [f"{'+' + span(one.at_ms):>8}  {one.trainee or one.cluster}" for one in debrief.par_rows]
    return [*lines, "", *wrap(debrief.text, width)]


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
