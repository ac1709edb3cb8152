"""The debrief: what happened beside what was done, what was on the screen since when, par, and what would have been."""

from collections.abc import Iterator

import msgspec

from engine.instants import span
from engine.training.debrief_rows import DebriefRow, goal_rows, rows_of, step_rows
from engine.training.exercise import Exercise, Sample
from engine.training.score import Score, Yardstick
from engine.training.steps import LookStep
from engine.training.what_if import ExerciseFigures, WhatIf, figures_of, what_if_acted


class ClueSeen(msgspec.Struct, frozen=True):
    """A clue, and how long it was there before the trainee looked."""

    about: str
    pane: str
    since_ms: int
    """Ms after the drill's beginning; negative before it."""
    looked_ms: int | None
    """When the trainee first looked at that pane after it showed; None: never."""

    @property
    def sentence(self) -> str:
        """The clue as the debrief words it."""
        if self.looked_ms is None:
            since = (
                f"since {span(-self.since_ms)} before the drill"
                if self.since_ms < 0
                else f"from +{span(self.since_ms)} on"
            )
            return f"{self.about}: visible in {self.pane} {since}, never looked at"
        return f"{self.about}: visible in {self.pane} for {span(self.looked_ms - self.since_ms)} before you looked"


class Debrief(msgspec.Struct, frozen=True):
    """Everything that is shown at the end."""

    name: str
    title: str
    score: Score
    rows: tuple[DebriefRow, ...]
    clues: tuple[ClueSeen, ...]
    """The one visible first comes first."""
    goals: tuple[tuple[str, int | None], ...]
    samples: tuple[Sample, ...]
    lasts_ms: int
    run: ExerciseFigures
    par: ExerciseFigures
    """The figures of the reference solution."""
    par_rows: tuple[DebriefRow, ...]
    """What the reference does, and when it meets the goals."""
    what_ifs: tuple[WhatIf, ...]
    """The reference's acts at the beginning, and as soon as the trainee looked at the first clue."""
    text: str
    """The cause, and what there is to learn."""
    is_exam: bool

    @property
    def has_shorter_way(self) -> bool:
        """Tell whether the reference is worth more than this run."""
        return self.run.score < self.par.score

    def compared(self) -> tuple[tuple[str, ExerciseFigures], ...]:
        """(what was done, its figures) for this run, for par, and for each thing done otherwise."""
        others = ((f"what if at +{span(one.at_ms)}: {one.about}", one.figures) for one in self.what_ifs)
        return ("this run", self.run), ("par", self.par), *others

    @property
    def verdict(self) -> str:
        """The first line."""
        solved = self.score.solved_ms
        words = "not solved" if solved is None else f"solved in {span(solved)}"
        return f"{'exam ' * self.is_exam}{words}, {self.score.total} of 100"


def debrief_of(exercise: Exercise, yardstick: Yardstick) -> Debrief:
    """The debrief of an exercise, which is played to its end first."""
    score = yardstick.score(exercise)
    drill, par = exercise.stage.drill, yardstick.par
    clues = tuple(sorted(_clues(exercise), key=lambda clue: clue.since_ms))
    moments = {0, *(clue.looked_ms for clue in clues[:1] if clue.looked_ms is not None)}
    found = [what_if_acted(exercise, yardstick, at_ms) for at_ms in sorted(moments)]
    return Debrief(
        name=drill.name,
        title=drill.title,
        score=score,
        rows=rows_of(exercise),
        clues=clues,
        goals=exercise.goals_met(),
        samples=tuple(exercise.samples),
        lasts_ms=exercise.drill.lasts_ms,
        run=figures_of(exercise, yardstick),
        par=figures_of(par, yardstick),
        par_rows=tuple(sorted((*step_rows(par), *goal_rows(par)), key=lambda one: (one.at_ms, not one.trainee))),
        what_ifs=tuple(one for one in found if one is not None),
        text=exercise.drill.debrief.strip(),
        is_exam=drill.is_exam,
    )


def _clues(exercise: Exercise) -> Iterator[ClueSeen]:
    for clue in exercise.drill.clues:
        if (since_ms := exercise.seen.get(clue.about)) is not None:
            yield ClueSeen(clue.about, clue.pane, since_ms, _looked_ms(exercise, clue.pane, since_ms))


def _looked_ms(exercise: Exercise, pane: str, since_ms: int) -> int | None:
    """Return when the trainee first looked at a pane once something was there, or asked why something waits."""
    for done in exercise.log:
        if done.at_ms >= since_ms and isinstance(done.step, LookStep) and done.step.pane.lower() == pane.lower():
            return done.at_ms
    return None
