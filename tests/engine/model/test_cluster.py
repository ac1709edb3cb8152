"""The cluster: joining and leaving nodes, and the life of a container in both ledgers."""

import pytest

from engine.errors import InvariantError
from engine.model.cluster import FINISHED_REMEMBERED, Cluster
from engine.model.ledger import Application, Attempt, Container
from engine.model.request import ANY, NODE_LOCAL, OFF_SWITCH, ResourceRequest
from tests.engine.model.invariants import check
from tests.engine.model.small import START_MS, allocated, ask, attempt_in, cluster_of, running


def totals(cluster: Cluster) -> tuple[int, int]:
    """Memory and vcores of all nodes."""
    return cluster.total_memory_mb, cluster.total_vcores


def figures(cluster: Cluster) -> dict[str, tuple[int, ...]]:
    """What live containers cost, and how much is wanted, live and reserved."""
    return {
        "used": (cluster.used_memory_mb, cluster.used_vcores),
        "metrics": (cluster.metrics_memory_mb, cluster.metrics_vcores),
        "counts": (cluster.pending, cluster.live, cluster.reservations),
    }


def test_a_node_joins_at_the_end() -> None:
    """It gets the next ordinal, and its total counts."""
    cluster = cluster_of(2)

    node = cluster.add_node("n3", 8041, "/r9", 1000, 3, "gpu")

    assert (node.id, node.name, node.rack, node.partition, node.joined) == ("n3:8041", "n3", "/r9", "gpu", 2)
    assert list(cluster.nodes) == ["n1:1", "n2:1", "n3:8041"]
    assert sorted(cluster.node_order.keys()) == ["n1:1", "n2:1", "n3:8041"]
    assert totals(cluster) == (2 * 8192 + 1000, 2 * 8 + 3)


def test_a_node_may_be_named_with_its_port() -> None:
    """Then requests and blacklists call it so."""
    assert Cluster(0).add_node("n1", 8041, "/r", 1, 1, with_port=True).name == "n1:8041"


def test_a_node_that_is_there_already_is_replaced_and_stays_counted() -> None:
    """The scheduler's own map has it once; the former total is known as counted twice."""
    cluster = cluster_of(1)

    node = cluster.add_node("n1", 1, "/r1", 1000, 3)

    assert cluster.nodes == {"n1:1": node}
    assert cluster.node_order.keys() == ["n1:1"]
    assert totals(cluster) == (8192 + 1000, 8 + 3)
    assert (cluster.doubled_memory_mb, cluster.doubled_vcores) == (8192, 8)


def test_a_node_that_left_comes_back_empty() -> None:
    """Meanwhile it is down, in the state it left by; who removes it takes its total away."""
    cluster = cluster_of(2)
    node = cluster.nodes["n1:1"]

    cluster.remove_node(node, "EXPIRE")
    assert (list(cluster.nodes), cluster.down, node.state) == (["n2:1"], {"n1:1": node}, "LOST")
    assert cluster.node_order.keys() == ["n2:1"]
    assert totals(cluster) == (2 * 8192, 2 * 8)

    cluster.change_total(-8192, -8)
    assert totals(cluster) == (8192, 8)

    again = cluster.add_node("n1", 1, "/r1", 8192, 8)
    assert (list(cluster.nodes), cluster.down, again.state, again.joined) == (["n2:1", "n1:1"], {}, "RUNNING", 2)


def test_a_node_comes_back_along_the_table_only() -> None:
    """One that is down in a state without a way back is a bug of ours."""
    cluster = cluster_of(1)
    cluster.remove_node(cluster.nodes["n1:1"], "REBOOT")
    cluster.down["n1:1"].state = "NOWHERE"

    with pytest.raises(InvariantError, match="nothing in state NOWHERE can JOIN"):
        cluster.add_node("n1", 1, "/r1", 8192, 8)


def test_a_given_container_is_charged_and_placed() -> None:
    """It waits to be fetched; what was asked is answered; its application misses nothing any more."""
    cluster = cluster_of()
    attempt, node = attempt_in(cluster), cluster.nodes["n2:1"]
    asked = [ResourceRequest(4, name, 1024, 2, 1) for name in ("n2", "/r1", ANY)]
    cluster.update_requests(attempt, asked)
    assert cluster.pending == 1

    container = cluster.allocate(attempt, attempt.groups[4], asked[0], asked[0], node, NODE_LOCAL, 9, START_MS + 5)

    assert (container.id, container.number, container.priority) == ((1, 1, 9), 9, 4)
    assert (container.memory_mb, container.vcores, container.node) == (1024, 2, node)
    assert (container.state, container.created_ms) == ("ALLOCATED", START_MS + 5)
    assert list(container.recoverable) == asked
    assert (attempt.live, attempt.newly_allocated) == ({9: container}, [container])
    assert node.containers == {container.id: container}
    assert figures(cluster) == {"used": (1024, 2), "metrics": (1024, 2), "counts": (0, 1, 0)}
    assert attempt.application.waiting_since_ms is None
    check(cluster)


def test_an_application_waits_while_it_misses_another_container() -> None:
    """Only the last one ends its waiting."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    request = ask(cluster, attempt, 2)
    node, group = cluster.nodes["n1:1"], attempt.groups[1]

    cluster.allocate(attempt, group, request, request, node, OFF_SWITCH, 1, START_MS)
    assert attempt.application.waiting_since_ms == START_MS

    cluster.allocate(attempt, group, request, request, node, OFF_SWITCH, 2, START_MS)
    assert attempt.application.waiting_since_ms is None


def test_a_reservation_holds_a_node_until_it_is_fulfilled() -> None:
    """The container has the size that was reserved; the metrics count what is asked by then, as FSAppAttempt does."""
    cluster = cluster_of()
    attempt, node = attempt_in(cluster), cluster.nodes["n1:1"]
    held = cluster.reserve(attempt, node, 1, 2048, 3, 7, START_MS)
    assert (held.state, held.id, held.created_ms, held.priority) == ("RESERVED", (1, 1, 7), START_MS, 1)
    assert (node.reserved, attempt.reserved, cluster.reservations) == (held, {"n1:1": held}, 1)
    assert (attempt.reserved_memory_mb, attempt.reserved_vcores) == (2048, 3)
    assert (attempt.queue.reserved_memory_mb, attempt.queue.reserved_vcores) == (2048, 3)

    request = ask(cluster, attempt, 1, 1024)
    assert cluster.unreserve(node, "START") is held
    cluster.allocate(attempt, attempt.groups[1], request, held, node, OFF_SWITCH, 8, START_MS)

    assert (held.state, node.reserved, attempt.reserved, cluster.reservations) == ("ALLOCATED", None, {}, 0)
    assert (attempt.reserved_memory_mb, attempt.reserved_vcores) == (0, 0)
    assert (attempt.queue.reserved_memory_mb, attempt.queue.reserved_vcores) == (0, 0)
    assert figures(cluster) == {"used": (2048, 3), "metrics": (1024, 2), "counts": (0, 1, 0)}


def test_a_reservation_is_dropped_for_good_unless_it_is_fulfilled() -> None:
    """Where nothing is reserved there is nothing to drop."""
    cluster = cluster_of()
    node = cluster.nodes["n1:1"]
    cluster.reserve(attempt_in(cluster), node, 1, 2048, 3, 7, START_MS)

    assert cluster.unreserve(node).state == "KILLED"
    with pytest.raises(AssertionError, match="nothing is reserved here"):
        cluster.unreserve(node)


def test_new_containers_are_fetched_once_and_in_order() -> None:
    """Then the requests they answered are nobody's to put back."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    containers = [allocated(cluster, attempt) for _ in range(2)]

    assert cluster.fetch(attempt) == containers
    assert [(each.state, each.recoverable) for each in containers] == [("ACQUIRED", ()), ("ACQUIRED", ())]
    assert (attempt.newly_allocated, cluster.fetch(attempt)) == ([], [])


def started(cluster: Cluster, attempt: Attempt, state: str) -> Container:
    """A container of 1024 MB and 2 vcores in a state."""
    container = running(cluster, attempt) if state == "RUNNING" else allocated(cluster, attempt)
    if state == "ACQUIRED":
        cluster.fetch(attempt)
    return container


@pytest.mark.parametrize(
    ("state", "happening", "after", "recovers"),
    [
        ("ALLOCATED", "KILL", "KILLED", True),
        ("ALLOCATED", "EXPIRE", "EXPIRED", False),
        ("ALLOCATED", "RELEASE", "RELEASED", False),
        ("ACQUIRED", "KILL", "KILLED", False),
        ("ACQUIRED", "EXPIRE", "EXPIRED", False),
        ("RUNNING", "KILL", "KILLED", False),
        ("RUNNING", "FINISH", "COMPLETED", False),
    ],
)
def test_a_container_that_ends_is_paid_no_longer(state: str, happening: str, after: str, recovers: bool) -> None:
    """Its node lets go of it later; only one that was killed unfetched is asked for again; what it held is counted."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    container = started(cluster, attempt, state)
    node, other = container.node, running(cluster, attempt_in(cluster, 2))
    attempt.marked = {container.number: container}

    assert cluster.end(container, happening, START_MS + 10) is recovers
    assert container.state == after
    assert (attempt.live, attempt.newly_allocated, attempt.marked) == ({}, [], {})
    assert (attempt.used_memory_mb, attempt.used_vcores) == (0, 0)
    assert (attempt.queue.used_memory_mb, attempt.queue.used_vcores) == (0, 0)
    assert figures(cluster) == {"used": (1024, 2), "metrics": (1024, 2), "counts": (0, 1, 0)}
    assert (attempt.application.memory_mb_ms, attempt.application.vcore_ms) == (10 * 1024, 10 * 2)
    assert (node.used_memory_mb, list(node.containers)) == (2048, [container.id, other.id])

    cluster.vacate(container)
    assert (node.used_memory_mb, list(node.containers)) == (1024, [other.id])
    check(cluster)


def test_marks_of_other_containers_stay_when_one_ends() -> None:
    """Only its own goes."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    first, second = running(cluster, attempt), running(cluster, attempt)
    attempt.marked = {second.number: second}

    cluster.end(first, "FINISH", START_MS)

    assert attempt.marked == {second.number: second}


def test_a_container_that_its_attempt_has_parted_with_costs_it_nothing_more() -> None:
    """It ends all the same."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    container = running(cluster, attempt)
    attempt.part_with_running()

    cluster.end(container, "KILL", START_MS + 10)

    assert (container.state, attempt.queue.used_memory_mb, cluster.live) == ("KILLED", 1024, 1)
    assert attempt.application.memory_mb_ms == 0


def test_the_place_of_a_container_is_freed_once() -> None:
    """Letting go again changes nothing."""
    cluster = cluster_of()
    container = running(cluster, attempt_in(cluster))
    cluster.end(container, "KILL", START_MS)

    cluster.vacate(container)
    version = cluster.version
    cluster.vacate(container)

    assert (cluster.version, container.node.free_memory_mb, container.node.free_vcores) == (version, 8192, 8)


def test_what_a_lost_container_answered_is_asked_for_again() -> None:
    """One more at each place, also where nothing is asked any more; a stopped attempt asks for nothing."""
    cluster = cluster_of()
    attempt, node = attempt_in(cluster), cluster.nodes["n1:1"]
    asked = [ResourceRequest(1, name, 1024, 2, count) for name, count in (("n1", 1), ("/r1", 2), (ANY, 3))]
    cluster.update_requests(attempt, asked)
    lost = cluster.allocate(attempt, attempt.groups[1], asked[0], asked[0], node, NODE_LOCAL, 1, START_MS)

    cluster.recover_requests(attempt, lost.recoverable)
    assert {name: one.count for name, one in attempt.groups[1].by_name.items()} == {"/r1": 2, ANY: 3, "n1": 1}
    assert cluster.pending == 3

    attempt.stopped = True
    cluster.recover_requests(attempt, lost.recoverable)
    assert (attempt.pending, cluster.pending) == (3, 3)


def test_a_container_found_on_a_node_is_nobodys_news() -> None:
    """It runs at once, under the number its attempt keeps it by, and is paid for and placed."""
    cluster = cluster_of()
    attempt, node = attempt_in(cluster, attempt=2), cluster.nodes["n2:1"]

    container = cluster.recover(attempt, (1, 1, 5), node, 3, 1024, 2, START_MS - 7)

    assert (container.id, container.number, container.state) == ((1, 1, 5), -(2**48 + 5), "RUNNING")
    assert (container.priority, container.memory_mb, container.vcores) == (3, 1024, 2)
    assert (container.created_ms, container.node) == (START_MS - 7, node)
    assert (attempt.live, attempt.newly_allocated) == ({container.number: container}, [])
    assert node.containers == {(1, 1, 5): container}
    assert figures(cluster) == {"used": (1024, 2), "metrics": (1024, 2), "counts": (0, 1, 0)}
    assert cluster.container((1, 1, 5)) is container
    check(cluster)


def test_a_stopped_attempt_asks_for_nothing() -> None:
    """What others want stays."""
    cluster = cluster_of()
    attempt, other = attempt_in(cluster), attempt_in(cluster, 2)
    ask(cluster, attempt, 5)
    ask(cluster, other, 3)

    cluster.stop(attempt)

    assert (attempt.stopped, attempt.pending, cluster.pending) == (True, 0, 3)
    assert (attempt.asked_memory_mb, attempt.asked_vcores) == (0, 0)
    assert (attempt.groups, attempt.priorities) == ({}, [])


def test_ended_applications_are_remembered_the_latest_first() -> None:
    """A thousand of them, without an attempt."""
    cluster = cluster_of()
    for number in range(1, FINISHED_REMEMBERED + 2):
        cluster.retire(attempt_in(cluster, number).application)

    assert FINISHED_REMEMBERED == 1000
    assert cluster.applications == {}
    assert [one.number for one in cluster.finished] == list(range(1001, 1, -1))
    assert all(one.attempt is None for one in cluster.finished)


def test_a_live_container_is_found_by_its_id() -> None:
    """Not one that has ended, of another attempt, or of nobody."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    container, ended = running(cluster, attempt), running(cluster, attempt)
    cluster.end(ended, "KILL", START_MS)
    cluster.applications[2] = Application(2, "bob", "root.etl", None, START_MS)

    assert cluster.container((1, 1, 1)) is container
    assert [cluster.container(each) for each in ((1, 1, 2), (1, 2, 1), (2, 1, 1), (3, 1, 1))] == [None] * 4
