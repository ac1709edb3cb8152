"""Prometheus metrics of a live cluster, as a scrape gets them."""

import httpx
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from engine.errors import ConfigError
from engine.live.alarms import parse_rules
from engine.live.watch_metrics import Hearing, WatchCollector, WatchedCluster, serve_metrics
from engine.observe.snapshot import Snapshot
from tests import PATIENCE_S
from tests.engine.live.recorded import rounds_of, snapshot_of
from tests.engine.live.rows import header, queue, snapshot

FROZEN = snapshot_of(rounds_of("2.7.2-fair-kill")[0])


HEARD = Hearing(True, 40, 5)


def scraped(picture: Snapshot | None, hearing: Hearing = HEARD) -> dict[str, float]:
    watched = WatchedCluster(parse_rules(["all nodes reserved"]))
    if picture is not None:
        watched.take(picture)
    return collected(watched, hearing)


def collected(watched: WatchedCluster, hearing: Hearing = HEARD) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(WatchCollector(watched, lambda: hearing))
    lines = generate_latest(registry).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[:1] != "#")}


def test_measures_queues_and_alarms_that_stand_are_said() -> None:
    found = scraped(FROZEN)

    assert found["schedlab_watch_nodes_reserved"] == 12
    assert found["schedlab_watch_memory_used"] == FROZEN.header.used[0]
    assert found['schedlab_watch_alarm{rule="all nodes reserved"}'] == 1
    assert sorted(value for name, value in found.items() if "alarm_nodes_held" in name and "root." in name) == [1, 11]
    assert found['schedlab_watch_queue_pending_applications{queue="root.adhoc"}'] == next(
        row.applications_pending for row in FROZEN.queues() if row.path == "root.adhoc"
    )
    assert (found["schedlab_watch_up"], found["schedlab_watch_answer_seconds"]) == (1, 0.04)
    assert found["schedlab_watch_cost_seconds"] == 0.005


def test_a_freeze_that_is_proved_is_told() -> None:
    watched = WatchedCluster(parse_rules(["nodes > 0", "all nodes reserved"]))
    watched.take(snapshot(header(1, nodes=1)))
    watched.alarms.judge(header(1, nodes=1), "nothing starts")

    assert collected(watched)["schedlab_watch_frozen"] == 1


def test_queues_are_told_with_what_they_use() -> None:
    watched = WatchedCluster([])
    watched.take(snapshot(header(), queues=[queue("root.a", used=(3, 4), applications_pending=5)]))
    found = collected(watched)

    assert found['schedlab_watch_queue_memory_used{queue="root.a"}'] == 3
    assert found['schedlab_watch_queue_pending_applications{queue="root.a"}'] == 5


def test_scrapes_are_answered_at_an_address_that_nobody_else_has() -> None:
    collector = WatchCollector(WatchedCluster([]), lambda: HEARD)
    address = serve_metrics(collector, 0)
    port = int(address.removeprefix("http://127.0.0.1:").removesuffix("/metrics"))

    assert "schedlab_watch_up 1.0" in httpx.get(address, trust_env=False, timeout=PATIENCE_S).text
    with pytest.raises(ConfigError) as caught:
        serve_metrics(collector, port)
    (problem,) = caught.value.problems
    assert (problem.message, problem.key, problem.hint) == (
        f"port {port} is taken",
        "--metrics",
        "0 takes any that is free",
    )
