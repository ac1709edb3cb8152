"""What is known of a live cluster from all rounds so far: the picture, what was, what happened, what is wrong."""

from collections.abc import Sequence
from typing import Final

from engine.explain.alert import Alert
from engine.live.alarm_rules import Alarm, AlarmMonitor, Rule
from engine.live.differences import records_between
from engine.observe.history import YARN, History, Reading
from engine.observe.snapshot import Header, Snapshot, Unknown
from engine.simulation.records import Listener

MOST_ALERTS: Final = 1_000
"""Alerts kept, the latest."""


class Watched:
    """Takes one snapshot after another; keeps the last, the series of graphs, and alerts."""

    def __init__(self, rules: Sequence[Rule], listeners: Sequence[Listener] = ()) -> None:
        """Know nothing yet.

        Args:
            rules: When to raise an alarm.
            listeners: Get the records of what happened between two rounds.
        """
        self.snapshot: Snapshot | None = None
        """The last one; None before the first."""
        self.history = History()
        self.alerts: list[Alert] = []
        self.reading: Reading = ()
        self._alarms = AlarmMonitor(rules)
        self._listeners = listeners
        self._containers: dict[str, int] = {}
        """Application → its containers in the last round."""
        self._allocated = 0
        """Containers that came between rounds, at least."""

    def take(self, snapshot: Snapshot) -> list[Alarm]:
        """Take the snapshot of a round; alarms that begin or end with it."""
        now_ms = snapshot.header.time_ms
        records = list(records_between(self.snapshot, snapshot))
        if records:
            for listener in self._listeners:
                listener.records(now_ms, records)
        self._note(snapshot)
        self.snapshot = snapshot
        alarms = self._alarms.look(snapshot)
        self.alerts = [*self.alerts, *(alert_of(each) for each in alarms)][-MOST_ALERTS:]
        return alarms

    @property
    def standing(self) -> list[Alarm]:
        """Alarms that are not over."""
        return self._alarms.standing

    def _note(self, snapshot: Snapshot) -> None:
        now_ms = snapshot.header.time_ms
        held = {row.id: row.containers for row in snapshot.applications(why=False)}
        if self.snapshot is not None:
            self._allocated += sum(max(0, count - self._containers.get(one, 0)) for one, count in held.items())
        self._containers = held
        self.reading = _reading(snapshot.header, self._allocated)
        self.history.cluster.note(now_ms, self.reading)
        for queue in snapshot.queues():
            if queue.is_leaf:
                self.history.note_queue(queue.path, now_ms, queue.used[0])


def _reading(header: Header, allocated: int) -> Reading:
    pending, held = header.containers_pending, header.nodes_reserved
    values = {
        "total_memory_mb": header.total[0],
        "total_vcores": header.total[1],
        "used_memory_mb": header.used[0],
        "used_vcores": header.used[1],
        "pending_containers": 0 if isinstance(pending, Unknown) else pending,
        "reserved_memory_mb": 0 if isinstance(header.reserved, Unknown) else header.reserved[0],
        "reservations": 0 if isinstance(held, Unknown) else held,
        "preempted_containers": 0,
        "allocated_containers": allocated,
        "containers": header.containers,
        "applications_running": header.applications_running,
        "applications_pending": header.applications_pending,
        "nodes": header.nodes,
    }
    return tuple(values[name] for name in YARN)


def alert_of(alarm: Alarm) -> Alert:
    """An alarm as the screens show it."""
    numbers = tuple(int(name.rpartition("_")[2]) for name in alarm.applications)
    kind = "over" if alarm.is_over else "frozen" if alarm.applications else "stuck"
    return Alert(kind, alarm.since_ms, alarm.time_ms, alarm.sentence, applications=numbers)
