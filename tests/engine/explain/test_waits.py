"""Who waits for whom, as a graph of holders."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis.strategies import dictionaries, integers, lists

from engine.explain.obstacles import obstacles_found
from engine.explain.waits import BlockingResources, WaitEdge, WaitForGraph, holders
from engine.incremental import Incremental, finish
from engine.schedulers.obstacle_texts import Reason
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update

FULL, HELD = Reason.DOES_NOT_FIT, Reason.NODE_RESERVED


def _hold(
    number: int, *, nodes: Sequence[str] = (), reserved: Sequence[str] = (), memory_mb: int = 0
) -> BlockingResources:
    return BlockingResources(number, HELD if reserved else FULL, (), memory_mb, 0, tuple(reserved), tuple(nodes))


def _graph(edges: Mapping[int, Sequence[int]]) -> WaitForGraph:
    """Application → whose containers on node n<number> it waits for."""

    def holds(number: int) -> Incremental[list[BlockingResources]]:
        yield
        return [_hold(other, nodes=[f"n{other}"]) for other in edges.get(number, ())]

    return WaitForGraph(holds)


@pytest.mark.parametrize(
    ("edges", "steps"),
    [
        ({}, []),
        ({1: [2]}, []),
        ({1: [1]}, []),
        ({1: [2], 2: [1]}, [(1, 2), (2, 1)]),
        ({1: [2], 2: [3], 3: [2]}, [(2, 3), (3, 2)]),
        ({1: [5, 2], 5: [6], 2: [3], 3: [1]}, [(1, 2), (2, 3), (3, 1)]),
        ({1: [2, 3], 2: [4], 3: [4], 4: []}, []),
        ({1: [2], 2: [3, 4], 3: [], 4: [1]}, [(1, 2), (2, 4), (4, 1)]),
    ],
)
def test_a_cycle_is_told_from_where_it_closes(edges: dict[int, list[int]], steps: list[tuple[int, int]]) -> None:
    """Also one that is only led to; who waits for itself waits for nobody."""
    cycle = finish(_graph(edges).cycle_from(1))

    assert cycle == [WaitEdge(one, other, FULL, f"n{other}") for one, other in steps]


GRAPHS = dictionaries(integers(1, 7), lists(integers(1, 7), max_size=4), max_size=7)


@given(GRAPHS)
def test_a_cycle_is_found_exactly_where_somebody_waits_for_himself(edges: dict[int, list[int]]) -> None:
    """Over others, reached from where it is looked for; each step is an edge, nobody is twice in it, and it closes."""

    def reached(begin: int) -> set[int]:
        found, left = set[int](), [begin]
        while left:
            here = left.pop()
            new = {other for other in edges.get(here, ()) if other != here} - found
            found |= new
            left += new
        return found

    steps = [(step.application, step.holder) for step in finish(_graph(edges).cycle_from(1))]

    assert bool(steps) == any(each in reached(each) for each in {1, *reached(1)})
    assert all(holder in edges[one] and holder != one for one, holder in steps)
    assert len({one for one, _ in steps}) == len(steps)
    assert [holder for _, holder in steps] == [one for one, _ in (*steps[1:], *steps[:1])]


def test_who_keeps_what_it_has_waits_for_nobody() -> None:
    graph = _graph({1: [2], 2: [1]})
    graph.keeps(2)

    assert finish(graph.cycle_from(1)) == []


def test_who_uses_up_a_queues_limit_holds_it() -> None:
    """Those in the queue and below; of a user's limit those of the user; who holds nothing is not in the way."""
    rm = resource_manager(
        nodes=1,
        queues=(
            '<queue name="a"><maxRunningApps>2</maxRunningApps></queue><queue name="ab"/>'
            "<userMaxAppsDefault>3</userMaxAppsDefault>"
        ),
    )
    one, idle, other = submit(rm, "root.a"), submit(rm, "root.a", user="bob"), submit(rm, "root.ab", user="cid")
    for number in (one, other):
        ask(rm, number, 1)
    update(rm)
    for _ in range(2):
        heartbeat(rm)
    parked = submit(rm, "root.a", user="dan")
    ask(rm, parked, 1)
    attempt = attempt_of(rm, parked)
    found = finish(holders(rm.scheduler, attempt, finish(obstacles_found(rm.scheduler, attempt, START_MS))))

    assert attempt_of(rm, idle).live == {}
    assert [(each.application, each.because) for each in found] == [(one, Reason.QUEUE_NOT_RUNNING_IT)]
