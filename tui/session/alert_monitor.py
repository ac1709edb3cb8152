"""Detects, a little at a time, what an operator must know of a running simulation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from engine.control_plane.job_tracker_events import JobTrackerStarted, JobTrackerStopped
from engine.control_plane.protocol import NodeJoined, NodeLost, ResourceManagerStarted, ResourceManagerStopped
from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

SLICE_S: Final = 0.004
"""How long one look may take, about; more would be felt at the keys [s]."""

PIECES: Final = 20
"""How many pieces of work one look does at most."""


GONE: Final = "no-master"
BACK: Final = "master-back"
"""Kinds of alerts: nobody answers any more, and somebody does again."""

RECORDED: Final = frozenset({"lost", "returned", GONE, BACK})
"""Kinds of alerts that a record is made of, which is an event of its own."""

_MASTERS: Final[Mapping[type, tuple[str, str]]] = {
    ResourceManagerStopped: (GONE, "no ResourceManager answers any more"),
    ResourceManagerStarted: (BACK, "a ResourceManager is there again"),
    JobTrackerStopped: (GONE, "no JobTracker answers any more"),
    JobTrackerStarted: (BACK, "a JobTracker is there again"),
}
"""Record → the kind of its alert, and the sentence."""


class AlertMonitor:
    """A listener that finds alerts as they form, and nodes and control planes that go and come back."""

    def __init__(self) -> None:
        self._alerts = Alerts()
        self._faults: list[Alert] = []
        """Losses and returns that were not posted yet."""
        self._lost: set[str] = set()
        """Nodes that are gone."""
        self._all: tuple[Alert, ...] = ()

    def renewed(self) -> "AlertMonitor":
        """One of its kind that has found nothing yet."""
        return type(self)()

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        self._alerts.records(time_ms, records)
        for record in records:
            if isinstance(record, NodeLost):
                self._lost.add(record.node)
                words = f"node {record.node} is {record.state.lower()}, with all that ran on it"
                self._faults.append(Alert("lost", time_ms, time_ms, words))
            elif isinstance(record, NodeJoined) and record.node in self._lost:
                self._lost.remove(record.node)
                self._faults.append(Alert("returned", time_ms, time_ms, f"node {record.node} is back"))
            elif type(record) in _MASTERS:
                kind, words = _MASTERS[type(record)]
                self._faults.append(Alert(kind, time_ms, time_ms, words))

    def look(self, simulation: Simulation, wall: Callable[[], float] | None = None) -> list[Alert]:
        """What is new; within an instant nothing is judged.

        Args:
            simulation: The run.
            wall: A clock to look at, so that one look is short [s]; None does all there is to do.
        """
        if _is_inside(simulation):
            return []
        faults, self._faults = self._faults, []
        found = [*faults, *self._found(simulation, wall)]
        self._all += tuple(found)
        return found

    def _found(self, simulation: Simulation, wall: Callable[[], float] | None) -> list[Alert]:
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
        return _is_inside(simulation) or (not self._faults and self._alerts.idle(simulation))

    @property
    def copying(self) -> bool:
        """Whether an instant is being copied, for which the run should stand until it is done."""
        return self._alerts.copying

    @property
    def all(self) -> tuple[Alert, ...]:
        """Everything that was found so far, in order."""
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
