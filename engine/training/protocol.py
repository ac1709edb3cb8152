"""A drill played by a program: a JSON object a line in, a JSON object a line out.

The first line out is the brief. Then each line in is a step (`steps`): `observe` answers with a pane (`panes`), `why`
with the reasons, the verdict and, if asked, the remedies, `hint` with the hint, `answer` and every act with `ok` or the
reason why not, `advance` with the time. Each reply counts the steps so far and the points they cost. `finish`, the end
of the input or of the drill's time ends it: the last line out is the score.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, cast

import msgspec

from engine.errors import ConfigError, RefusedError, listed
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.explain.reporting import Reporter
from engine.explain.why import WhyQuestion
from engine.instants import span
from engine.training.acts_file import read_steps
from engine.training.drill import DrillScenario
from engine.training.exercise import Done, Exercise
from engine.training.panes import ProgramScreen
from engine.training.score import Score, Yardstick, formulas, prices, steps_taken
from engine.training.steps import FinishStep, LookStep, WhyStep

PROTOCOL: Final = 2
"""Raised whenever a name or a meaning in it changes."""

PIECES: Final = 500
"""So much work is spent on remedies; the same for the same question, whatever the machine."""


def begins_at(drill: DrillScenario) -> datetime:
    """Return when a drill begins, by the scenario's clock."""
    return drill.scenario.start + timedelta(milliseconds=drill.drill.begins_ms)


def brief_of(drill: DrillScenario) -> dict[str, Any]:
    """The first line: all that a trainee knows at first."""
    one = drill.drill
    return {
        "protocol": PROTOCOL,
        "drill": drill.name,
        "title": drill.title,
        "brief": one.brief.strip(),
        "task": list(one.task),
        "begins": begins_at(drill).isoformat(timespec="seconds"),
        "lasts_s": one.lasts_ms / 1000,
        "level": one.level,
        "exam": drill.is_exam,
        "scheduler": drill.scenario.scheduler,
        "hints": len(one.hints),
        "questions": [
            {"asks": each.asks, "text": each.text, "choices": list(each.choices)} for each in one.all_questions()
        ],
        "forbidden": [{"name": each.name, "reason": each.reason} for each in one.forbidden],
        "points": list(formulas(one)),
    }


def converse(screen: ProgramScreen, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Take each line as a step and answer it; a line that is none, or is in the past, is answered with its problems."""
    exercise = screen.exercise
    begins = begins_at(exercise.stage.drill)
    for line in lines:
        if not line.strip():
            continue
        try:
            steps = read_steps([line], "", begins, now_ms=exercise.now_ms)
        except ConfigError as error:
            yield _refused(exercise, *listed(error.problems))
            continue
        for step in steps:
            if step.at_ms < exercise.now_ms:
                yield _refused(exercise, f"at +{span(step.at_ms)} is in the past: it is +{span(exercise.now_ms)}")
            else:
                yield reply_to(screen, exercise.take(step))
        if exercise.is_over:
            return


def _refused(exercise: Exercise, *problems: str) -> dict[str, Any]:
    return {"ok": False, "at_s": exercise.now_ms / 1000, "problems": list(problems)}


def reply_to(screen: ProgramScreen, done: Done) -> dict[str, Any]:
    """The line that answers a step, with how many were taken by then and the points they cost."""
    exercise = screen.exercise
    reply: dict[str, Any] = {"ok": not done.refused, "at_s": done.at_ms / 1000, "do": done.step.do}
    reply |= {"steps": steps_taken(exercise), "cost": -sum(line.points for line in prices(exercise))}
    if done.refused:
        return {**reply, "problems": [done.refused]}
    if done.said:
        reply["text"] = done.said
    if pages := screen.new_pages():
        reply["pages"] = [{"at_s": one.at_ms / 1000, "sender": one.sender, "words": one.words} for one in pages]
    try:
        if isinstance(done.step, LookStep):
            return {**reply, **screen.pane(done.step.pane)}
        if isinstance(done.step, WhyStep):
            return {**reply, "why": _why(exercise, done.step)}
    except RefusedError as refusal:
        return {**reply, "ok": False, "problems": [str(refusal)]}
    if isinstance(done.step, FinishStep):
        reply["over"] = True
    return {**reply, "solved": exercise.solved_ms() is not None}


def _why(exercise: Exercise, step: WhyStep) -> dict[str, Any]:
    """Return why an application waits, with what would help where that was asked."""
    simulation, row = exercise.fork(), exercise.named(step.application)
    assert row is not None, "a step that names nobody is refused"
    reporter = Reporter(simulation.control_plane)
    report = reporter.why(WhyQuestion(simulation, row.number).answer())
    found: Remedies | None = None
    if step.remedies and report.proof is not None:
        search = RemedySearch(simulation, (row.number,))
        search.advance(PIECES)
        found = search.found()
    report = msgspec.structs.replace(report, would_help=None if found is None else reporter.remedies(found))
    written = report.written(exercise.stage.drill.scenario.start.tzinfo)
    return cast("dict[str, Any]", _by_name(written, simulation.control_plane.dimensions))


def _by_name(value: object, dimensions: Sequence[str]) -> object:
    """A value whose sizes have the names of their dimensions."""
    if isinstance(value, dict):
        return {
            key: dict(zip(dimensions, part, strict=False))
            if key == "size" and isinstance(part, list | tuple)
            else _by_name(part, dimensions)
            for key, part in value.items()
        }
    return [_by_name(part, dimensions) for part in value] if isinstance(value, list | tuple) else value


def score_of(exercise: Exercise, yardstick: Yardstick) -> dict[str, Any]:
    """The last line: what it was worth, and what the fault was."""
    score = yardstick.score(exercise)
    return {
        "drill": exercise.stage.drill.name,
        **score_object(score),
        "par": yardstick.score(yardstick.par).total,
        "debrief": exercise.drill.debrief.strip(),
    }


def score_object(score: Score) -> dict[str, Any]:
    """A score as plain values."""
    return {
        "solved": score.solved_ms is not None,
        "score": score.total,
        "clocks_s": {name: None if at is None else at / 1000 for name, at in score.clocks.items()},
        "lines": [
            {"what": line.what, "measured": line.measured, "points": line.points, "of": line.most}
            for line in score.lines
        ],
        "harm": msgspec.to_builtins(score.harm),
        "steps": score.steps,
    }
