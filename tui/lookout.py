"""Keeps an eye on a running simulation for what an operator must know, a little at a time."""

from collections.abc import Sequence

from engine.explain.alerts import Alert, Alerts
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

PIECES = 20
"""How many pieces of work one look may do; more would be felt at the keys."""


class Lookout:
    """A listener that finds alerts as they form."""

    def __init__(self) -> None:
        self._alerts = Alerts()

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        self._alerts.records(time_ms, records)

    def look(self, simulation: Simulation, pieces: int = PIECES) -> list[Alert]:
        """What is new; within an instant nothing is judged."""
        if simulation.next_event_ms() == simulation.now_ms:
            return []
        return self._alerts.look(simulation, pieces)

    @property
    def standing(self) -> str:
        """What holds now, in few words; nothing when all is well."""
        frozen = self._alerts.frozen
        return "" if frozen is None else f"{(frozen.pattern or frozen.verdict).replace('-', ' ')}: nothing moves"
