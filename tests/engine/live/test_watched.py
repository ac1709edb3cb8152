"""What is known of a live cluster from all rounds so far."""

from collections.abc import Sequence

import msgspec
import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.live.alarms import parse_rules
from engine.live.watch_metrics import DOWN, WatchedCluster, records_between
from engine.model.decision import ApplicationTransitioned
from engine.observe.history import YARN
from engine.observe.snapshot import NodeRow
from engine.simulation.records import Record
from tests.engine.live.recorded import rounds_of, snapshot_of
from tests.engine.live.rows import app, header, node, snapshot

ROUNDS = rounds_of("2.7.2-fair-kill")


class Kept:
    """A listener that keeps everything."""

    def __init__(self) -> None:
        self.all: list[tuple[int, Record]] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.all += [(time_ms, record) for record in records]


def test_applications_that_changed_their_state_are_records() -> None:
    kept = Kept()
    watched = WatchedCluster([], [kept])
    for answers in ROUNDS:
        watched.take(snapshot_of(answers))
    transitions = [each for _, each in kept.all if isinstance(each, ApplicationTransitioned)]

    assert (10, "KILLED") in {(each.application, each.state) for each in transitions}
    assert [at for at, _ in kept.all] == sorted(at for at, _ in kept.all)


def test_graphs_have_the_metrics_of_every_round() -> None:
    watched = WatchedCluster([])
    for answers in ROUNDS:
        watched.take(snapshot_of(answers))
    place, steps = YARN.index("used_memory_mb"), watched.history.cluster
    found = [steps.at(answers.time_ms) for answers in ROUNDS]

    assert [each and each[place] for each in found] == [each.metrics.allocated_mb for each in ROUNDS]


def test_an_alarm_is_an_alert_with_its_applications() -> None:
    watched = WatchedCluster(parse_rules(["all nodes reserved"]))
    for answers in ROUNDS:
        watched.take(snapshot_of(answers))

    first, over = watched.alarms.alerts[:2]
    assert (first.kind, over.kind) == ("alarm", "over")
    assert set(first.applications) == set(over.applications) == {10, 16}


def test_applications_are_told_by_number_with_their_words_on_one_line() -> None:
    before = snapshot(header(), applications=[app(1), app(3, state="ACCEPTED")])
    after = snapshot(
        header(), applications=[app(3, diagnostics=" a\n b "), app(2, state="ACCEPTED", queue="root.p"), app(1)]
    )

    assert list(records_between(before, after)) == [
        ApplicationTransitioned(2, "ACCEPTED", "root.p", ""),
        ApplicationTransitioned(3, "RUNNING", "root.q", "a b"),
    ]


@pytest.mark.parametrize("state", sorted(DOWN))
def test_a_node_that_comes_up_or_goes_down_is_told_once(state: str) -> None:
    """With what it has; one that goes from one such state to another, or is new and down, is not."""
    up, down = node("n", total=(7, 8), partition="gpu"), node("n", state=state)
    other = node("n", state="DECOMMISSIONED" if state != "DECOMMISSIONED" else "LOST")

    def told(before: list[NodeRow], after: list[NodeRow]) -> list[Record]:
        return list(records_between(snapshot(header(), nodes=before), snapshot(header(), nodes=after)))

    joined = NodeJoined("n:1", "/r", 7, 8, "gpu")
    assert told([up], [down]) == [NodeLost("n:1", state)]
    assert told([down], [up]) == told([], [up]) == [joined]
    assert (
        told([], [down]) == told([down], [other]) == told([down], [down]) == told([up], [up]) == told([down], []) == []
    )
    assert told([up], []) == [NodeLost("n:1", "LOST")]


def test_graphs_have_the_figures_of_the_header() -> None:
    """By the names of YARN; applications are all that live, and containers that came are counted up."""
    watched = WatchedCluster([])
    whole = header(3, (4, 5), nodes=6, nodes_down=7, used=(8, 9), total=(10, 11), containers=12, containers_pending=13)
    whole = msgspec.structs.replace(whole, applications_running=14, applications_pending=15)
    for containers in (5, 2, 6):
        watched.take(snapshot(whole, applications=[app(1, containers=containers)]))

    assert dict(zip(watched.history.names, watched.reading, strict=True)) == {
        "total_memory_mb": 10,
        "total_vcores": 11,
        "used_memory_mb": 8,
        "used_vcores": 9,
        "pending_containers": 13,
        "reserved_memory_mb": 4,
        "reservations": 3,
        "preempted_containers": 0,
        "allocated_containers": 4,
        "containers": 12,
        "applications_running": 14,
        "applications_pending": 15,
        "nodes": 6,
        "waiting_first": 0,
        "waiting": 1,
    }
