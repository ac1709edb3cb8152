"""Detects, in pieces, the states of a running simulation that need an operator."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.explain.alert import Alert, standing_of
from engine.explain.alerts import Alerts
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

SLICE_S: Final = 0.004
"""Duration of one look, about; a longer one would be felt at the keys [s]."""

PIECES: Final = 20
"""Most pieces of work of one look."""


RECORDED: Final = frozenset({"lost", "returned"})
"""Kinds of alerts that follow from a record, which is an event of its own."""


class AlertMonitor:
    """Finds alerts as they form, and nodes that go and come back; a listener."""

    def __init__(self, alerts: Alerts | None = None, known: tuple[Alert, ...] = ()) -> None:
        """Listen from now on; `known` was found before."""
        self._alerts = alerts or Alerts()
        self._faults: list[Alert] = []
        """Losses and returns that are not posted yet."""
        self._lost = {each.node for each in standing_of(known) if each.kind == "lost"}
        """The nodes that are lost."""
        self._all = known

    def resumed(self, time_ms: int, allocated_ms: int | None) -> "AlertMonitor":
        """Return the monitor of a run that is taken up again at an earlier instant [epoch ms]; it knows what was known.

        `allocated_ms` is when something was last allocated before that instant.
        """
        alerts = self._alerts.resumed(time_ms, allocated_ms)
        known = [each for each in self.all if each.found_ms <= time_ms]
        known += [each for each in alerts.standing if each not in known]
        return type(self)(alerts, tuple(known))

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        self._alerts.records(time_ms, records)
        for record in records:
            if isinstance(record, NodeLost):
                self._lost.add(record.node)
                words = f"node {record.node} is {record.state.lower()}, with all that ran on it"
                self._faults.append(Alert("lost", time_ms, time_ms, words, node=record.node))
            elif isinstance(record, NodeJoined) and record.node in self._lost:
                self._lost.remove(record.node)
                words = f"node {record.node} is back"
                self._faults.append(Alert("returned", time_ms, time_ms, words, node=record.node))

    def look(self, simulation: Simulation, wall: Callable[[], float] | None = None) -> list[Alert]:
        """Return new alerts; within an instant nothing is judged.

        `wall` is a clock that keeps one look short [s]; None does all the work there is.
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
        """Tell whether another look would find nothing more while the run stands."""
        return _is_inside(simulation) or (not self._faults and self._alerts.idle(simulation))

    @property
    def copying(self) -> bool:
        """True while an instant is copied; the run should stand until it is done."""
        return self._alerts.copying

    @property
    def all(self) -> tuple[Alert, ...]:
        """Return all alerts so far, in order."""
        return (*self._all, *self._faults, *self._alerts.heard)

    @property
    def standing(self) -> tuple[Alert, ...]:
        """Return the states that hold now, the gravest first."""
        return self._alerts.standing


def _is_inside(simulation: Simulation) -> bool:
    """Tell whether events of the instant are still to come."""
    return simulation.next_event_ms() == simulation.now_ms
