"""Any past instant of a run, by replaying from the nearest copy kept."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from engine.simulation.history import Act
from engine.simulation.simulation import Simulation

KEPT: Final = 32
"""Copies kept at most; the oldest asked for, but the first, goes."""


class Moments:
    """Gives copies of a run as it was; what is done to them does not come back."""

    def __init__(self, start: Simulation, acts: Sequence[Act]) -> None:
        """Begin.

        Args:
            start: The run at its start; it is not changed.
            acts: What came from outside, as `Simulation.acts` keeps it.
        """
        self._acts = tuple(acts)
        self._kept: dict[int, Simulation] = {start.now_ms: start.fork()}
        self.first_ms = start.now_ms
        """The earliest instant [epoch ms]."""

    def at(self, time_ms: int) -> Simulation:
        """A copy of the run at the end of an instant [epoch ms], not before its start."""
        times = sorted(self._kept)
        place = bisect_right(times, time_ms)
        nearest = self._kept[times[max(place - 1, 0)]]
        if nearest.now_ms != time_ms:
            nearest = play_on(nearest.fork(), self._acts, time_ms)
            self._keep(time_ms, nearest)
        return nearest.fork()

    def _keep(self, time_ms: int, simulation: Simulation) -> None:
        if len(self._kept) >= KEPT:
            self._kept.pop(next(each for each in self._kept if each != self.first_ms))
        self._kept[time_ms] = simulation


def play_on(simulation: Simulation, acts: Sequence[Act], time_ms: int) -> Simulation:
    """Let a copy go on to the end of an instant as the run did, with the acts that came meanwhile; returns it."""
    for position, action in acts[len(simulation.acts) :]:
        if position[0] > time_ms:
            break
        simulation.run_to(position)
        simulation.act(action)
    simulation.run_until(time_ms)
    return simulation
