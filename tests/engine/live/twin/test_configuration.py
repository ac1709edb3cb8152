"""The configuration of a cluster's twin: queues as rows show them, settings, and what is assumed of them."""

from typing import Any

import pytest

from engine.live.twin.twin import capacity_settings, fair_queues
from engine.observe.snapshot import UNKNOWN, CapacityQueueRow, PartitionUse
from engine.scenario import QueueSpec
from tests.engine.live.rows import capacity_queue, queue

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
