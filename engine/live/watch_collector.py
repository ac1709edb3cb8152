"""Prometheus metrics of a live cluster: measures, queues, alarms that stand, and the state of the connection."""

import errno
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.errors import ConfigError
from engine.explain.alert import IF_RUNS_ON
from engine.live.alarms import MEASURES, Alarm
from engine.live.watch_metrics import Hearing, WatchedCluster
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import waits_of

PREFIX: Final = "schedlab_watch_"
LOOPBACK: Final = "127.0.0.1"


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
        raise ConfigError.of(f"port {port} {reason}", key="--listen", hint=hint) from None
    return f"http://{LOOPBACK}:{server.server_port}/metrics"
