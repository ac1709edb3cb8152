"""The rows of a debrief: what the cluster did, what the trainee did, and what stood on the screen meanwhile."""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.instants import span
from engine.training.exercise import Done, Exercise, Sample
from engine.training.instructor_steps import BacktrackStep, FreezeStep, InjectStep, MessageStep, NoteStep, RecordedStep
from engine.training.steps import HARMLESS, AnswerStep, AssessStep, HintStep, LookStep, PauseStep, WhyStep

EFFECT_MS: Final = 60_000
"""How long after an act its effect is measured, at most."""
COUNTS: Final = {"waiting": "wait", "containers": "containers", "reserved": "nodes reserved"}
"""What is counted in each sample, and its word."""
SHIFTS: Final = {"waiting": 0.2, "containers": 0.3, "reserved": 0.5}
"""A change of a count is shown when it is larger than this part of the most that was ever counted."""


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
    on_screen: str = ""
    """What stood on the screen then, and since when."""
    effect: str = ""
    """What an act changed; empty where nothing was done to the cluster."""
    graded: str = ""
    """`right`, `wrong` or `among others` for an answer, else empty."""
    accepted: str = ""
    """What would have been right, for an answer that is not."""

    @property
    def told(self) -> str:
        """Tell what the trainee did, with the worth of an answer and the right one."""
        accepted = f"; accepted: {self.accepted}" if self.accepted else ""
        return f"{self.trainee} ({self.graded}{accepted})" if self.graded else self.trainee


def rows_of(exercise: Exercise) -> tuple[DebriefRow, ...]:
    """Everything of an exercise that is shown, in the order of time."""
    clues = [
        DebriefRow(max(0, since_ms), f"{about}, for {span(-since_ms)}" if since_ms < 0 else about, "", "▲")
        for about, since_ms in exercise.seen.items()
    ]
    rows = [*clues, *_changes(exercise.samples), *goal_rows(exercise), *step_rows(exercise)]
    ordered = sorted(rows, key=lambda one: (one.at_ms, bool(one.trainee)))
    return tuple(msgspec.structs.replace(row, on_screen=on_screen(exercise, row.at_ms)) for row in ordered)


def _changes(samples: list[Sample]) -> Iterator[DebriefRow]:
    """Return the counts that change much between two samples."""
    if not samples:
        return
    shown = samples[0]
    yield DebriefRow(0, f"{shown.waiting} wait, {shown.containers} containers run", "", "")
    for name, word in COUNTS.items():
        least = max(getattr(sample, name) for sample in samples) * SHIFTS[name]
        before = getattr(shown, name)
        for sample in samples:
            count = getattr(sample, name)
            if abs(count - before) > least:
                yield DebriefRow(sample.at_ms, f"{before} → {count} {word}", "", "◆")
                before = count


def goal_rows(exercise: Exercise) -> Iterator[DebriefRow]:
    """The goals that were met."""
    for about, at_ms in exercise.goals_met():
        if at_ms is not None:
            yield DebriefRow(at_ms, about, "", "●")


def step_rows(exercise: Exercise) -> Iterator[DebriefRow]:
    """Return the steps of the trainee and the instructor, with their effects."""
    acts = [done.at_ms for done in exercise.log if done.is_act]
    for done in exercise.log:
        if done.is_instructors:
            yield DebriefRow(done.at_ms, _done_words(done), "", "I")
            continue
        effect = ""
        if done.is_act:
            next_ms = min((at_ms for at_ms in acts if at_ms > done.at_ms), default=exercise.drill.lasts_ms)
            effect = _effect(exercise.samples, done.at_ms, min(next_ms, done.at_ms + EFFECT_MS))
        graded, accepted = _graded(exercise, done)
        words, sign = _done_words(done), _sign(done.step)
        yield DebriefRow(done.at_ms, "", words, sign, effect=effect, graded=graded, accepted=accepted)


def _effect(samples: list[Sample], from_ms: int, to_ms: int) -> str:
    """Return the counts before an act and after it."""
    before = next((one for one in reversed(samples) if one.at_ms <= from_ms), samples[0] if samples else None)
    after = next((one for one in reversed(samples) if one.at_ms <= to_ms), None)
    if before is None or after is None:
        return ""
    pairs = [(getattr(before, name), getattr(after, name), word) for name, word in COUNTS.items()]
    changed = [f"{word} {old} → {new}" for old, new, word in pairs if old != new]
    return f"{', '.join(changed) or 'nothing changed'} in {span(to_ms - from_ms)}"


def on_screen(exercise: Exercise, at_ms: int) -> str:
    """Return which clues stood on the screen at an instant, in which pane, and since when."""
    shown = []
    for clue in exercise.drill.clues:
        since_ms, gone_ms = exercise.seen.get(clue.about), exercise.gone.get(clue.about)
        if since_ms is not None and since_ms <= at_ms and (gone_ms is None or at_ms < gone_ms):
            shown.append(f"{clue.pane} for {span(at_ms - since_ms)}: {clue.about}")
    return "; ".join(shown)


def _done_words(done: Done) -> str:
    words = step_words(done.step)
    return f"{words} (refused: {done.refused})" if done.refused else words


def _graded(exercise: Exercise, done: Done) -> tuple[str, str]:
    """Return the worth of an answer in words, and the right one where it is wrong; empty for other steps."""
    if done.refused or not isinstance(done.step, AnswerStep):
        return "", ""
    question = exercise.drill.question(done.step.question)
    if question is None:
        return "", ""
    worth = exercise.worth(question, done.step.answer)
    return ("right", "") if worth == 1 else ("among others" if worth else "wrong", " or ".join(question.answers))


def _sign(step: RecordedStep) -> str:
    if isinstance(step, HARMLESS):
        kinds: dict[type, str] = {HintStep: "?", WhyStep: "w", AnswerStep: "a", LookStep: "o"}
        return kinds.get(type(step), "")
    return {"kill": "K", "preemption": "P", "reservation-rule": "R", "drain": "D", "submit": "S"}.get(step.do, "E")


def step_words(step: RecordedStep) -> str:
    """A step in a few words.

    >>> step_words(AnswerStep(at_ms=0, do="answer", question="node", answer=("n1", "n2")))
    'answer node: n1, n2'
    >>> step_words(BacktrackStep(at_ms=480_000, do="backtrack", from_ms=720_000))
    'instructor: back to here from +12m00s'
    """
    if isinstance(step, InjectStep):
        return f"instructor: {step_words(step.act)}"
    if isinstance(step, MessageStep):
        return f"{step.sender}: {step.words}"
    if isinstance(step, NoteStep):
        return f"note: {step.words}"
    if isinstance(step, FreezeStep):
        return f"instructor: the clock {'stands' if step.on else 'goes on'}"
    if isinstance(step, BacktrackStep):
        return f"instructor: back to here from +{span(step.from_ms)}"
    if isinstance(step, AnswerStep):
        return f"answer {step.question}: {', '.join(step.answer)}"
    if isinstance(step, PauseStep):
        return f"pause of {span(step.lasted_ms)}"
    if isinstance(step, AssessStep):
        return f"expects {step.points} points"
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
