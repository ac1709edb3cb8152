"""The cluster: joining and leaving nodes, and the life of a container in both ledgers."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvariantError
from engine.model.cluster import Cluster
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.lifecycle import CONTAINER
from engine.model.request import ANY, NODE_LOCAL, OFF_SWITCH, Queue, Resource, ResourceRequest
from tests.engine.model.invariants import check
from tests.engine.model.small import START_MS, allocated, attempt_in, cluster_of, running


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

    application = attempt.application
    application.waiting_since_ms = None
    cluster.recover_requests(attempt, lost.recoverable, START_MS + 5)
    assert {name: one.count for name, one in attempt.groups[1].by_name.items()} == {"/r1": 2, ANY: 3, "n1": 1}
    assert (cluster.pending, attempt.application.waiting_since_ms) == (3, START_MS + 5)

    attempt.stopped = True
    cluster.recover_requests(attempt, lost.recoverable, START_MS)
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


# An attempt's asks, its charge to the queues, and containers that outlive it.


Row = tuple[int, str, int, int, int]
"""(priority, resource name, MB, vcores, count)"""

ROW = st.tuples(
    st.integers(1, 3), st.sampled_from((ANY, "n1", "/r")), st.integers(1, 3), st.integers(1, 2), st.integers(-1, 3)
)


@given(st.lists(st.lists(ROW, max_size=4), max_size=6), st.booleans())
def test_asks_are_replaced_by_priority_and_name(calls: list[list[Row]], forgets: bool) -> None:
    """The last ask for a place holds; where priorities are forgotten, a `*` of nothing takes all of its priority."""
    application, kept = Application(1, "ann", "q", None, 0), dict[tuple[int, str], Row]()
    attempt = Attempt(application, 1, Queue("q", None), 0, forgets_priorities=forgets)
    for rows in calls:
        before = attempt.pending
        changed = attempt.update_requests([ResourceRequest(*row) for row in rows])

        kept |= {row[:2]: row for row in rows}
        last = {row[:2]: row for row in rows}.values()
        gone = {row[0] for row in last if row[1] == ANY and row[4] <= 0} if forgets else set()
        kept = {key: row for key, row in kept.items() if row[0] not in gone}
        there = {
            (request.priority, name): (request.priority, name, request.memory_mb, request.vcores, request.count)
            for group in attempt.groups.values()
            for name, request in group.by_name.items()
        }
        assert there == kept
        assert attempt.pending == sum(max(0, row[4]) for row in kept.values() if row[1] == ANY)
        assert changed == attempt.pending - before
        assert attempt.asked_memory_mb == sum(row[2] * row[4] for row in kept.values())
        assert attempt.asked_vcores == sum(row[3] * row[4] for row in kept.values())
        for group in attempt.groups.values():
            assert group.anywhere is group.by_name.get(ANY)


@pytest.mark.parametrize(
    ("am", "master", "has_asked", "waits", "asks"),
    [
        (None, None, False, False, False),
        (Resource(1024, 1), None, False, True, True),
        (Resource(1024, 1), None, True, True, False),
        (Resource(1024, 1), 1, False, False, False),
    ],
)
def test_a_managed_attempt_waits_for_its_masters_container(
    am: Resource | None, master: int | None, has_asked: bool, waits: bool, asks: bool
) -> None:
    attempt = attempt_in(cluster_of(), am=am)
    attempt.master = master
    if has_asked:
        attempt.group(0)

    assert attempt.unmanaged is (am is None)
    assert (attempt.waits_for_master, attempt.asks_for_master) == (waits, asks)


def test_running_containers_outlive_an_attempt_but_not_its_master() -> None:
    """Allocated ones and the master's stay behind; the queues go on paying for those that part."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    master, worker, other = (running(cluster, attempt, size) for size in (512, 1024, 2048))
    master.is_am = True
    fresh = allocated(cluster, attempt, 4096)
    attempt.marked = {worker.number: worker, fresh.number: fresh}

    kept = attempt.part_with_running()

    assert kept == [worker, other]
    assert attempt.live == {1: master, 4: fresh}
    assert attempt.marked == {4: fresh}
    assert (attempt.used_memory_mb, attempt.used_vcores) == (512 + 4096, 4)
    assert (attempt.queue.used_memory_mb, attempt.queue.used_vcores) == (512 + 1024 + 2048 + 4096, 8)


# Applications, containers and nodes: what they begin with, how they move, and what counts.


def application_of() -> Application:
    return Application(7, "ann", "etl", None, 1000)


@pytest.mark.parametrize(
    ("validity_ms", "now_ms", "count"),
    [(None, 10**9, 3), (100, 199, 3), (100, 200, 2), (100, 299, 2), (100, 300, 1), (100, 399, 1), (100, 400, 0)],
)
def test_failures_count_until_their_validity_has_passed(validity_ms: int | None, now_ms: int, count: int) -> None:
    """One of instant 100 that counts for 100 ms does not count at 200."""
    application = application_of()
    application.failed_ms = (100, 200, 300)
    application.failures_validity_ms = validity_ms

    assert application.failures(now_ms) == count


NODE = Node("n1", 8041, "/r1", 8192, 4, 9, "gpu")


@pytest.mark.parametrize("state", CONTAINER)
def test_a_container_refuses_every_other_move(state: str) -> None:
    for happening in {each for row in CONTAINER.values() for each in row} - CONTAINER[state].keys():
        container = Container(Attempt(application_of(), 2, Queue("root", None), 0), 5, NODE, 3, 1024, 2, 1500)
        container.state = state

        with pytest.raises(InvariantError, match=f"nothing in state {state} can {happening}"):
            container.transition(happening)

        assert container.state == state


Step = tuple[str, int, int]
"""(what happens, number or MB, vcores)"""

STEPS = st.lists(st.tuples(st.sampled_from(("place", "vacate", "resize")), st.integers(0, 5), st.integers(0, 9)))


@given(STEPS)
def test_a_nodes_figures_are_those_of_what_is_placed_on_it(steps: list[Step]) -> None:
    """Used is the sum of its containers, free the rest of the total; whoever is not there is not let go of again."""
    node = Node("n1", 1, "/r", 10, 10, 0)
    attempt = Attempt(application_of(), 1, Queue("root", None), 0)
    total, placed = (10, 10), dict[int, Container]()
    for what, first, second in steps:
        container = placed.get(first) or Container(attempt, first, node, 1, first + 1, second, 0)
        if what == "resize":
            total = (first, second)
            node.resize(first, second)
        elif what == "vacate":
            assert node.vacate(container) is (placed.pop(first, None) is not None)
        elif first not in placed:
            placed[first] = container
            node.place(container)

        used = (sum(each.memory_mb for each in placed.values()), sum(each.vcores for each in placed.values()))
        assert list(node.containers.values()) == list(placed.values())
        assert (node.used_memory_mb, node.used_vcores) == used
        assert (node.total_memory_mb, node.total_vcores) == total
        assert (node.free_memory_mb, node.free_vcores) == (total[0] - used[0], total[1] - used[1])
