"""Drives a simulation in wall time: speed, pause, single steps; the one place where the wall clock is read.

Work is done in slices of a few ms, so a screen on the same event loop stays responsive. The clock and the sleep are
given from outside, so tests step them.
"""

import time
from collections.abc import Callable
from enum import Enum
from math import inf
from typing import Final

from engine.simulation.simulation import Simulation

SLICE_S: Final = 0.006  # Longest duration of one slice of work [s]
REST_S: Final = 0.02  # The longest wait between two slices while the clock runs [s]
CHUNK: Final = 64  # Events between two looks at the wall clock
HORIZON_MS: Final = 7 * 86_400_000  # Most that a step to the next decision, or a run without an end, looks ahead [ms]


class StepTarget(Enum):
    """The target of a single step."""

    EVENT = "event"
    HEARTBEAT = "heartbeat"  # The next node heartbeat that is sent to the control plane
    SECOND = "second"
    DECISION = "decision"  # The end of the event that decides something


class Pace:
    """Moves one simulation, slice by slice."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        speed: float = 1.0,
        until_ms: int | None = None,
        paused: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Stand still until the first `slice`.

        Args:
            simulation: What to move; may be exchanged while it runs.
            speed: Simulated seconds per second; `inf` is as fast as possible.
            until_ms: End of the run [epoch ms]; None for none.
            clock: The wall clock [s].
        """
        self._simulation = simulation
        self.until_ms = until_ms
        self._speed = speed
        self._paused = paused
        self._clock = clock
        self._slice_s = SLICE_S
        self._step: StepTarget | None = None
        self._step_goal = 0
        self._step_limit_ms = 0
        self.is_behind = False  # true where the last slice ended before the simulation was as far as the speed demands
        self._anchor()

    @property
    def simulation(self) -> Simulation:
        return self._simulation

    @simulation.setter
    def simulation(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._step = None
        self._anchor()

    @property
    def speed(self) -> float:
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = speed
        self._anchor()

    @property
    def paused(self) -> bool:
        """True while simulated time stands; a single step may still be under way, which setting this ends."""
        return self._paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        self._paused, self._step = paused, None
        self._anchor()

    @property
    def is_stepping(self) -> bool:
        """True while a single step is under way."""
        return self._step is not None

    @property
    def ended(self) -> bool:
        """True once simulated time has reached its end."""
        return self.until_ms is not None and self.simulation.now_ms >= self.until_ms

    def step(self, step: StepTarget) -> None:
        """Pause, and go on to the next event, heartbeat, second or decision, in the next slices."""
        self._paused = True
        self._step = step
        world = self.simulation.world
        self._step_goal = {
            StepTarget.EVENT: 0,
            StepTarget.HEARTBEAT: world.heartbeats + 1,
            StepTarget.SECOND: self.simulation.now_ms + 1000,
            StepTarget.DECISION: world.decided + 1,
        }[step]
        self._step_limit_ms = self.simulation.now_ms + HORIZON_MS

    def slice(self) -> float:
        """Do one slice of work; return how long to wait before the next [s]."""
        if self._step is not None:
            self._go_on_stepping()
            return 0.0
        if self._paused or self.ended:
            return REST_S
        self.is_behind = not self._play_to(self._due_ms())
        if self._speed == inf:
            return REST_S if self.simulation.next_event_ms() is None else 0.0
        if self.is_behind:
            self._anchor()
        return 0.0 if self.is_behind else REST_S

    def _anchor(self) -> None:
        self._begin_s = self._clock()
        self._begin_ms = self.simulation.now_ms

    def _due_ms(self) -> int:
        if self._speed != inf:
            due = self._begin_ms + int((self._clock() - self._begin_s) * 1000 * self._speed)
            return due if self.until_ms is None else min(due, self.until_ms)
        return self.until_ms if self.until_ms is not None else self.simulation.now_ms + HORIZON_MS

    def _play_to(self, due_ms: int) -> bool:
        """Play up to an instant, or as long as a slice may take; return True when nothing more is due by then."""
        simulation = self.simulation
        deadline = self._clock() + self._slice_s
        while simulation.run_events(CHUNK, due_ms):
            if self._clock() >= deadline:
                return False
        # As fast as possible without an end, time does not run ahead of the last event.
        if self._speed != inf or self.until_ms is not None or self._step is StepTarget.SECOND:
            simulation.run_until(due_ms)
        return True

    def _go_on_stepping(self) -> None:
        simulation, step = self.simulation, self._step
        if step is StepTarget.SECOND:
            if self._play_to(self._step_goal):
                self._step = None
            return
        deadline = self._clock() + self._slice_s
        while self._clock() < deadline:
            due = simulation.next_event_ms()
            if due is None or due > self._step_limit_ms or (self.until_ms is not None and due > self.until_ms):
                self._step = None
                return
            simulation.run_events(1, due)
            if self._has_stepped():
                self._step = None
                return

    def _has_stepped(self) -> bool:
        world = self.simulation.world
        if self._step is StepTarget.HEARTBEAT:
            return world.heartbeats >= self._step_goal
        return self._step is StepTarget.EVENT or world.decided >= self._step_goal
