"""A drill played on screen: a session that stands where the drill begins, and everything the trainee does taken down.

The score does not come from the screen: what was done is played again, as any file of acts is.
"""

from collections.abc import Callable
from functools import cached_property

from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.run.recorded_run import RecordedRun
from engine.simulation.simulation import Simulation
from engine.training.acts_file import step_of_words
from engine.training.debrief import Debrief, debrief_of
from engine.training.drill import WHY_PRICE, DrillQuestion, DrillScenario
from engine.training.exercise import Exercise
from engine.training.history import PlayedDrill, played_of
from engine.training.protocol import begins_at
from engine.training.recorded_steps import StepRecorder, written_steps
from engine.training.score import Yardstick, played
from engine.training.stage import DrillStage
from engine.training.steps import HARMLESS, EverythingStep, TraineeStep
from tui.session.alert_monitor import AlertMonitor
from tui.session.event_log import EventLog
from tui.session.session import Session
from tui.session.time_travel import TimeTravel

SPEED = 1.0
"""How fast the clock runs at first: as the wall clock does."""


class NoAlerts(AlertMonitor):
    """Finds nothing: who is on their own has to notice without help."""

    def look(self, simulation: Simulation, wall: Callable[[], float] | None = None) -> list[Alert]:
        """Nothing is new."""
        return []

    def idle(self, simulation: Simulation) -> bool:
        """Another look would find nothing."""
        return True


def _standing_clock() -> float:
    """A wall clock that stands, so that a look for alerts ends after a fixed number of pieces of work."""
    return 0.0


class DrillPlay:
    """One exercise on screen. Times are ms after the drill's beginning."""

    def __init__(self, drill: DrillScenario, *, best: int | None = None, place: tuple[int, int] = (1, 1)) -> None:
        """Play the scenario up to the drill's beginning and stand there.

        Args:
            drill: What is played.
            best: The trainee's best score so far; None: never played.
            place: Which drill it is of how many.

        Raises:
            ConfigError: The scheduler refuses the scenario's settings.
        """
        self.drill, self.best, self.place = drill, best, place
        self.recorder = StepRecorder(drill.begins_ms)
        self.hints = 0
        self.answers: dict[str, tuple[str, ...]] = {}
        log, alerts = EventLog(), NoAlerts() if WHY_PRICE[drill.drill.level] is None else AlertMonitor()
        recorded = RecordedRun.begin(drill.scenario, [log, alerts, self.recorder], drill.ends_ms)
        while recorded.run.now_ms < drill.drill.begins_ms:
            recorded.advance(drill.drill.begins_ms)
            for alert in alerts.look(recorded.run.simulation, _standing_clock):
                recorded.timeline.mark(alert.since_ms)
        travel = TimeTravel(recorded)
        self.session = Session(recorded.run, log, travel=travel, alerts=alerts, speed=SPEED, paused=True)
        self.debrief: Debrief | None = None
        """None until the exercise is over."""
        self._looked_at = ""
        self._steps: tuple[TraineeStep, ...] = ()
        """What was done up to the end; empty before."""

    @property
    def now_ms(self) -> int:
        """How far the exercise is."""
        return self.session.driver.run.now_ms - self.drill.drill.begins_ms

    @property
    def left_ms(self) -> int:
        """How much time is left."""
        return self.drill.drill.lasts_ms - self.now_ms

    @property
    def is_over(self) -> bool:
        """Whether time is up, or the trainee has ended it."""
        return self.debrief is not None or self.left_ms <= 0

    @property
    def questions(self) -> tuple[DrillQuestion, ...]:
        """What is asked."""
        return self.drill.drill.all_questions()

    @cached_property
    def _yardstick(self) -> Yardstick:
        return Yardstick(DrillStage(self.drill))

    def take_hint(self) -> str | None:
        """The next hint; None when there are no more."""
        if self.hints >= len(self.drill.drill.hints):
            return None
        self._add(do="hint")
        self.hints += 1
        return self.drill.drill.hints[self.hints - 1]

    def answer(self, asks: str, names: tuple[str, ...]) -> None:
        """Answer a question; the last answer counts."""
        self._add(do="answer", question=asks, answer=list(names))
        self.answers[asks] = names

    async def act(self, words: str) -> str:
        """Do an act that no key does, e.g. `resize node=n1 memory=16g vcores=16`; why not, empty when it is done."""
        try:
            step = step_of_words(words, begins_at(self.drill))
        except ConfigError as error:
            return str(error.problems[0])
        if isinstance(step, (*HARMLESS, EverythingStep)):
            return f"{step.do} is no act"
        return (await self.session.acts.follow(step.model_dump())).refusal

    def look(self, pane: str) -> None:
        """Note which pane has the keys."""
        if pane != self._looked_at and not self.is_over:
            self._looked_at = pane
            self._add(do="observe", pane=pane.capitalize())

    def ask_why(self, application: str) -> str:
        """Note that it is asked why something waits; why that is not answered, empty when it is."""
        if self.is_over:
            return ""
        if WHY_PRICE[self.drill.drill.level] is None:
            return "Why is shut in this drill: you are on your own."
        self._add(do="why", application=application)
        return ""

    def finish(self) -> Debrief:
        """End the exercise: what was done is played again and scored."""
        if self.debrief is None:
            self._steps = tuple(self.recorder.steps)
            exercise: Exercise = played(self._yardstick.stage, self._steps)
            self.debrief = debrief_of(exercise, self._yardstick)
        return self.debrief

    def kept(self, when: str, seed: int | None) -> PlayedDrill:
        """The exercise as a history keeps it."""
        debrief = self.finish()
        return played_of(debrief, when, written_steps(self._steps), seed)

    def _add(self, **fields: object) -> None:
        _ = self.recorder.add(self.session.driver.run.simulation.now_ms, **fields)
