"""The cluster: joining and leaving nodes, and the life of a container in both ledgers."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.cluster import Cluster
from engine.model.ledger import Attempt, Container
from engine.model.request import ANY, NODE_LOCAL, OFF_SWITCH, Queue, ResourceRequest
from tests.engine.model.invariants import check
from tests.engine.model.small import START_MS, allocated, ask, attempt_in, cluster_of, running


def totals(cluster: Cluster) -> tuple[int, int]:
    return cluster.total_memory_mb, cluster.total_vcores


def figures(cluster: Cluster) -> dict[str, tuple[int, ...]]:
    """What live containers cost, and how much is wanted, live and reserved."""
    return {
        "used": (cluster.used_memory_mb, cluster.used_vcores),
        "metrics": (cluster.metrics_memory_mb, cluster.metrics_vcores),
        "counts": (cluster.pending, cluster.live, cluster.reservations),
    }


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


# Both ledgers against lists that are kept beside them, and the count of changes.

Size = tuple[int, int]


class Scene:
    """Two applications in two queues on two nodes, and what must be true of them by plain lists."""

    def __init__(self) -> None:
        self.cluster = cluster_of(2)
        self.root = Queue("root", None)
        queues = [Queue(f"root.q{number}", self.root) for number in (1, 2)]
        self.attempts = [attempt_in(self.cluster, number, queue=queue) for number, queue in enumerate(queues, 1)]
        self.live: list[tuple[Container, Size]] = []
        self.placed: list[tuple[Container, Size]] = []
        self.held: list[tuple[Container, Size]] = []
        self.drift = (0, 0)
        """What the metrics say more than is live."""
        self.now_ms = START_MS
        self.held_mb_ms = [0, 0]

    def ask(self, pick: int) -> None:
        request = ResourceRequest(pick % 2, ANY, 1000 + pick, 1 + pick % 3, pick % 4)
        self.cluster.update_requests(self.attempts[pick % 2], [request])

    def _asked(self, attempt: Attempt) -> ResourceRequest | None:
        wanted = [group.anywhere for group in attempt.groups.values() if group.anywhere and group.anywhere.count > 0]
        return wanted[0] if wanted else None

    def _give(self, attempt: Attempt, request: ResourceRequest, size: ResourceRequest | Container, node: int) -> None:
        container = self.cluster.allocate(
            attempt,
            attempt.groups[request.priority],
            request,
            size,
            self.cluster.nodes[f"n{node}:1"],
            OFF_SWITCH,
            attempt.next_container_number(),
            self.now_ms,
        )
        self.live.append((container, (size.memory_mb, size.vcores)))
        self.placed.append(self.live[-1])

    def give(self, pick: int) -> None:
        attempt = self.attempts[pick % 2]
        request = self._asked(attempt)
        if request is not None:
            self._give(attempt, request, request, 1 + pick // 2 % 2)

    def reserve(self, pick: int) -> None:
        attempt, node = self.attempts[pick % 2], self.cluster.nodes[f"n{1 + pick // 2 % 2}:1"]
        if node.reserved is None:
            size = (100 + pick, pick)
            container = self.cluster.reserve(attempt, node, 1, *size, attempt.next_container_number(), self.now_ms)
            self.held.append((container, size))

    def fulfil(self, pick: int) -> None:
        """A reservation is dropped, or becomes a container if one is wanted."""
        if not self.held:
            return
        container, size = self.held.pop(pick % len(self.held))
        attempt = container.attempt
        request = self._asked(attempt)
        self.cluster.unreserve(container.node, "KILL" if request is None else "START")
        if request is not None:
            self._give(attempt, request, container, int(container.node.host[1:]))
            self.drift = self.drift[0] + request.memory_mb - size[0], self.drift[1] + request.vcores - size[1]

    def fetch(self, pick: int) -> None:
        self.cluster.fetch(self.attempts[pick % 2])

    def end(self, pick: int) -> None:
        self.now_ms += pick
        if self.live:
            container, (memory_mb, _) = self.live.pop(pick % len(self.live))
            self.held_mb_ms[container.id[0] - 1] += memory_mb * (self.now_ms - container.created_ms)
            self.cluster.end(container, "KILL", self.now_ms)

    def vacate(self, pick: int) -> None:
        ended = [one for one in self.placed if one not in self.live]
        if ended:
            one = ended[pick % len(ended)]
            self.placed.remove(one)
            self.cluster.vacate(one[0])

    def compare(self) -> None:
        cluster = self.cluster
        used = _sum(size for _, size in self.live)
        assert (cluster.used_memory_mb, cluster.used_vcores) == used
        assert (cluster.metrics_memory_mb - self.drift[0], cluster.metrics_vcores - self.drift[1]) == used
        assert (cluster.live, cluster.reservations) == (len(self.live), len(self.held))
        for attempt in self.attempts:
            mine = _sum(size for one, size in self.held if one.attempt is attempt)
            assert (attempt.reserved_memory_mb, attempt.reserved_vcores) == mine
            assert (attempt.queue.reserved_memory_mb, attempt.queue.reserved_vcores) == mine
        assert (self.root.reserved_memory_mb, self.root.reserved_vcores) == _sum(size for _, size in self.held)
        for name, node in cluster.nodes.items():
            assert list(node.containers.values()) == [one for one, _ in self.placed if one.node.id == name]
        assert [one.application.memory_mb_ms for one in self.attempts] == self.held_mb_ms
        check(cluster)


def _sum(sizes: Iterable[Size]) -> Size:
    pairs = list(sizes)
    return sum(one for one, _ in pairs), sum(other for _, other in pairs)


KINDS = ("ask", "give", "give", "reserve", "fulfil", "fetch", "end", "vacate")


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 7)), max_size=40))
def test_both_ledgers_add_up_whatever_happens(steps: list[tuple[str, int]]) -> None:
    """What is paid, placed, held and wanted is the sum of the containers that are."""
    scene = Scene()
    for kind, pick in steps:
        getattr(scene, kind)(pick)
        scene.compare()
