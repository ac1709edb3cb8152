"""An attempt's asks, its charge to the queues, and containers that outlive it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvariantError
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.lifecycle import CONTAINER
from engine.model.request import ANY, Queue, Resource, ResourceRequest
from tests.engine.model.small import allocated, attempt_in, cluster_of, running


def attempt_of(*, forgets_priorities: bool = False, number: int = 1) -> Attempt:
    return Attempt(
        Application(1, "ann", "q", None, 0), number, Queue("q", None), 0, forgets_priorities=forgets_priorities
    )


Row = tuple[int, str, int, int, int]
"""(priority, resource name, MB, vcores, count)"""

ROW = st.tuples(
    st.integers(1, 3), st.sampled_from((ANY, "n1", "/r")), st.integers(1, 3), st.integers(1, 2), st.integers(-1, 3)
)


@given(st.lists(st.lists(ROW, max_size=4), max_size=6), st.booleans())
def test_asks_are_replaced_by_priority_and_name(calls: list[list[Row]], forgets: bool) -> None:
    """The last ask for a place holds; where priorities are forgotten, a `*` of nothing takes all of its priority."""
    attempt, kept = attempt_of(forgets_priorities=forgets), dict[tuple[int, str], Row]()
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


def application_of(am: Resource | None = None) -> Application:
    return Application(7, "ann", "etl", am, 1000)


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


def container_of(attempt: int = 2) -> Container:
    return Container(Attempt(application_of(), attempt, Queue("root", None), 0), 5, NODE, 3, 1024, 2, 1500)


NODE = Node("n1", 8041, "/r1", 8192, 4, 9, "gpu")


@pytest.mark.parametrize(("state", "happening"), [(state, each) for state, row in CONTAINER.items() for each in row])
def test_a_container_moves_along_its_table(state: str, happening: str) -> None:
    container = container_of()
    container.state = state

    container.happen(happening)

    assert container.state == CONTAINER[state][happening]


@pytest.mark.parametrize("state", CONTAINER)
def test_a_container_refuses_every_other_move(state: str) -> None:
    for happening in {each for row in CONTAINER.values() for each in row} - CONTAINER[state].keys():
        container = container_of()
        container.state = state

        with pytest.raises(InvariantError, match=f"nothing in state {state} can {happening}"):
            container.happen(happening)

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
