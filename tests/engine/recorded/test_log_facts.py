"""What holds all along in a log: states by time, queues, sizes of nodes, and what is said to be inferred."""

from typing import Any

import pytest

from engine.recorded.log_facts import LogFacts, application_states
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
