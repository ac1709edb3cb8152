"""Scores an exercise: 100 points at most, by formulas that the trainee can read.

    solved     50   from when all goals are met
    detect     10   fault or no fault, named
    localise   10   who or what is to blame: 1 for the right one alone, 1/n among n named
    explain    10   what kind of fault it is, which setting
    work kept  10   times 1 - (container-seconds lost beyond par) / (those at stake when the drill began)
    waiting    10   times 1 - (application-seconds waited beyond par) / (those of doing nothing, or the drill's length)

What a drill does not ask counts for `solved`. Each clock (the first four) is worth its points up to the instant par
needed, then ever less, down to half at the drill's end. An answer given anew halves its worth. A hint costs 5 points,
the last one 15; `why` costs what the drill's level says; an act that no release has, and a patched scheduler would,
costs 10; in an exam a pause costs 1 each 10 s; hardware costs 1 for each 100 spent beyond par. Each harm that is not
accepted costs 20, and nothing is solved by it. An application that was killed or failed counts for `waiting` as if it
waited on. One that par ends, too, costs no more for having been ended earlier. A score may be below 0.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from engine.observe.snapshots import terms_of_system, translate_terms
from engine.training.drill import MONEY, WHY_PRICE, Drill, DrillScenario
from engine.training.exercise import DrillStage, Exercise
from engine.training.harm import HarmDone, HarmFigures, harm_beyond
from engine.training.steps import AssessStep, PauseStep, RecordedStep, WhyStep, injected, read_record, surviving
from engine.units import plural, span

POINTS: Final = {"solved": 50, "detect": 10, "localise": 10, "explain": 10, "work kept": 10, "waiting": 10}
CLOCKS: Final = ("detect", "localise", "explain")
HINT_PRICE: Final = 5
LAST_HINT_PRICE: Final = 15
HARM_PRICE: Final = 20  # Points for each kind of harm that is not accepted
PATCH_PRICE: Final = 10  # Points for each kind of act that no release has
PAUSE_MS: Final = 10_000  # So long a pause costs a point in an exam
HEADS: Final = ("solved in", "points", "work lost", "waited")  # Of the cells of a score

_FORMULAS: Final = tuple(line.strip() for line in (__doc__ or "").splitlines()[2:] if line.strip())


def most_points(drill: Drill) -> dict[str, int]:
    """Line of a score → its most points; what a drill does not ask is not there, and counts for `solved`."""
    unasked = [clock for clock in CLOCKS if not _asked(drill, clock)]
    most = {name: points for name, points in POINTS.items() if name not in unasked}
    return {**most, "solved": POINTS["solved"] + sum(POINTS[clock] for clock in unasked)}


def formulas(drill: Drill) -> tuple[str, ...]:
    """Return how the points of a drill are counted, a line each: those it can give, then what costs."""
    most = most_points(drill)
    lines = []
    for line in _FORMULAS:
        name = next((one for one in POINTS if line.startswith(f"{one} ")), None)
        if name is None:
            lines.append(line)
        elif name in most:
            lines.append(line.replace(f" {POINTS[name]} ", f" {most[name]} ", 1))
    return tuple(lines)


class HarmWords(NamedTuple):
    name: str
    any: str  # What is not accepted where nothing is
    beyond: str  # The same where `{}` is the most that is accepted
    amount: Callable[[Any], str]


HARMS: Final[Mapping[str, HarmWords]] = {
    "work_lost": HarmWords(
        name="work lost",
        any="work lost",
        beyond="more than {} of the work at stake lost",
        amount=lambda share: f"{share:g} %",
    ),
    "ended": HarmWords(
        name="applications ended",
        any="an application killed or failed",
        beyond="more than {} killed or failed",
        amount=lambda count: plural(count, "application"),
    ),
    "delayed_ms": HarmWords(
        name="others delayed",
        any="others wait longer",
        beyond="others wait more than {} longer, together",
        amount=span,
    ),
    "nodes_out": HarmWords(
        name="nodes taken out",
        any="a node taken out",
        beyond="more than {} taken out",
        amount=lambda count: plural(count, "node"),
    ),
}
"""Field of `AcceptedHarm` → its words."""


def not_accepted(drill: Drill) -> tuple[str, ...]:
    """What a drill does not accept, a sentence for each kind of harm."""
    limits = ((harm, getattr(drill.accepts, field)) for field, harm in HARMS.items())
    return tuple(harm.beyond.format(harm.amount(most)) if most else harm.any for harm, most in limits)


class ScoreLine(msgspec.Struct, frozen=True):
    what: str
    measured: str  # What was measured, in words
    points: float
    most: int  # 0 for what only costs


class Score(msgspec.Struct, frozen=True):
    solved_ms: int | None  # When everything was put right [ms after the drill's beginning]; None: it was not
    lines: tuple[ScoreLine, ...]
    harm: HarmDone
    steps: int  # Steps taken, looks included
    clocks: dict[str, int | None]  # Time to detect, localise, explain and mitigate [ms]; None: never

    @property
    def total(self) -> int:
        return round(sum(line.points for line in self.lines))

    @property
    def _solved(self) -> str:
        return "not solved" if self.solved_ms is None else f"solved in {span(self.solved_ms)}"

    @property
    def verdict(self) -> str:
        return f"{self._solved}, {self.total} of 100"

    @property
    def cells(self) -> tuple[str, str, str, str]:
        solved = "not solved" if self.solved_ms is None else span(self.solved_ms)
        return solved, str(self.total), spent(self.harm.lost_s), spent(self.harm.waiting_s)

    @property
    def words(self) -> str:
        _, points, lost, waited = self.cells
        return f"{self._solved}, {points} points, {lost} lost, {waited} waited"


class ScoreBaselines:
    """The measures for exercises of a drill: par, and doing nothing; both are played when first needed."""

    def __init__(self, stage: DrillStage, injected: Sequence[RecordedStep] = ()) -> None:
        """Measure what goes on from a stage; `injected` is what an instructor did to the cluster meanwhile."""
        self.stage = stage
        self._injected = tuple(injected)

    @cached_property
    def par(self) -> Exercise:
        return played(self.stage, (*self.stage.drill.drill.reference, *self._injected))

    @cached_property
    def idle(self) -> Exercise:
        return played(self.stage, self._injected)

    def score(self, exercise: Exercise) -> Score:
        exercise.complete()
        clocks = {"solved": self.solved_ms(exercise), **clocks_of(exercise)}
        par = {"solved": self.par.put_right_ms(), **clocks_of(self.par)}
        lines = [self._clock_line(name, exercise, clocks[name], par[name]) for name in POINTS if name in clocks]
        lines += [*self._harm_lines(exercise), *prices(exercise), *self._beyond_par(exercise)]
        assessed = [done.step.points for done in exercise.log if isinstance(done.step, AssessStep)]
        lines += [ScoreLine("you said", plural(points, "point"), 0, 0) for points in assessed[-1:]]
        return Score(
            solved_ms=clocks["solved"],
            lines=tuple(lines),
            harm=exercise.harm,
            steps=steps_taken(exercise),
            clocks=clocks,
        )

    def solved_ms(self, exercise: Exercise) -> int | None:
        """When an exercise, played to its end, was solved; None where it was not, or with harm that is not accepted.

        A repair by an instructor is no solution.
        """
        is_put_right = self._injected and exercise.drill.goals and self.idle.put_right_ms() is not None
        return None if is_put_right or self.unaccepted(exercise) else exercise.put_right_ms()

    def unaccepted(self, exercise: Exercise) -> tuple[tuple[str, str], ...]:
        """(kind of harm, how much of it) for each that an exercise, played to its end, does beyond the limit."""
        done, accepts = self.figures(exercise), exercise.drill.accepts
        words = terms_of_system(self.stage.drill.scenario.system)
        return tuple(
            (translate_terms(harm.name, words), translate_terms(harm.amount(getattr(done, field)), words))
            for field, harm in HARMS.items()
            if getattr(done, field) > getattr(accepts, field)
        )

    def figures(self, exercise: Exercise) -> HarmFigures:
        """The harm of an exercise, played to its end, that neither doing nothing nor par does."""
        return harm_beyond(exercise.toll, self.idle.toll, self.par.toll, self.stage.at_stake_s)

    def _beyond_par(self, exercise: Exercise) -> Iterable[ScoreLine]:
        spent = exercise.spent
        if spent:
            yield ScoreLine("hardware", f"{spent} spent", -(max(0, spent - self.par.spent) // MONEY), 0)
        for name, amount in self.unaccepted(exercise):
            yield ScoreLine(f"not accepted: {name}", amount, -HARM_PRICE, 0)

    def _clock_line(self, name: str, exercise: Exercise, time_ms: int | None, par_ms: int | None) -> ScoreLine:
        most = most_points(exercise.drill)[name]
        if time_ms is None:
            return ScoreLine(name, "never", 0, most)
        worth = 1.0 if name == "solved" else _worth(exercise, name)
        lasts_ms = exercise.drill.lasts_ms
        late = 0.0 if par_ms is None else max(0, time_ms - par_ms) / max(1, lasts_ms - par_ms)
        return ScoreLine(name, span(time_ms), round(most * worth * (1 - min(1.0, late) / 2), 1), most)

    def _harm_lines(self, exercise: Exercise) -> Iterable[ScoreLine]:
        par, harm = self.par.harm, exercise.harm
        both = [(own, self.par.sacrificed.get(number)) for number, own in exercise.sacrificed.items()]
        early = [(own, pars) for own, pars in both if pars is not None and own.killed_ms <= pars.killed_ms]
        lost_s = harm.lost_s - sum(max(0.0, own.lost_s - pars.lost_s) for own, pars in early)
        unmet_s = _unmet_s(harm) - sum(own.unserved_s - pars.unserved_s for own, pars in early)
        lost = max(0.0, lost_s - par.lost_s) / max(1.0, self.stage.at_stake_s)
        yield _share_line("work kept", f"{spent(harm.lost_s)} of work lost", lost)
        beyond = max(0.0, unmet_s - _unmet_s(par))
        idle = max(exercise.drill.lasts_ms / 1000, _unmet_s(self.idle.harm) - _unmet_s(par))
        ended = f", {spent(harm.unserved_s)} after kills or failures" if harm.unserved_s else ""
        yield _share_line("waiting", f"{spent(harm.waiting_s)} waited{ended}", beyond / idle)


def played(stage: DrillStage, steps: Iterable[RecordedStep], *, foretells: bool = False) -> Exercise:
    """An exercise with these steps in order of their instants, without those an instructor took back, to its end."""
    exercise = Exercise(stage, foretells=foretells)
    for step in sorted(surviving(steps), key=lambda one: one.at_ms):
        exercise.take(step)
    exercise.complete()
    return exercise


class RecordPlayer:
    """Plays records of one drill again; those with the same things injected share par and doing nothing."""

    def __init__(self, drill: DrillScenario) -> None:
        """Play up to the drill's beginning. Raises ConfigError if the scheduler refuses the scenario's settings."""
        self._stage = DrillStage(drill)
        self._yardsticks: dict[tuple[RecordedStep, ...], ScoreBaselines] = {}

    def play(self, lines: Sequence[str], *, foretells: bool = False) -> tuple[Exercise, ScoreBaselines]:
        """The exercise of a record, played to its end, and what measures it. Raises ConfigError if it is no record."""
        steps = read_record(lines, self._stage.drill.begins)
        faults = injected(steps)
        yardstick = self._yardsticks.setdefault(faults, ScoreBaselines(self._stage, faults))
        return played(self._stage, steps, foretells=foretells), yardstick

    def score(self, lines: Sequence[str]) -> Score:
        """The score of a record, as if nothing more were done; errors as of `play`."""
        exercise, yardstick = self.play(lines)
        return yardstick.score(exercise)


def clocks_of(exercise: Exercise) -> dict[str, int | None]:
    """Time to detect, localise and explain [ms]; None for what never came."""
    clocks: dict[str, int | None] = {}
    for name in CLOCKS:
        asked = _asked(exercise.drill, name)
        if not asked:
            continue
        times = [given.at_ms for one in asked if (given := exercise.answers.get(one)) is not None and given.worth > 0]
        clocks[name] = max(times) if times else None
    return clocks


def _asked(drill: Drill, clock: str) -> list[str]:
    return [question.asks for question in drill.all_questions() if question.clock == clock]


def _worth(exercise: Exercise, clock: str) -> float:
    asked = _asked(exercise.drill, clock)
    return sum(exercise.answers[one].worth for one in asked if one in exercise.answers) / len(asked)


def _unmet_s(harm: HarmDone) -> float:
    return harm.waiting_s + harm.unserved_s


def spent(seconds: float) -> str:
    """Seconds of containers or of applications in words."""
    return span(round(seconds) * 1000)


def _share_line(what: str, measured: str, bad: float) -> ScoreLine:
    most = POINTS[what]
    return ScoreLine(what, measured, round(most * (1 - min(1.0, bad)), 1), most)


def steps_taken(exercise: Exercise) -> int:
    """Steps of the trainee so far, looks included."""
    return sum(not done.is_instructors for done in exercise.log)


def prices(exercise: Exercise) -> Iterable[ScoreLine]:
    """Return what has cost points so far."""
    hints, most = exercise.hints, len(exercise.drill.hints)
    if hints:
        price = HINT_PRICE * hints + (LAST_HINT_PRICE - HINT_PRICE if hints == most else 0)
        yield ScoreLine("hints", str(hints), -price, 0)
    whys = sum(isinstance(done.step, WhyStep) and not done.refused for done in exercise.log)
    price = whys * (WHY_PRICE[exercise.drill.level] or 0)
    if price:
        yield ScoreLine("why", str(whys), -price, 0)
    paused_ms = sum(done.step.lasted_ms for done in exercise.log if isinstance(done.step, PauseStep))
    if paused_ms:
        yield ScoreLine("pauses", span(paused_ms), -(paused_ms // PAUSE_MS), 0)
    for kind in exercise.patches:
        yield ScoreLine(f"patch: {kind}", "no release has it", -PATCH_PRICE, 0)
