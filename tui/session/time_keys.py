"""The keys of time: stop the clock, let it run, change its speed, make a step, go into the past and on from there."""

from math import inf

from engine.simulation.realtime import Step
from tui.format import clock
from tui.messages import Noticed
from tui.session.alert_monitor import AlertMonitor
from tui.session.driving import Driving
from tui.session.gc_tuning import settle_again
from tui.session.time_travel import NOT_HERE, PRESENT

SPEEDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, inf)
"""The speeds + and - go through; the last is as fast as the engine goes."""


class TimeKeys(Driving):
    """A run whose clock is driven as the user says."""

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run; a search for a decision ends standing."""
        if self._is_past() or self._is_over():
            return
        was_seeking, self._decided = self._decided is not None, None
        self._set(paused=was_seeking or not self._state.paused)

    def _is_over(self) -> bool:
        """Whether nothing can move any more; says so."""
        state = self._state
        if (state.ended or state.failure) and self._post is not None:
            words = state.failure or f"The scenario ended at {clock(self._run.simulation.now_ms, state.offset_ms)}."
            self._post(Noticed(words, "warning"))
        return state.ended or bool(state.failure)

    def _is_past(self) -> bool:
        """Whether the past is looked at; says so."""
        if self._past.simulation is not None and self._post is not None:
            self._post(Noticed(NOT_HERE, "warning"))
        return self._past.simulation is not None

    def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open."""
        self._held = max(0, self._held + (1 if held else -1))
        self._set()

    def change_speed(self, direction: int) -> None:
        """Take the next speed, or the one before."""
        if direction > 0:
            speed = next((one for one in SPEEDS if one > self._state.speed), SPEEDS[-1])
        else:
            speed = next((one for one in reversed(SPEEDS) if one < self._state.speed), SPEEDS[0])
        self._set(speed=speed)

    def set_speed(self, speed: float) -> None:
        """Run at a speed; 0 is flat out."""
        self._set(speed=speed or inf)

    def step(self, unit: str) -> None:
        """Make one step and stand; in the past, look at the next."""
        if self._past.simulation is not None:
            _ = self.travel("second" if unit == "second" else "on")
            return
        if self._is_over():
            return
        self._decided = None
        self._set(paused=True)
        if unit == "decision":
            self._decided = self._log.decisions
            self._pace.step(Step.DECISION)
        else:
            self._guarded(self._step_second if unit == "second" else self._step_event)
            self._aim()
        self._set()

    def _step_second(self) -> None:
        self._run.advance((self._run.now_ms // 1000 + 1) * 1000)

    def _step_event(self) -> None:
        stop, due = self._next_stop(), self._run.simulation.next_event_ms()
        end = self._state.end_ms if stop is None else stop
        if due is None or (end is not None and due >= end):
            self._cross()
        else:
            self._run.simulation.step()

    # The past

    def travel(self, where: str) -> str:
        """Go through time; the clock stands meanwhile and afterwards."""
        if where == "on" and self._past.simulation is None:
            self.step("decision")
            return ""
        self._decided = None
        words: list[str] = []
        self._set(paused=True)
        self._guarded(lambda: words.append(self._past.travel(where)))
        self._changed()
        self._moving.set()
        return words[0] if words else ""

    def branch(self) -> str:
        """Let the run go on from the instant looked at; it stands first."""
        if self._past.simulation is None:
            return PRESENT
        if words := self.keeping.branch(self._run.simulation.now_ms, self._past.now_ms):
            return words
        simulation = self._past.branch()
        self._log.cut(simulation.now_ms, simulation.world.told)
        self._lookout = AlertMonitor()
        self._run.branch(simulation, [self._log, self._lookout, self._past.history, *self.keeping.listeners])
        self._pace.simulation = simulation
        settle_again()
        self._aim()
        self._set(paused=True, ended=False, failure="", alert="", alerts=())
        return ""
