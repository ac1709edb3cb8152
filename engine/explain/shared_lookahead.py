"""Shares one closed world, played ahead from an instant, among all questions at that instant.

A run may go on while it is asked about, so the instant is copied first, in pieces; whoever drives the run lets it
stand until that is done (`copied`), which takes a few pieces. The closed world is the dear part. It is played on by
whichever question wants to know more, and what one found out the next one need not.
"""

from collections.abc import Sequence
from typing import Final

from engine.explain.badge_rules import PREEMPTIONS
from engine.explain.lookahead import Ahead, ahead_of
from engine.incremental import Incremental, Task
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed
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
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
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


class Basis:
    """An instant of a run, and what follows from it in the closed world."""

    def __init__(self, simulation: Simulation) -> None:
        """Begin; when the simulation goes on before it is copied, that begins anew, and the instant is a later one."""
        self._copying = Task(simulation.forking(closed=True))
        self._meeting = Task(self._meet())
        self._stands_at = simulation.stands_at()
        self._livelocked: tuple[int, ...] | None = None

    @property
    def copied(self) -> bool:
        """Tell whether the instant is kept, so that the run may go on."""
        return self._copying.done

    def advance(self) -> bool:
        """Do a piece of the copying; whether all of it is done."""
        return self._copying.advance() and self._meeting.advance()

    def _meet(self) -> Incremental[Ahead]:
        return Ahead((yield from self.here.forking()), is_own=True)

    @property
    def here(self) -> Simulation:
        """The instant, closed to what would have come from outside; it is never played."""
        return self._copying.result()

    @property
    def ahead(self) -> Ahead:
        """The closed world, as far as anybody has played it."""
        return self._meeting.result()

    def livelocked(self) -> Incremental[tuple[int, ...]]:
        """Applications whose containers are preempted again and again from this instant on, as of `goes_round`."""
        if self._livelocked is None:
            self._livelocked = yield from goes_round(self.here)
        return self._livelocked

    def is_of(self, simulation: Simulation) -> bool:
        """Tell whether a simulation stands at this instant."""
        return self._stands_at == simulation.stands_at()

    @property
    def reached_ms(self) -> int | None:
        """Return the instant up to which the closed world was played [epoch ms]; None before there is one."""
        return self.ahead.now_ms if self._meeting.done else None
