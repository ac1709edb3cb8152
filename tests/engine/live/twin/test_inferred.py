"""Twins of snapshots that name no containers and no reserved nodes, as REST answers do."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import dump, load, loads
from engine.live.twin.applications import Assumptions
from engine.live.twin.twin import (
    configuration_of_cluster,
    configuration_of_scenario,
    fair_queues,
    twin_of,
    twin_of_simulation,
)
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, ApplicationRow, Snapshot
from engine.observe.snapshots import snapshot_of
from engine.run import Run
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.world import CONTAINER_ENDS, World

SAMPLE = ("reservation-deadlock-recorded", "reservation-deadlock-recorded-3.4", "prod-dev-capacity", "drf-capacity-3.4")


def in_totals(snapshot: Snapshot) -> FixedSnapshot:
    """What REST would say of it: containers and reserved nodes are counted, not named."""
    rows: dict[str, Sequence[Any]] = {
        "queues": list(snapshot.queues()),
        "nodes": [msgspec.structs.replace(row, reserved_by=UNKNOWN, reserved=UNKNOWN) for row in snapshot.nodes()],
        "applications": [
            msgspec.structs.replace(row, reserved=UNKNOWN, reservations=UNKNOWN)
            for row in snapshot.applications(why=False)
        ],
    }
    sections = {name: row for name, row in snapshot.sections.items() if name in rows}
    return FixedSnapshot("yarn", snapshot.header, sections, rows, dict.fromkeys(sections, 1))


def original(scenario: Scenario) -> Run:
    run = Run(scenario, is_judged=False)
    run.advance(scenario.duration_ms // 2)
    return run


def live(snapshot: Snapshot) -> list[ApplicationRow]:
    return [row for row in snapshot.applications(why=False) if row.state not in FINAL_APPLICATION_STATES]


@pytest.mark.parametrize("name", SAMPLE)
def test_totals_of_nodes_applications_and_reservations_are_kept(name: str) -> None:
    """Whatever container is where: what each node has free and what each application has are the cluster's."""
    scenario = load(name)
    snapshot = original(scenario).snapshot()

    twin = twin_of(in_totals(snapshot), configuration_of_scenario(scenario))
    simulation = build_simulation(loads(dump(twin)))
    pictured = snapshot_of(simulation)

    assert [(row.used, row.containers) for row in pictured.nodes()] == [
        (row.used, row.containers) for row in snapshot.nodes()
    ]
    assert [(row.used, row.containers, row.pending_containers) for row in live(pictured)] == [
        (row.used, row.containers, row.pending_containers) for row in live(snapshot)
    ]
    assert pictured.header.nodes_reserved == snapshot.header.nodes_reserved
    assert pictured.header.reserved == snapshot.header.reserved
    assert "places" in {each.what for each in twin.assumed}


def test_holders_of_reservations_are_found_from_sums() -> None:
    scenario = load("reservation-deadlock-recorded")
    snapshot = original(scenario).snapshot()

    twin = twin_of(in_totals(snapshot), configuration_of_scenario(scenario))
    numbers = {each.application.number: [one.node for one in each.reserved] for each in twin.recovered}

    held = {row.node: int(row.application[-4:]) for row in snapshot.reservations()}
    assert {node: number for number, nodes in numbers.items() for node in nodes} == held
    assert len(held) == 12


def test_a_node_that_is_down_and_reports_no_size_is_as_large_as_most() -> None:
    """As 2.7 tells of a lost one; of a node that runs the size is needed."""
    scenario = load("prod-dev-capacity")
    totals = in_totals(original(scenario).snapshot())
    first, *others = totals.nodes()

    def told(state: str) -> FixedSnapshot:
        down = msgspec.structs.replace(first, state=state, total=(0, 0), used=(0, 0), free=(0, 0), containers=0)
        rows = {"queues": totals.queues(), "nodes": [down, *others], "applications": totals.applications()}
        return FixedSnapshot("yarn", totals.header, totals.sections, rows, dict.fromkeys(totals.sections, 1))

    twin = twin_of(told("LOST"), configuration_of_scenario(scenario))
    node = twin.cluster.all_nodes()[0]

    assert (node.memory_mb, node.vcores, node.state) == (10240, 10, "LOST")
    assert f"report no size are as large as most: {first.host}" in " ".join(each.sentence for each in twin.assumed)
    with pytest.raises(ConfigError, match=f"the size of {first.host} is not reported"):
        _ = twin_of(told("RUNNING"), configuration_of_scenario(scenario))


@pytest.mark.parametrize(
    ("name", "scheduler"),
    [("reservation-deadlock-recorded", "FairScheduler 2.7.2"), ("prod-dev-capacity", "CapacityScheduler 2.7.2")],
)
def test_without_files_queues_are_as_they_are_shown(name: str, scheduler: str) -> None:
    snapshot = original(load(name)).snapshot()
    header = msgspec.structs.replace(snapshot.header, scheduler=scheduler)
    totals = in_totals(snapshot)
    shown = FixedSnapshot(
        "yarn",
        header,
        totals.sections,
        {"queues": totals.queues(), "nodes": totals.nodes(), "applications": totals.applications()},
        dict.fromkeys(totals.sections, 1),
    )

    twin = twin_of(shown, configuration_of_cluster(shown))
    simulation = build_simulation(loads(dump(twin)))
    pictured = snapshot_of(simulation)

    limits = {row.path: row.max_share for row in snapshot.queues() if row.is_leaf}
    found = {row.path: row.max_share for row in pictured.queues() if row.is_leaf}
    assert {path: found.get(path) for path in limits} == limits
    assert {"settings", "queues"} <= {each.what for each in twin.assumed}


def test_how_long_containers_run_may_be_given() -> None:
    scenario = load("reservation-deadlock-recorded")
    totals = in_totals(original(scenario).snapshot())
    given = Assumptions(None, {"2": 5000, "feature-store": 7000})

    twin = twin_of(totals, configuration_of_scenario(scenario), given)
    spans = {
        each.application.number: {one.remaining_ms for one in each.containers if one.ask is not None}
        for each in twin.recovered
    }

    assert (spans[1], spans[2], spans[3]) == ({None}, {(5000, 5000)}, {(7000, 7000)})


def test_of_a_simulation_it_is_known_when_containers_end() -> None:
    """The next container that ends in the simulation ends in the twin at the same instant."""
    scenario = load("reservation-deadlock-recorded")
    run = Run(scenario, is_judged=False)
    run.advance(30_000)

    twin = twin_of_simulation(run.simulation, scenario, Assumptions())
    simulation = build_simulation(twin)

    def ends(world: World) -> list[int]:
        return sorted(event[0] for event in world.clock.heap if event[3] == CONTAINER_ENDS)

    assert ends(simulation.world) == ends(run.simulation.world)
    assert "arrivals" in {each.what for each in twin.assumed}


@pytest.mark.parametrize(("low", "mid", "expected"), [(100, 300, [1.0, 3.0]), (100, 200, [None, 1.0])])
def test_weights_follow_from_steady_shares(low: int, mid: int, expected: list[float | None]) -> None:
    rows = original(load("reservation-deadlock-recorded")).snapshot().queues()[:3]
    shares = {"root.a": ((low, 0), (0, 0)), "root.b": ((mid, 0), (0, 0))}
    if expected[0] is None:
        shares["root.a"] = ((low, 0), (low, 0))
    queues = [rows[0]] + [
        msgspec.structs.replace(row, path=path, steady_share=steady, min_share=least, max_share=None)
        for row, (path, (steady, least)) in zip(rows[1:], shares.items(), strict=True)
    ]

    assert [spec.weight for spec in fair_queues(queues)] == expected


def test_masters_start_as_slowly_as_they_were_seen_to() -> None:
    scenario = load("reservation-deadlock-recorded")
    snapshot, seen = in_totals(original(scenario).snapshot()), in_totals(original(scenario).snapshot())
    seen.header = msgspec.structs.replace(seen.header, master_start_ms=4_000)
    twins = [twin_of(each, configuration_of_cluster(each)) for each in (snapshot, seen)]

    assert [twin.cluster.register_delay_ms for twin in twins] == [0, 4_000]
    assert any("register 4s after their container runs" in each.sentence for each in twins[1].assumed)
