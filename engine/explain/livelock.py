"""Finds containers that are preempted again and again, so that none ever completes, and proves it by a lookahead.

An application is suspected when several of its containers were preempted and none ended by itself. When this goes on in
the closed world for two applications or more, they take containers from each other. One application is enough when it
gets back what was taken from it, and no other gets anything.
"""

from collections.abc import Sequence

from engine.explain.alert import PREEMPTIONS, Alert
from engine.explain.instant import LIVELOCK, PARTIES, Preempted, SharedLookahead, goes_round
from engine.incremental import UNBOUNDED, Incremental, Task
from engine.observe.snapshots import terms_for
from engine.simulation.records import Acted, Record
from engine.simulation.simulation import Simulation


class Livelock:
    """Finds them; gets every record, and is asked between two instants."""

    def __init__(self) -> None:
        self.standing: Alert | None = None  # The alert that holds now
        self._preempted = Preempted()
        self._is_acted = False  # True if somebody outside has acted since it was last judged
        self._enough = PREEMPTIONS
        self._basis: SharedLookahead | None = None
        self._task: Task[tuple[int, ...]] | None = None

    def resumed(self, time_ms: int, standing: Alert | None) -> "Livelock":
        """Return that of a run that is taken up again at an earlier instant [epoch ms], with the alert that stood."""
        other = Livelock()
        other.standing, other._preempted = standing, self._preempted.resumed(time_ms)
        return other

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._preempted.on_records(time_ms, records)
        self._is_acted = self._is_acted or Acted in map(type, records)

    @property
    def copying(self) -> bool:
        """Tell whether an instant is being copied, until when the run should stand."""
        return self._task is not None and self._basis is not None and not self._basis.copied

    @property
    def idle(self) -> bool:
        return self._task is None

    @property
    def is_doubted(self) -> bool:
        """Tell whether somebody has acted since the alert that holds was proved."""
        return self.standing is not None and (self._is_acted or self._task is not None)

    @property
    def is_due(self) -> bool:
        return self._is_acted if self.standing is not None else bool(self._preempted.often(self._enough))

    def look(self, simulation: Simulation, pieces: int) -> list[Alert]:
        """Bring it up to date with the present by some pieces of work; the alerts that are new."""
        if self.standing is not None and (over := self._over(simulation.now_ms, self.standing)):
            return over
        if self._task is None and self.is_due:
            self._is_acted = False
            self._basis = SharedLookahead(simulation, stands=pieces == UNBOUNDED)
            self._task = Task(_looked_ahead(self._basis))
        while self._task is not None and pieces > 0:
            pieces -= 1
            if self._task.advance():
                found, self._task, self._basis = self._task.result(), None, None
                return self._tell(simulation, found)
        return []

    def _tell(self, simulation: Simulation, found: tuple[int, ...]) -> list[Alert]:
        now_ms, words = simulation.now_ms, terms_for(simulation.control_plane.dimensions)
        if self.standing is not None:
            if set(self.standing.applications) <= set(found):
                return []
            return self._end(now_ms, self.standing, "it repeats no longer")
        suspects = self._preempted.often(1)
        involved = tuple(number for number in found if number in suspects)
        if not involved or (len(involved) < PARTIES and involved != found):
            self._enough *= 2
            return []
        preempted = self._preempted
        since_ms = min(preempted.first_ms[ask] for ask in preempted.counts if ask[0] in involved)
        names = " and ".join(str(number) for number in involved)
        noun, what = words.application, words.container
        sentence = f"{LIVELOCK}: {noun}s {names} take {what}s from each other, and none of them ends by itself"
        if len(involved) == 1:
            sentence = f"{LIVELOCK}: {what}s preempted from {noun} {names} go back to it and never complete"
        self.standing = Alert(
            "livelock", since_ms, now_ms, sentence, pattern=LIVELOCK, applications=involved, topic=LIVELOCK, noun=noun
        )
        return [self.standing]

    def _over(self, now_ms: int, stood: Alert) -> list[Alert]:
        """The end of a livelock: a container of one of them ran out, or one of them has ended."""
        if set(stood.applications) <= set(self._preempted.often(1)):
            return []
        return self._end(now_ms, stood, "a container ended by itself")

    def _end(self, now_ms: int, stood: Alert, why: str) -> list[Alert]:
        self.standing, self._enough, self._task, self._basis = None, PREEMPTIONS, None, None
        return [stood.over(now_ms, f"{LIVELOCK}: {why}")]


def _looked_ahead(basis: SharedLookahead) -> Incremental[tuple[int, ...]]:
    while not basis.advance():
        yield
    return (yield from goes_round(basis.base_copy, PARTIES))
