"""Plays a drill on screen: a session that stands where the drill begins, and the record of what the trainee does.

The score does not come from the screen: the record is played again, as any file of acts is.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.run.run_store import Progressed, RecordedRun
from engine.scenario import Scenario, TimedAct
from engine.scenario.acts import Act
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.training.debrief import Debrief, WhatIf, debrief_of, what_ifs_at
from engine.training.drill import WHY_PRICE, DrillQuestion, DrillScenario
from engine.training.exercise import DrillStage, Exercise
from engine.training.records import PlayedDrill, played_of
from engine.training.rules import OperatorRules
from engine.training.score import HINT_PRICE, LAST_HINT_PRICE, ScoreBaselines, played
from engine.training.steps import (
    HARMLESS,
    AnswerStep,
    HintStep,
    MessageStep,
    RecordedStep,
    StepRecorder,
    TraineeStep,
    injected,
    step_of_words,
    surviving,
    written_steps,
)
from tui.protocol.picture import APPLICATION, WhySubject
from tui.protocol.session import TraineeScreen
from tui.session.alert_monitor import AlertMonitor, EventLog
from tui.session.session import Session
from tui.session.time_travel import TimeTravel

SPEED: Final = 1.0  # First speed of the clock: that of the wall clock
REPLAY_SPEED: Final = 5.0  # Speed at which the reference solution is shown


class NoAlerts(AlertMonitor):
    """Finds no alerts: a trainee who is on their own has to notice without help."""

    def look(self, simulation: Simulation, wall: Callable[[], float] | None = None) -> list[Alert]:
        return []

    def idle(self, simulation: Simulation) -> bool:
        return True


def _session_at_beginning(
    drill: DrillScenario,
    scenario: Scenario,
    listeners: Sequence[Listener] = (),
    speed: float = SPEED,
    progressed: Progressed | None = None,
) -> Session:
    log, alerts = EventLog(), NoAlerts() if WHY_PRICE[drill.drill.level] is None else AlertMonitor()
    recorded = RecordedRun.begin(scenario, [log, alerts, *listeners], drill.ends_ms)
    while recorded.run.now_ms < drill.drill.begins_ms:
        if progressed is not None:
            progressed(recorded.run.now_ms, drill.drill.begins_ms)
        recorded.advance(drill.drill.begins_ms)
        # A clock that stands: each look ends after a fixed number of pieces, whatever the machine.
        for alert in alerts.look(recorded.run.simulation, lambda: 0.0):
            recorded.timeline.mark(alert.since_ms)
    return Session(recorded.run, log, travel=TimeTravel(recorded), alerts=alerts, speed=speed, paused=True)


class ParReplay:
    """Shows the reference solution of a drill on a cluster of its own; the scenario's script does its acts."""

    def __init__(self, drill: DrillScenario) -> None:
        self.drill = drill
        begins_ms = drill.drill.begins_ms
        acts = [step for step in drill.drill.reference if not isinstance(step, HARMLESS)]
        moved = [act.model_copy(update={"at_ms": begins_ms + act.at_ms}) for act in acts]
        scenario = drill.scenario.model_copy(update={"script": (*drill.scenario.script, *moved)})
        self.session = _session_at_beginning(drill, scenario, speed=REPLAY_SPEED)
        self._shown = 0

    @property
    def is_over(self) -> bool:
        return self._shown == len(self.drill.drill.reference)

    def due(self) -> tuple[TraineeStep, ...]:
        now_ms = self.session.driver.run.now_ms - self.drill.drill.begins_ms
        left = self.drill.drill.reference[self._shown :]
        steps = tuple(step for step in left if step.at_ms <= now_ms)
        self._shown += len(steps)
        return steps


class DrillPlay:
    """One exercise on screen. Times are ms after the drill's beginning."""

    def __init__(
        self,
        drill: DrillScenario,
        *,
        best: int | None = None,
        place: tuple[int, int] = (1, 1),
        listeners: Sequence[Listener] = (),
        progressed: Progressed | None = None,
    ) -> None:
        """Play the scenario up to the drill's beginning and stand there; a `ConfigError` where that is refused.

        `best` is the trainee's best score so far, None: never played; `place` is its number, and of how many drills.
        """
        self.drill, self.best, self.place = drill, best, place
        self.recorder = StepRecorder(drill.begins_ms)
        self.hints = 0
        self.answers: dict[str, tuple[str, ...]] = {}
        self.session = _session_at_beginning(drill, drill.scenario, [self.recorder, *listeners], progressed=progressed)
        self.session.acts.permits = self.not_permitted
        self._rules = OperatorRules(drill)
        self._listeners = (self.recorder, *listeners)
        self.on_end: Callable[[], None] = lambda: None  # Called when the debrief is there
        self.before_end: Callable[[], object] = lambda: None  # Called just before the record is closed
        self.debrief: Debrief | None = None  # None until the exercise is over
        self._looked_at = ""
        self._exercise: Exercise | None = None  # The record, played again at the end; None before
        self.has_begun = False  # True once the brief was read
        self.read = 0  # So many messages were read
        self.unread: list[MessageStep] = []  # Messages that are not opened yet, oldest first
        self.screen: Callable[[], TraineeScreen] = TraineeScreen  # What is on the screen, set by its app
        self.screen_lines: Callable[[], tuple[str, ...]] = tuple  # The main screen as text
        self._steps: tuple[RecordedStep, ...] = ()  # The record up to the end; empty before

    @property
    def now_ms(self) -> int:
        return self.session.driver.run.now_ms - self.drill.drill.begins_ms

    @property
    def left_ms(self) -> int:
        return self.drill.drill.lasts_ms - self.now_ms

    @property
    def is_over(self) -> bool:
        return self.debrief is not None or self.left_ms <= 0

    @property
    def questions(self) -> tuple[DrillQuestion, ...]:
        return self.drill.drill.all_questions()

    @cached_property
    def _yardstick(self) -> ScoreBaselines:
        return ScoreBaselines(DrillStage(self.drill), injected(self._steps))

    def not_permitted(self, act: Act) -> str:
        done = [step.act for step in surviving(self.recorder.steps) if isinstance(step, TimedAct)]
        return self._rules.refusal(act, self.now_ms, done)

    def assess(self, points: int) -> None:
        if self.debrief is None:
            _ = self.add(do="assess", points=points)

    def take_hint(self) -> str | None:
        if self.drill.is_exam or self.hints >= len(self.drill.drill.hints):
            return None
        _ = self.add(do="hint")
        self.hints += 1
        return self.drill.drill.hints[self.hints - 1]

    @property
    def hint_price(self) -> int:
        """Price of the next hint in points; the last one gives the answer away and costs more."""
        return LAST_HINT_PRICE if self.hints + 1 == len(self.drill.drill.hints) else HINT_PRICE

    def answer(self, asks: str, names: tuple[str, ...]) -> None:
        """Answer a question; the last answer counts."""
        _ = self.add(do="answer", question=asks, answer=list(names))
        self.answers[asks] = names

    async def act(self, words: str) -> str:
        """Do an act that no key does, e.g. `resize node=n1 memory=16g vcores=16`; return why not, empty when done."""
        try:
            step = step_of_words(words, self.drill.begins)
        except ConfigError as error:
            return str(error.problems[0])
        if not isinstance(step, TimedAct):
            return f"{step.do} is not an act"
        return (await self.session.acts.do(step.act)).refusal

    def look(self, pane: str) -> None:
        if pane != self._looked_at and not self.is_over:
            self._looked_at = pane
            _ = self.add(do="observe", pane=pane)

    def asked(self, words: str) -> None:
        if self.has_begun and not self.is_over:
            _ = self.add(do="observe", pane=words)

    def ask_why(self, subject: WhySubject) -> str:
        if self.is_over:
            return ""
        if WHY_PRICE[self.drill.drill.level] is None:
            return "Why is shut in this drill: you are on your own."
        if subject.kind == APPLICATION:
            _ = self.add(do="why", application=subject.key)
        else:
            where = f"what waits at {subject.key}" if subject.key else "what starts all that wait"
            _ = self.add(do="why", about=where)
        return ""

    # With an instructor

    @property
    def messages(self) -> tuple[MessageStep, ...]:
        pages = self.drill.drill.exam.pages if self.drill.is_exam else ()
        came = [
            MessageStep(at_ms=page.at_ms, do="message", sender=page.sender, words=page.words)
            for page in pages
            if page.at_ms <= self.now_ms
        ]
        sent = (step for step in surviving(self.recorder.steps) if isinstance(step, MessageStep))
        return tuple(sorted([*came, *sent], key=lambda one: one.at_ms))

    def read_messages(self) -> tuple[MessageStep, ...]:
        found = self.messages
        self.unread.clear()
        if len(found) > self.read:
            self.read = len(found)
            _ = self.add(do="observe", pane="Pages")
        return found

    def answered_ms(self, asks: str) -> int | None:
        steps = surviving(self.recorder.steps)
        times = [step.at_ms for step in steps if isinstance(step, AnswerStep) and step.question == asks]
        return times[-1] if times else None

    def receive(self, sender: str, words: str) -> MessageStep:
        """Receive a message; a `pydantic.ValidationError` where it is empty, or too long."""
        message = self.add(do="message", sender=sender, words=words)
        assert isinstance(message, MessageStep), "a message was added"
        self.unread.append(message)
        return message

    async def go_back(self, to_ms: int) -> str:
        from_ms, clock = self.now_ms, self.session.clock
        result = await clock.travel(f"+{self.drill.drill.begins_ms + to_ms}ms")
        if not result.refusal:
            result = await clock.branch()
        if result.refusal:
            return result.refusal
        self.session.driver.run.simulation.listeners.extend(self._listeners)
        _ = self.add(do="backtrack", from_ms=from_ms)
        left = surviving(self.recorder.steps)
        self.hints = sum(isinstance(step, HintStep) for step in left)
        self.answers = {step.question: step.answer for step in left if isinstance(step, AnswerStep)}
        self._looked_at = ""
        return ""

    def finish(self) -> Debrief:
        if self.debrief is None:
            _ = self.before_end()
            self._steps = tuple(self.recorder.steps)
            self._exercise = played(self._yardstick.stage, self._steps, foretells=True)
            self.debrief = debrief_of(self._exercise, self._yardstick)
            self.on_end()
        return self.debrief

    def what_ifs(self, at_ms: int) -> tuple[WhatIf, ...]:
        """Return what would have been from an instant on; nothing before the end."""
        return () if self._exercise is None else what_ifs_at(self._exercise, self._yardstick, at_ms)

    def kept(self, when: str, seed: int | None) -> PlayedDrill:
        return played_of(self.drill, self.finish().score, when, written_steps(self._steps), seed)

    def add(self, **fields: object) -> RecordedStep:
        return self.recorder.add(self.session.driver.run.simulation.now_ms, **fields)
