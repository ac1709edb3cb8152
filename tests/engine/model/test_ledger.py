"""Applications, containers and nodes: what they begin with, how they move, and what counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvariantError
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.lifecycle import APPLICATION, CONTAINER
from engine.model.queue import Queue
from engine.model.resource import Resource


def application_of(am: Resource | None = None) -> Application:
    """One that was just submitted."""
    return Application(7, "ann", "etl", am, 1000)


def test_an_application_begins_new_and_waits_since_its_submission() -> None:
    """Nothing is counted yet; the queue it asks for is its own until it is accepted."""
    application = application_of()

    assert (application.number, application.user, application.am) == (7, "ann", None)
    assert (application.queue, application.requested, application.moved_to) == ("etl", "etl", "")
    assert (application.state, application.is_final, application.attempts_made) == ("NEW", False, 0)
    assert (application.submitted_ms, application.waiting_since_ms, application.finished_ms) == (1000, 1000, None)
    assert (application.memory_mb_ms, application.vcore_ms, application.failed_ms) == (0, 0, ())


@pytest.mark.parametrize("state", APPLICATION)
def test_an_application_is_final_in_three_states(state: str) -> None:
    """Finished, failed and killed ones never change."""
    application = application_of()
    application.state = state

    assert application.is_final is (state in ("FINISHED", "FAILED", "KILLED"))


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


def test_an_application_moves_along_its_table() -> None:
    """An illegal move raises and changes nothing."""
    application = application_of()

    application.happen("SUBMIT")
    with pytest.raises(InvariantError, match="nothing in state SUBMITTED can REGISTER"):
        application.happen("REGISTER")

    assert application.state == "SUBMITTED"


def container_of(attempt: int = 2) -> Container:
    """Container 5 of an attempt of application 7."""
    return Container(Attempt(application_of(), attempt, Queue("root", None), 0), 5, NODE, 3, 1024, 2, 1500)


NODE = Node("n1", 8041, "/r1", 8192, 4, 9, "gpu")


def test_a_container_is_known_by_application_attempt_and_number() -> None:
    """It begins new, on nobody's list."""
    container = container_of()

    assert (container.id, container.number, container.node) == ((7, 2, 5), 5, NODE)
    assert (container.priority, container.memory_mb, container.vcores) == (3, 1024, 2)
    assert (container.state, container.created_ms, container.is_am) == ("NEW", 1500, False)
    assert (container.recoverable, container.partition, container.warned_ms) == ((), "", None)


@pytest.mark.parametrize(("state", "happening"), [(state, each) for state, row in CONTAINER.items() for each in row])
def test_a_container_moves_along_its_table(state: str, happening: str) -> None:
    """Every move of the table is taken."""
    container = container_of()
    container.state = state

    container.happen(happening)

    assert container.state == CONTAINER[state][happening]


@pytest.mark.parametrize("state", CONTAINER)
def test_a_container_refuses_every_other_move(state: str) -> None:
    """The message names both, and the state stays."""
    for happening in {each for row in CONTAINER.values() for each in row} - CONTAINER[state].keys():
        container = container_of()
        container.state = state

        with pytest.raises(InvariantError, match=f"nothing in state {state} can {happening}"):
            container.happen(happening)

        assert container.state == state


def test_a_node_begins_empty() -> None:
    """All of it is free, and its id is host and port."""
    node = Node("n1", 8041, "/r1", 8192, 4, 9, "gpu")

    assert (node.id, node.host, node.name, node.port) == ("n1:8041", "n1", "n1", 8041)
    assert (node.rack, node.partition, node.joined, node.state) == ("/r1", "gpu", 9, "RUNNING")
    assert (node.total_memory_mb, node.free_memory_mb, node.used_memory_mb) == (8192, 8192, 0)
    assert (node.total_vcores, node.free_vcores, node.used_vcores) == (4, 4, 0)
    assert (node.containers, node.reserved, node.heartbeat_ms, node.idle_version) == ({}, None, 0, -1)


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
