"""Rounds of answers as snapshots, beside what the servers' own metrics say."""

from collections.abc import Sequence

import msgspec
import pytest

from engine.live.watch_metrics import with_since
from engine.live.yarn_answers import Amount, RequestInfo
from engine.live.yarn_picture import ObservedReservation, Round, asks_of, snapshot_of_round
from engine.observe.snapshot import UNKNOWN, AskRow, CapacityQueueRow, QueueRow
from tests.engine.live.recorded import SERIES, rounds_of, snapshot_of

ROUNDS = {series: rounds_of(series) for series in SERIES}


@pytest.mark.parametrize("series", SERIES)
def test_the_header_says_what_the_metrics_say(series: str) -> None:
    for answers in ROUNDS[series]:
        header, metrics = snapshot_of(answers).header, answers.metrics
        assert (header.nodes, header.nodes_reserved, header.containers_pending, header.reserved) == (
            metrics.active_nodes,
            metrics.containers_reserved,
            metrics.containers_pending,
            (metrics.reserved_mb, metrics.reserved_virtual_cores),
        )


def test_memory_of_the_nodes_is_the_clusters() -> None:
    for answers in ROUNDS["2.7.2-fair-onset"]:
        header, metrics = snapshot_of(answers).header, answers.metrics
        assert (header.used, header.total) == (
            (metrics.allocated_mb, metrics.allocated_virtual_cores),
            (metrics.total_mb, metrics.total_virtual_cores),
        )


@pytest.mark.parametrize("series", SERIES)
def test_queues_come_in_tree_order_and_children_add_up(series: str) -> None:
    """A parent stands before its children, and runs and waits what they do together."""
    queues = snapshot_of(ROUNDS[series][-1]).queues()
    for queue in queues:
        under = [each for each in queues if each.path.rpartition(".")[0] == queue.path]
        assert [each.depth for each in under] == [queue.depth + 1] * len(under)
        if under:
            assert _counts([queue]) == _counts(under)
            assert queues.index(queue) < min(queues.index(each) for each in under)


def _counts(rows: Sequence[QueueRow]) -> tuple[int, int]:
    return sum(row.applications_running for row in rows), sum(row.applications_pending for row in rows)


def test_what_a_release_does_not_say_is_unknown() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    snapshot = snapshot_of(answers._replace(pages_ms=answers.time_ms - 1))
    queue, node, application = snapshot.queues()[1], snapshot.nodes()[0], snapshot.applications()[0]

    assert {queue.demand, queue.reserved, queue.weight, node.reserved_by, node.reserved} == {UNKNOWN}
    assert {application.reserved, application.reservations} == {UNKNOWN}


def test_a_newer_release_says_more() -> None:
    snapshot = snapshot_of(ROUNDS["3.4.1-fair-busy"][-1])
    queue, application = snapshot.queues()[0], snapshot.applications()[0]

    assert UNKNOWN not in {queue.demand, queue.reserved, application.reserved}


def test_queues_of_the_capacity_scheduler_have_their_capacities() -> None:
    """In percent they come, as parts of one they go; partitions of both labels."""
    rows = [row for row in snapshot_of(ROUNDS["3.4.1-capacity-busy"][0]).queues() if isinstance(row, CapacityQueueRow)]
    dev = next(row for row in rows if row.path == "root.dev")

    assert [use.label for use in dev.partitions] == ["", "gpu"]
    assert (dev.partitions[0].capacity, dev.partitions[1].maximum) == pytest.approx((0.3, 1.0), abs=1e-6)
    assert (dev.guaranteed, dev.max_share) == (dev.partitions[0].guaranteed, dev.partitions[0].limit)


def test_an_application_that_ended_asks_for_nothing_and_has_no_negative_amount() -> None:
    rows = [row for row in snapshot_of(ROUNDS["3.4.1-fair-busy"][-1]).applications() if row.finished_ms is not None]

    assert rows
    assert {(row.pending_containers, row.asks) for row in rows} == {(0, ())}
    assert min(min(*row.used, row.containers) for row in rows) == 0


def test_live_applications_stand_before_those_that_ended() -> None:
    rows = snapshot_of(ROUNDS["3.4.1-fair-busy"][-1]).applications()
    live = [row.number for row in rows if row.finished_ms is None]
    over = [row.finished_ms for row in rows if row.finished_ms is not None]

    assert [row.finished_ms is None for row in rows] == [True] * len(live) + [False] * len(over)
    assert live == sorted(live)
    assert over == sorted(over, key=lambda each: -(each or 0))


def request(place: str, count: int, priority: int = 1) -> RequestInfo:
    capability = Amount(memory=1024, vcores=1)
    return RequestInfo(priority=priority, resource_name=place, capability=capability, num_containers=count)


def test_the_request_for_anywhere_counts_and_the_others_are_places() -> None:
    found = list(asks_of([request("n1", 2), request("*", 3), request("/r1", 3), request("n2", 0)]))

    assert found == [AskRow(1, 3, (1024, 1), ("n1", "/r1"))]


def test_requests_are_in_order_of_priority_without_those_for_nothing() -> None:
    found = list(asks_of([request("*", 1, 20), request("*", 0, 5), request("*", 2, 10)]))

    assert [(each.priority, each.count) for each in found] == [(10, 2), (20, 1)]


def test_one_that_waits_for_its_master_waits_since_it_was_submitted() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    pending = {
        each.id: each.started_time
        for each in answers.applications
        if each.state == "ACCEPTED" and any(True for _ in asks_of(each.requests))
    }
    since = with_since(answers, {})

    assert pending
    assert {one: since[one] for one in pending} == pending
    assert {at for one, at in since.items() if one not in pending} == {answers.time_ms}


def test_since_when_one_waits_is_kept_until_it_asks_for_nothing() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    before = with_since(answers, {})
    later = answers._replace(time_ms=answers.time_ms + 5000)
    satisfied = later._replace(
        applications=[msgspec.structs.replace(each, resource_requests=None) for each in later.applications]
    )

    assert (with_since(later, before), with_since(satisfied, before)) == (before, {})


def holding(answers: Round) -> ObservedReservation:
    """The first node, held by an application that asks for something."""
    asking = next(each for each in answers.applications if any(True for _ in asks_of(each.requests)))
    return ObservedReservation(answers.nodes[0].id, asking.id, answers.time_ms - 1000)


def test_reservations_of_the_log_stand_on_their_nodes() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    held = holding(answers)
    snapshot = snapshot_of_round(answers, 1, {}, [held])
    row, nodes = snapshot.reservations()[0], {each.id: each.reserved_by for each in snapshot.nodes()}

    assert (row.node, row.application, row.since_ms) == held
    assert isinstance(row.size, tuple)
    assert row.short_by == tuple(max(want - free, 0) for want, free in zip(row.size, row.free, strict=True))
    assert {one for one, by in nodes.items() if by == held.application} == {held.node}


@pytest.mark.parametrize(("counted", "holder"), [(0, None), (1, None), (2, UNKNOWN)])
def test_where_the_log_says_less_than_the_server_counts_other_nodes_are_unknown(counted: int, holder: object) -> None:
    """Reservations that were made before the log begins may stand on any of them."""
    answers = ROUNDS["2.7.2-fair-kill"][0]
    answers = answers._replace(metrics=msgspec.structs.replace(answers.metrics, containers_reserved=counted))
    nodes = snapshot_of_round(answers, 1, {}, [holding(answers)]).nodes()

    assert nodes[1].reserved_by == holder
