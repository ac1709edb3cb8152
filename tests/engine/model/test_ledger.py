"""Applications, containers and nodes: what they begin with, how they move, and what counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvariantError
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.lifecycle import CONTAINER
from engine.model.request import Queue, Resource


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
