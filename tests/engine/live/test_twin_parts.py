"""Parts of a twin: applications, configuration, durations, what is held."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.live.twin.cluster_holdings import InferredHoldings
from engine.live.twin.twin import capacity_settings, fair_queues
from engine.observe.snapshot import UNKNOWN, ApplicationRow, CapacityQueueRow, PartitionUse
from engine.scenario import QueueSpec, RecoveredSpec
from tests.engine.live.recorded import app, capacity_queue, node, queue


def spec(found: RecoveredSpec) -> Any:
    return found.application


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
