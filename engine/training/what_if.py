"""Plays an exercise again with the reference's acts at another instant, or with one act left out.

The exercise is played again up to that instant with the same acts, which gives what a fork there would give, and goes
on with the other ones. Answers and hints stay as they were.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.instants import span
from engine.training.debrief_rows import step_words
from engine.training.exercise import Done, Exercise
from engine.training.instructor_steps import RecordedStep
from engine.training.score import Yardstick, played
from engine.training.steps import HARMLESS

HEADS: Final = ("solved in", "points", "work lost", "waited")
"""What the figures of an exercise are."""
MOST: Final = 3
"""So many of the trainee's own acts are left out, one after the other."""


class ExerciseFigures(msgspec.Struct, frozen=True):
    """An exercise as figures."""

    solved_ms: int | None
    """When everything was put right [ms after the drill's beginning]; None: it was not."""
    score: int
    lost_s: float
    """Container-seconds of work lost."""
    waiting_s: float
    """Application-seconds waited."""

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The figures as texts, in the order of `HEADS`."""
        solved = "not solved" if self.solved_ms is None else span(self.solved_ms)
        return solved, str(self.score), span(round(self.lost_s) * 1000), span(round(self.waiting_s) * 1000)

    @property
    def words(self) -> str:
        """The figures in one line."""
        solved, score, lost, waited = self.cells
        head = solved if self.solved_ms is None else f"solved in {solved}"
        return f"{head}, {score} points, {lost} lost, {waited} waited"


class WhatIf(msgspec.Struct, frozen=True):
    """One thing done otherwise, and what it would have been worth."""

    at_ms: int
    """When it parts from the exercise [ms after the drill's beginning]."""
    about: str
    """What was done otherwise, in words."""
    figures: ExerciseFigures


def figures_of(exercise: Exercise, yardstick: Yardstick) -> ExerciseFigures:
    """The figures of an exercise, which is played to its end first."""
    score = yardstick.score(exercise)
    return ExerciseFigures(score.solved_ms, score.total, score.harm.lost_s, score.harm.waiting_s)


def what_if_acted(exercise: Exercise, yardstick: Yardstick, at_ms: int) -> WhatIf | None:
    """The reference's acts done from an instant on in place of the trainee's; None when the reference does none."""
    acts = [step for step in yardstick.stage.drill.drill.reference if not isinstance(step, HARMLESS)]
    if not acts:
        return None
    last_ms = exercise.drill.lasts_ms - 1
    moved = [step.model_copy(update={"at_ms": min(last_ms, at_ms + step.at_ms - acts[0].at_ms)}) for step in acts]
    kept = [done for done in exercise.log if not done.is_act or done.at_ms < at_ms]
    about = ", then ".join(step_words(step) for step in acts)
    return WhatIf(at_ms, about, _figures(yardstick, [*_taken(kept), *moved]))


def what_if_left_out(exercise: Exercise, yardstick: Yardstick, left_out: Done) -> WhatIf:
    """The exercise without one of its acts."""
    kept = [done for done in exercise.log if done is not left_out]
    about = f"without {step_words(left_out.step)}"
    return WhatIf(left_out.at_ms, about, _figures(yardstick, _taken(kept)))


def what_ifs_at(exercise: Exercise, yardstick: Yardstick, at_ms: int) -> tuple[WhatIf, ...]:
    """Return the what-ifs of an instant: the reference's acts then, and each act of the trainee's left out."""
    acted = what_if_acted(exercise, yardstick, at_ms)
    own = [done for done in exercise.log if done.is_act and done.at_ms == at_ms][:MOST]
    left_out = [what_if_left_out(exercise, yardstick, done) for done in own]
    return (*([] if acted is None else [acted]), *left_out)


def _taken(log: Sequence[Done]) -> list[RecordedStep]:
    """The steps of a log, at the instants at which they were taken."""
    return [done.step.model_copy(update={"at_ms": done.at_ms}) for done in log if not done.refused]


def _figures(yardstick: Yardstick, steps: Sequence[RecordedStep]) -> ExerciseFigures:
    return figures_of(played(yardstick.stage, steps), yardstick)
