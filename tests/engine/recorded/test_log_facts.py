"""What holds all along in a log: states by time, queues, sizes of nodes, and what is said to be inferred."""

from typing import Any

import pytest

from engine.recorded.log_facts import ASKS, NODE_SIZES, UNPLACED, UNSEEN, LogFacts, application_states, state_at
from tests.engine.recorded.timelines import app, container, held, node, timeline


@pytest.mark.parametrize(
    ("one", "states"),
    [
        (app(1), [(10, "RUNNING")]),
        (app(1, (20, "RUNNING")), [(10, "ACCEPTED"), (20, "RUNNING")]),
        (app(1, (20, "ACCEPTED")), [(10, "SUBMITTED"), (20, "ACCEPTED")]),
        (app(1, (20, "FINISHED")), [(10, "RUNNING"), (20, "FINISHED")]),
        (app(1, (20, "NEW_SAVING"), submitted_ms=15), [(10, "NEW"), (20, "NEW_SAVING")]),
        (app(1, (20, "SUBMITTED"), submitted_ms=5), [(5, "NEW"), (20, "SUBMITTED")]),
        (app(1, (20, "SUBMITTED")), [(10, "RUNNING"), (20, "SUBMITTED")]),
        (app(1, (20, "ACCEPTED"), submitted_ms=5), [(5, "SUBMITTED"), (20, "ACCEPTED")]),
        (
            app(1, (20, "RUNNING"), (30, "FINAL_SAVING"), (40, "FINISHING"), (50, "FINISHED")),
            [(10, "ACCEPTED"), (20, "RUNNING"), (40, "FINISHED")],
        ),
        (app(1, (20, "RUNNING"), (30, "KILLING"), (40, "KILLED")), [(10, "ACCEPTED"), (20, "RUNNING"), (40, "KILLED")]),
        (app(1, finished_ms=90, final="FAILED"), [(10, "RUNNING"), (90, "FAILED")]),
        (app(1, finished_ms=90, final="SUCCEEDED"), [(10, "RUNNING"), (90, "FINISHED")]),
        (app(1, finished_ms=10, final="KILLED"), [(10, "RUNNING"), (10, "KILLED")]),
        (app(1, finished_ms=9, final="KILLED"), [(10, "RUNNING")]),
        (app(1, (20, "KILLED"), finished_ms=90, final="FAILED"), [(10, "RUNNING"), (20, "KILLED")]),
    ],
)
def test_states_of_an_application_are_those_that_clients_see(one: Any, states: list[tuple[int, str]]) -> None:
    """What was before its first line is inferred; passing states are those before them."""
    assert application_states(one) == states


@pytest.mark.parametrize(("time_ms", "state"), [(0, "a"), (9, "a"), (10, "a"), (19, "a"), (20, "b"), (99, "b")])
def test_a_state_holds_until_the_next(time_ms: int, state: str) -> None:
    """Before the first that one."""
    assert state_at([(10, "a"), (20, "b")], time_ms) == state


@pytest.mark.parametrize(
    ("states", "parts", "found"),
    [
        ([(50, "NEW"), (60, "RUNNING")], [], [(50, "RUNNING"), (60, "RUNNING")]),
        ([(50, "RUNNING")], [], [(50, "RUNNING")]),
        ([(50, "LOST")], [], [(5, "RUNNING"), (50, "LOST")]),
        ([], [], [(5, "RUNNING")]),
        ([(50, "NEW")], [container(1, 40)], [(40, "RUNNING"), (50, "RUNNING")]),
        ([(50, "NEW")], [held(30)], [(30, "RUNNING"), (50, "RUNNING")]),
        ([(50, "NEW")], [container(1, 40, node="n2:1"), held(30, node=None)], [(50, "RUNNING")]),
    ],
)
def test_a_node_is_there_from_the_first_that_is_known_of_it(
    states: list[tuple[int, str]], parts: list[Any], found: list[tuple[int, str]]
) -> None:
    """By its own lines, by a container or a reservation; all along where its first line says that it was."""
    facts = LogFacts(timeline(app(1), node("n1:1", *states), *parts, begin_ms=5))

    assert facts.node_states["n1:1"] == found


@pytest.mark.parametrize(
    ("parts", "size"),
    [
        ([], (0, 0)),
        ([container(1, 10, 20), container(2, 20, 30)], (100, 1)),
        ([container(1, 10, 21), container(2, 20, 30)], (200, 2)),
        ([container(1, 10), container(2, 20, vcores=None), container(3, 30, memory_mb=None)], (200, 2)),
        ([container(1, 10, 20, memory_mb=500), container(2, 30, 40, vcores=7)], (500, 7)),
        ([container(1, 10, node="n2:1"), container(2, 10, node=None)], (0, 0)),
    ],
)
def test_a_node_that_no_line_sizes_has_what_was_in_use_at_most(parts: list[Any], size: tuple[int, int]) -> None:
    """In each dimension; at one instant what ends goes first."""
    facts = LogFacts(timeline(app(1), node("n1:1", memory_mb=None, vcores=None), *parts))

    assert facts.node_size("n1:1") == size


def test_a_size_that_a_line_gives_is_believed() -> None:
    """Whatever runs there."""
    facts = LogFacts(timeline(app(1), node("n1:1", memory_mb=50, vcores=None), container(1, 10)))

    assert facts.node_size("n1:1") == (50, 0)


@pytest.mark.parametrize(
    ("one", "scheduler", "queues"),
    [
        (app(1), "", [(10, "")]),
        (app(1, queue="q"), "CapacityScheduler", [(10, "q")]),
        (app(1, queue="q"), "FairScheduler", [(10, "root.q")]),
        (app(1, queue="root"), "FairScheduler", [(10, "root")]),
        (app(1, queue="root.q"), "FairScheduler", [(10, "root.q")]),
        (app(1, queue="roots"), "FairScheduler", [(10, "root.roots")]),
        (app(1), "FairScheduler", [(10, "")]),
        (app(1, queue="b", queues=[(15, "a"), (30, "b")]), "FairScheduler", [(10, "root.a"), (30, "root.b")]),
        (app(1, queue="c", queues=[(15, "a"), (30, "")]), "", [(10, "a"), (30, "c")]),
    ],
)
def test_queues_of_an_application_are_paths_from_its_beginning_on(
    one: Any, scheduler: str, queues: list[tuple[int, str]]
) -> None:
    """FairScheduler may leave the root out; who moved where no line says went where it was last."""
    facts = LogFacts(timeline(one, scheduler=scheduler))

    assert facts.queues[one.id] == queues
    assert [facts.queue_at(one.id, since_ms) for since_ms, _ in queues] == [path for _, path in queues]


@pytest.mark.parametrize(
    ("parts", "notes"),
    [
        ([app(1)], []),
        ([app(1), node("n1:1", memory_mb=None)], [f"Inferred: {NODE_SIZES}."]),
        ([app(1), node("n1:1"), held(10)], [f"Inferred: {ASKS}."]),
        ([app(1), node("n1:1"), container(1, 10, is_master=True)], [f"Inferred: {ASKS}."]),
        ([app(1), node("n1:1"), container(1, 10, node=None)], [UNPLACED]),
    ],
)
def test_it_is_said_what_is_inferred(parts: list[Any], notes: list[str]) -> None:
    """And that what no line names is not there."""
    assert LogFacts(timeline(*parts)).notes == [UNSEEN, *notes]
