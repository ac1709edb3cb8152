"""Moves a run at a speed, in slices, through the steps of its script, and by single steps."""

from collections.abc import Callable

from engine.run.player import Run
from engine.simulation.realtime import Pace, StepTarget
from engine.simulation.simulation import Simulation
from tui.session.event_log import EventLog


class ScriptPace:
    """The pace of one run. The run follows its script and the pace does not, so the pace stops before each step."""

    def __init__(self, run: Run, log: EventLog, *, speed: float, paused: bool, wall: Callable[[], float]) -> None:
        """Stand until the first slice; `speed` is simulated seconds per second, `inf` is flat out."""
        self._run, self._log = run, log
        self.end_ms = run.scenario.start_ms + run.until_ms
        """End of the run [epoch ms]."""
        self._stops = sorted({run.scenario.start_ms + step.at_ms for step in run.scenario.script})
        self._pace = Pace(run.simulation, speed=speed, paused=paused, clock=wall)
        self._decisions: int | None = None
        """Number of decisions when the search for the next began; None while there is no search."""
        self._aim()

    @property
    def is_seeking(self) -> bool:
        """True while the next decision is searched for."""
        return self._decisions is not None

    def set(self, speed: float, *, paused: bool) -> None:
        """Set speed and pause, from the present of the run on; a step that is under way ends."""
        self._pace.speed = speed
        self._pace.paused = paused

    def slice(self) -> float:
        """Work for a slice; return how long to rest then [s]."""
        rest = self._pace.slice()
        if self._decisions is not None:
            self._seek_on(self._decisions)
        elif self._pace.ended:
            self._cross()
        return rest

    def seek(self) -> None:
        """Search for the next decision, in the slices to come."""
        self._decisions = self._log.decisions
        self._pace.step(StepTarget.DECISION)

    def stop_seeking(self) -> None:
        """End the search."""
        self._decisions = None

    def step_second(self) -> None:
        """Go on to the next whole second."""
        self._run.advance((self._run.now_ms // 1000 + 1) * 1000)
        self._aim()

    def step_event(self) -> None:
        """Go on by one event, or to the script's next step."""
        stop, due = self._next_stop(), self._run.simulation.next_event_ms()
        if due is None or due >= (self.end_ms if stop is None else stop):
            self._cross()
        else:
            self._run.simulation.step()
            self._aim()

    def branch(self, simulation: Simulation) -> None:
        """Go on with another simulation, which the run has taken."""
        self._pace.simulation = simulation
        self._aim()

    def _seek_on(self, decisions: int) -> None:
        """End the search where something was decided; over a step of the script it goes on."""
        if self._pace.is_stepping:
            return
        if self._log.decisions == decisions and not self._run.ended:
            self._cross()
        if self._log.decisions != decisions or self._run.ended:
            self._decisions = None
        else:
            self._pace.step(StepTarget.DECISION)

    def _cross(self) -> None:
        """Play the instant of the script's next step, or to the end."""
        stop = self._next_stop()
        self._run.advance(self._run.until_ms if stop is None else stop - self._run.scenario.start_ms)
        self._aim()

    def _next_stop(self) -> int | None:
        now_ms = self._run.simulation.now_ms
        return next((stop for stop in self._stops if now_ms < stop <= self.end_ms), None)

    def _aim(self) -> None:
        """Let the pace stop before the script's next step."""
        stop = self._next_stop()
        self._pace.until_ms = self.end_ms if stop is None else stop - 1
