"""Why applications wait while their ResourceManager is gone or recovers, and what becomes of them."""

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.counterfactuals import Lookahead
from engine.explain.explainers import explainer_of
from engine.incremental import finish
from engine.observe.obstacles import obstacle_summary
from engine.scenario.acts import LoseNode, LoseResourceManager, RestartResourceManager
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import played
from tests.engine.simulation.test_outages import QUICK, SCHEDULERS, scene


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


def test_what_waits_starts_after_the_wait() -> None:
    one = scene()
    simulation, _ = played(one, 64)
    simulation.act(RestartResourceManager(6_000))
    simulation.run_until(one.start_ms + 69_000)

    started_ms = Lookahead(simulation).until_started(1)

    assert started_ms is not None
    assert 80_000 < started_ms - one.start_ms < 82_000


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
        rows = [(number, row) for number in (1, 2) for row in finish(explainer.obstacles(number))]
        return {number: row.numbers for number, row in rows if row.code == "NODES_NOT_BACK"}

    assert reasons(69.9) == {}
    assert reasons(70.1) == {2: {"missing": 3, "known": 3}}
    assert reasons(75.0) == {2: {"missing": 1, "known": 3}}
    assert reasons(690.0) == {}
