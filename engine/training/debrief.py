"""The debrief: what happened beside what was done, what was on the screen since when, par, and what would have been."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from engine.explain.remedy import exact_amounts
from engine.model.request import DIMENSIONS
from engine.observe.snapshots import terms_of_system, translate_terms
from engine.training.exercise import EFFECT_MS, Exercise, Sample, TakenStep
from engine.training.rules import host_of
from engine.training.score import Score, ScoreBaselines, played
from engine.training.steps import (
    HARMLESS,
    AnswerStep,
    BacktrackStep,
    FreezeStep,
    HintStep,
    InjectStep,
    LookStep,
    PauseStep,
    RecordedStep,
    WhyStep,
    section_of,
)
from engine.units import plural, span

# The rows of a debrief: what the cluster did, what the trainee did, and what stood on the screen meanwhile.

COUNTS: Final = {"waiting": "waiting", "containers": "containers", "reserved": "nodes reserved"}
"""What is counted in each sample → its word on the screen, in YARN's nouns."""
SHIFTS: Final = {"waiting": 0.2, "containers": 0.3, "reserved": 0.5}
"""A change of a count is shown when it is larger than this part of the most that was ever counted."""


class DebriefRow(msgspec.Struct, frozen=True):
    at_ms: int  # Ms after the drill's beginning
    cluster: str  # What the cluster did; empty when the trainee did something
    trainee: str  # What the trainee did; empty when the cluster did something
    sign: str = ""  # One letter or mark for a lane
    visible: str = ""  # Which panes showed a clue then, and since when
    effect: str = ""  # What an act changed; empty where nothing was done to the cluster
    graded: str = ""  # `right`, `wrong` or `among others` for an answer, else empty
    accepted: str = ""  # What would have been right, for an answer that is not

    @property
    def told(self) -> str:
        accepted = f"; accepted: {self.accepted}" if self.accepted else ""
        return f"{self.trainee} ({self.graded}{accepted})" if self.graded else self.trainee


def rows_of(exercise: Exercise) -> tuple[DebriefRow, ...]:
    """Everything of an exercise that is shown, in the order of time."""
    clues = [
        DebriefRow(max(0, since_ms), f"{about}, for {span(-since_ms)}" if since_ms < 0 else about, "", "▲")
        for about, since_ms in exercise.seen.items()
    ]
    rows = [*clues, *_changes(exercise), *_goal_rows(exercise), *_step_rows(exercise)]
    ordered = sorted(rows, key=lambda one: (one.at_ms, bool(one.trainee)))
    return tuple(msgspec.structs.replace(row, visible=visible_at(exercise, row.at_ms)) for row in ordered)


def _changes(exercise: Exercise) -> Iterator[DebriefRow]:
    samples, terms = exercise.samples, terms_of_system(exercise.stage.drill.scenario.system)
    if not samples:
        return
    shown = samples[0]
    running = plural(shown.containers, terms.container)
    yield DebriefRow(0, f"{shown.waiting} waiting, {running}", "", "")
    for name, word in COUNTS.items():
        least = max(getattr(sample, name) for sample in samples) * SHIFTS[name]
        before = getattr(shown, name)
        for sample in samples:
            count = getattr(sample, name)
            if abs(count - before) > least:
                yield DebriefRow(sample.at_ms, f"{before} → {count} {translate_terms(word, terms)}", "", "◆")
                before = count


def _goal_rows(exercise: Exercise) -> Iterator[DebriefRow]:
    for about, at_ms in exercise.goals_met():
        if at_ms is not None:
            yield DebriefRow(at_ms, about, "", "●")


def _step_rows(exercise: Exercise) -> Iterator[DebriefRow]:
    # The latest act of an instant has the effect of all, up to the next act, or for a while
    times = [done.at_ms for done in exercise.log if done.is_act]
    for place, done in enumerate(exercise.log):
        if done.is_instructors:
            yield DebriefRow(done.at_ms, _done_words(exercise, done), "", "I")
            continue
        effect = ""
        if done.is_act:
            times = times[1:]
            effect = _effect(exercise, place, times[0] if times else exercise.drill.lasts_ms)
        graded, accepted = _graded(exercise, done)
        words, sign = _done_words(exercise, done), _sign(done.step)
        yield DebriefRow(done.at_ms, "", words, sign, effect=effect, graded=graded, accepted=accepted)


def _effect(exercise: Exercise, place: int, next_ms: int) -> str:
    samples, from_ms = exercise.samples, exercise.log[place].at_ms
    to_ms = min(next_ms, from_ms + EFFECT_MS)
    before = next((one for one in reversed(samples) if one.at_ms <= from_ms), samples[0] if samples else None)
    after = next((one for one in reversed(samples) if one.at_ms <= to_ms), None)
    if before is None or after is None or from_ms == next_ms:
        return ""
    words, foretold = _changed(exercise, before, after), exercise.foretold.get(place)
    seen = f"{words} in {span(to_ms - from_ms)}"
    if foretold is None:
        return seen
    told = _changed(exercise, before, foretold)
    return f"{seen}, as foretold" if told == words else f"{seen}; foretold: {told}"


def _changed(exercise: Exercise, before: Sample, after: Sample) -> str:
    pairs = [(getattr(before, name), getattr(after, name), word) for name, word in COUNTS.items()]
    words = ", ".join(f"{word} {old} → {new}" for old, new, word in pairs if old != new) or "no count changed"
    return translate_terms(words, terms_of_system(exercise.stage.drill.scenario.system))


def visible_at(exercise: Exercise, at_ms: int) -> str:
    """Return which clues were visible at an instant, in which pane, and since when."""
    shown = []
    for clue in exercise.drill.clues:
        since_ms, gone_ms = exercise.seen.get(clue.about), exercise.gone.get(clue.about)
        if since_ms is not None and since_ms <= at_ms and (gone_ms is None or at_ms < gone_ms):
            shown.append(f"{clue.pane} for {span(at_ms - since_ms)}: {clue.about}")
    return "; ".join(shown)


def _done_words(exercise: Exercise, done: TakenStep) -> str:
    words = step_words(done.step, exercise.stage.drill.scenario.system)
    return f"{words} (refused: {done.refused})" if done.refused else words


def _graded(exercise: Exercise, done: TakenStep) -> tuple[str, str]:
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


STEP_WORDS: Final = {
    "observe": "look at {pane}",
    "why": "ask why {application} waits",
    "assess": "expects {points} points",
    "message": "{sender}: {words}",
    "note": "note: {words}",
    "kill": "kill {application}",
    "kill-container": "kill container {container}",
    "move": "move {application} to {queue}",
    "priority": "give {application} priority {priority}",
    "drain": "drain {node}",
    "return": "return {node}",
    "resize": "resize {node} to {size}",
    "add-node": "add {host} of {size}",
    "label": "move {node} to partition {partition!r}",
    "queue-setting": "set {key} of {queue} to {value}",
    "setting": "set {key} to {value}",
    "reservation-rule": "set the reservation rule to {rule}",
    "reload": "load an allocation file",
    "rm_restart": "restart the ResourceManager",
    "rm_failover": "fail over the ResourceManager",
    "node_manager_restart": "restart the NodeManager of {node}",
    "job_tracker_restart": "restart the JobTracker",
}
"""Kind of step → its words, acts as screens have them; of others the fields are written."""
_DRAINS: Final = {"mr1": "exclude {node}", "spark": "decommission {node}"}  # System → its own words for `drain`


def step_words(step: RecordedStep, system: str = "yarn") -> str:
    """A step in a few words.

    >>> step_words(AnswerStep(at_ms=0, do="answer", question="node", answer=("n1", "n2")))
    'answer node: n1, n2'
    >>> step_words(WhyStep(at_ms=0, do="why", application="7"))
    'ask why 0007 waits'
    >>> step_words(BacktrackStep(at_ms=480_000, do="backtrack", from_ms=720_000))
    'instructor: back to here from +12m00s'
    """
    if isinstance(step, InjectStep):
        return f"instructor: {step_words(step.act, system)}"
    if isinstance(step, FreezeStep):
        return f"instructor: the clock {'stands' if step.on else 'goes on'}"
    if isinstance(step, BacktrackStep):
        return f"instructor: back to here from +{span(step.from_ms)}"
    if isinstance(step, AnswerStep):
        return f"answer {step.question}: {', '.join(step.answer)}"
    if isinstance(step, PauseStep):
        return f"pause of {span(step.lasted_ms)}"
    if isinstance(step, WhyStep) and step.about:
        return f"ask {step.about}"
    values = _values(step, system)
    if step.do in STEP_WORDS:
        words = _DRAINS.get(system) if step.do == "drain" else None
        return (words or STEP_WORDS[step.do]).format(**values)
    named = [_short(key, value) for key, value in values.items() if value not in (None, "", ())]
    return " ".join([step.do.replace("-", " "), *named])


def _values(step: RecordedStep, system: str) -> dict[str, Any]:
    values = step.model_dump(exclude={"at_ms", "do"})
    if str(values.get("application")).isdecimal():  # things have the names that stand on the screen
        values["application"] = f"{int(values['application']):04}"
    for name in values.keys() & {"node", "host"}:
        values[name] = host_of(values[name])
    if "memory_mb" in values and "vcores" in values:
        values["size"] = exact_amounts((values["memory_mb"], values["vcores"]), DIMENSIONS[system])
    return values


def _short(key: str, value: object) -> str:
    if isinstance(value, dict):
        return str(value.get("name") or value.get("type"))
    if isinstance(value, bool):
        return "on" if value else "off"
    return "a file" if key == "allocations" else str(value)


# Plays an exercise again with the reference's acts at another instant, or with one act left out.
#
# The exercise is played again up to that instant with the same acts, which gives what a fork there would give, and
# goes on with the other ones. Answers and hints stay as they were.

MOST: Final = 3  # So many of the trainee's own acts are left out, one after the other


class WhatIf(msgspec.Struct, frozen=True):
    """One thing done otherwise, and what it would have been worth."""

    at_ms: int  # When it parts from the exercise [ms after the drill's beginning]
    about: str  # What was done otherwise, in words
    score: Score


def what_if_acted(exercise: Exercise, yardstick: ScoreBaselines, at_ms: int) -> WhatIf | None:
    """The reference's acts done from an instant on in place of the trainee's; None when the reference does none."""
    acts = [step for step in yardstick.stage.drill.drill.reference if not isinstance(step, HARMLESS)]
    if not acts:
        return None
    last_ms = exercise.drill.lasts_ms - 1
    moved = [step.model_copy(update={"at_ms": min(last_ms, at_ms + step.at_ms - acts[0].at_ms)}) for step in acts]
    kept = [done for done in exercise.log if not done.is_act or done.at_ms < at_ms]
    system = yardstick.stage.drill.scenario.system
    about = ", then ".join(step_words(step, system) for step in acts)
    return WhatIf(at_ms, about, yardstick.score(played(yardstick.stage, [*_taken(kept), *moved])))


def what_ifs_at(exercise: Exercise, yardstick: ScoreBaselines, at_ms: int) -> tuple[WhatIf, ...]:
    """Return the what-ifs of an instant: the reference's acts then, and each act of the trainee's left out."""
    acted, system = what_if_acted(exercise, yardstick, at_ms), yardstick.stage.drill.scenario.system
    found = [] if acted is None else [acted]
    for own in [done for done in exercise.log if done.is_act and done.at_ms == at_ms][:MOST]:
        kept = _taken([done for done in exercise.log if done is not own])
        score = yardstick.score(played(yardstick.stage, kept))
        found.append(WhatIf(at_ms, f"without {step_words(own.step, system)}", score))
    return tuple(found)


def _taken(log: Sequence[TakenStep]) -> list[RecordedStep]:
    return [done.step.model_copy(update={"at_ms": done.at_ms}) for done in log if not done.refused]


class ClueSeen(msgspec.Struct, frozen=True):
    """A clue, and how long it was there before the trainee looked."""

    about: str
    pane: str
    since_ms: int  # Ms after the drill's beginning; negative before it
    looked_ms: int | None  # When the trainee first looked at that pane after it showed; None: never
    has_looks: bool = True  # False where the steps do not tell what the trainee looks at

    @property
    def sentence(self) -> str:
        if self.looked_ms is None:
            since = (
                f"since {span(-self.since_ms)} before the drill"
                if self.since_ms < 0
                else f"from +{span(self.since_ms)} on"
            )
            return f"{self.about}: visible in {self.pane} {since}{', never looked at' if self.has_looks else ''}"
        return f"{self.about}: visible in {self.pane} for {span(self.looked_ms - self.since_ms)} before you looked"


class Debrief(msgspec.Struct, frozen=True):
    name: str
    title: str
    score: Score
    rows: tuple[DebriefRow, ...]
    clues: tuple[ClueSeen, ...]  # The one visible first comes first
    goals: tuple[tuple[str, int | None], ...]
    samples: tuple[Sample, ...]
    lasts_ms: int
    par: Score  # Of the reference solution
    par_rows: tuple[DebriefRow, ...]  # What the reference does, and when it meets the goals
    what_ifs: tuple[WhatIf, ...]
    """The reference's acts at the beginning, and as soon as the trainee looked at the first clue."""
    text: str  # The cause, and what there is to learn
    is_exam: bool

    @property
    def has_shorter_way(self) -> bool:
        """Tell whether the reference solves it, and this run did not, or later."""
        own, par = self.score.solved_ms, self.par.solved_ms
        return par is not None and (own is None or par < own)

    def compared(self) -> tuple[tuple[str, Score], ...]:
        """(what was done, its score) for this run, for par, and for each thing done otherwise."""
        others = ((f"what if at +{span(one.at_ms)}: {one.about}", one.score) for one in self.what_ifs)
        return ("this run", self.score), ("par", self.par), *others

    @property
    def verdict(self) -> str:
        return f"exam {self.score.verdict}" if self.is_exam else self.score.verdict


def debrief_of(exercise: Exercise, yardstick: ScoreBaselines) -> Debrief:
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
        par=yardstick.score(par),
        par_rows=tuple(sorted((*_step_rows(par), *_goal_rows(par)), key=lambda one: (one.at_ms, not one.trainee))),
        what_ifs=tuple(one for one in found if one is not None),
        text=exercise.drill.debrief.strip(),
        is_exam=drill.is_exam,
    )


def _clues(exercise: Exercise) -> Iterator[ClueSeen]:
    has_looks = any(isinstance(done.step, LookStep) for done in exercise.log)
    for clue in exercise.drill.clues:
        if (since_ms := exercise.seen.get(clue.about)) is not None:
            yield ClueSeen(clue.about, clue.pane, since_ms, _looked_ms(exercise, clue.pane, since_ms), has_looks)


def _looked_ms(exercise: Exercise, pane: str, since_ms: int) -> int | None:
    for done in exercise.log:
        if done.at_ms < since_ms or not isinstance(done.step, LookStep):
            continue
        if section_of(done.step.pane) == section_of(pane):
            return done.at_ms
    return None
