"""A drill played by a program: a JSON object a line in, a JSON object a line out.

The first line out is the brief. Then each line in is a step (`steps`): `observe` answers with the rows of a pane,
`why` with the reasons and the verdict, `hint` with the hint, `answer` and every act with `ok` or the reason why not,
`advance` with the time. `finish`, the end of the input or of the drill's time ends it: the last line out is the score.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, listed
from engine.explain.reporting import Reporter
from engine.explain.why import WhyQuestion
from engine.observe.snapshot import Snapshot
from engine.observe.snapshot_document import document
from engine.run.measures import find_application
from engine.training.acts_file import read_steps
from engine.training.drill import DrillScenario
from engine.training.exercise import Done, Exercise
from engine.training.score import Score, Yardstick, formulas
from engine.training.steps import FinishStep, LookStep, WhyStep

PROTOCOL: Final = 1
"""Raised whenever a name or a meaning in it changes."""


def begins_at(drill: DrillScenario) -> datetime:
    """When a drill begins, by the scenario's clock."""
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
        "scheduler": drill.scenario.scheduler,
        "hints": len(one.hints),
        "questions": [
            {"asks": each.asks, "text": each.text, "choices": list(each.choices)} for each in one.all_questions()
        ],
        "forbidden": [{"name": each.name, "reason": each.reason} for each in one.forbidden],
        "points": list(formulas(one)),
    }


def converse(exercise: Exercise, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Take each line as a step and answer it; a line that is none is answered with its problems."""
    begins = begins_at(exercise.stage.drill)
    for line in lines:
        if not line.strip():
            continue
        try:
            steps = read_steps([line], "", begins, now_ms=exercise.now_ms)
        except ConfigError as error:
            yield {"ok": False, "at_s": exercise.now_ms / 1000, "problems": listed(error.problems)}
            continue
        for step in steps:
            done = exercise.take(step)
            yield reply_to(exercise, done)
        if exercise.is_over:
            return


def reply_to(exercise: Exercise, done: Done) -> dict[str, Any]:
    """The line that answers a step."""
    reply: dict[str, Any] = {"ok": not done.refused, "at_s": done.at_ms / 1000, "do": done.step.do}
    if done.refused:
        return {**reply, "problems": [done.refused]}
    if done.said:
        reply["text"] = done.said
    if isinstance(done.step, LookStep):
        return {**reply, **_rows(exercise.snapshot(), done.step.pane)}
    if isinstance(done.step, WhyStep):
        return {**reply, **_why(exercise, done.step.application)}
    if isinstance(done.step, FinishStep):
        reply["over"] = True
    return {**reply, "solved": exercise.solved_ms() is not None}


def _rows(snapshot: Snapshot, pane: str) -> dict[str, Any]:
    """The cluster as a whole, and the rows of a pane where it has any."""
    section = pane.lower()
    return document(snapshot, [section] if section in snapshot.sections else [])


def _why(exercise: Exercise, name: str) -> dict[str, Any]:
    simulation = exercise.fork()
    row = find_application(exercise.snapshot().applications(why=False), name)
    if row is None:
        return {"ok": False, "problems": [f"no single application is meant by {name}"]}
    report = Reporter(simulation.control_plane).why(WhyQuestion(simulation, row.number).answer())
    return {"why": report.written(exercise.stage.drill.scenario.start.tzinfo)}


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
