"""Why applications wait while their ResourceManager is gone or recovers, and what becomes of them."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis.strategies import dictionaries, integers, lists

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.counterfactuals import Lookahead
from engine.explain.explainers import explainer_of
from engine.explain.obstacles import obstacles_found
from engine.explain.waits import BlockingResources, WaitEdge, WaitForGraph, holders
from engine.incremental import Incremental, run_to_end
from engine.observe.obstacles import obstacle_summary
from engine.scenario.acts import LoseNode, LoseResourceManager, RestartResourceManager
from engine.schedulers.obstacle_texts import Reason
from engine.simulation.simulation import Simulation
from tests.build import SCHEDULERS, START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update
from tests.engine.simulation.scenes import played
from tests.engine.simulation.test_outages import QUICK, scene


def codes(simulation: Simulation) -> dict[int, str]:
    """Why each application waits, by number; without those that wait for nothing."""
    rm = simulation.control_plane
    assert isinstance(rm, ResourceManager)
    found = {
        number: obstacle_summary(rm.scheduler, each.attempt, simulation.now_ms)
        for number, each in rm.cluster.applications.items()
        if each.attempt is not None
    }
    return {number: why.code for number, why in found.items() if why is not None}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_each_stage_of_a_restart_has_its_obstacle(scheduler: str) -> None:
    """Nobody answers; then the master is missing; then the wait lasts; then the policy decides."""
    one = scene(QUICK, scheduler)
    simulation, _ = played(one, 64)
    simulation.act(RestartResourceManager(6_000))
    down = codes(simulation)
    simulation.run_until(one.start_ms + 70_010)
    missing = codes(simulation)
    simulation.run_until(one.start_ms + 79_990)
    wait = codes(simulation)
    simulation.run_until(one.start_ms + 82_000)

    assert down in ({}, {1: "NO_RESOURCE_MANAGER"})
    assert missing[1] == "MASTER_NOT_BACK"
    assert set(wait.values()) == {"RECOVERY_WAIT"}
    assert "RECOVERY_WAIT" not in codes(simulation).values()


def test_without_a_resource_manager_nothing_ever_starts() -> None:
    one = scene()
    simulation, _ = played(one, 60)
    simulation.act(LoseResourceManager())
    simulation.run_until(one.start_ms + 64_000)
    ahead = Lookahead(simulation)

    assert ahead.until_started(1) is None
    assert ahead.still
    assert ahead.now_ms - simulation.now_ms < 60_000


def test_nodes_that_are_not_back_are_counted_beside_the_others() -> None:
    """Whoever waits learns how many of all known nodes are missing; first that there is none, in the end nothing."""
    one = scene(QUICK)
    simulation, _ = played(one, 64)
    simulation.act(RestartResourceManager(6_000))
    simulation.act(LoseNode("n1:8041"))

    def reasons(until_s: float) -> dict[int, dict[str, int]]:
        simulation.run_until(one.start_ms + int(until_s * 1000))
        explainer = explainer_of(simulation)
        rows = [(number, row) for number in (1, 2) for row in run_to_end(explainer.obstacles(number))]
        return {number: row.numbers for number, row in rows if row.code == "NODES_NOT_BACK"}

    assert reasons(69.9) == {}
    assert reasons(70.1) == {2: {"missing": 3, "known": 3}}
    assert reasons(75.0) == {2: {"missing": 1, "known": 3}}
    assert reasons(690.0) == {}


# Who waits for whom, as a graph of holders.

FULL = Reason.DOES_NOT_FIT


def _graph(edges: Mapping[int, Sequence[int]]) -> WaitForGraph:
    """Application → whose containers on node n<number> it waits for."""

    def holds(number: int) -> Incremental[list[BlockingResources]]:
        yield
        return [BlockingResources(other, FULL, (), 0, 0, (), (f"n{other}",)) for other in edges.get(number, ())]

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
    cycle = run_to_end(_graph(edges).cycle_from(1))

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

    steps = [(step.application, step.holder) for step in run_to_end(_graph(edges).cycle_from(1))]

    assert bool(steps) == any(each in reached(each) for each in {1, *reached(1)})
    assert all(holder in edges[one] and holder != one for one, holder in steps)
    assert len({one for one, _ in steps}) == len(steps)
    assert [holder for _, holder in steps] == [one for one, _ in (*steps[1:], *steps[:1])]


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
    found = run_to_end(holders(rm.scheduler, attempt, run_to_end(obstacles_found(rm.scheduler, attempt, START_MS))))

    assert attempt_of(rm, idle).live == {}
    assert [(each.application, each.because) for each in found] == [(one, Reason.QUEUE_NOT_RUNNING_IT)]
