"""Collects the records of a fork that is played on, numbered as in the run itself."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.simulation.records import Record
from engine.simulation.simulation import Simulation


class NumberedRecord(NamedTuple):
    """A record and its number."""

    number: int
    """Number of records before it since the run began."""
    time_ms: int
    """Epoch ms."""
    record: Record

    def __hash__(self) -> int:
        """Return the hash of its number: an act may hold values without a hash."""
        return hash(self.number)


class RecordLog:
    """Keeps all records after the instant in which it begins; a listener."""

    def __init__(self) -> None:
        self.rows: list[NumberedRecord] = []
        """Oldest first."""
        self.begin_ms = 0
        """The instant in which it began [epoch ms]; a part of it may have been over."""
        self._number = 0

    def begin(self, simulation: Simulation) -> None:
        """Listen to a simulation from its present on."""
        self._number = simulation.world.delivered
        self.begin_ms = simulation.now_ms
        simulation.listeners.append(self)

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Keep the records of one instant."""
        if time_ms > self.begin_ms:
            self.rows += [NumberedRecord(self._number + place, time_ms, each) for place, each in enumerate(records)]
        self._number += len(records)
