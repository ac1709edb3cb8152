"""An instructor's view of a trainee, in lines: the screen, the score so far, the record."""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from engine.instants import span
from engine.training.acts_file import read_record
from engine.training.debrief_rows import step_words
from engine.training.drill import DrillScenario
from engine.training.protocol import begins_at
from engine.training.score import Score
from tui import format as text
from tui.glyphs import DOT
from tui.render.line import Spans, length
from tui.session_protocol import TraineeState

HEAD = 12  # Width of the heads


class SeatSheet(NamedTuple):
    """Everything the instructor's desk is drawn from."""

    drill: DrillScenario
    trainee: TraineeState | None = None
    """What is known of the trainee; None before anything is."""
    score: Score | None = None
    """Worth if nothing more is done; None before it is known."""
    lost: str = ""
    """Since when the connection is lost; empty while it is there."""
    said: str = ""
    """The last sentence; empty for none."""


def seat_lines(sheet: SeatSheet, width: int, height: int) -> list[Spans]:
    """The desk for a screen of this size; of the record the latest that fits."""
    lines: list[Spans] = [_top(sheet, width), _clock(sheet), []]
    if sheet.trainee is not None:
        lines += _trainee(sheet, sheet.trainee, width)
    below: list[Spans] = [[], _said(sheet)]
    room = height - len(lines) - len(below) - 2
    if sheet.trainee is not None and room > 0:
        steps = _record(sheet.drill, sheet.trainee.steps)
        lines += [[], [(" RECORD", "soft")], *steps[-room:]]
    lines = lines[: max(0, height - len(below))]
    return [*lines, *([[]] * (height - len(lines) - len(below))), *below]


def _top(sheet: SeatSheet, width: int) -> Spans:
    left: Spans = [(" INSTRUCTOR  ", "soft"), (sheet.drill.title, "strong")]
    right = ("connection lost ", "alarm") if sheet.lost else ("connected ", "soft")
    return [*left, (" " * max(1, width - length(left) - len(right[0])), "text"), right]


def _clock(sheet: SeatSheet) -> Spans:
    trainee = sheet.trainee
    if trainee is None:
        return [(" waiting for the trainee's side", "soft")]
    state = "over" if trainee.is_over else "frozen by you" if trainee.frozen else ""
    state = state or ("" if trainee.has_begun else "the brief is being read")
    times = f" +{span(trainee.at_ms)}, {text.duration(max(0, trainee.left_ms))} left"
    return [(times, "strong"), (f"   {state}" if state else "", "watch")]


def _trainee(sheet: SeatSheet, trainee: TraineeState, width: int) -> list[Spans]:
    screen, drill = trainee.screen, sheet.drill.drill
    where = f"{screen.pane.capitalize()}{f', {screen.selected}' if screen.selected else ''}"
    words = f"  filter {screen.words}" if screen.words else ""
    asked = [f"{each.asks}: {', '.join(trainee.answers.get(each.asks, ('-',)))}" for each in drill.all_questions()]
    unread = f"   {text.plural(trainee.unread, 'message')} not opened" if trainee.unread else ""
    parts = {
        "LOOKS AT": where + words,
        "ON TOP": screen.name,
        "KEYS": " ".join(screen.keys),
        "ANSWERS": f" {DOT} ".join(asked),
        "HINTS": f"{trainee.hints} of {len(drill.hints)}{unread}",
        "SCORE": _score(sheet.score),
    }
    return [line for head, said in parts.items() for line in _lines(head, said or "-", width)]


def _lines(head: str, words: str, width: int) -> list[Spans]:
    wrapped = wrap(words, max(20, width - HEAD - 2))
    return [[(f" {head if not row else '':{HEAD}}", "soft"), (line, "text")] for row, line in enumerate(wrapped)]


def _score(score: Score | None) -> str:
    if score is None:
        return "not known yet"
    solved = "not solved yet" if score.solved_ms is None else f"solved in {span(score.solved_ms)}"
    parts = [f"{line.what} {line.points:g}" for line in score.lines if line.points]
    return f"{score.total} of 100 if nothing more is done, {solved}: {', '.join(parts) or 'nothing'}"


def _record(drill: DrillScenario, lines: Sequence[str]) -> list[Spans]:
    steps = read_record(lines, begins_at(drill))
    return [[(f" {'+' + span(step.at_ms):>8}  ", "faint"), (step_words(step), "text")] for step in steps]


def _said(sheet: SeatSheet) -> Spans:
    return [(f" {sheet.lost}", "alarm")] if sheet.lost else [(f" {sheet.said}", "watch")]
