"""The latest events of a run, kept by a listener of the simulation; they are told only when looked at."""

from collections.abc import Sequence

from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Reserved, Unreserved, Warned
from tui.view_state import EventRow

KEPT = 5000
"""How many of the latest events are kept, at least."""

_DECISIONS = (Allocated, Reserved, Unreserved, Warned, Killed, ApplicationTransitioned)


class EventTape:
    """Keeps the latest records."""

    def __init__(self) -> None:
        self.rows: list[EventRow] = []
        """Oldest first."""
        self.count = 0
        """How many there were since the run began."""
        self.decisions = 0
        """How many of them were decisions of the scheduler."""
        self.cuts = 0
        """How often the run went on from an instant that had passed."""
        self.has_drained = False
        """Whether a node ever began to be drained."""

    def records(self, time_ms: int, records: Sequence[object]) -> None:
        """Take the records of one instant."""
        for record in records:
            self.rows.append(EventRow(self.count, time_ms, record))
            self.count += 1
            if isinstance(record, _DECISIONS):
                self.decisions += 1
            elif type(record).__name__ == "Draining":
                self.has_drained = True
        if len(self.rows) > 2 * KEPT:
            self.rows = self.rows[-KEPT:]

    def cut(self, time_ms: int, count: int) -> None:
        """Forget what came after an instant [epoch ms], by which there had been so many."""
        self.rows = [row for row in self.rows if row.time_ms <= time_ms]
        self.count = count
        self.cuts += 1

    @property
    def version(self) -> int:
        """Differs whenever the rows do."""
        return self.cuts << 40 | self.count
