"""Prometheus metrics of a live cluster: measures, queues, alarms that stand, and the state of the connection."""

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.errors import ConfigError, Problem
from engine.explain.alert import IF_RUNS_ON
from engine.live.alarms import MEASURES, Alarm, Alarms, Rule
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
    """Since when applications wait, as far as one who looks on can tell.

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


PREFIX: Final = "schedlab_watch_"
LOOPBACK: Final = "127.0.0.1"


class Hearing(NamedTuple):
    """The state of the connection to a live cluster."""

    is_live: bool  # Whether its server answered last
    took_ms: int  # How long the slowest answer of the last round took
    cost_ms: int  # How long this program worked on the last round


class WatchCollector(Collector):
    """Answers a scrape, in any thread, from the last round; a measure that is unknown is left out."""

    def __init__(self, watched: WatchedCluster, hearing: Callable[[], Hearing]) -> None:
        self._watched, self._hearing = watched, hearing

    def collect(self) -> Iterator[Metric]:
        hearing, snapshot = self._hearing(), self._watched.snapshot
        yield _gauge("up", "Whether the server answered last.", int(hearing.is_live))
        yield _gauge("answer_seconds", "How long the slowest answer of the last round took.", hearing.took_ms / 1000)
        yield _gauge("cost_seconds", "How long this program worked on the last round.", hearing.cost_ms / 1000)
        if snapshot is not None:
            yield from _of_cluster(snapshot)
            yield from _of_queues(snapshot)
            is_frozen = any(alarm.freeze is not None for alarm in self._watched.alarms.active_alarms)
            yield _gauge("frozen", f"Whether the twin proves that nothing starts {IF_RUNS_ON}.", int(is_frozen))
        yield from _of_alarms(self._watched.alarms.active_alarms)


def _of_alarms(standing: Sequence[Alarm]) -> Iterator[Metric]:
    alarms = GaugeMetricFamily(f"{PREFIX}alarm", "Alarms that stand, by rule.", labels=["rule"])
    holds = GaugeMetricFamily(
        f"{PREFIX}alarm_nodes_held",
        "Nodes that an application holds while an alarm stands.",
        labels=["rule", "application", "user", "queue"],
    )
    remedies = GaugeMetricFamily(
        f"{PREFIX}alarm_remedy", "The best remedy tried for an alarm that stands.", labels=["rule", "remedy"]
    )
    for alarm in standing:
        alarms.add_metric([alarm.rule], 1)
        for each in alarm.holders:
            if each.nodes is not None:
                holds.add_metric([alarm.rule, each.application, each.user, each.queue], each.nodes)
        if alarm.remedy:
            remedies.add_metric([alarm.rule, alarm.remedy], 1)
    yield from (alarms, holds, remedies)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(PREFIX + name, about, value)


def _of_cluster(snapshot: Snapshot) -> Iterator[Metric]:
    header = snapshot.header
    yield _gauge("picture_timestamp_seconds", "When the picture was, by the cluster's clock.", header.time_ms / 1000)
    for name, measure in MEASURES.items():
        value = measure(snapshot)
        if value is not None:
            yield _gauge(name, f"Measure {name} of the cluster; memory in MB.", value)
    waiting = waits_of(snapshot.applications(why=False)).number
    yield _gauge("waiting_applications", "Applications that ask for more than they have.", waiting)


def _of_queues(snapshot: Snapshot) -> Iterator[Metric]:
    used = GaugeMetricFamily(f"{PREFIX}queue_memory_used", "Memory that a queue uses [MB].", labels=["queue"])
    pending = GaugeMetricFamily(
        f"{PREFIX}queue_pending_applications", "Applications in a queue that do not run yet.", labels=["queue"]
    )
    for row in snapshot.queues():
        used.add_metric([row.path], row.used[0])
        pending.add_metric([row.path], row.applications_pending)
    yield used
    yield pending


def serve_metrics(collector: WatchCollector, port: int) -> str:
    """Answer scrapes on loopback from now on, in a thread of its own, until the program ends; the address.

    Port 0 is any that is free. Raises ConfigError if the port is taken, or not allowed.
    """
    registry = CollectorRegistry()
    registry.register(collector)
    try:
        server, _ = start_http_server(port, LOOPBACK, registry)
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        reason = "is taken" if is_taken else f"cannot be listened on: {error.strerror or error}"
        hint = "0 takes any that is free" if is_taken else ""
        raise ConfigError([Problem(f"port {port} {reason}", key="--listen", hint=hint)]) from None
    return f"http://{LOOPBACK}:{server.server_port}/metrics"
