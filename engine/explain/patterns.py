"""Patterns that every part of the explanations knows by name, and the search for containers preempted in a circle."""

from collections.abc import Sequence
from typing import Final

from engine.explain.badge_rules import PREEMPTIONS
from engine.explain.lookahead import ahead_of
from engine.incremental import Incremental
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

HEAD_OF_LINE: Final = "FIFO head of line"

LIVELOCK: Final = "preemption livelock"
"""The one pattern that takes playing on to tell."""

LIVELOCK_MS: Final = 1_800_000
"""Time in which they are looked for [ms]."""


Ask = tuple[int, int | None]
"""Application and priority; the priority None of a container whose allocation was not recorded."""


class Preempted:
    """A listener that counts the containers preempted from each ask, until one of the ask ends by itself."""

    def __init__(self) -> None:
        self.counts: dict[Ask, int] = {}
        """Containers preempted since one ended by itself."""
        self.first_ms: dict[Ask, int] = {}
        """When the first of them was [epoch ms]."""
        self.completed: set[Ask] = set()
        """Asks of which a container ended by itself."""
        self._priorities: dict[ContainerId, int] = {}

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Count the records of one instant."""
        for record in records:
            if isinstance(record, Allocated):
                self._priorities[record.container] = record.priority
            elif isinstance(record, Completed | Killed):
                self._ended(record, time_ms)
            elif isinstance(record, ApplicationTransitioned) and record.state in FINAL_APPLICATION_STATES:
                self.counts = {ask: count for ask, count in self.counts.items() if ask[0] != record.application}

    def _ended(self, record: Completed | Killed, time_ms: int) -> None:
        ask = record.container[0], self._priorities.pop(record.container, None)
        if isinstance(record, Completed):
            self.counts.pop(ask, None)
            self.completed.add(ask)
        elif record.cause == "PREEMPTED":
            if ask not in self.counts:
                self.first_ms[ask] = time_ms
            self.counts[ask] = self.counts.get(ask, 0) + 1

    def often(self, times: int) -> tuple[int, ...]:
        """Applications with an ask preempted at least so many times since one of it ended by itself."""
        return tuple(sorted({number for (number, _), count in self.counts.items() if count >= times}))


def goes_round(simulation: Simulation, parties: int = 1) -> Incremental[tuple[int, ...]]:
    """Applications that in the closed world have containers of an ask preempted again and again, and none runs out.

    There are to be so many `parties` at least; fewer only where nobody else is given anything, so that what is taken
    back goes to those it was taken from. While the simulation is copied it must stand still.
    """
    later, preempted = (yield from ahead_of(simulation, LIVELOCK_MS)), Preempted()
    later.simulation.listeners.append(preempted)
    while later.preempted_ms is None and not later.advance():
        yield
    while len(found := preempted.often(PREEMPTIONS)) < parties and not (found and later.first.keys() <= set(found)):
        if preempted.completed >= preempted.first_ms.keys() or later.advance():
            return ()
        yield
    return found
