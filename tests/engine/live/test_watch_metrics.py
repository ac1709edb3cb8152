"""Prometheus metrics of a live cluster, as a scrape gets them."""

import msgspec
from prometheus_client import CollectorRegistry, generate_latest

from engine.live.alarm_rules import parse_rules
from engine.live.watch_metrics import Hearing, WatchCollector
from engine.live.watched import Watched
from engine.observe.snapshot import UNKNOWN, Snapshot
from tests.engine.live.recorded import rounds_of, snapshot_of

FROZEN = snapshot_of(rounds_of("2.7.2-fair-kill")[0])


HEARD = Hearing(True, 40, 5)


def scraped(snapshot: Snapshot | None, hearing: Hearing = HEARD) -> dict[str, float]:
    """What a scrape says after one round: series → value."""
    watched = Watched(parse_rules(["all nodes reserved"]))
    if snapshot is not None:
        watched.take(snapshot)
    registry = CollectorRegistry()
    registry.register(WatchCollector(watched, lambda: hearing))
    lines = generate_latest(registry).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[:1] != "#")}


def test_measures_queues_and_alarms_that_stand_are_said() -> None:
    """By the names that rules have."""
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


def test_what_is_unknown_is_left_out() -> None:
    """A zero would be a lie."""
    unknown = snapshot_of(rounds_of("2.7.2-fair-kill")[0])
    unknown.header = msgspec.structs.replace(unknown.header, containers_pending=UNKNOWN)

    assert "schedlab_watch_pending_containers" not in scraped(unknown)
    assert "schedlab_watch_pending_containers" in scraped(FROZEN)


def test_before_the_first_round_only_the_hearing_is_said() -> None:
    """The server has not answered yet."""
    assert scraped(None, Hearing(False, 0, 0)) == {
        "schedlab_watch_up": 0,
        "schedlab_watch_answer_seconds": 0,
        "schedlab_watch_cost_seconds": 0,
    }
