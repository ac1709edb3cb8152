"""What is known of a live cluster over all rounds: its last snapshot, its series, what came and went, its alarms."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.live.alarms import Alarm, Alarms, Rule
from engine.live.yarn_answers import ApplicationInfo
from engine.live.yarn_poll import Round, asks_of
from engine.model.decision import ApplicationTransitioned
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.history import SERIES, ApplicationCounts, Counts, History, Reading
from engine.observe.snapshot import NodeRow, Snapshot
from engine.observe.snapshots import waits_of
from engine.simulation.records import Listener, Record

# Observes what no answer states of applications: since when they wait, how long their masters start.

LEAST: Final = 3  # Starts that must have been seen


class MasterStartMeter:
    """Measures the time masters take from their container to their registration.

    By Little's law: the sum over all looks of masters that are starting, times the time since the look before, divided
    by the number that began to run, is the mean.
    """

    def __init__(self) -> None:
        self._running: frozenset[str] | None = None
        self._looked_ms = 0
        self._spent_ms = 0
        self._began = 0

    def look(self, applications: Sequence[ApplicationInfo], now_ms: int) -> None:
        running = frozenset(each.id for each in applications if each.state == "RUNNING")
        if self._running is not None:
            starting = sum(each.state == "ACCEPTED" and each.running_containers > 0 for each in applications)
            self._spent_ms += starting * (now_ms - self._looked_ms)
            self._began += len(running - self._running)
        self._running, self._looked_ms = running, now_ms

    @property
    def mean_ms(self) -> int | None:
        """The mean; None where too few were seen."""
        return self._spent_ms // self._began if self._began >= LEAST else None


def with_since(answers: Round, before: Mapping[str, int]) -> dict[str, int]:
    """Since when applications wait, as far as an observer can tell.

    One that does not run yet waits since it was submitted; any other since the round in which it first asked for
    something, and had asked for nothing in the round before.
    """
    since: dict[str, int] = {}
    for each in answers.applications:
        if each.state in FINAL_APPLICATION_STATES or not any(True for _ in asks_of(each.requests)):
            continue
        first = each.started_time if each.state != "RUNNING" else answers.time_ms
        since[each.id] = before.get(each.id, first)
    return since


# Everything known of a live cluster from all rounds so far: picture, past, events, problems.

DOWN = frozenset({"LOST", "UNHEALTHY", "DECOMMISSIONED", "SHUTDOWN", "REBOOTED", "DEAD"})
"""States of a node that runs nothing."""


def records_between(before: Snapshot | None, after: Snapshot) -> Iterator[Record]:
    """Applications that changed their state, then nodes that left or came; none without a snapshot before."""
    if before is None:
        return
    states = {row.id: row.state for row in before.applications(why=False)}
    for row in sorted(after.applications(why=False), key=lambda each: each.number):
        if states.get(row.id) != row.state:
            yield ApplicationTransitioned(row.number, row.state, row.queue, " ".join(row.diagnostics.split()))
    nodes = {row.id: row.state for row in before.nodes()}
    for node in after.nodes():
        was = nodes.pop(node.id, "")
        yield from _node(node, was)
    for gone, was in nodes.items():
        if was not in DOWN:
            yield NodeLost(gone, "LOST")


def _node(row: NodeRow, was: str) -> Iterator[Record]:
    if row.state in DOWN and was not in DOWN and was:
        yield NodeLost(row.id, row.state)
    elif row.state not in DOWN and (not was or was in DOWN):
        yield NodeJoined(row.id, row.rack, row.total[0], row.total[1], row.partition)


class WatchedCluster:
    """Takes one snapshot after another; keeps the last, the series of graphs, and alarms."""

    def __init__(self, rules: Sequence[Rule], listeners: Sequence[Listener] = ()) -> None:
        """Know nothing yet. `listeners` get the records of what happened between two rounds."""
        self.snapshot: Snapshot | None = None  # the last one; None before the first
        self.history = History()
        self.reading: Reading = ()
        self.alarms = Alarms(rules)
        self._listeners = listeners
        self._containers: dict[str, int] = {}  # application → its containers in the last round
        self._allocated = 0  # containers that came between rounds, at least

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
                listener.on_records(now_ms, records)
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
        waits = waits_of(snapshot.applications(why=False))
        live = ApplicationCounts(header.applications_running, waits.first, waits.number)
        self.reading = read(header, live, Counts(allocated=self._allocated))
        self.history.cluster.note(now_ms, self.reading)
        for queue in snapshot.queues():
            if queue.is_leaf:
                self.history.note_queue(queue.path, now_ms, queue.used[0])


class Hearing(NamedTuple):
    is_live: bool  # Whether its server answered last
    took_ms: int  # How long the slowest answer of the last round took
    cost_ms: int  # How long this program worked on the last round
