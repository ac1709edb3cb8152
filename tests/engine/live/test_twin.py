"""What a snapshot says of a cluster, as far as a twin has to say the same."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.formats.scenario_toml import dump, load, loads, packaged
from engine.live.twin.applications import Assumptions
from engine.live.twin.cluster_holdings import InferredHoldings
from engine.live.twin.twin import (
    capacity_settings,
    configuration_of_cluster,
    configuration_of_scenario,
    fair_queues,
    is_frozen,
    twin_of,
    twin_of_simulation,
)
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import (
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    CapacityQueueRow,
    PartitionUse,
    QueueRow,
    Snapshot,
    Unknown,
)
from engine.observe.snapshots import snapshot_of, snapshot_of_simulation
from engine.run import Run
from engine.scenario import QueueSpec, Scenario
from engine.scenario.acts import KillApplication
from engine.scenario.scenario import system_of
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from engine.simulation.world import CONTAINER_ENDS, World
from tests.build.capacity import CAPACITY
from tests.build.rows import app, ask, capacity_queue, header, node, queue
from tests.build.rows import snapshot as cluster
from tests.engine.live.recorded import rounds_of
from tests.engine.live.recorded import snapshot_of as killed_snapshot_of

Likeness = Mapping[tuple[str, str], object]


def likeness(snapshot: Snapshot) -> Likeness:
    """(noun, id) → what is said of it.

    Left out: queues that nobody uses and no file names, which come and go; shares and demands, which an update of
    half a second ago may have computed; and of nodes what has ended there and is not let go of yet.
    """
    return {
        **_nodes(snapshot),
        **{("queue", row.path): _queue(row) for row in snapshot.queues() if row.applications_running or row.containers},
        **_applications(snapshot),
        **{
            ("reservation", row.node): (row.application, row.queue, row.size, row.since_ms)
            for row in snapshot.reservations()
        },
    }


def _nodes(snapshot: Snapshot) -> Likeness:
    ended: dict[str, list[Amounts]] = {}
    for row in snapshot.containers():
        if row.state not in {"ALLOCATED", "ACQUIRED", "RUNNING", "RESERVED"}:
            ended.setdefault(row.node, []).append(row.size)
    return {
        ("node", row.id): (
            (row.host, row.rack, row.state, row.partition, row.total, row.reserved_by, row.reserved),
            row.containers - len(ended.get(row.id, ())),
            tuple(used - sum(size[at] for size in ended.get(row.id, ())) for at, used in enumerate(row.used)),
        )
        for row in snapshot.nodes()
    }


def _queue(row: QueueRow) -> object:
    return row.used, row.reserved, row.applications_running, row.applications_pending, row.containers, row.max_share


def _applications(snapshot: Snapshot) -> Likeness:
    return {
        ("application", row.id): (
            (row.number, row.name, row.user, row.queue, row.type, row.state, row.submitted_ms, row.waiting_since_ms),
            (row.used, row.containers, row.reserved, row.reservations, row.pending_containers),
            () if isinstance(row.asks, Unknown) else tuple(map(_ask, row.asks)),
        )
        for row in snapshot.applications(why=False)
        if row.state not in FINAL_APPLICATION_STATES
    }


def _ask(ask: AskRow) -> object:
    return ask.priority, ask.count, ask.size, ask.relax_locality


# The twin of a simulation stands as the simulation stands, and lives.


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
@pytest.mark.parametrize("name", packaged())
def test_every_packaged_scenario_has_a_twin_that_stands_as_it_stands(name: str, part: float) -> None:
    scenario = load(name)
    if system_of(scenario.scheduler) != "yarn":
        pytest.skip("no ResourceManager")
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


# Twins of snapshots that name no containers and no reserved nodes, as REST answers do.

INFERRED_SAMPLE = (
    "reservation-deadlock-recorded",
    "reservation-deadlock-recorded-3.4",
    "prod-dev-capacity",
    "drf-capacity-3.4",
)


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


def inferred_original(scenario: Scenario) -> Run:
    run = Run(scenario, is_judged=False)
    run.advance(scenario.duration_ms // 2)
    return run


def live(snapshot: Snapshot) -> list[ApplicationRow]:
    return [row for row in snapshot.applications(why=False) if row.state not in FINAL_APPLICATION_STATES]


@pytest.mark.parametrize("name", INFERRED_SAMPLE)
def test_totals_of_nodes_applications_and_reservations_are_kept(name: str) -> None:
    """Whatever container is where: what each node has free and what each application has are the cluster's."""
    scenario = load(name)
    snapshot = inferred_original(scenario).snapshot()

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
    assert {each.attempt for each in twin.recovered} == {1}


def test_holders_of_reservations_are_found_from_sums() -> None:
    scenario = load("reservation-deadlock-recorded")
    snapshot = inferred_original(scenario).snapshot()

    twin = twin_of(in_totals(snapshot), configuration_of_scenario(scenario))
    numbers = {each.application.number: [one.node for one in each.reserved] for each in twin.recovered}

    held = {row.node: int(row.application[-4:]) for row in snapshot.reservations()}
    assert {node: number for number, nodes in numbers.items() for node in nodes} == held
    assert len(held) == 12


def test_a_node_that_is_down_and_reports_no_size_is_as_large_as_most() -> None:
    """As 2.7 tells of a lost one; of a node that runs the size is needed."""
    scenario = load("prod-dev-capacity")
    totals = in_totals(inferred_original(scenario).snapshot())
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
    snapshot = inferred_original(load(name)).snapshot()
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
    totals = in_totals(inferred_original(scenario).snapshot())
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
    rows = inferred_original(load("reservation-deadlock-recorded")).snapshot().queues()[:3]
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
    snapshot, seen = (
        in_totals(inferred_original(scenario).snapshot()),
        in_totals(inferred_original(scenario).snapshot()),
    )
    seen.header = msgspec.structs.replace(seen.header, master_start_ms=4_000)
    twins = [twin_of(each, configuration_of_cluster(each)) for each in (snapshot, seen)]

    assert [twin.cluster.register_delay_ms for twin in twins] == [0, 4_000]
    assert any("register 4s after their container runs" in each.sentence for each in twins[1].assumed)


# The twin of a recorded cluster goes on as the real ResourceManager did after the same kill.

BEHIND_MS = 4_300
"""Of the clock of the recorded rounds, behind the ResourceManager's."""
MASTER_START_MS = 2_000
"""As the rounds before the standstill show."""
SETTINGS = {
    "yarn.scheduler.minimum-allocation-mb": "1024",
    "yarn.scheduler.maximum-allocation-mb": "64000",
    "yarn.scheduler.maximum-allocation-vcores": "32",
    "yarn.scheduler.fair.user-as-default-queue": "false",
}


def started(snapshot: Snapshot, waiting: set[int]) -> int:
    return sum(row.state != "ACCEPTED" for row in snapshot.applications(why=False) if row.number in waiting)


@pytest.mark.parametrize(("round_number", "killed", "agrees_s"), [(3, 10, 7), (13, 16, 9)])
def test_a_kill_on_the_twin_comes_out_as_the_recorded_one(round_number: int, killed: int, agrees_s: int) -> None:
    """So many of those that waited began by each second, and so many nodes were reserved within a few."""
    rounds = [
        each._replace(time_ms=each.time_ms + BEHIND_MS, master_start_ms=MASTER_START_MS)
        for each in rounds_of("2.7.2-fair-kill")
    ]
    before, *after = map(killed_snapshot_of, rounds[round_number : round_number + agrees_s + 1])
    waiting = {row.number for row in before.applications(why=False) if row.state == "ACCEPTED"}
    twin = build_simulation(twin_of(before, configuration_of_cluster(before, SETTINGS)))

    twin.run_until(after[0].header.time_ms - 20)
    _ = twin.act(KillApplication(killed))

    for real in after:
        twin.run_until(real.header.time_ms)
        played = snapshot_of_simulation(twin)
        assert abs(started(played, waiting) - started(real, waiting)) <= 1
        assert isinstance(played.header.nodes_reserved, int)
        assert isinstance(real.header.nodes_reserved, int)
        assert abs(played.header.nodes_reserved - real.header.nodes_reserved) <= 2


# Parts of a twin: applications, configuration, durations, what is held.


# The configuration of a cluster's twin: queues as rows show them, settings, and what is assumed of them.


def fair(path: str, steady: Any = UNKNOWN, **changes: Any) -> Any:
    return queue(path, **{"min_share": (0, 0), "steady_share": steady, "policy": "fair", **changes})


@pytest.mark.parametrize(
    ("changes", "spec"),
    [
        ({"policy": "Fair"}, QueueSpec(name="a.b", policy="fair")),
        ({"policy": "DominantResourceFairness"}, QueueSpec(name="a.b", policy="drf")),
        ({"policy": "own"}, QueueSpec(name="a.b")),
        ({"min_share": (1, 0)}, QueueSpec(name="a.b", policy="fair", min_resources="1 mb, 0 vcores")),
        ({"min_share": UNKNOWN}, QueueSpec(name="a.b", policy="fair")),
        ({"max_share": (9, 8)}, QueueSpec(name="a.b", policy="fair", max_resources="9 mb, 8 vcores")),
        ({"max_share": UNKNOWN}, QueueSpec(name="a.b", policy="fair")),
    ],
)
def test_a_queue_of_fair_scheduler_has_what_its_row_shows(changes: dict[str, Any], spec: QueueSpec) -> None:
    assert list(fair_queues([fair("root"), fair("root.a.b", **changes)])) == [spec]


def capacity(path: str, guaranteed: int, most: float = 1.0, **changes: Any) -> CapacityQueueRow:
    gpu = PartitionUse(label="gpu", capacity=0, maximum=0.9, guaranteed=(0, 0), limit=(0, 0), used=(0, 0))
    default = PartitionUse(label="", capacity=0, maximum=most, guaranteed=(0, 0), limit=(0, 0), used=(0, 0))

    return capacity_queue(path, **{"guaranteed": (guaranteed, 1), "partitions": (gpu, default), **changes})


ROWS = [
    capacity("root", 300),
    capacity("root.a", 100, 0.8),
    capacity("root.a.x", 0, 0.2, state="STOPPED"),
    capacity("root.a.y", 0, 0.9),
    capacity("root.b", 200, 0.5),
]


@pytest.mark.parametrize("by_path", [True, False])
def test_queues_of_capacity_scheduler_have_their_parts_of_their_parents(*, by_path: bool) -> None:
    found = dict(capacity_settings(ROWS, by_path=by_path))
    stopped = {f"{CAPACITY}root.a.x.state": "STOPPED"} if by_path else {}

    assert found == {
        f"{CAPACITY}root.queues": "a,b",
        f"{CAPACITY}root.a.capacity": "33.333",
        f"{CAPACITY}root.b.capacity": "66.667",
        f"{CAPACITY}root.a.queues": "x,y",
        f"{CAPACITY}root.a.maximum-capacity": "80.000",
        f"{CAPACITY}root.a.x.capacity": "0.000",
        f"{CAPACITY}root.a.y.capacity": "100.000",
        f"{CAPACITY}root.a.x.maximum-capacity": "25.000",
        f"{CAPACITY}root.a.y.maximum-capacity": "100.000",
        f"{CAPACITY}root.b.maximum-capacity": "50.000",
        **stopped,
    }


# What applications hold and will ask for, as containers are named or as totals let one conclude.


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[Any], list[ApplicationRow]]:
    pieces = draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.integers(1, 40), st.integers(1, 4)), max_size=9)
    )

    def total(some: list[tuple[int, int, int, int]]) -> dict[str, Any]:
        return {"used": (sum(one[2] for one in some), sum(one[3] for one in some)), "containers": len(some)}

    nodes = [node(f"n{at}", **total([one for one in pieces if one[0] == at])) for at in range(3)]
    return nodes, [app(number, **total([one for one in pieces if one[1] == number])) for number in (1, 2, 3)]


@settings(max_examples=80, deadline=None)
@given(clusters())
def test_whatever_is_inferred_every_application_and_node_has_as_many_and_as_much(
    cluster: tuple[list[Any], list[ApplicationRow]],
) -> None:
    nodes, rows = cluster
    found = InferredHoldings(nodes, rows, (1, 1))
    holds = found.by_application()

    for row in rows:
        some = holds.get(row.id, ())
        assert sum(each.count for each in some) == row.containers
        assert tuple(sum(each.count * each.size[at] for each in some) for at in (0, 1)) == row.used
        assert sum(each.count for each in some if each.is_am) == min(row.containers, 1)
        assert all(each.size[0] > 0 and each.size[1] >= 0 for each in some)
    flat = [each for some in holds.values() for each in some]
    assert [sum(each.count for each in flat if each.node == one.id) for one in nodes] == [
        one.containers for one in nodes
    ]
    differs = [one.used[0] - sum(each.count * each.size[0] for each in flat if each.node == one.id) for one in nodes]
    assert found.unexplained_mb == sum(map(abs, differs))
