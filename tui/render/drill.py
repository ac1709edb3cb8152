"""A drill in words: what a trainee is told, and what it was worth."""

from datetime import timedelta
from textwrap import wrap
from typing import Final

from engine.training.drill import WHY_PRICE, DrillScenario
from engine.training.exercise import Exercise
from engine.training.score import FORMULAS, HINT_PRICE, LAST_HINT_PRICE, Score
from tui import format as text

WIDTH: Final = 100
COLUMN: Final = 12


def brief_lines(drill: DrillScenario, width: int = WIDTH) -> list[str]:
    """What a trainee is told: situation, task, questions, what counts, what is allowed."""
    one = drill.drill
    begins = drill.scenario.start + timedelta(milliseconds=one.begins_ms)
    lines = [f"{drill.title}   {one.minutes} minutes, {one.difficulty}", ""]
    for paragraph in one.brief.strip().split("\n\n"):
        lines += [*wrap(paragraph, width), ""]
    lines += _listed("YOUR TASK", [f"{place}  {task}" for place, task in enumerate(one.task, 1)], width)
    lines += _listed("QUESTIONS", [question.text for question in one.all_questions()], width)
    lines += _listed("COUNTS", list(FORMULAS[:6]), width)
    lines += _listed("ALLOWED", allowed(drill), width)
    lines += _listed("FORBIDDEN", [f"{each.name}: {each.reason}" for each in one.forbidden], width)
    return [*lines, f"It is {begins:%A, %H:%M:%S}; you have {text.duration(one.lasts_ms)}."]


def allowed(drill: DrillScenario) -> list[str]:
    """What help there is, and what it costs."""
    price = WHY_PRICE[drill.drill.level]
    why = "shut" if price is None else "free" if not price else f"{price} points each"
    count = text.plural(len(drill.drill.hints), "hint")
    return [f"{count}, {HINT_PRICE} points each, the last one {LAST_HINT_PRICE}", f"why is {why}"]


def _listed(head: str, items: list[str], width: int) -> list[str]:
    lines = [line for item in items for line in wrap(item, width - COLUMN, subsequent_indent="   ")]
    return [f"{head if not place else '':{COLUMN}}{line}" for place, line in enumerate(lines)] + [""]


def score_lines(exercise: Exercise, score: Score) -> list[str]:
    """What an exercise was worth, and what the fault was."""
    solved = "not solved" if score.solved_ms is None else f"solved in {text.duration(score.solved_ms)}"
    lines = [f"{exercise.stage.drill.title}: {solved}, {score.total} of 100", ""]
    lines += [
        f"  {line.what:28} {line.measured:>26}  {line.points:6.1f}{f' /{line.most}' if line.most else ''}"
        for line in score.lines
    ]
    lines += ["", *(f"  {_mark(at)} {goal}" for goal, at in exercise.goals_met()), ""]
    return lines + wrap(exercise.drill.debrief.strip(), WIDTH)


def _mark(at_ms: int | None) -> str:
    return "not met " if at_ms is None else f"{text.duration(at_ms):8}"
