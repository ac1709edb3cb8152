"""Measures how long a run could allocate nothing any more, by proof, though somebody waited."""

from collections.abc import Sequence

from engine.explain.freeze_detector import Outlook
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation


class FreezeMeter:
    """A listener; asked between two instants, never from within a listener."""

    def __init__(self) -> None:
        self._outlook = Outlook()
        self._since_ms: int | None = None
        self._frozen_ms = 0

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant: an allocation ends a freeze."""
        self._outlook.records(time_ms, records)
        self._follow(time_ms)

    def look(self, simulation: Simulation) -> None:
        """Prove whether it is frozen now."""
        self._outlook.look(simulation)
        self._follow(simulation.now_ms)

    def frozen_ms(self, until_ms: int) -> int:
        """Return how long it was frozen up to an instant [epoch ms]."""
        return self._frozen_ms + (0 if self._since_ms is None else until_ms - self._since_ms)

    def _follow(self, now_ms: int) -> None:
        formed_ms = self._outlook.formed_ms
        if self._since_ms is not None and formed_ms is None:
            self._frozen_ms += now_ms - self._since_ms
            self._since_ms = None
        elif self._since_ms is None:
            self._since_ms = formed_ms
