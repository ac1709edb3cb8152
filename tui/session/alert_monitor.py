"""Detects, a little at a time, what an operator must know of a running simulation."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

SLICE_S: Final = 0.004
"""How long one look may take, about; more would be felt at the keys [s]."""

PIECES: Final = 20
"""How many pieces of work one look does at most."""


class AlertMonitor:
    """A listener that finds alerts as they form."""

    def __init__(self) -> None:
        self._alerts = Alerts()
        self._all: tuple[Alert, ...] = ()

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        self._alerts.records(time_ms, records)

    def look(self, simulation: Simulation, wall: Callable[[], float] | None = None) -> list[Alert]:
        """What is new; within an instant nothing is judged.

        Args:
            simulation: The run.
            wall: A clock to look at, so that one look is short [s]; None does all there is to do.
        """
        if _is_inside(simulation):
            return []
        if wall is None:
            return self._alerts.look(simulation)
        begin = wall()
        found = self._alerts.look(simulation, 1)
        for _ in range(PIECES - 1):
            if self._alerts.idle(simulation) or wall() - begin >= SLICE_S:
                break
            found += self._alerts.look(simulation, 1)
        return found

    def idle(self, simulation: Simulation) -> bool:
        """Whether another look where the run stands would find nothing more."""
        return _is_inside(simulation) or self._alerts.idle(simulation)

    @property
    def copying(self) -> bool:
        """Whether an instant is being copied, for which the run should stand until it is done."""
        return self._alerts.copying

    @property
    def all(self) -> tuple[Alert, ...]:
        """Everything that was found so far, in order."""
        if len(self._all) != len(self._alerts.all):
            self._all = tuple(self._alerts.all)
        return self._all

    @property
    def current(self) -> str:
        """What holds now, in few words, the gravest of it; nothing when all is well."""
        found = next((alert.words for alert in self._alerts.standing), "")
        unjudged = self._alerts.unjudged
        return found if found or not unjudged else f"{unjudged} waiting not yet judged"


def _is_inside(simulation: Simulation) -> bool:
    """Whether something of the instant is still to come."""
    return simulation.next_event_ms() == simulation.now_ms
