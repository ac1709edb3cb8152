"""One trainee's run of a drill: time passes only on request, steps are taken and logged, goals are watched."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from engine.errors import RefusedError
from engine.observe.snapshot import ApplicationRow, Snapshot
from engine.observe.snapshots import snapshot_of
from engine.run.expectations import find_application, holds, measure
from engine.run.player import Run, finders_in
from engine.scenario import Expectation
from engine.scenario.acts import Act, TimedAct, resolved
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.training.drill import WHY_PRICE, Clue, Drill, DrillQuestion, DrillScenario
from engine.training.harm import HarmDone, HarmMeter, Sacrifice, Toll
from engine.training.rules import OperatorRules, permission
from engine.training.steps import (
    INSTRUCTOR_STEPS,
    NO_ACTS,
    AnswerStep,
    AssessStep,
    FinishStep,
    HintStep,
    InjectStep,
    QuestionKind,
    RecordedStep,
    WhyStep,
)

# Names in a trainee's answers: as typed or chosen on the screen, and brought to the one that counts.

OWNERS: Final = ("queue ", "pool ", "yarn.scheduler.capacity.", "mapred.capacity-scheduler.queue.")
"""Words that a screen or a file writes before the owner of a setting."""
USERS: Final = "user "


def named(question: DrillQuestion, words: str) -> tuple[str, ...]:
    """The names in words typed or chosen: a choice is one name, commas and all; else commas part names.

    >>> named(DrillQuestion(asks="cause", text="?", answers=("a, b",), choices=("a, b", "c")), "a, b")
    ('a, b',)
    """
    if words.strip() in question.choices:
        return (words.strip(),)
    return tuple(name.strip() for name in words.split(",") if name.strip())


class AnswerNames:
    """The things of an instant by all of their names."""

    def __init__(self, snapshot: Snapshot, drill: Drill) -> None:
        """Know what is there; the owners of the drill's setting are the queues that it asks for or changes."""
        self._snapshot = snapshot
        queue = drill.question("queue")
        changed = [getattr(step, "queue", "") for step in drill.reference]
        found = map(self._queues.get, [*(queue.answers if queue is not None else ()), *changed])
        self._owners = {path for path in found if path is not None}

    def meant(self, asks: QuestionKind, name: str) -> str:
        """The one name of what an answer names; the name itself where nothing is called so.

        A setting is meant by its key alone, by a user's, and by that of a queue of which it is asked.
        """
        kinds: Mapping[str, Callable[[str], str]] = {
            "application": self._application,
            "node": lambda given: self._nodes.get(given, given),
            "queue": lambda given: self._queues.get(given, given),
            "setting": self._setting,
        }
        return kinds[asks](name) if asks in kinds else name

    def shown(self, asks: QuestionKind, name: str) -> Iterator[str]:
        yield name
        one = self.meant(asks, name)
        if asks == "application" and (row := self._row(one)) is not None:
            yield from (row.id, str(row.number), f"{row.number:04}")
            if self._row(row.name) is row:
                yield row.name
        elif asks in ("node", "queue"):
            names = self._nodes if asks == "node" else self._queues
            yield from (each for each, found in names.items() if found == one)

    def is_there(self, asks: QuestionKind, name: str) -> bool:
        """Tell whether an application or queue is called so; of other kinds anything may be asked."""
        one = self.meant(asks, name)
        if asks == "queue":
            return one in self._queues
        return asks != "application" or self._row(one) is not None

    def _row(self, name: str) -> ApplicationRow | None:
        return find_application(self._snapshot.applications(why=False), name)

    def _application(self, name: str) -> str:
        row = self._row(name)
        return name if row is None else row.id

    @cached_property
    def _nodes(self) -> dict[str, str]:
        return {name: row.id for row in self._snapshot.nodes() for name in (row.id, row.host)}

    @cached_property
    def _queues(self) -> dict[str, str]:
        paths = [row.path for row in self._snapshot.queues()]
        last = [path.rpartition(".")[2] for path in paths]
        leaves = {leaf: path for leaf, path in zip(last, paths, strict=True) if last.count(leaf) == 1}
        return {**leaves, **{path.removeprefix("root."): path for path in paths}, **{path: path for path in paths}}

    def _setting(self, name: str) -> str:
        bare = next((name.removeprefix(word) for word in OWNERS if name.startswith(word)), name)
        owner, _, key = bare.rpartition(".")
        if owner.startswith(USERS):
            return f"{USERS}{key}"
        path = self._queues.get(owner)
        if path is None:
            return bare if owner else key
        return f"{path}.{key}" if self._owners and path not in self._owners else key


def worth(question: DrillQuestion, names: AnswerNames, answer: tuple[str, ...]) -> float:
    """Return the worth of an answer, by any name of a thing: 1, 1/n among n named, or 0."""
    right = [names.meant(question.asks, name) for name in question.answers]
    alone = {name.removeprefix(USERS) for name in right if name.startswith(USERS)} & set(answer)
    given = tuple(name if name in alone else names.meant(question.asks, name) for name in answer)
    return question.model_copy(update={"answers": (*right, *alone)}).worth(given)


# A drill played up to where it begins, once; every exercise of it goes on from a copy.

LOOK_MS: Final = 10_000  # How much simulated time passes between two looks for clues before the drill begins


class DrillStage:
    """The common beginning of all exercises of a drill."""

    def __init__(self, drill: DrillScenario) -> None:
        """Play up to the drill's beginning. Raises ConfigError if the settings are refused."""
        self.drill = drill
        self.seen: dict[str, int] = {}
        """Clue (`about`) → since when it is on the screen, ms after the drill's beginning (before it: negative)."""
        self._meter = HarmMeter(drill.scenario.start_ms)
        begins_ms = drill.drill.begins_ms
        run = Run(drill.scenario, [self._meter], begins_ms, is_judged=False)
        self.rules = OperatorRules(drill)  # What a trainee may do
        while not run.ended:
            run.advance(run.now_ms + LOOK_MS)
            _note_clues(drill.drill.clues, run.snapshot(), run.now_ms - begins_ms, self.seen)
        if begins_ms == 0:
            _note_clues(drill.drill.clues, run.snapshot(), 0, self.seen)
        self.simulation: Simulation = run.simulation  # Stands at the drill's beginning; only to be forked and looked at
        self.at_stake_s = self._meter.at_stake_s(self.simulation.now_ms)
        """Container-seconds done by what runs at the beginning."""

    def begun(self, listeners: Sequence[Listener] = ()) -> tuple[Run, HarmMeter]:
        """A run that goes on from the drill's beginning, and what measures its harm; listeners hear it, too."""
        drill = self.drill.drill
        goals = tuple(_moved(goal, drill.begins_ms) for goal in drill.goals)
        scenario = self.drill.scenario.model_copy(update={"expectations": goals})
        meter = copy.deepcopy(self._meter)
        meter.is_counting = True
        run = Run(scenario, until_ms=self.drill.ends_ms)
        run.branch(self.simulation.fork(), [meter, *listeners])
        return run, meter


def _note_clues(
    clues: tuple[Clue, ...], snapshot: Snapshot, now_ms: int, seen: dict[str, int], gone: dict[str, int] | None = None
) -> None:
    # `gone` gets those that are shown no longer
    for clue in clues:
        if clue.about in (seen if gone is None else gone):
            continue
        is_shown = holds(clue.shown, measure(clue.shown, snapshot))
        if is_shown:
            seen.setdefault(clue.about, now_ms)
        elif gone is not None and clue.about in seen:
            gone.setdefault(clue.about, now_ms)


def _moved(goal: Expectation, by_ms: int) -> Expectation:
    times = {key: getattr(goal, key) for key in ("at_ms", "since_ms", "until_ms")}
    return goal.model_copy(update={key: time + by_ms for key, time in times.items() if time is not None})


SAMPLE_MS: Final = 5_000  # Simulated time between two counts of waiting applications


class TakenStep(msgspec.Struct, frozen=True):
    at_ms: int  # Ms after the drill's beginning
    step: RecordedStep
    refused: str = ""  # The refusal; empty when it did something
    said: str = ""  # The answer that the trainee reads

    @property
    def is_act(self) -> bool:
        return not isinstance(self.step, NO_ACTS) and not self.refused

    @property
    def is_instructors(self) -> bool:
        return isinstance(self.step, INSTRUCTOR_STEPS)


class Answered(NamedTuple):
    at_ms: int
    worth: float  # 1, 1/n, or 0; halved for every answer before it
    answer: tuple[str, ...]


class Sample(NamedTuple):
    at_ms: int
    waiting: int
    containers: int
    reserved: int  # Nodes that are reserved; 0 where nothing can be


EFFECT_MS: Final = 60_000  # How long after an act its effect is measured, at most


class _Ahead(NamedTuple):  # A copy from just after acts, without further submissions and acts
    at_ms: int
    place: int  # Of the latest of these acts in the log
    simulation: Simulation


class Exercise:
    """A drill in the hands of a trainee. Times are ms after the drill's beginning."""

    def __init__(self, stage: DrillStage, listeners: Sequence[Listener] = (), *, foretells: bool = False) -> None:
        """Go on from a drill's beginning; with `foretells` `foretold` is filled, as a debrief wants it."""
        self.stage = stage
        self.drill: Drill = stage.drill.drill
        self._run, self._meter = stage.begun(listeners)
        self.log: list[TakenStep] = []
        self.acts: list[Act] = []  # What the trainee has done to the cluster, names looked up
        self.samples: list[Sample] = []
        self.seen = dict(stage.seen)  # Clue (`about`) → since when it is on the screen
        self.gone: dict[str, int] = {}  # Clue → when it was first seen to be no longer there
        self.answers: dict[str, Answered] = {}
        self.finished_ms: int | None = None  # Time at which the trainee ended the exercise
        self.foretold: dict[int, Sample] = {}
        """Place of the latest act of an instant in the log → the cluster when the effect of these acts is measured, if
        nothing came in and no one acted on: that is what acts tried on a copy foretell."""
        self._foretells = foretells
        self._ahead: _Ahead | None = None

    @property
    def now_ms(self) -> int:
        return self._run.now_ms - self.drill.begins_ms

    @property
    def is_over(self) -> bool:
        return self._run.ended or self.finished_ms is not None

    @property
    def harm(self) -> HarmDone:
        return self._meter.done()

    @property
    def toll(self) -> Toll:
        return self._meter.toll(self.snapshot())

    @property
    def spent(self) -> int:
        return self.stage.rules.spent(self.acts)

    @property
    def sacrificed(self) -> dict[int, Sacrifice]:
        """Applications that were killed or failed, by number, with what that has cost."""
        return self._meter.sacrificed()

    @property
    def patches(self) -> tuple[str, ...]:
        """Kinds of acts that were done and that no release has: they take a patched scheduler."""
        return tuple(dict.fromkeys(act.do for act in self.acts if permission(act) == "patch"))

    @property
    def hints(self) -> int:
        return sum(isinstance(done.step, HintStep) and not done.refused for done in self.log)

    def snapshot(self) -> Snapshot:
        return self._run.snapshot()

    def named(self, name: str) -> ApplicationRow | None:
        """The one application that a name means; None when none or several are meant."""
        return find_application(self.snapshot().applications(why=False), name)

    def fork(self, *, closed: bool = False) -> Simulation:
        """An independent copy of the cluster, to be asked about; a `closed` one has no more submissions."""
        return self._run.simulation.fork(closed=closed)

    def advance(self, to_ms: int) -> None:
        to_ms = min(to_ms, self.drill.lasts_ms)
        while self.now_ms < to_ms:
            before_ms = self.now_ms
            next_ms = before_ms - before_ms % SAMPLE_MS + SAMPLE_MS
            self._run.advance(self.drill.begins_ms + min(next_ms, to_ms))
            snapshot = self.snapshot()
            waiting = self._meter.pass_time(snapshot, self.now_ms - before_ms)
            self.samples.append(_sample_of(self.now_ms, waiting, snapshot))
            _note_clues(self.drill.clues, snapshot, self.now_ms, self.seen, self.gone)

    def complete(self) -> None:
        """Let time pass to the end, so that every exercise of a drill is measured over the same span."""
        self.advance(self.drill.lasts_ms)
        self._look_ahead(self.drill.lasts_ms)

    def take(self, step: RecordedStep) -> TakenStep:
        self.advance(step.at_ms)
        refused, said = "", ""
        try:
            said = self._taken(step)
        except RefusedError as refusal:
            refused = str(refusal)
        done = TakenStep(self.now_ms, step, refused, said)
        self.log.append(done)
        if self._foretells and done.is_act:
            self._look_ahead(done.at_ms)
            self._ahead = _Ahead(done.at_ms, len(self.log) - 1, self.fork(closed=True))
        return done

    def _look_ahead(self, next_ms: int) -> None:
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.at_ms == next_ms:
            return
        until_ms = min(next_ms, ahead.at_ms + EFFECT_MS)
        ahead.simulation.run_until(ahead.simulation.now_ms + until_ms - ahead.at_ms)
        snapshot = snapshot_of(ahead.simulation)
        waiting = sum(row.waiting_since_ms is not None for row in snapshot.applications(why=False))
        self.foretold[ahead.place] = _sample_of(until_ms, waiting, snapshot)

    def _taken(self, step: RecordedStep) -> str:
        if self.is_over and not isinstance(step, AssessStep):
            raise RefusedError("DrillEnded", "the drill is over")
        if isinstance(step, AnswerStep):
            return self._answer(step)
        if isinstance(step, HintStep):
            return self._hint()
        if isinstance(step, WhyStep) and WHY_PRICE[self.drill.level] is None:
            raise RefusedError("WhyIsShut", "why is shut in this drill: you are on your own")
        if isinstance(step, WhyStep) and not step.about and self.named(step.application) is None:
            raise RefusedError("UnknownApplication", f"no application, or more than one, matches {step.application}")
        if isinstance(step, FinishStep):
            self.finished_ms = self.now_ms
        elif isinstance(step, InjectStep):
            self._act(self._resolved(step.act.act))
        elif isinstance(step, TimedAct):
            self._act_as_trainee(step.act)
        return ""

    def _answer(self, step: AnswerStep) -> str:
        question = self.drill.question(step.question)
        if question is None:
            raise RefusedError("UnknownQuestion", f"there is no question about the {step.question}")
        tries = sum(isinstance(done.step, AnswerStep) and done.step.question == step.question for done in self.log)
        worth = self.worth(question, step.answer)
        self.answers[step.question] = Answered(self.now_ms, worth / 2**tries, step.answer)
        return "noted"

    def worth(self, question: DrillQuestion, answer: tuple[str, ...]) -> float:
        """Return the worth of an answer; things may be called by any of their names: id, number, host or path."""
        return worth(question, AnswerNames(self.snapshot(), self.drill), answer)

    def _hint(self) -> str:
        if self.stage.drill.is_exam:
            raise RefusedError("HintsAreShut", "hints are shut in an exam")
        if self.hints >= len(self.drill.hints):
            raise RefusedError("NoMoreHints", "there are no more hints")
        return self.drill.hints[self.hints]

    def _resolved(self, act: Act) -> Act:
        return resolved(act, finders_in(self.snapshot()))

    def _act_as_trainee(self, act: Act) -> None:
        act = self._resolved(act)
        if refusal := self.stage.rules.refusal(act, self.now_ms, self.acts):
            raise RefusedError("NotPermitted", refusal)
        self._act(act)
        self.acts.append(act)

    def _act(self, act: Act) -> None:
        answer = self._run.simulation.act(act)
        if answer.rejected:
            raise RefusedError(answer.rejected, answer.detail or answer.rejected)

    def goals_met(self) -> tuple[tuple[str, int | None], ...]:
        """(goal in words, when it was met; None while it is not) for each goal."""
        begins_ms = self.drill.begins_ms
        return tuple(
            (
                result.expectation.about or result.sentence,
                result.time_ms - begins_ms if result.verdict == "met" and result.time_ms is not None else None,
            )
            for result in self._run.outcome().results
        )

    def put_right_ms(self) -> int | None:
        """Return when all goals were met and every required question answered right, at any price; None for never."""
        last_act_ms = max((done.at_ms for done in self.log if done.is_act), default=0)
        times: list[int | None] = []
        for (_, met_ms), goal in zip(self.goals_met(), self.drill.goals, strict=True):
            is_kept = goal.until_ms is not None and met_ms is not None
            times.append(last_act_ms if is_kept else met_ms)  # nothing shows when a limit began to be kept
        for question in self.drill.all_questions():
            given = self.answers.get(question.asks)
            if question.must:
                times.append(given.at_ms if given is not None and given.worth > 0 else None)
        known = [time for time in times if time is not None]
        return max(known) if known and len(known) == len(times) else None


def _sample_of(now_ms: int, waiting: int, snapshot: Snapshot) -> Sample:
    header = snapshot.header
    return Sample(now_ms, waiting, header.containers, header.nodes_held)
