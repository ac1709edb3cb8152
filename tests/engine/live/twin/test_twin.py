"""The twin of a simulation stands as the simulation stands, and lives."""

import pytest

from engine.formats.scenario_toml import dump, load, loads, packaged
from engine.live.twin.applications import Assumptions
from engine.live.twin.twin import (
    configuration_of_cluster,
    configuration_of_scenario,
    is_frozen,
    twin_of,
)
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of
from engine.run import Run
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.live.rows import app, ask, header, node, queue
from tests.engine.live.rows import snapshot as cluster
from tests.engine.live.twin.likeness import likeness

YARN = tuple(name for name in packaged() if "spark" not in (kind := load(name).scheduler) and "mr1" not in kind)

SAMPLE = (
    ("reservation-deadlock-recorded", 65),
    ("reservation-deadlock-recorded-3.4", 65),
    ("reservation-deadlock-capacity", 1890),
    ("reservations-one-queue-twin", 120),
    ("node-labels-capacity-3.4", 300),
    ("three-schedulers-fifo", 60),
    ("pattern-locality-never-relaxed", 300),
)
"""Scenario → an instant of it [s]: each policy, reservations, partitions, strict asks."""


def original(scenario: Scenario, at_ms: int) -> Snapshot:
    """A simulation of a scenario at an instant [ms after the start]."""
    run = Run(scenario, is_judged=False)
    run.advance(at_ms)
    return run.snapshot()


def played(twin: Scenario) -> Simulation:
    """A simulation of a twin at its start, read back from its file."""
    return build_simulation(loads(dump(twin)))


def pictured(simulation: Simulation) -> Snapshot:
    return snapshot_of(simulation)


@pytest.mark.parametrize(("name", "at_s"), SAMPLE)
def test_a_twin_stands_as_its_original(name: str, at_s: int) -> None:
    scenario = load(name)
    snapshot = original(scenario, at_s * 1000)

    simulation = played(twin_of(snapshot, configuration_of_scenario(scenario)))

    assert likeness(pictured(simulation)) == likeness(snapshot)
    assert snapshot.header.containers


def test_reservations_of_the_capacity_scheduler_of_3_4_stand() -> None:
    scenario = load("reservations-one-queue-twin").model_copy(update={"scheduler": "capacity-3.4"})
    snapshot = original(scenario, 120_000)

    simulation = played(twin_of(snapshot, configuration_of_scenario(scenario)))

    assert likeness(pictured(simulation)) == likeness(snapshot)
    assert snapshot.reservations()


@pytest.mark.long
@pytest.mark.parametrize("part", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("name", YARN)
def test_every_packaged_scenario_has_a_twin_that_stands_as_it_stands(name: str, part: float) -> None:
    scenario = load(name)
    snapshot = original(scenario, int(scenario.duration_ms * part))

    simulation = played(twin_of(snapshot, configuration_of_scenario(scenario)))

    assert likeness(pictured(simulation)) == likeness(snapshot)
    simulation.run_until(simulation.now_ms + 120_000)


def waiting(size: int) -> Scenario:
    """A twin of one node of which 1024 MB are free for ever, and of one application that waits for so much memory."""
    held = app(1, used=(7168, 2), containers=2)
    rows = [held, app(2, ask(size, 1), state="ACCEPTED", containers=0)]
    nodes = [node("n", (1024, 6), (8192, 8), containers=2)]
    picture = cluster(header(scheduler="FairScheduler 2.7.2"), nodes=nodes, applications=rows, queues=[queue("root.q")])
    return twin_of(picture, configuration_of_cluster(picture, {}), Assumptions(None))


@pytest.mark.parametrize(("size", "frozen"), [(1024, False), (1025, True)])
def test_a_twin_is_frozen_where_somebody_waits_and_nothing_starts(size: int, *, frozen: bool) -> None:
    assert is_frozen(waiting(size)) == frozen
