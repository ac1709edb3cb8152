"""Parts of a twin: applications, configuration, durations, what is held."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.live.twin.applications import Assumptions, Estimate, Surroundings, estimates, recovered_of, work_by_kind
from engine.live.twin.cluster_holdings import HeldContainers, InferredHoldings, steps_of
from engine.live.twin.twin import capacity_settings, fair_queues
from engine.observe.snapshot import UNKNOWN, ApplicationRow, AskRow, CapacityQueueRow, PartitionUse, ReservationRow
from engine.scenario import QueueSpec, RecoveredReservation, RecoveredSpec
from tests.engine.live.recorded import app, capacity_queue, node, queue

NOW_MS = 100_000
NAME = "application_1_0001"


def surroundings(**changes: Any) -> Surroundings:
    nothing = Surroundings(NOW_MS, frozenset({"n1", "n2"}), False, {}, {}, {}, {}, {}, frozenset(), Assumptions(), None)
    return nothing._replace(**changes)


def held(size: tuple[int, int] = (8, 1), count: int = 1, priority: int | None = None, **more: Any) -> HeldContainers:
    fields = {"is_am": False, "since_ms": None, **more}
    return HeldContainers("n1:1", size, count, priority, **fields)


MASTER = held((2, 1), is_am=True)


def recovered(row: ApplicationRow, holds: tuple[HeldContainers, ...] = (), **changes: Any) -> RecoveredSpec:
    return recovered_of(row, surroundings(holdings={row.id: holds}, **changes))


def spec(found: RecoveredSpec) -> Any:
    return found.application


@pytest.mark.parametrize(
    ("asks", "size", "found"),
    [
        ((AskRow(5, 1, (9, 1)), AskRow(6, 1, (8, 1))), (8, 1), (8, 1, 6)),
        ((AskRow(5, 1, (9, 1)), AskRow(6, 1, (8, 1))), (7, 1), (7, 1, 5)),
        ((), (8, 1), (8, 1, 0)),
    ],
)
def test_a_reservation_is_for_the_ask_of_its_size(asks: Any, size: Any, found: tuple[int, int, int]) -> None:
    row = ReservationRow("n1:1", NAME, "", size, (1, 1), (0, 0), UNKNOWN)
    held_for = recovered(app(1, *asks), (MASTER,), reserved={NAME: [row]}).reserved

    memory_mb, vcores, priority = found
    assert held_for == (
        RecoveredReservation(node="n1:1", memory_mb=memory_mb, vcores=vcores, priority=priority, since_ms=0),
    )


@pytest.mark.parametrize(
    ("known", "estimate", "given", "found"),
    [
        (UNKNOWN, None, {}, ((60_000, 60_000), (60_000, 60_000))),
        (UNKNOWN, Estimate(9_000, 4_000), {}, ((9_000, 9_000), (4_000, 4_000))),
        (UNKNOWN, Estimate(9_000, 4_000), {"1": 7}, ((7, 7), (7, 7))),
        (UNKNOWN, None, {"0001": None}, (None, None)),
        (5_000, None, {}, ((60_000, 60_000), (5_000, 5_000))),
        (None, None, {}, ((60_000, 60_000), None)),
    ],
)
def test_how_long_containers_run_is_known_or_given_or_concluded(
    known: Any, estimate: Estimate | None, given: dict[str, int | None], found: object
) -> None:
    row = app(1, AskRow(1, 1, (9, 1)), submitted_ms=40_000)
    done = recovered(
        row,
        (held(remaining_ms=known),),
        estimates={} if estimate is None else {NAME: estimate},
        assumptions=Assumptions(of_application=given),
    )

    assert (spec(done).asks[0].duration_ms, done.containers[0].remaining_ms) == found


# The configuration of a cluster's twin: queues as rows show them, settings, and what is assumed of them.

PREFIX = "yarn.scheduler.capacity."


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


@pytest.mark.parametrize(
    ("shares", "weights"),
    [
        ([300, 100, 150], [3.0, 1.0, 1.5]),
        ([100, 300, 200], [1.0, 3.0, 2.0]),
        ([100, 133, 0], [1.0, 1.33, None]),
        ([UNKNOWN, 70, 35], [None, 2.0, 1.0]),
    ],
)
def test_weights_are_relative_to_the_smallest_sibling(shares: list[Any], weights: list[float | None]) -> None:
    steady = [each if each is UNKNOWN else (each, 7) for each in shares]
    rows = [fair(f"root.{name}", each) for name, each in zip("abc", steady, strict=True)]
    found = [each.weight for each in fair_queues([*rows, fair("root.a.x", (5, 1)), fair("root.a.y", (5, 1))])]

    assert found == [*weights, 1.0, 1.0]


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
    stopped = {f"{PREFIX}root.a.x.state": "STOPPED"} if by_path else {}

    assert found == {
        f"{PREFIX}root.queues": "a,b",
        f"{PREFIX}root.a.capacity": "33.333",
        f"{PREFIX}root.b.capacity": "66.667",
        f"{PREFIX}root.a.queues": "x,y",
        f"{PREFIX}root.a.maximum-capacity": "80.000",
        f"{PREFIX}root.a.x.capacity": "0.000",
        f"{PREFIX}root.a.y.capacity": "100.000",
        f"{PREFIX}root.a.x.maximum-capacity": "25.000",
        f"{PREFIX}root.a.y.maximum-capacity": "100.000",
        f"{PREFIX}root.b.maximum-capacity": "50.000",
        **stopped,
    }


# Tests of how long containers are concluded to run.

DURATION_NOW_MS = 1_000_000
ENDED = ApplicationRow(
    id="application_1_1",
    number=1,
    name="report 7",
    user="ann",
    queue="root.adhoc",
    type="MAPREDUCE",
    state="FINISHED",
    submitted_ms=900_000,
    waiting_since_ms=None,
    finished_ms=910_000,
    used=(0, 0),
    containers=0,
    reserved=(0, 0),
    reservations=0,
    asks=(),
    pending_containers=0,
    obstacle=None,
    memory_seconds=90,
    progress=100.0,
)
RUNNING = msgspec.structs.replace(
    ENDED,
    id="application_1_2",
    number=2,
    state="RUNNING",
    submitted_ms=DURATION_NOW_MS - 20_000,
    finished_ms=None,
    containers=1,
    asks=(AskRow(20, 3, (8, 1), (), True),),
    memory_seconds=60,
    progress=25.0,
)
DURATION_MASTER = {RUNNING.id: [HeldContainers("n1:1", (1, 1), 1, None, True, None)]}


def estimate(row: ApplicationRow, *others: ApplicationRow) -> Estimate | None:
    """What is concluded of one that runs, with a master of 1 MB."""
    return estimates([row], DURATION_MASTER, work_by_kind(others), DURATION_NOW_MS).get(row.id)


def test_containers_that_ended_tell_how_long_the_others_run() -> None:
    """At 25 % of four, one of 8 MB ended; it used what its master did not in 20 s: 40 MB s."""
    assert estimate(RUNNING, ENDED) == Estimate(5000, 2500)


@pytest.mark.parametrize(("used", "expected"), [(28, Estimate(3000, 3000)), (99, Estimate(1000, 1000)), (100, None)])
def test_what_is_left_of_the_work_of_others_is_shared_by_all_containers(used: int, expected: Estimate | None) -> None:
    """Three of 8 MB do the rest of 80 MB s; its master used 20. One that did more than others is not like them."""
    row = msgspec.structs.replace(RUNNING, progress=0.0, memory_seconds=used, name="report 8")

    assert estimate(row, ENDED) == expected


def test_one_of_another_name_lasts_midway_between_that_work_and_that_time() -> None:
    """Three of 8 MB did the rest of 80 MB s in 1 s, the other application took 10 s: the root of 1 times 10."""
    row = msgspec.structs.replace(RUNNING, progress=0.0, memory_seconds=76, name="merge")

    assert estimate(row, ENDED) == Estimate(3162, 3162)


# What applications hold and will ask for, as containers are named or as totals let one conclude.


@pytest.mark.parametrize(
    ("values", "steps"),
    [
        ({}, (1024, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": " 512 "}, (512, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": "512", "yarn.scheduler.increment-allocation-mb": "256"}, (256, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": "0"}, (1024, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": "x"}, (1024, 1)),
    ],
)
def test_sizes_are_multiples_of_the_increment_else_of_the_minimum(
    values: dict[str, str], steps: tuple[int, int]
) -> None:
    assert steps_of(values) == steps


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
