"""The debrief: what happened beside what was done, what was on the screen since when, and a shorter way."""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.training.exercise import Done, Exercise, Sample
from engine.training.score import Score, Yardstick
from engine.training.steps import HARMLESS, AnswerStep, HintStep, LookStep, TraineeStep, WhyStep

SHIFT: Final = 0.2
"""A change of how many wait is shown when it is larger than this part of the most that ever waited."""


class DebriefRow(msgspec.Struct, frozen=True):
    """A moment of an exercise."""

    at_ms: int
    """Ms after the drill's beginning."""
    cluster: str
    """What the cluster did; empty when the trainee did something."""
    trainee: str
    """What the trainee did; empty when the cluster did something."""
    sign: str = ""
    """One letter or mark for a lane."""


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
        """The clue as the debrief tells it."""
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
    par: tuple[DebriefRow, ...]
    """What the reference does."""
    par_score: int
    par_lost_s: float
    text: str
    """The cause, and what there is to learn."""

    @property
    def verdict(self) -> str:
        """The first line."""
        solved = self.score.solved_ms
        words = "not solved" if solved is None else f"solved in {span(solved)}"
        return f"{words}, {self.score.total} of 100"


def debrief_of(exercise: Exercise, yardstick: Yardstick) -> Debrief:
    """The debrief of an exercise, which is played to its end first."""
    score = yardstick.score(exercise)
    rows = [*_clues_shown(exercise), *_changes(exercise.samples), *_goals_met(exercise)]
    rows += [_done(exercise, done) for done in exercise.log]
    drill = exercise.stage.drill
    return Debrief(
        name=drill.name,
        title=drill.title,
        score=score,
        rows=tuple(sorted(rows, key=lambda one: (one.at_ms, bool(one.trainee)))),
        clues=tuple(sorted(_clues(exercise), key=lambda clue: clue.since_ms)),
        goals=exercise.goals_met(),
        samples=tuple(exercise.samples),
        lasts_ms=exercise.drill.lasts_ms,
        par=tuple(_done(yardstick.par, done) for done in yardstick.par.log),
        par_score=yardstick.score(yardstick.par).total,
        par_lost_s=yardstick.par.harm.lost_s,
        text=exercise.drill.debrief.strip(),
    )


def _clues(exercise: Exercise) -> Iterator[ClueSeen]:
    for clue in exercise.drill.clues:
        if (since_ms := exercise.seen.get(clue.about)) is not None:
            yield ClueSeen(clue.about, clue.pane, since_ms, _looked_ms(exercise, clue.pane, since_ms))


def _looked_ms(exercise: Exercise, pane: str, since_ms: int) -> int | None:
    """When the trainee first looked at a pane once something was there, or asked why something waits."""
    for done in exercise.log:
        if done.at_ms >= since_ms and isinstance(done.step, LookStep) and done.step.pane.lower() == pane.lower():
            return done.at_ms
    return None


def _clues_shown(exercise: Exercise) -> Iterator[DebriefRow]:
    for clue in _clues(exercise):
        before = f", for {span(-clue.since_ms)}" if clue.since_ms < 0 else ""
        yield DebriefRow(max(0, clue.since_ms), f"{clue.about}{before}", "", "▲")


def _changes(samples: list[Sample]) -> Iterator[DebriefRow]:
    """How many wait, where that changes much between two samples."""
    if not samples:
        return
    most = max(sample.waiting for sample in samples)
    shown = samples[0]
    yield DebriefRow(0, f"{shown.waiting} wait, {shown.containers} containers run", "", "")
    for sample in samples:
        if abs(sample.waiting - shown.waiting) > max(0, most * SHIFT):
            yield DebriefRow(sample.at_ms, f"{shown.waiting} → {sample.waiting} wait", "", "◆")
            shown = sample


def _goals_met(exercise: Exercise) -> Iterator[DebriefRow]:
    for about, at_ms in exercise.goals_met():
        if at_ms is not None:
            yield DebriefRow(at_ms, about, "", "●")


def _done(exercise: Exercise, done: Done) -> DebriefRow:
    words = step_words(done.step)
    if done.refused:
        words += f" (refused: {done.refused})"
    elif isinstance(done.step, AnswerStep) and (question := exercise.drill.question(done.step.question)) is not None:
        worth = question.worth(done.step.answer)
        words += " (right)" if worth == 1 else " (among others)" if worth else " (wrong)"
    return DebriefRow(done.at_ms, "", words, _sign(done.step))


def _sign(step: TraineeStep) -> str:
    if isinstance(step, HARMLESS):
        kinds: dict[type, str] = {HintStep: "?", WhyStep: "w", AnswerStep: "a", LookStep: "o"}
        return kinds.get(type(step), "")
    return {"kill": "K", "preemption": "P", "reservation-rule": "R", "drain": "D", "submit": "S"}.get(step.do, "E")


def step_words(step: TraineeStep) -> str:
    """A step in a few words.

    >>> step_words(AnswerStep(at_ms=0, do="answer", question="node", answer=("n1", "n2")))
    'answer node: n1, n2'
    """
    if isinstance(step, AnswerStep):
        return f"answer {step.question}: {', '.join(step.answer)}"
    if isinstance(step, LookStep):
        return f"look at {step.pane}"
    values = step.model_dump(exclude={"at_ms", "do"})
    named = [_short(key, value) for key, value in values.items() if value not in (None, "", ())]
    return " ".join([step.do.replace("-", " "), *named])


def _short(key: str, value: object) -> str:
    if isinstance(value, dict):
        return str(value.get("name") or value.get("type"))
    if isinstance(value, bool):
        return "on" if value else "off"
    return "a file" if key == "allocations" else str(value)


def span(time_ms: int) -> str:
    """A span of time, or an instant after the beginning.

    >>> span(250_000), span(5_880_000), span(-4_000)
    ('4m10s', '1h38m', '-0m04s')
    """
    sign, rest = ("-", -time_ms) if time_ms < 0 else ("", time_ms)
    hours, minutes, seconds = rest // 3_600_000, rest // 60_000 % 60, rest // 1000 % 60
    return f"{sign}{hours}h{minutes:02d}m" if hours else f"{sign}{minutes}m{seconds:02d}s"
