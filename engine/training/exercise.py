"""One trainee's run of a drill: time passes only on request, steps are taken and logged, goals are watched."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from engine.errors import RefusedError
from engine.explain.remedy import PATCH, Remedy
from engine.model.lifecycle import still_live
from engine.observe.snapshot import ApplicationRow, Snapshot
from engine.run.measures import find_application
from engine.run.named_acts import finders_in
from engine.scenario.acts import Act, DrainNode, KillApplication, SetSetting
from engine.scenario.timed_acts import TimedAct, resolved, timed
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.training.answers import AnswerNames, worth
from engine.training.drill import WHY_PRICE, Drill, DrillQuestion
from engine.training.harm import HarmDone, Sacrifice
from engine.training.instructor_steps import INSTRUCTOR_STEPS, NO_ACTS, InjectStep, RecordedStep
from engine.training.stage import DrillStage, note_clues
from engine.training.steps import AnswerStep, AssessStep, EverythingStep, FinishStep, HintStep, WhyStep

SAMPLE_MS: Final = 5_000
"""Simulated time between two counts of who waits."""


class Done(msgspec.Struct, frozen=True):
    """A step that was taken."""

    at_ms: int
    """Ms after the drill's beginning."""
    step: RecordedStep
    refused: str = ""
    """The refusal; empty when it did something."""
    said: str = ""
    """The answer that the trainee reads."""

    @property
    def is_act(self) -> bool:
        """True where the trainee changed the cluster by it."""
        return not isinstance(self.step, NO_ACTS) and not self.refused

    @property
    def is_instructors(self) -> bool:
        """True where the instructor did it."""
        return isinstance(self.step, INSTRUCTOR_STEPS)


class Answered(NamedTuple):
    """The last answer to a question."""

    at_ms: int
    worth: float
    """1, 1/n, or 0; halved for every answer before it."""
    answer: tuple[str, ...]


class Sample(NamedTuple):
    """The state of the cluster at an instant."""

    at_ms: int
    waiting: int
    containers: int
    reserved: int
    """Nodes that are reserved; 0 where nothing can be."""


class Exercise:
    """A drill in the hands of a trainee. Times are ms after the drill's beginning."""

    def __init__(self, stage: DrillStage, listeners: Sequence[Listener] = ()) -> None:
        """Go on from a drill's beginning; listeners get everything that happens from there on."""
        self.stage = stage
        self.drill: Drill = stage.drill.drill
        self._run, self._meter = stage.begun(listeners)
        self.log: list[Done] = []
        self.samples: list[Sample] = []
        self.seen = dict(stage.seen)
        """Clue (`about`) → since when it is on the screen."""
        self.gone: dict[str, int] = {}
        """Clue → when it was first seen to be no longer there."""
        self.answers: dict[str, Answered] = {}
        self.used: dict[str, int] = {}
        """Shortcut → when it was used."""
        self.finished_ms: int | None = None
        """Time at which the trainee ended the exercise."""

    @property
    def now_ms(self) -> int:
        """Ms after the drill's beginning."""
        return self._run.now_ms - self.drill.begins_ms

    @property
    def is_over(self) -> bool:
        """True when time is up, or the trainee has ended it."""
        return self._run.ended or self.finished_ms is not None

    @property
    def harm(self) -> HarmDone:
        """The harm so far."""
        return self._meter.done()

    @property
    def sacrificed(self) -> dict[int, Sacrifice]:
        """Applications that were killed or failed, by number, with what that has cost."""
        return self._meter.sacrificed()

    @property
    def patches(self) -> tuple[str, ...]:
        """Kinds of acts that were done and that no release has: they take a patched scheduler."""
        acts = [done.step for done in self.log if done.is_act and isinstance(done.step, TimedAct)]
        return tuple(
            dict.fromkeys(
                step.do
                for step in acts
                if Remedy(step.act).group == PATCH
                or (isinstance(step.act, SetSetting) and step.act.key.startswith("schedlab."))
            )
        )

    @property
    def hints(self) -> int:
        """Number of hints that were taken."""
        return sum(isinstance(done.step, HintStep) and not done.refused for done in self.log)

    def snapshot(self) -> Snapshot:
        """The cluster now."""
        return self._run.snapshot()

    def named(self, name: str) -> ApplicationRow | None:
        """The one application that a name means; None when none or several are meant."""
        return find_application(self.snapshot().applications(why=False), name)

    def fork(self) -> Simulation:
        """An independent copy of the cluster, to be asked about."""
        return self._run.simulation.fork()

    def advance(self, to_ms: int) -> None:
        """Let time pass up to an instant, but not beyond the end."""
        to_ms = min(to_ms, self.drill.lasts_ms)
        while self.now_ms < to_ms:
            before_ms = self.now_ms
            next_ms = before_ms - before_ms % SAMPLE_MS + SAMPLE_MS
            self._run.advance(self.drill.begins_ms + min(next_ms, to_ms))
            snapshot = self.snapshot()
            waiting = self._meter.pass_time(snapshot, self.now_ms - before_ms)
            self.samples.append(_sample(self.now_ms, waiting, snapshot))
            note_clues(self.drill.clues, snapshot, self.now_ms, self.seen, self.gone)

    def complete(self) -> None:
        """Let time pass to the end, so that every exercise of a drill is measured over the same span."""
        self.advance(self.drill.lasts_ms)

    def take(self, step: RecordedStep) -> Done:
        """Let time pass up to a step and take it; what came of it."""
        self.advance(step.at_ms)
        refused, said = "", ""
        try:
            said = self._taken(step)
        except RefusedError as refusal:
            refused = str(refusal)
        done = Done(self.now_ms, step, refused, said)
        self.log.append(done)
        self._note_shortcuts()
        return done

    def _taken(self, step: RecordedStep) -> str:
        """Take a step; what the trainee gets to read.

        Raises:
            RefusedError: It cannot be done.
        """
        if self.is_over and not isinstance(step, AssessStep):
            raise RefusedError("DrillEnded", "the drill is over")
        if isinstance(step, AnswerStep):
            return self._answer(step)
        if isinstance(step, HintStep):
            return self._hint()
        if isinstance(step, WhyStep) and WHY_PRICE[self.drill.level] is None:
            raise RefusedError("WhyIsShut", "why is shut in this drill: you are on your own")
        if isinstance(step, WhyStep) and self.named(step.application) is None:
            raise RefusedError("UnknownApplication", f"no single application is meant by {step.application}")
        if isinstance(step, FinishStep):
            self.finished_ms = self.now_ms
        elif isinstance(step, EverythingStep):
            self._act_on_everything(step)
        elif isinstance(step, InjectStep):
            self._act(step.act.act)
        elif isinstance(step, TimedAct):
            self._act(step.act)
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

    def _act(self, act: Act) -> None:
        answer = self._run.simulation.act(resolved(act, finders_in(self.snapshot())))
        if answer.rejected:
            raise RefusedError(answer.rejected, answer.detail or answer.rejected)

    def _act_on_everything(self, step: EverythingStep) -> None:
        snapshot = self.snapshot()
        if step.do == "drain-everything":
            acts: list[Act] = [DrainNode(row.id) for row in snapshot.nodes()]
        else:
            live = still_live(snapshot.applications(why=False))
            acts = [KillApplication(row.id) for row in live]
        for act in acts:
            try:
                self._act(act)
            except RefusedError:
                continue  # gone with one killed before it
            self.log.append(Done(self.now_ms, timed(act, step.at_ms)))

    def _note_shortcuts(self) -> None:
        """Note the shortcuts that are used by now."""
        for shortcut in self.drill.forbidden:
            counted = [
                done
                for done in self.log
                if done.is_act
                and ("*" in shortcut.do or done.step.do in shortcut.do)
                and (not shortcut.applications or getattr(done.step, "application", None) in shortcut.applications)
            ]
            if len(counted) > shortcut.at_most:
                self.used.setdefault(shortcut.name, self.now_ms)

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

    def solved_ms(self) -> int | None:
        """Return when everything was put right and every required question answered right; None where it was not."""
        if self.used:
            return None
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


def _sample(now_ms: int, waiting: int, snapshot: Snapshot) -> Sample:
    header = snapshot.header
    return Sample(now_ms, waiting, header.containers, header.nodes_held)
