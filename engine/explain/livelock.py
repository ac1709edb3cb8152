"""Containers that are preempted again and again, so that none ever completes: found in records, proved by a lookahead.

Whoever had containers preempted several times and none that ended by itself is suspected; when the closed world goes on
like that for two applications or more, they take it from each other.
"""

from collections.abc import Sequence
from typing import Final

from engine.explain.alert import Alert
from engine.explain.patterns import LIVELOCK, PREEMPTIONS, goes_round
from engine.explain.shared_lookahead import Basis
from engine.incremental import Incremental, Task
from engine.model.decision import Completed, Killed
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

PARTIES: Final = 2
"""How many applications a livelock has at least."""


class Livelock:
    """Finds them; gets every record, and is asked between two instants."""

    def __init__(self) -> None:
        self.standing: Alert | None = None
        """The alert that holds now."""
        self.spent = 0
        """Pieces of work done so far."""
        self._taken: dict[int, int] = {}
        self._first_ms: dict[int, int] = {}
        self._enough = PREEMPTIONS
        self._basis: Basis | None = None
        self._task: Task[tuple[int, ...]] | None = None

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note what is taken back, and what ends by itself."""
        for record in records:
            if isinstance(record, Completed):
                self._taken.pop(record.container[0], None)
            elif isinstance(record, Killed) and record.cause == "PREEMPTED":
                number = record.container[0]
                if number not in self._taken:
                    self._first_ms[number] = time_ms
                self._taken[number] = self._taken.get(number, 0) + 1

    @property
    def copying(self) -> bool:
        """Whether an instant is being copied, until when the run should stand."""
        return self._task is not None and self._basis is not None and not self._basis.copied

    @property
    def idle(self) -> bool:
        """Whether it has nothing to work on."""
        return self._task is None

    def look(self, simulation: Simulation, pieces: int) -> list[Alert]:
        """Bring it up to date with the present; the alerts that are new.

        Args:
            simulation: The run, between two instants.
            pieces: How many pieces of work may be done now.
        """
        if self.standing is not None:
            return self._over(simulation.now_ms, self.standing)
        suspects = [number for number, count in self._taken.items() if count >= self._enough]
        if self._task is None and len(suspects) >= PARTIES:
            self._basis = Basis(simulation)
            self._task = Task(_looked_ahead(self._basis))
        while self._task is not None and pieces > 0:
            pieces -= 1
            self.spent += 1
            if self._task.advance():
                found, self._task, self._basis = self._task.result(), None, None
                return self._tell(simulation.now_ms, found)
        return []

    def _tell(self, now_ms: int, found: tuple[int, ...]) -> list[Alert]:
        involved = tuple(number for number in found if number in self._taken)
        if len(involved) < PARTIES:
            self._enough *= 2
            return []
        since_ms = min(self._first_ms[number] for number in involved)
        names = " and ".join(str(number) for number in involved)
        sentence = f"{LIVELOCK}: applications {names} take containers from each other, and none of them runs out"
        self.standing = Alert("livelock", since_ms, now_ms, sentence, pattern=LIVELOCK, applications=involved)
        return [self.standing]

    def _over(self, now_ms: int, stood: Alert) -> list[Alert]:
        """The end of a livelock: a container of one of them ran out."""
        if all(number in self._taken for number in stood.applications):
            return []
        self.standing, self._enough = None, PREEMPTIONS
        sentence = f"{LIVELOCK}: a container ran out"
        return [Alert("over", stood.since_ms, now_ms, sentence, applications=stood.applications)]


def _looked_ahead(basis: Basis) -> Incremental[tuple[int, ...]]:
    while not basis.advance():
        yield
    return (yield from goes_round(basis.here, PARTIES))
