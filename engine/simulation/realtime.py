"""Drives a simulation in wall time: speed, pause, steps to the next decision.

Work is done in slices of a few ms, so a screen on the same event loop stays responsive. The clock is given from
outside, so tests step it.
"""

from collections.abc import Callable
from math import inf
from typing import Final

from engine.simulation.simulation import Simulation

SLICE_S: Final = 0.006  # Longest duration of one slice of work [s]
REST_S: Final = 0.02  # The longest wait between two slices while the clock runs [s]
CHUNK: Final = 64  # Events between two looks at the wall clock
HORIZON_MS: Final = 7 * 86_400_000  # Most that a step to the next decision, or a run without an end, looks ahead [ms]


class Pace:
    """Moves one simulation, slice by slice."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        speed: float,
        until_ms: int | None = None,
        paused: bool,
        clock: Callable[[], float],
    ) -> None:
        """Stand still until the first `slice`.

        Args:
            simulation: What to move.
            speed: Simulated seconds per second; `inf` is as fast as possible.
            until_ms: End of the run [epoch ms]; None for none.
            clock: The wall clock [s].
        """
        self.simulation = simulation
        self.until_ms = until_ms
        self.speed = speed
        self.paused = paused  # True while simulated time stands; a search may still be under way
        self._clock = clock
        self._goal: int | None = None  # Number of decisions that ends the search under way; None while there is none
        self._limit_ms = 0
        self._anchor()

    def set(self, speed: float, *, paused: bool) -> None:
        """Set speed and pause, from the present on; a search that is under way ends."""
        self.speed, self.paused, self._goal = speed, paused, None
        self._anchor()

    def follow(self, simulation: Simulation) -> None:
        """Move another simulation from now on."""
        self.simulation, self._goal = simulation, None
        self._anchor()

    @property
    def is_stepping(self) -> bool:
        """True while the next decision is searched for."""
        return self._goal is not None

    @property
    def ended(self) -> bool:
        return self.until_ms is not None and self.simulation.now_ms >= self.until_ms

    def step(self) -> None:
        """Pause, and go on to the end of the next event that decides something, in the next slices."""
        self.paused = True
        self._goal = self.simulation.world.decided + 1
        self._limit_ms = self.simulation.now_ms + HORIZON_MS

    def slice(self) -> float:
        """Do one slice of work; return how long to wait before the next [s]."""
        if self._goal is not None:
            self._go_on_stepping(self._goal)
            return 0.0
        if self.paused or self.ended:
            return REST_S
        is_behind = not self._play_to(self._due_ms())
        if self.speed == inf:
            return REST_S if self.simulation.next_event_ms() is None else 0.0
        if is_behind:
            self._anchor()
        return 0.0 if is_behind else REST_S

    def _anchor(self) -> None:
        self._begin_s = self._clock()
        self._begin_ms = self.simulation.now_ms

    def _due_ms(self) -> int:
        if self.speed != inf:
            due = self._begin_ms + int((self._clock() - self._begin_s) * 1000 * self.speed)
            return due if self.until_ms is None else min(due, self.until_ms)
        return self.until_ms if self.until_ms is not None else self.simulation.now_ms + HORIZON_MS

    def _play_to(self, due_ms: int) -> bool:
        """Play up to an instant, or as long as a slice may take; return True when nothing more is due by then."""
        simulation = self.simulation
        deadline = self._clock() + SLICE_S
        while simulation.run_events(CHUNK, due_ms):
            if self._clock() >= deadline:
                return False
        # As fast as possible without an end, time does not run ahead of the last event.
        if self.speed != inf or self.until_ms is not None:
            simulation.run_until(due_ms)
        return True

    def _go_on_stepping(self, goal: int) -> None:
        simulation = self.simulation
        deadline = self._clock() + SLICE_S
        while self._clock() < deadline:
            due = simulation.next_event_ms()
            if due is None or due > self._limit_ms or (self.until_ms is not None and due > self.until_ms):
                self._goal = None
                return
            simulation.run_events(1, due)
            if simulation.world.decided >= goal:
                self._goal = None
                return
