"""Everything known of a live cluster from all rounds so far: picture, past, events, problems."""

from collections.abc import Iterator, Sequence

from engine.control_plane.cluster_view import ClusterFigures
from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.live.alarm_rules import Alarm, Rule
from engine.live.alarms import Alarms
from engine.model.decision import ApplicationTransitioned
from engine.observe.history import SERIES, Counts, History, Reading
from engine.observe.snapshot import ApplicationRow, Header, NodeRow, Snapshot
from engine.simulation.records import Listener, Record

DOWN = frozenset({"LOST", "UNHEALTHY", "DECOMMISSIONED", "SHUTDOWN", "REBOOTED", "DEAD"})
"""States of a node that runs nothing."""


def records_between(before: Snapshot | None, after: Snapshot) -> Iterator[Record]:
    """Applications that changed their state, then nodes that left or came.

    Without a snapshot before there is nothing to compare with, and nothing happened.
    """
    if before is None:
        return
    states = {row.id: row.state for row in before.applications(why=False)}
    for row in sorted(after.applications(why=False), key=lambda each: each.number):
        if states.get(row.id) != row.state:
            yield _transition(row)
    nodes = {row.id: row.state for row in before.nodes()}
    for node in after.nodes():
        was = nodes.pop(node.id, "")
        yield from _node(node, was)
    for gone, was in nodes.items():
        if was not in DOWN:
            yield NodeLost(gone, "LOST")


def _transition(row: ApplicationRow) -> ApplicationTransitioned:
    return ApplicationTransitioned(row.number, row.state, row.queue, " ".join(row.diagnostics.split()))


def _node(row: NodeRow, was: str) -> Iterator[Record]:
    if row.state in DOWN and was not in DOWN and was:
        yield NodeLost(row.id, row.state)
    elif row.state not in DOWN and (not was or was in DOWN):
        yield NodeJoined(row.id, row.rack, row.total[0], row.total[1], row.partition)


class Watched:
    """Takes one snapshot after another; keeps the last, the series of graphs, and alarms."""

    def __init__(self, rules: Sequence[Rule], listeners: Sequence[Listener] = ()) -> None:
        """Know nothing yet. `listeners` get the records of what happened between two rounds."""
        self.snapshot: Snapshot | None = None
        """The last one; None before the first."""
        self.history = History()
        self.reading: Reading = ()
        self.alarms = Alarms(rules)
        self._listeners = listeners
        self._containers: dict[str, int] = {}
        """Application → its containers in the last round."""
        self._allocated = 0
        """Containers that came between rounds, at least."""

    def take(self, snapshot: Snapshot, steady_ms: int = 0, records: Sequence[Record] | None = None) -> list[Alarm]:
        """Take the snapshot of a round; alarms that begin or end with it, or say now that it is frozen.

        Args:
            steady_ms: Of a clock that goes on where the cluster's may stand.
            records: What happened since the last one; None finds it out.
        """
        now_ms = snapshot.header.time_ms
        if records is None:
            records = list(records_between(self.snapshot, snapshot))
        if records:
            for listener in self._listeners:
                listener.records(now_ms, records)
        self._note(snapshot)
        self.snapshot = snapshot
        return self.alarms.take(snapshot, steady_ms)

    def _note(self, snapshot: Snapshot) -> None:
        now_ms = snapshot.header.time_ms
        held = {row.id: row.containers for row in snapshot.applications(why=False)}
        if self.snapshot is not None:
            self._allocated += sum(max(0, count - self._containers.get(one, 0)) for one, count in held.items())
        self._containers = held
        self.history.names, read = SERIES[snapshot.dialect]
        header = snapshot.header
        self.reading = read(_figures(header), header.applications_running, Counts(allocated=self._allocated))
        self.history.cluster.note(now_ms, self.reading)
        for queue in snapshot.queues():
            if queue.is_leaf:
                self.history.note_queue(queue.path, now_ms, queue.used[0])


def _figures(header: Header) -> ClusterFigures:
    return ClusterFigures(
        total=header.total,
        used=header.used,
        reserved=header.reserved,
        nodes=header.nodes,
        nodes_down=header.nodes_down,
        nodes_reserved=header.nodes_reserved,
        applications=header.applications_running + header.applications_pending,
        containers=header.containers,
        containers_pending=header.containers_pending,
    )
