"""The order workers are offered in."""

import pytest

from engine.model.spark.worker import Worker
from engine.schedulers.spark.scheduling_pass import in_order
from engine.settings.spark import TIES_BY_REGISTRATION, TIES_BY_WORKER_ID

WORKERS = [
    Worker(id, f"{id}:1", "", cores, memory_mb, sequence, 0)
    for sequence, (id, cores, memory_mb) in enumerate([("w2", 4, 100), ("w10", 4, 300), ("w1", 8, 200)])
]


@pytest.mark.parametrize(
    ("policy", "ids"),
    [
        ("CORES_FREE_DESC", ["w1", "w2", "w10"]),
        ("CORES_FREE_ASC", ["w10", "w2", "w1"]),
        ("MEMORY_FREE_DESC", ["w10", "w1", "w2"]),
        ("MEMORY_FREE_ASC", ["w2", "w1", "w10"]),
        ("WORKER_ID", ["w1", "w10", "w2"]),
    ],
)
def test_each_policy_orders_by_its_key_then_by_id(policy: str, ids: list[str]) -> None:
    """Among equals ids compare as text, in the direction of the policy."""
    assert [worker.id for worker in in_order(WORKERS, policy, TIES_BY_WORKER_ID)] == ids


def test_before_spark_4_the_last_registered_is_first_among_equals() -> None:
    """Ties fall in reverse order of registration."""
    ordered = in_order(WORKERS, "CORES_FREE_DESC", TIES_BY_REGISTRATION)

    assert [worker.id for worker in ordered] == ["w1", "w10", "w2"]
