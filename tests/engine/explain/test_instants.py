"""Instants of scenarios and of kept runs, given or chosen, and who is meant at them."""

from pathlib import Path

import pytest

from engine.errors import RefusedError
from engine.explain.instant import (
    WORTH_MS,
    application_at,
    instant_of,
    kept_instant,
    kept_longest_wait,
    longest_wait,
    waiting_at,
)
from engine.observe.snapshots import snapshot_of
from engine.run.run_reader import KeptRun
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication
from engine.simulation.build import build_simulation
from tests.engine.explain.stuck import HALVES, app, at, scene

TURNS = app("first", '{ memory = "6g", duration = "30s" }') + app("second", '{ memory = "6g", duration = "30s" }', at=5)


def turns(seconds: int = 120) -> Scenario:
    """Two that take turns on one node."""
    return scene(TURNS, nodes=1).model_copy(update={"duration_ms": seconds * 1000})


def kept(root: Path, scenario: Scenario, killed: int | None = None) -> KeptRun:
    """A run of it that is kept to its end; somebody is killed after half of it."""
    with RunWriter(root, "one", scenario, created="today") as keeper:
        simulation = build_simulation(scenario, [keeper, keeper.history])
        keeper.follow(simulation)
        if killed is not None:
            simulation.run_until(scenario.start_ms + scenario.duration_ms // 2)
            simulation.act(KillApplication(killed))
        simulation.run_until(scenario.start_ms + scenario.duration_ms)
        keeper.finish(simulation.now_ms)
    return KeptRun(root, "one")


@pytest.mark.parametrize("at_ms", [0, 500, 22_000, 60_000])
def test_an_instant_of_a_scenario_is_that_of_its_run(at_ms: int) -> None:
    """With the refusals of the round of offers before it, of which reservations leave none, and all allocations."""
    scenario = scene(HALVES)
    found = instant_of(scenario, at_ms)

    assert found.simulation.now_ms == scenario.start_ms + at_ms
    assert list(snapshot_of(found.simulation).applications()) == list(
        snapshot_of(at(scenario, at_ms / 1000)).applications()
    )
    assert found.spell is None
    assert len(found.facts.allocated) == (2 if at_ms >= 22_000 else 0)
    assert bool(found.facts.refusals()) == (at_ms == 22_000)


def test_an_instant_of_a_kept_run_is_that_of_its_run(tmp_path: Path) -> None:
    """What came from outside is done; the refusals are those of a scenario of the same course."""
    scenario = scene(HALVES).model_copy(update={"duration_ms": 100_000})
    with kept(tmp_path, scenario, killed=2) as run:
        before = kept_instant(run, scenario.start_ms + 22_000)
        after = kept_instant(run, scenario.start_ms + 90_000)
        first = kept_instant(run, scenario.start_ms)
    plain = instant_of(scenario, 22_000)

    assert before.simulation.now_ms == scenario.start_ms + 22_000
    assert before.facts.refusals() == plain.facts.refusals()
    assert before.facts.refusals()
    assert list(before.facts.allocated) == list(plain.facts.allocated)
    assert [row.number for row in snapshot_of(after.simulation).applications() if row.finished_ms is None] == [1]
    assert first.simulation.now_ms == scenario.start_ms


def test_the_middle_of_the_longest_wait_is_chosen_of_one_that_is_over(tmp_path: Path) -> None:
    """In a scenario as in a kept run."""
    scenario = turns()
    found = longest_wait(scenario, "second")
    assert found is not None
    assert found.spell is not None
    spell = found.spell

    assert spell.until_ms - spell.from_ms > 20_000
    assert found.simulation.now_ms == (spell.from_ms + spell.until_ms) // 2
    with kept(tmp_path, scenario) as run:
        again = kept_longest_wait(run, "second")
        assert again is not None
        assert (again.spell, again.simulation.now_ms) == (spell, found.simulation.now_ms)
        assert kept_longest_wait(run, "third") is None


@pytest.mark.parametrize("name", ["third", ""])
def test_of_nobody_no_wait_is_chosen(name: str) -> None:
    """There is no such application."""
    assert longest_wait(turns(), name) is None


def test_no_wait_is_chosen_of_one_that_lives_or_hardly_waited() -> None:
    """One that is not over at the end, and one that waits less than a second."""
    assert longest_wait(turns(20), "second") is None
    first = longest_wait(turns(), "first")
    assert first is None or (first.spell is not None and first.spell.until_ms - first.spell.from_ms >= WORTH_MS)


def test_an_application_is_meant_by_its_id_or_name() -> None:
    """Only one that lives and asks for something waits."""
    simulation = at(scene(HALVES + app("done", '{ memory = "1g", duration = "2s" }', waits=False, at=0)), 60)
    rows = {row.name: row for row in snapshot_of(simulation).applications()}

    assert application_at(simulation, "first").number == rows["first"].number
    assert application_at(simulation, rows["second"].id).name == "second"
    assert waiting_at(simulation, "second") == rows["second"].number
    with pytest.raises(RefusedError, match="no single application is meant by none at that instant"):
        application_at(simulation, "none")
    with pytest.raises(RefusedError, match=f"{rows['done'].id} is not waiting at that instant"):
        waiting_at(simulation, "done")
